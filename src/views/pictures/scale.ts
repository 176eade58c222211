import { html } from 'hono/html';
import { dayText } from '../../core/text.ts';
import type { Words } from '../../core/words.ts';
import { type Html, toHtml } from '../html.ts';

/** The picture is as wide as its column: only positions along the time are percentages. */
export const percent = (share: number): string => `${Number((100 * share).toFixed(2))}%`;

/** From 0 at the first time to 1 at the last (RFC 3339). */
export function toScale(first: string, last: string): (at: string) => number {
  const from = Date.parse(first);
  const to = Date.parse(last);
  return (at) => (to > from ? Math.min(1, Math.max(0, (Date.parse(at) - from) / (to - from))) : 1);
}

export const picture = (
  drawn: Html,
  [first, last]: readonly [string, string],
  words: Words,
  { name = '', legend = html`` } = {},
): Html => html`
<figure class="picture${name && ` ${name}`}">${drawn}
<p class="span"><time>${dayText(first)}</time> <time>${dayText(last)}</time></p>${legend}
<figcaption>${toHtml(words)}</figcaption></figure>`;
