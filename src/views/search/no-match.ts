import { html } from 'hono/html';
import { findOmissions } from '../../evidence/search/query.ts';
import { toWords } from '../../evidence/search/words.ts';
import { counted } from '../../evidence/text/plural.ts';
import type { NearMisses } from '../../tools/support/near-misses.ts';
import { type Html, handleLink } from '../layout/html.ts';
import {
  filtersOf,
  type Search,
  type SearchAddress,
  toFilter,
  withFilter,
  withoutFilter,
  withQuery,
} from './search-links.ts';

const near = (handles: readonly string[]) => html`
<h2>Near</h2>
<ul class="plain">${handles.map((handle) => html`<li>${handleLink(handle)}</li>`)}</ul>`;

type Left = NearMisses['leave_out'][number];

interface Link {
  readonly href: string;
  readonly text: string;
}

function withoutPart({ text = '', query = '' }: Left, address: SearchAddress): Link {
  const href = withQuery(address, query);
  if (query === '') return { href, text: 'Without the words, with the filters alone' };
  const what = text.startsWith('"') ? 'Without the quotation marks of' : 'Without';
  return { href, text: `${what} ${text}` };
}

function toLink(left: Left, address: SearchAddress): Link | undefined {
  const facet = left.facet ?? left.only;
  if (!facet) return withoutPart(left, address);
  const filter = toFilter(facet);
  if (!filter) return undefined;
  return left.only
    ? { href: withFilter(new URLSearchParams(), filter), text: `Only the filter “${filter.text}”` }
    : { href: withoutFilter(address, filter), text: `Without the filter “${filter.text}”` };
}

const entry = (href: string, text: string, count: number) =>
  html`<li><a href="${href}" rel="nofollow">${text}</a> <span class="count">${counted(count, 'listing')}</span></li>`;

const leaveOut = (left: readonly Left[], address: SearchAddress) => html`
<h2>What finds something</h2>
<ul class="plain">${left.map((one) => {
  const link = toLink(one, address);
  return link ? entry(link.href, link.text, one.count) : '';
})}</ul>`;

type Unknown = NonNullable<NearMisses['unknown_tags']>[number];

const unknownTag = ({ tag, near: tags }: Unknown) => html`
<p>No listing has the tag “${tag}”.${tags.length > 0 ? html` Near it: ${tags.map((one) => html`<a href="/tags/${one}">${one}</a> `)}` : ''}</p>`;

const toReason = (query: string, hasFilters: boolean) => {
  const what = findOmissions(query).length > 0 ? 'matches this search' : 'has any of these words';
  return hasFilters ? `No listing that passes all filters ${what}.` : `No listing ${what}.`;
};

function reason({ answer, address }: Search): string {
  const query = address.get('q') ?? '';
  if (answer.total.capped)
    return 'None of the listings that were read matches this search; there are more than one search reads.';
  if (query.trim() && toWords(query).length === 0)
    return 'There is no word in this search; a word has letters or digits.';
  return query.trim()
    ? toReason(query, filtersOf(address).length > 0)
    : 'No listing passes all of these filters.';
}

/** What is published where nothing matches: near handles, and what to leave out. */
export const noMatch = (
  { near: handles, leave_out, unknown_tags, copy_lacks }: NearMisses,
  search: Search,
): Html => html`
<div class="no-match">
<p>${copy_lacks ? `${copy_lacks} ` : ''}${reason(search)}</p>
${unknown_tags?.map(unknownTag) ?? ''}
${handles.length > 0 ? near(handles) : ''}
${leave_out.length > 0 ? leaveOut(leave_out, search.address) : ''}
<p>Or <a href="/tags">browse by tag</a>.</p>
</div>`;
