import { html } from 'hono/html';
import { counted } from '../../evidence/text/plural.ts';
import { tokenize } from '../../evidence/text/tokenize.ts';
import type { NearMisses } from '../../tools/support/near-misses.ts';
import { type Html, handleLink } from '../layout/html.ts';
import { type SearchAddress, toFilter, withoutFilter, withWords } from './search-links.ts';

const meant = (words: string, address: SearchAddress) => html`
<p>Did you mean <a href="${withWords(address, words)}">${words}</a>?</p>`;

const near = (handles: readonly string[]) => html`
<h2>Near</h2>
<ul class="plain">${handles.map((handle) => html`<li>${handleLink(handle)}</li>`)}</ul>`;

type Left = NearMisses['leave_out'][number];

function leaving({ word, facet, count }: Left, address: SearchAddress) {
  const filter = facet === undefined ? undefined : toFilter(facet);
  const rest = tokenize(address.get('q') ?? '').filter((other) => other !== word);
  const href = filter ? withoutFilter(address, filter) : withWords(address, rest.join(' '));
  const what = filter ? html`the filter “${filter.text}”` : html`the word “${word}”`;
  return html`<li><a href="${href}">Without ${what}</a> <span class="count">${counted(count, 'listing')}</span></li>`;
}

const leaveOut = (left: readonly Left[], address: SearchAddress) => html`
<h2>With one word or filter less</h2>
<ul class="plain">${left.map((one) => leaving(one, address))}</ul>`;

/** Shown if nothing matches: another spelling, near handles, and what to leave out. */
export function noMatch(
  { did_you_mean, near: handles, leave_out }: NearMisses,
  address: SearchAddress,
): Html {
  const query = address.get('q') ?? '';
  const hasNoWord = query.trim() !== '' && tokenize(query).length === 0;
  return html`
<div class="no-match">
<p>${hasNoWord ? 'There is no word in this search; a word has letters or digits.' : 'All words and all filters must match.'}</p>
${did_you_mean ? meant(did_you_mean, address) : ''}
${handles.length > 0 ? near(handles) : ''}
${leave_out.length > 0 ? leaveOut(leave_out, address) : ''}
<p>Or <a href="/tags">browse by tag</a>.</p>
</div>`;
}
