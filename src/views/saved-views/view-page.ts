import { html } from 'hono/html';
import { type Answer, criterionText } from '../../evidence/comparison/criteria.ts';
import type { SavedView } from '../../evidence/comparison/saved-view.ts';
import type { Member } from '../../tools/support/view-members.ts';
import { leftOutOf } from '../connect/connections.ts';
import { type Html, handleLink, paste } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';

const notVerdict =
  'The criteria are the operator’s. That a listing meets them is a list of facts with dates, not a recommendation.';

const answerItem = ({ fact, source, as_of, result }: Answer) => html`
<li>${result === 'unknown' && 'Not known: '}${fact} <span class="note">Source: <span class="foreign">${source}</span>, <time>${as_of}</time></span></li>`;

const leftOutNote = (leftOut: readonly string[]) =>
  leftOut.length > 0 &&
  html`<p class="note">The allow list and .mcp.json leave out ${leftOut.map((text, at) => html`${at > 0 && ', '}<code class="foreign">${text}</code>`)}: they take https addresses of public hosts without a user name or placeholders, and packages over stdio whose names are in the form of npm, PyPI, NuGet or an OCI image.</p>`;

const memberItem = ({ listing, answers }: Member) => html`
<li><h3>${handleLink(listing.handle)}</h3>
<p class="foreign">${listing.description}</p>
<ul class="plain">${answers.map(answerItem)}</ul>${leftOutNote(leftOutOf(listing))}</li>`;

const addresses = ({ name }: SavedView, { config }: Site) => {
  const base = `${config.publicUrl}/views/${name}`;
  return html`
<h2 id="use">Use it</h2>
<p>As the registry of an MCP host:</p>${paste(base)}
<p>As an allow list: <a href="/views/${name}/managed-settings.json">managed-settings.json</a>; as configuration: <a href="/views/${name}/.mcp.json">.mcp.json</a>; changes of its listings: <a href="/views/${name}/feed.atom">Atom</a>, <a href="/views/${name}/feed.json">JSON Feed</a>, <a href="/api/webhooks">webhooks</a>.</p>`;
};

/** What a page of a view shows. */
export interface ShownView {
  readonly view: SavedView;
  readonly members: readonly Member[];
  /** How many listings are in the view. */
  readonly count: number;
  /** When all listings were last judged, RFC 3339 UTC. */
  readonly passed_at: string;
  /** How many of them the policies leave out. */
  readonly leftOut: number;
  /** The path of the next page, if there is one. */
  readonly next: string | undefined;
}

/** A view: its criteria in full, and each listing with the facts that put it there. */
export const toViewPage = (site: Site, { view, members, count, passed_at, leftOut, next }: ShownView): Html =>
  toPage(site, {
    title: view.title,
    path: `/views/${view.name}`,
    feeds: `/views/${view.name}`,
    body: html`
<h1>${view.title}</h1>
${view.description && html`<p>${view.description}</p>`}
<p class="statement">${notVerdict}</p>
<h2 id="criteria">Criteria</h2>
<ul>${view.criteria.map((one) => html`<li>${criterionText(one)}</li>`)}</ul>
<p class="note">${view.unknown === 'include' ? 'A listing of which an answer is not known is listed too.' : 'A listing of which an answer is not known is not listed.'}</p>
<h2 id="listings">Listings</h2>
<p class="note">${count} ${count === 1 ? 'listing' : 'listings'}. A listing is judged when it changes, and all of them every ten minutes: last on <time>${passed_at}</time>.${leftOut > 0 && ` The allow list and .mcp.json leave out the last ${leftOut} by handle.`}</p>
${members.length > 0 ? html`<ol class="records">${members.map(memberItem)}</ol>` : html`<p>None of the listings on this page meets all criteria now.</p>`}
${next && html`<p class="more"><a class="button" rel="next" href="${next}">More</a></p>`}
${addresses(view, site)}`,
  });

/** All views of this service. */
export const toViewsPage = (site: Site, views: readonly SavedView[]): Html =>
  toPage(site, {
    title: 'Views',
    path: '/views',
    body: html`
<h1>Views</h1>
<p class="statement">${notVerdict}</p>
${views.length > 0 ? html`<ul>${views.map(({ name, title, description }) => html`<li><a href="/views/${name}">${title}</a>${description && html`: ${description}`}</li>`)}</ul>` : html`<p>The operator of this service has defined no view (setting VIEWS).</p>`}`,
  });
