import { html } from 'hono/html';
import { ageText, day_ms } from '../core/text.ts';
import type { Words, WordsPart } from '../core/words.ts';
import { foreignLink, type Html } from './html.ts';

/** Older dates have their age. */
const agedFrom_days = 56;

const ageOf = (date: string, today: string | undefined) =>
  today !== undefined &&
  Date.parse(today) - Date.parse(date) > agedFrom_days * day_ms &&
  html`, ${ageText(date, today)}`;

const isShownAddress = (text: string) => /^https?:\/\//i.test(text);
const isOurs = (href: string) => href.startsWith('/');

function toCode({ text, href }: WordsPart & { readonly is: 'code' }): Html {
  if (href === undefined)
    return isShownAddress(text) ? foreignLink(text) : html`<code class="foreign">${text}</code>`;
  return isOurs(href)
    ? html`<a class="handle" href="${href}">${text}</a>`
    : html`<code>${foreignLink(href, text)}</code>`;
}

function partOf(part: WordsPart, today: string | undefined): Html {
  if (part.is === 'code') return toCode(part);
  if (part.is === 'quote') return html`<span class="foreign">“${part.text}”</span>`;
  if (part.is === 'day') return html`<time>${part.text}</time>${part.aged && ageOf(part.text, today)}`;
  if (part.is === 'source' && part.date !== undefined) return html` (${part.by}, <time>${part.date}</time>)`;
  return html`${part.text}`;
}

/** An `aged` day long before `today` has its age. */
export const toHtml = ({ parts }: Words, today?: string): Html =>
  html`${parts.map((part) => partOf(part, today))}`;
