import { html } from 'hono/html';
import { amount } from '../../evidence/text/plural.ts';
import type { Html } from '../layout/html.ts';
import { type Search, withSort } from './search-links.ts';

const sorts = [
  { sort: 'relevance', withWords: 'best match', without: 'oldest publication' },
  { sort: 'updated', withWords: 'last updated', without: 'last updated' },
  { sort: 'published', withWords: 'newest', without: 'newest' },
] as const;

/** What decides the order, and links to the other orders. */
export function sortLinks({ answer, address }: Search): Html {
  const isSearch = address.has('q');
  const held = address.get('sort') ?? 'relevance';
  const links = sorts.map(({ sort, withWords, without }) => {
    const text = isSearch ? withWords : without;
    return sort === held
      ? html`<strong>${text}</strong>`
      : html`<a href="${withSort(address, sort)}" rel="nofollow">${text}</a>`;
  });
  const isOfSome = isSearch && answer.total.capped && held !== 'relevance';
  const some = isOfSome ? ` of the ${amount(answer.total.count)} that were read` : '';
  return html`<p class="note order">Order: ${links.map((link, at) => html`${at > 0 ? ', ' : ''}${link}`)}${some}. Never by ratings.</p>`;
}
