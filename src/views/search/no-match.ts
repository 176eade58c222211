import { html } from 'hono/html';
import { toWords } from '../../evidence/search/words.ts';
import { counted } from '../../evidence/text/plural.ts';
import type { NearMisses } from '../../tools/support/near-misses.ts';
import { type Html, handleLink } from '../layout/html.ts';
import { type SearchAddress, toFilter, withoutFilter } from './search-links.ts';

const near = (handles: readonly string[]) => html`
<h2>Near</h2>
<ul class="plain">${handles.map((handle) => html`<li>${handleLink(handle)}</li>`)}</ul>`;

type Left = NearMisses['leave_out'][number];

function leaving({ facet, count }: Left, address: SearchAddress) {
  const filter = toFilter(facet);
  if (!filter) return '';
  return html`<li><a href="${withoutFilter(address, filter)}">Without the filter “${filter.text}”</a> <span class="count">${counted(count, 'listing')}</span></li>`;
}

const leaveOut = (left: readonly Left[], address: SearchAddress) => html`
<h2>With one filter less</h2>
<ul class="plain">${left.map((one) => leaving(one, address))}</ul>`;

type Unknown = NonNullable<NearMisses['unknown_tags']>[number];

const unknownTag = ({ tag, near: tags }: Unknown) => html`
<p>No listing has the tag “${tag}”.${tags.length > 0 ? html` Near it: ${tags.map((one) => html`<a href="/tags/${one}">${one}</a> `)}` : ''}</p>`;

function reason(address: SearchAddress): string {
  const query = address.get('q') ?? '';
  if (query.trim() && toWords(query).length === 0)
    return 'There is no word in this search; a word has letters or digits.';
  return query.trim()
    ? 'No listing that passes all filters has any of these words.'
    : 'No listing passes all of these filters.';
}

/** What is published where nothing matches: near handles, and what to leave out. */
export const noMatch = (
  { near: handles, leave_out, unknown_tags }: NearMisses,
  address: SearchAddress,
): Html => html`
<div class="no-match">
<p>${reason(address)}</p>
${unknown_tags?.map(unknownTag) ?? ''}
${handles.length > 0 ? near(handles) : ''}
${leave_out.length > 0 ? leaveOut(leave_out, address) : ''}
<p>Or <a href="/tags">browse by tag</a>.</p>
</div>`;
