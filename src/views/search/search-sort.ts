import { html } from 'hono/html';
import type { Html } from '../layout/html.ts';
import { type SearchAddress, withSort } from './search-links.ts';

const sorts = [
  { sort: 'relevance', withWords: 'best match', without: 'oldest publication' },
  { sort: 'updated', withWords: 'last updated', without: 'last updated' },
  { sort: 'published', withWords: 'newest', without: 'newest' },
] as const;

/** What decides the order, and links to the other orders. */
export function sortLinks(address: SearchAddress): Html {
  const isSearch = address.has('q');
  const held = address.get('sort') ?? 'relevance';
  const links = sorts.map(({ sort, withWords, without }) => {
    const text = isSearch ? withWords : without;
    return sort === held
      ? html`<strong>${text}</strong>`
      : html`<a href="${withSort(address, sort)}" rel="nofollow">${text}</a>`;
  });
  return html`<p class="note order">Order: ${links.map((link, at) => html`${at > 0 ? ', ' : ''}${link}`)}. Never by ratings.</p>`;
}
