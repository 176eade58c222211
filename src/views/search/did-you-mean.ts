import { html } from 'hono/html';
import type { Html } from '../layout/html.ts';
import { type SearchAddress, type SearchAnswer, withQuery } from './search-links.ts';

type Unknown = NonNullable<SearchAnswer['did_you_mean']>[number];

/** The query with another text for a word, as far as it has the word as it is given. */
function replaceWord(query: string, word: string, other: string): string {
  const at = query.toLowerCase().indexOf(word);
  if (at < 0) return other || query;
  return `${query.slice(0, at)}${other}${query.slice(at + word.length)}`.replace(/\s+/g, ' ').trim();
}

function unknownWord({ word, near }: Unknown, address: SearchAddress) {
  const query = address.get('q') ?? '';
  const link = (other: string) =>
    html` <a href="${withQuery(address, replaceWord(query, word, other))}" rel="nofollow">${other}</a>`;
  return html`<p class="note">No listing has the word “${word}”.${near.length > 0 ? html` This search also looked for:${near.map(link)}` : ''}</p>`;
}

/** The words of a search that no listing has, and what was searched for instead. */
export const didYouMean = (unknown: readonly Unknown[], address: SearchAddress): Html =>
  html`${unknown.map((one) => unknownWord(one, address))}`;
