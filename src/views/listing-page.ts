import { html } from 'hono/html';
import type { z } from 'zod';
import { claimMethods, placesOf, whatAClaimShows } from '../claims/methods.ts';
import type { Config } from '../config/config.ts';
import { handleParts } from '../core/handle.ts';
import { counted } from '../core/text.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { copyLacksSentence } from '../document/record.ts';
import { inputsText } from '../document/sentences.ts';
import { matchTexts, toLabel, versionDates, versionsTitle } from '../document/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import type { ListingPackage, ListingRemote } from '../listings/listing.ts';
import type { MonthCount } from '../ratings/rating.ts';
import type { searchAgents } from '../tools/search-agents.ts';
import { allFactsBlock, answerBlock } from './answers.ts';
import { badgeBlock, toBadged } from './badge.ts';
import { comparePath } from './compare-address.ts';
import { type Connection, toCommands, toConfigs, toEntryNames, toRemote } from './connections.ts';
import {
  dated,
  day,
  foreignLink,
  type Html,
  handleLink,
  minute,
  originNote,
  pagePath,
  paste,
  publisherPath,
  tagLink,
} from './html.ts';
import { type Site, tabs, toListingHead, toPage } from './layout.ts';
import { nativeBlock, noticesBlock } from './ratings-page.ts';

const configTabs = (group: string, connection: Connection): Html =>
  tabs(
    group,
    'Client',
    toConfigs(connection).map(({ client, where, text, deepLink }) => ({
      name: client,
      body: html`<p>In ${where}${deepLink && html`, or <a href="${deepLink}">open it in ${client}</a>`}:</p>
${paste(text)}`,
    })),
  );

export const connectDossier = (publicUrl: string): Html =>
  configTabs('ask', { name: 'dossier', url: `${publicUrl}/api/mcp`, type: 'http', headers: [] });

const needs = ({ inputs }: Pick<ListingPackage, 'inputs'>) =>
  inputs ? html`<p class="note">As recorded, it <span class="foreign">${inputsText(inputs)}</span>.</p>` : '';

const withoutConfig = (remote: ListingRemote) =>
  /[{}]/.test(remote.url)
    ? html`<p>The recorded endpoint is a template: <code class="foreign">${remote.url}</code>. Fill in its values before you connect.</p>`
    : html`<p>The recorded endpoint is not an https address of a public host without a user name, so no configuration is given: <code class="foreign">${remote.url}</code></p>`;

function firstRemote(remote: ListingRemote, name: string): Html {
  const usable = toRemote(remote);
  return html`${usable ? configTabs('use', { name, ...usable }) : withoutConfig(remote)}${needs(remote)}`;
}

/** The first configuration: a command where the address allows one. */
function otherRemote(remote: ListingRemote, name: string): Html {
  const usable = toRemote(remote);
  const [config] = usable ? toConfigs({ name, ...usable }) : [];
  return html`<li>${config ? paste(config.text) : withoutConfig(remote)}${needs(remote)}</li>`;
}

function connectListing(listing: ListingDocument): Html {
  const names = toEntryNames(
    listing.handle,
    listing.remotes.map(({ url }) => url),
  );
  const [first, ...others] = listing.remotes.map((remote, at) => ({ remote, name: names[at] ?? '' }));
  if (!first)
    return html`
<p>${copyLacksSentence(listing.copy_lacks, 'endpoint') ?? 'The listing records no remote endpoint.'}${listing.packages.length > 0 && ' See the page of its package for how to run it.'}</p>
${listing.packages.map(
  (recorded) => html`
<p><code class="foreign">${recorded.identifier}</code>${toCommands(recorded).length === 0 && html` <span class="note">Allow lists and configurations leave it out: it runs over another transport than stdio, or its name is not in the form of npm, PyPI, NuGet or an OCI image.</span>`}</p>${needs(recorded)}`,
)}`;
  return html`
${firstRemote(first.remote, first.name)}
${others.length > 0 ? html`<details><summary>${others.length === 1 ? 'The other endpoint' : `The other ${others.length} endpoints`}</summary><ul class="plain">${others.map(({ remote, name }) => otherRemote(remote, name))}</ul></details>` : ''}`;
}

