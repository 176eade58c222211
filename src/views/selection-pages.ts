import { html } from 'hono/html';
import type { Selection } from '../config/files.ts';
import { toAnswer } from '../document/answers/answers.ts';
import { criterionText, whyWords } from '../document/criteria/criteria.ts';
import { isBrokenPin, letIn, requestedBy } from '../selections/approvals.ts';
import { privateNote, type SelectionMember } from '../selections/entries.ts';
import type { readMembers } from '../selections/members.ts';
import {
  allowedCommands,
  leftOutOf,
  nameServers,
  type Startable,
  toRemote,
  toServerJson,
} from './connections.ts';
import { type Html, handleLink, minute, paste, toHtml } from './html.ts';
import { type PageSite, toPage } from './layout.ts';
import { standsOutBlock } from './listing/answers.ts';

export function toStartable(view: Selection, { listing, entry }: SelectionMember): Startable {
  const { remotes, packages, isPinned } = letIn(view, listing);
  const unnamed = [
    ...listing.remotes.filter((one) => !remotes.includes(one)).map(({ url }) => url),
    ...listing.packages.filter((one) => !packages.includes(one)).map(({ identifier }) => identifier),
  ];
  const { handle, observations } = listing;
  return { handle, observations, remotes, packages, unnamed, isPinned, isPrivate: entry !== undefined };
}

/** In the grammar of Claude Code, Copilot and VS Code; a server without an entry is blocked. */
export const toManagedSettings = (listings: readonly Startable[]) => ({
  allowedMcpServers: listings.flatMap(({ remotes, packages, ...options }) => [
    ...remotes
      .flatMap((remote) => toRemote(remote, options.isPrivate) ?? [])
      .map(({ url }) => ({ serverUrl: url })),
    ...packages.flatMap((one) => allowedCommands(one, options)).map((serverCommand) => ({ serverCommand })),
  ]),
});

export const toMcpJson = (listings: readonly Startable[]) => ({
  mcpServers: Object.fromEntries(
    nameServers(listings).map(([name, server]): [string, object] => [name, toServerJson(server)]),
  ),
});

const notVerdict =
  'The operator chose the criteria, and facts with dates decide which listings meet them. To be listed here is not a recommendation.';

const leftOutNote = (leftOut: ReturnType<typeof leftOutOf>) =>
  leftOut.length > 0 &&
  html`<details class="note"><summary>What the allow list or .mcp.json leaves out</summary>
<ul>${leftOut.map(({ what, why }) => html`<li><code class="foreign">${what}</code>: ${toHtml(why)}.</li>`)}</ul></details>`;

const addresses = ({ name, readers }: Selection, { config }: PageSite) => {
  const base = `${config.publicUrl}/views/${name}`;
  return html`
<h2 id="use">Use it</h2>
<p>As the registry of an MCP host:</p>${paste(base)}
<p>As an allow list: <a href="/views/${name}/managed-settings.json">managed-settings.json</a>; as configuration: <a href="/views/${name}/.mcp.json">.mcp.json</a>${readers ? '' : html`; changes of its listings: <a href="/views/${name}/feed.atom">Atom</a>, <a href="/views/${name}/feed.json">JSON Feed</a>, <a href="/api/webhooks">webhooks</a>`}.</p>
${readers && html`<p>${readers === 'everyone' ? 'Everyone who reaches this service and knows this address can read this page and these files.' : 'Only requests with a key of this view (Authorization: Bearer) can read this page and these files.'}</p>`}`;
};

type SelectionMembers = Awaited<ReturnType<typeof readMembers>>;

/** `next` is a path. */
interface ShownView extends SelectionMembers {
  readonly view: Selection;
  /** Undefined if judged when it is read. */
  readonly passed_at: string | undefined;
  readonly leftOut: number;
}

