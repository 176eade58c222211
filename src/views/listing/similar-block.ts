import { html } from 'hono/html';
import type { z } from 'zod';
import type { searchAgents } from '../../tools/search-agents.ts';
import { type Html, handleLink } from '../layout/html.ts';

/** Listings that search_agents answers for `similar_to`. */
export type SimilarListings = z.output<typeof searchAgents.output>['listings'];

const item = ({ handle, title, alike, sample }: SimilarListings[number]) => html`
<li>${handleLink(handle)}${title && html` <span class="foreign">${title}</span>`}${sample && ' (sample)'}
<p class="note foreign">${alike}</p></li>`;

/** Similar listings of other publishers, each with what it shares; nothing if there are none. */
export const similarBlock = (similar: SimilarListings): Html | '' =>
  similar.length === 0
    ? ''
    : html`
<section class="similar" aria-labelledby="similar">
<h2 id="similar">Similar listings</h2>
<p class="note">Of other publishers. The one that shares most stands first; ratings and claims have no part in the order.</p>
<ul class="plain">${similar.map(item)}</ul>
</section>`;