/** What happened to the claim of a listing, oldest first; nothing for a listing without such events. */
function claimHistory({ claim, history }: ListingDocument): Html | '' {
  const events = claim?.history ?? history ?? [];
  if (events.length === 0) return '';
  return html`
<section aria-labelledby="claim-history"><h3 id="claim-history">History of the ${claim ? 'claim' : 'listing'}</h3>
${claim?.repository && html`<p class="note">${matchTexts[claim.namespace_matches_repository_owner]}</p>`}
<ol class="timeline">${events.map(
    ({ type, at, kind, commit, reason, log_index }) => html`
<li>${day(at)} ${toLabel(type)} (${toLabel(kind)})${commit ? html` at <code>${commit.slice(0, 12)}</code>` : ''}${reason ? ` (${toLabel(reason)})` : ''} <span class="note"><a href="/log/entry/${log_index}">log index ${log_index}</a></span></li>`,
  )}</ol></section>`;
}

function otherWays({ handle, repository }: ListingDocument, { config }: Site) {
  const toKey = (address: string) =>
    Object.hasOwn(config.repositoryHosts, URL.parse(address)?.hostname ?? '')
      ? address.toLowerCase().replace(/^https:\/\//, '')
      : undefined;
  return placesOf({ handle, repository }, toKey).filter(({ kind }) => kind !== 'repository');
}

function withoutRepository(listing: ListingDocument, site: Site) {
  const ways = otherWays(listing, site);
  if (ways.length === 0)
    return html`<p>The listing records no repository and its namespace is neither a domain nor a GitHub account, so it cannot be claimed.</p>`;
  return html`
<p>The listing records no repository. It can be claimed in ${ways.length > 1 ? 'one of these ways' : 'this way'}:</p>
<ul>${ways.map((place) => html`<li>${claimMethods[place.kind].whereToPut(place, site.config.claimFile)}</li>`)}</ul>`;
}

function claimState({ claim, state }: ListingDocument): Html {
  if (!claim) return html`<span class="state unknown">Not claimed</span>`;
  if (state === 'claimed') return html`<span class="state">Claimed ${day(claim.claimed_at)}</span>`;
  return html`<span class="state unknown">Claim suspended${claim.suspended_reason ? `: ${toLabel(claim.suspended_reason)}` : ''}</span>`;
}

/** The publisher's namespace, and how many listings it has here. */
function publisher({ handle, signals: { imported } }: ListingDocument): Html {
  const { namespace } = handleParts(handle);
  const listings = imported.find(({ kind }) => kind === 'publisher.listings')?.value;
  return html`published under <a href="${publisherPath(namespace)}">${namespace}</a>${typeof listings === 'number' && ` (${counted(listings, 'listing')} stored here)`}`;
}

/** The first lines of a listing's page: what it is called, who publishes it, what it does, the claim, the snapshot. */
const listingHeading = (listing: ListingDocument): Html => html`
<header class="listing-head">
<h1 class="${listing.title ? 'foreign' : 'handle'}">${listing.title ?? listing.handle}</h1>
<p class="by">${listing.title && html`<span class="handle">${listing.handle}</span> · `}${publisher(listing)}</p>
${noticesBlock(listing.moderation)}${listing.description && html`<p class="lead foreign">${listing.description}</p>`}
<p class="states">${claimState(listing)}${listing.origin_status === 'deprecated' ? html` <span class="state">Deprecated in the registry</span>` : ''}${listing.sample && html` <span class="state">Sample</span>`}</p>
${listing.sample && originNote(listing)}
${answerBlock(listing)}
<p class="snapshot">${dated(listing.evidence_snapshot, listing.evidence_snapshot_date)}</p>
</header>`;

/** That the record has none, or that the copy has it of no listing. */
const noneRecorded = ({ copy_lacks }: ListingDocument, field?: CopyField): Html =>
  html`<span class="state unknown">${(field && copyLacksSentence(copy_lacks, field)) ?? 'none recorded'}</span>`;

const fact = (name: string, value: Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const listed = (items: readonly Html[], none: Html) =>
  items.length === 0 ? none : html`<ul class="plain">${items}</ul>`;

const endpoints = (listing: ListingDocument) => {
  const [first, ...others] = listing.remotes.map(
    ({ type, url }) => html`<li>${foreignLink(url)} <span class="note foreign">${type}</span></li>`,
  );
  if (!first) return noneRecorded(listing, 'endpoint');
  if (others.length === 0) return html`<ul class="plain">${first}</ul>`;
  return html`<ul class="plain">${first}</ul><details><summary>${others.length} more</summary><ul class="plain">${others}</ul></details>`;
};

/** Listings that search_agents answers for `similar_to`. */
type SimilarListings = z.output<typeof searchAgents.output>['listings'];

type Place = Pick<Config, 'publicUrl' | 'serviceName'>;

/** What a citation says: the snapshot with its date, the version of the record, and the newest log entry, if there is one. */
function citation(listing: ListingDocument, entry: number | undefined, place: Place): string {
  const { handle, version, evidence_snapshot_date: date, links } = listing;
  const log = entry === undefined ? '' : ` Newest log entry about it: ${place.publicUrl}/log/entry/${entry}.`;
  return `${handle}, version ${version}. ${place.serviceName}, evidence as of ${date}. ${links.page}.${log}`;
}

/** A citation to copy, and what of it does not change. `entry` is the index of the newest log entry about the listing. */
const citeBlock = (listing: ListingDocument, entry: number | undefined, place: Place): Html => html`
<section aria-labelledby="cite"><h3 id="cite">Cite this listing</h3>
${paste(citation(listing, entry, place))}
<p class="note">${
  entry === undefined
    ? 'This page changes with the evidence. No entry of the log is about this listing yet.'
    : html`This page changes with the evidence. The <a href="/log/entry/${entry}">log entry</a> does not: it shows what was recorded last about this listing, and anyone can check that it stands in the log.`
} <a href="${pagePath(listing.handle)}/history">What changed, with dates</a></p></section>`;

const parts: readonly (readonly [string, string])[] = [
  ['asked', 'All facts and sources'],
  ['native', 'Ratings'],
  ['connect', 'Connect'],
  ['recorded', 'As recorded'],
  ['claim', 'Claim'],
  ['details', 'Details'],
];

const details = (listing: ListingDocument, entry: number | undefined, { config }: Site) => html`
<section class="details" aria-labelledby="details">
<h2 id="details">Details</h2>

<p class="twins"><a href="${pagePath(listing.handle)}/tools">The tools that its endpoints listed</a>. <a href="${pagePath(listing.handle)}/history">What changed</a>. <a href="${comparePath(listing.handle)}">Compare with other listings</a>. This listing as <a href="${pagePath(listing.handle)}.json">JSON</a> or <a href="${pagePath(listing.handle)}.md">Markdown</a>. Changes as <a href="${pagePath(listing.handle)}/feed.atom">Atom</a> or <a href="${pagePath(listing.handle)}/feed.json">JSON</a> feed, or by <a href="/api/webhooks">webhook</a>. <a href="/feedback?category=report&amp;handle=${encodeURIComponent(listing.handle)}" rel="nofollow">Report this listing</a>.</p>${listing.sample ? '' : originNote(listing)}
${
  listing.versions.length < 2
    ? ''
    : html`
<details class="versions"><summary>${versionsTitle(listing)}</summary>
<table><thead><tr><th scope="col">Version</th><th scope="col">Published</th><th scope="col">Status</th></tr></thead>
<tbody>${listing.versions.map(({ version, status, published_at }) => html`<tr><th scope="row"><code class="foreign">${version}</code></th><td>${day(published_at)}</td><td>${status}</td></tr>`)}</tbody></table></details>`
}${
  listing.tags.length === 0
    ? ''
    : html`
<section aria-labelledby="tag-reasons"><h3 id="tag-reasons">Why these tags</h3>
<ul class="tag-reasons">${listing.tags.map(({ tag, reason }) => html`<li>${tagLink(tag)} <span class="note foreign">${reason}</span></li>`)}</ul></section>`
}${claimHistory(listing)}${
  listing.claim?.receipt_keys === undefined
    ? ''
    : html`
<section aria-labelledby="receipt-keys"><h3 id="receipt-keys">Keys for receipts</h3>
<p class="note">The service signs receipts of interactions with these keys. The public keys are in <a href="${pagePath(listing.handle)}.json">the JSON of this listing</a>, so that a receipt can be checked offline.</p>
<ul class="plain">${listing.claim.receipt_keys.map(
        ({ kid, jwk, kind, valid_from, valid_until, commit, ...place }) => html`
<li><code class="foreign">${kid}</code> (${jwk.crv}), first seen ${minute(valid_from)} at <span class="foreign">${place.repository ?? place.domain}</span> (${toLabel(kind)})${commit ? html`, commit <code>${commit.slice(0, 12)}</code>` : ''}${valid_until ? html`; counted until ${minute(valid_until)}` : ''}</li>`,
      )}</ul></section>`
}${citeBlock(listing, entry, config)}

<section aria-labelledby="ask-mcp">
<h3 id="ask-mcp">Ask this directory from your agent</h3>
<p>Add this directory over MCP, then call <code>get_agent</code> with <code>${listing.handle}</code>.</p>
${connectDossier(config.publicUrl)}
</section>
${badgeBlock(toBadged(listing), config.publicUrl)}
</section>`;

/**
 * The page of a listing, in the order of docs/contract.md: what it is, what a buyer asks, native ratings; beside them how
 * to connect, what is recorded and how to claim it.
 */
export const toListingPage = (
  site: Site,
  listing: ListingDocument,
  {
    months,
    similar,
    entry,
  }: {
    readonly months: readonly MonthCount[];
    readonly similar: SimilarListings;
    readonly entry: number | undefined;
  },
): Html =>
  toPage(site, {
    ...toListingHead(listing),
    head: html`
<link rel="alternate" type="application/json" title="${listing.handle} as JSON" href="${listing.links.json}">
<link rel="alternate" type="text/markdown" title="${listing.handle} as Markdown" href="${listing.links.markdown}">`,
    body: html`
<article class="listing">
${listingHeading(listing)}

<nav class="on-page" aria-label="On this page"><ul>${parts.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>
<div class="evidence-of">
${allFactsBlock(listing)}
${nativeBlock(listing, months)}
</div>
<aside class="beside" aria-label="Connect, record and claim">

<section class="box" aria-labelledby="connect">
<h2 id="connect">Connect</h2>
${connectListing(listing)}
</section>

<section class="box" aria-labelledby="recorded">
<h2 id="recorded">As recorded</h2>
<dl class="brief-facts">
${fact('Endpoint', endpoints(listing))}
${fact('Repository', listing.repository ? foreignLink(listing.repository) : noneRecorded(listing, 'repository'))}
${fact(
  'Packages',
  listed(
    listing.packages.map(
      (recorded) => html`
<li><span class="foreign">${recorded.registry_type}</span> <code class="foreign">${recorded.identifier}${recorded.version ? `@${recorded.version}` : ''}</code>${recorded.transport ? html` <span class="note foreign">over ${recorded.transport}</span>` : ''}</li>`,
    ),
    noneRecorded(listing, 'package'),
  ),
)}
${listing.website ? fact('Website', foreignLink(listing.website)) : ''}
${fact('Version', html`<span class="foreign">${listing.version}</span>, ${versionDates(listing)}`)}
${listing.status_message ? fact('Status message', html`<span class="foreign">${listing.status_message}</span>`) : ''}
${fact('Origin', html`${listing.origin}, as of ${day(listing.observed_at)}, imported ${day(listing.imported_at)}`)}
</dl>
<p class="tags">${listing.tags.map(({ tag }) => tagLink(tag))}</p>
</section>

<section class="box" aria-labelledby="claim">
<h2 id="claim">${listing.claim ? 'Claim' : 'Is this yours?'}</h2>
${
  listing.claim
    ? html`
<details class="wide-open"><summary>What the claim of ${day(listing.claim.claimed_at)} shows</summary><p>${listing.claim.statement}</p></details>
<p class="note">Way: ${toLabel(listing.claim.kind)}. Last checked on ${day(listing.claim.checked_at)}.${listing.claim.suspended_reason ? ` Suspended: ${toLabel(listing.claim.suspended_reason)}.` : ''}</p>`
    : html`
<p>${whatAClaimShows} A claim lets the listing rate others.</p>
${
  listing.repository
    ? html`
<ol class="steps">
<li>Send <code>POST ${site.config.publicUrl}/api/claim-github</code> with <code>{"handle":"${listing.handle}"}</code>. The answer has a challenge.</li>
<li>Commit the challenge to <span class="foreign">${listing.repository}</span> as <code>${site.config.claimFile}</code>, at the root of the default branch.</li>
<li>Send the same request again.</li>
</ol>`
    : withoutRepository(listing, site)
}
${listing.repository && otherWays(listing, site).length > 0 ? html`<p class="note">There are other ways to claim it.</p>` : ''}`
}
<p><a class="button" href="${pagePath(listing.handle)}/claim">${listing.claim ? 'Check or renew the claim' : 'How to claim'}<span class="unseen"> ${listing.handle}</span></a></p>
</section>
</aside>
${details(listing, entry, site)}
${
  similar.length === 0
    ? ''
    : html`
<section class="similar" aria-labelledby="similar">
<h2 id="similar">Similar listings</h2>
<p class="note">Of other publishers. The one that shares most stands first; ratings and claims have no part in the order.</p>
<ul class="plain">${similar.map(
        ({ handle, title, alike, sample }) => html`
<li>${handleLink(handle)}${title && html` <span class="foreign">${title}</span>`}${sample && ' (sample)'}
<p class="note foreign">${alike}</p></li>`,
      )}</ul>
</section>`
}
</article>`,
  });