const listingItem = (view: Selection, member: SelectionMember) => {
  const { listing, answers, judged, entry } = member;
  const answer = toAnswer(listing);
  const startable = toStartable(view, member);
  return html`
<li class="record"><h3>${entry ? listing.handle : handleLink(listing.handle)}</h3>
<p class="foreign">${listing.description}</p>
${entry ? html`<p class="note">${privateNote(entry)}</p>` : standsOutBlock(listing, answer)}
<ul class="plain">${answers.map(({ criterion, fact, source, as_of, result }, at) => {
    const next = answers[at + 1];
    const isLast = source !== next?.source || as_of !== next?.as_of;
    return html`
<li>${result === 'unknown' && 'Not known: '}${isBrokenPin({ criterion, result }) && html`<strong>Changed:</strong> `}${toHtml(fact)}${source && isLast && html` <span class="note">Source: <span class="foreign">${source}</span>, <time>${as_of}</time></span>`}</li>`;
  })}${judged.map((one) => html`<li>${toHtml(whyWords(answer, one), listing.evidence_snapshot_date)}</li>`)}</ul>${leftOutNote(leftOutOf(startable))}</li>`;
};

const lapsedList = ({ approvals }: Selection, lapsed: SelectionMembers['lapsed']) =>
  lapsed.length > 0 &&
  html`<h2 id="lapsed">${approvals ? 'Approved, but not in this view now' : 'Not in this view now'}</h2>
<ul class="plain">${lapsed.map(({ handle, hasPage, failed }) => html`<li>${hasPage ? handleLink(handle) : handle}: <span class="foreign">${failed.join(' ')}</span></li>`)}</ul>`;

export const toViewPage = (
  site: PageSite,
  { view, members, lapsed, count, passed_at, leftOut, next }: ShownView,
): Html =>
  toPage(site, {
    title: view.title,
    path: `/views/${view.name}`,
    ...(view.readers ? { indexed: false } : { feeds: `/views/${view.name}` }),
    body: html`
<h1>${view.title}</h1>
${view.description && html`<p>${view.description}</p>`}
<p class="statement">${notVerdict}</p>
<h2 id="criteria">Criteria</h2>
<ul>${view.approvals && html`<li>Approved by the operator: ${view.on_change === 'mark' ? 'a listing that is no longer as it was approved stays here with a mark, and is in no allow list' : 'a listing that is no longer as it was approved leaves this view'}</li>`}${view.readers && !view.approvals && html`<li>Private entries of the operator, which no registry lists</li>`}${requestedBy(view).map((one) => html`<li>${criterionText(one)}</li>`)}</ul>
${view.criteria.length > 0 && html`<p class="note">If the answer to a criterion is not known, the listing is ${view.unknown === 'include' ? 'in this view too' : 'not in this view'}.</p>`}
<h2 id="listings">Listings</h2>
<p class="note">${count} in this view. ${passed_at && html`A listing is judged when it changes. All are judged every ten minutes, the last time at ${minute(passed_at)}.`}${leftOut > 0 && ` The allow list and .mcp.json leave out the last ${leftOut} in the order of handles.`}</p>
${
  members.length > 0
    ? html`<ol class="records">${members.map((member) => listingItem(view, member))}</ol>`
    : html`<p>Nothing ${count > 0 && 'more '}is in this view now.</p>`
}
${lapsedList(view, lapsed)}
${next && html`<p class="more"><a class="button" rel="next" href="${next}">More</a></p>`}
${addresses(view, site)}`,
  });

export const toViewsPage = (site: PageSite): Html =>
  toPage(site, {
    title: 'Views',
    path: '/views',
    body: html`
<h1>Views</h1>
<p class="statement">${notVerdict}</p>
<p>A view lists the services that its operator approved, or that meet its criteria. Its address is a registry for VS Code, GitHub Copilot and other MCP hosts, and its allow list lets Claude Code, Copilot and VS Code start only what is in it.</p>
${site.config.views.length > 0 ? html`<ul>${site.config.views.map(({ name, title, description }) => html`<li><a href="/views/${name}">${title}</a>${description && html`: ${description}`}</li>`)}</ul>` : html`<p>There is no view here that everybody may read. To make one, run a Dossier of your own with the setting VIEWS; docs/registry.md in its checkout says how.</p>`}`,
  });
