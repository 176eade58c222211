import { html } from 'hono/html';
import { ageText, day_ms, dayText } from '../core/text.ts';
import type { Words, WordsPart } from '../core/words.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { stem, stopWords, toWords } from '../search/words.ts';

/** Escaped. */
export type Html = ReturnType<typeof html>;

/** To twelve digits. */
export const shortCommits = (text: string): string =>
  text.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{28}\b/g, '$1');

export const day = (time: string): Html => html`<time datetime="${time}">${dayText(time)}</time>`;

export const minute = (time: string): Html =>
  html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`;

const isHttps = (text: string) =>
  /^https:\/\/[^\s/?#@\\{}]+([/?#][^\s\\]*)?$/i.test(text) && URL.canParse(text);

/** A link only for plain https (docs/contract.md). */
export const foreignLink = (address: string, text = address): Html =>
  isHttps(address)
    ? html`<a class="foreign" href="${address}" rel="nofollow ugc noopener noreferrer">${text}</a>`
    : html`<span class="foreign">${text}</span>`;

export const paste = (text: string): Html => html`<pre class="paste"><code>${text}</code></pre>`;

/** No quotation mark of the input ends the argument. */
export const toCurl = (url: string, input: object, header = ''): string =>
  `curl -s ${url}${header && ` -H "${header}"`} -H 'Content-Type: application/json' -d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`;

export const pagePath = (handle: string): string => `/agents/${handle}`;

export const publisherPath = (namespace: string): string => `/publishers/${namespace}`;

export const handleLink = (handle: string): Html =>
  html`<a class="handle" href="${pagePath(handle)}">${handle}</a>`;

export const tagLink = (tag: string, title?: string): Html =>
  html`<a class="tag" href="/tags/${encodeURIComponent(tag)}"${title ? html` title="${title}"` : ''}>${tag}</a>`;

export const nameList = (title: string, names: readonly string[] = []) =>
  names.length > 0 &&
  html`
<h2>${title}</h2>
<ul class="plain">${names.map((name) => html`<li>${name.includes('/') ? handleLink(name) : tagLink(name)}</li>`)}</ul>`;

/** Empty if nothing is known. */
export const fact = (name: string, value: Html | string | number | false | undefined) =>
  value !== undefined &&
  value !== '' &&
  value !== false &&
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const minPrefixLength = 3;

/** `prefix`: the last word, if it matches as a prefix too. */
export function toSearchWords(query: string) {
  const words = toWords(query).map(({ text }) => text);
  const informative = words.filter((word) => !stopWords.has(word));
  const last = words.at(-1) ?? '';
  return {
    stems: new Set((informative.length > 0 ? informative : words).map(stem)),
    prefix: [...last].length >= minPrefixLength && !stopWords.has(last) ? last : undefined,
  };
}
export type SearchWords = ReturnType<typeof toSearchWords>;

export function highlight(text: string, { stems, prefix }: SearchWords): Html {
  if (stems.size === 0) return html`${text}`;
  const isMatch = (word: string) =>
    stems.has(stem(word)) || (prefix !== undefined && word.startsWith(prefix));
  const parts = text.split(/([\p{L}\p{M}\p{N}]+)/u);
  return html`${parts.map((part, at) =>
    at % 2 === 1 && toWords(part).some((word) => [word.text, ...word.parts].some(isMatch))
      ? html`<mark>${part}</mark>`
      : part,
  )}`;
}

/** Of our own words, so that no day breaks at its hyphens. */
export const withDays = (text: string): Html =>
  html`${text.split(/\b(\d{4}-\d\d-\d\d)\b/).map((part, at) => (at % 2 === 1 ? html`<time>${part}</time>` : part))}`;

/** Only for a sample or a saved copy. */
export const originNote = ({ origin_note }: Pick<ListingDocument, 'origin_note'>): Html | '' =>
  origin_note === undefined ? '' : html`<p class="note">${withDays(origin_note)}</p>`;

/** Older dates have their age. */
const agedFrom_days = 56;

const ageOf = (date: string, today: string | undefined) =>
  today !== undefined &&
  Date.parse(today) - Date.parse(date) > agedFrom_days * day_ms &&
  html`, ${ageText(date, today)}`;

function toCode({ text, href }: WordsPart & { readonly is: 'code' }): Html {
  if (href === undefined)
    return /^https?:\/\//i.test(text) ? foreignLink(text) : html`<code class="foreign">${text}</code>`;
  return href.startsWith('/')
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
