import { html } from 'hono/html';
import type { ProofPlace } from '../../claims/claim.ts';
import { claimMethods } from '../../claims/methods.ts';
import { reasonText } from '../../claims/standing.ts';
import { handleParts } from '../../core/handle.ts';
import { counted, isTemplate } from '../../core/text.ts';
import { publisherWays, untoldNews } from '../../document/answers/for-publisher.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { snapshotWords } from '../../document/rated.ts';
import { copyLacksSentence, isUnread } from '../../document/record.ts';
import { type Hit, shownApart } from '../../document/resolved.ts';
import { knownValue } from '../../document/seen.ts';
import { packageWords } from '../../document/sentences.ts';
import { lastCheck_at, toLabel } from '../../document/words.ts';
import type { ListingPackage, ListingRemote } from '../../listings/listing.ts';
import { publisherListings } from '../../observations/known/kinds/publisher.ts';
import type { MonthCount } from '../../ratings/rating.ts';
import type { OverTime } from '../../tools/find/pictures.ts';
import { noWay } from '../claim/standing.ts';
import { filledCommand, toShellWords, toStarted } from '../commands.ts';
import { comparePath } from '../compare/page.ts';
import { type Connection, toConfigs, toEntryNames, toRemote, whyNoRemote } from '../connections.ts';
import {
  day,
  foreignLink,
  type Html,
  handleLink,
  minute,
  originNote,
  pagePath,
  paste,
  publisherPath,
  shortCommits,
  tagLink,
  toHtml,
  withDays,
} from '../html.ts';
import { type PageSite, tabs, toListingHead, toPage } from '../layout.ts';
import { pagePictures } from '../pictures/over-time.ts';
import { allFactsBlock, answerBlock } from './answers.ts';
import { badgeBlock, toBadged } from './badge.ts';
import { nativeBlock, noticesBlock } from './ratings.ts';
import { feedLinks, listingTabs } from './tabs.ts';

const configTabs = (group: string, connection: Connection): Html =>
  tabs(
    group,
    'Client',
    toConfigs(connection).map(({ client, where, text, deepLink }) => ({
      name: client,
      body: html`<p>In ${where}${deepLink && html`, or <a href="${deepLink}">add the server in ${client}</a>`}:</p>
${paste(text)}`,
    })),
  );

export const connectDossier = (publicUrl: string): Html =>
  configTabs('ask', { name: 'dossier', url: `${publicUrl}/api/mcp`, type: 'http', headers: {} });

/** The facts have the inputs themselves. */
const needs = ({ inputs = [] }: Pick<ListingPackage, 'inputs'>) =>
  inputs.length > 0 &&
  html`<p class="note">The record lists <a href="#facts-access">${counted(inputs.length, 'input')}</a>.</p>`;

const withoutConfig = (remote: ListingRemote) =>
  isTemplate(remote.url)
    ? html`<p>The recorded endpoint is a template: <code class="foreign">${remote.url}</code>. Fill in its values before you connect.</p>`
    : html`<p>No configuration of the recorded endpoint <code class="foreign">${remote.url}</code> is given: ${toHtml(whyNoRemote(remote))}.</p>`;

function firstRemote(remote: ListingRemote, name: string): Html {
  const usable = toRemote(remote);
  return html`${usable ? configTabs('use', { name, ...usable }) : withoutConfig(remote)}${needs(remote)}`;
}

/** A command line if the address allows one. */
function otherRemote(remote: ListingRemote, name: string): Html {
  const usable = toRemote(remote);
  const [config] = usable ? toConfigs({ name, ...usable }) : [];
  return html`<li>${config ? paste(config.text) : withoutConfig(remote)}${needs(remote)}</li>`;
}

function runPackage(recorded: ListingPackage, { observations }: ListingDocument): Html {
  const started = toStarted(recorded, { observations });
  const last = 'why' in started ? undefined : started.at(-1);
  const line = last && toShellWords(filledCommand(last));
  return html`
<p>${toHtml(packageWords(recorded))}</p>${
    'why' in started
      ? html`<p class="note">No command is shown, and allow lists and configurations leave the package out: ${toHtml(started.why)}.</p>`
      : line === undefined
        ? html`<p class="note">No command line is shown, because shells read the words of this command in different ways.</p>`
        : paste(line)
  }${needs(recorded)}`;
}

function connectListing(listing: ListingDocument): Html {
  const names = toEntryNames(
    listing.handle,
    listing.remotes.map(({ url }) => url),
  );
  const [first, ...others] = listing.remotes.map((remote, at) => ({ remote, name: names[at] ?? '' }));
  if (!first)
    return html`
<p>${isUnread(listing, 'endpoint') ? 'The record has a remote in a form that Dossier does not read.' : (copyLacksSentence(listing.copy_lacks, 'endpoint') ?? 'The listing records no remote endpoint.')}${listing.packages.length > 0 && ' The service is run on your machine:'}</p>
${listing.packages.map((one) => runPackage(one, listing))}`;
  return html`
${firstRemote(first.remote, first.name)}
${others.length > 0 ? html`<details><summary>${others.length === 1 ? 'The other endpoint' : `The other ${others.length} endpoints`}</summary><ul class="plain">${others.map(({ remote, name }) => otherRemote(remote, name))}</ul></details>` : ''}`;
}

const connectSection = (listing: ListingDocument): Html => html`
<section class="box" aria-labelledby="connect">
<h2 id="connect">Connect</h2>
${connectListing(listing)}
</section>`;

function howToClaim([first, ...others]: readonly ProofPlace[], { config }: PageSite): Html {
  if (!first) return html`<p>${noWay}</p>`;
  return html`
<p>Get a capability (shown once) and a line. <span class="foreign">${claimMethods[first.kind].whereToPut(first, config.claimFile)}</span> Then have the line checked on the claim page.</p>
${others.length > 0 && html`<p class="note">There ${others.length === 1 ? 'is another way' : `are ${others.length} other ways`} to claim the listing.</p>`}`;
}

function claimState({ claim, state }: ListingDocument): Html {
  if (!claim) return html`<span class="state unknown">Not claimed</span>`;
  if (state === 'claimed') return html`<span class="state">Claimed ${day(claim.claimed_at)}</span>`;
  return html`<span class="state unknown">Claim suspended</span>`;
}

function publisher(listing: ListingDocument): Html {
  const { namespace } = handleParts(listing.handle);
  const listings = knownValue(listing, publisherListings);
  return html`published under <a href="${publisherPath(namespace)}">${namespace}</a>${listings !== undefined && ` (${listings === 1 ? 'its only listing' : counted(listings, 'listing')})`}`;
}

const isPast = ({ as_of }: ListingDocument) => as_of !== undefined && !as_of.is_today;

const listingHeading = (listing: ListingDocument): Html => html`
<header class="listing-head">
<h1 class="${listing.title ? 'foreign' : 'handle'}">${listing.title ?? listing.handle}</h1>
<p class="by">${listing.title && html`<span class="handle">${listing.handle}</span> · `}${publisher(listing)}</p>
${noticesBlock(listing.moderation)}${listing.description && html`<p class="lead foreign">${listing.description}</p>`}
${listing.as_of && html`<p class="notice">${toHtml(listing.as_of.statement)} <a href="${pagePath(listing.handle)}">As it is now</a></p>`}
<p class="states">${claimState(listing)}${listing.sample && html` <span class="state">Sample</span>`} <a class="action" href="${comparePath(listing.handle)}">Compare</a> ${!isPast(listing) && html`<a class="action" href="#connect">Connect</a>`}</p>
${listing.sample && originNote(listing)}
${listingTabs(listing, 'overview')}
</header>`;

/** To show what the check saw. */
const beingChecked = ({ handle, being_checked }: ListingDocument) =>
  being_checked &&
  html`<p class="note" role="status" hx-get="${pagePath(handle)}" hx-trigger="load delay:5s" hx-target="#evidence" hx-select="#evidence" hx-swap="outerHTML" hx-status:4xx="swap:none" hx-status:5xx="swap:none">${being_checked} <a href="${pagePath(handle)}">Read again</a></p>`;

const recordOf = ({ origin, observed_at, version, website, tags }: ListingDocument): Html => html`
<p class="record-of">Record: <span class="foreign">${origin}</span>, as of ${day(observed_at)}; version <span class="foreign">${version}</span>${website && html`; website ${foreignLink(website)}`}.${tags.length > 0 && html` Tags: ${tags.map(({ tag, reason }) => html`${tagLink(tag, reason)} `)}`}</p>`;

const receiptKeys = ({ handle, claim }: ListingDocument) =>
  claim?.receipt_keys &&
  html`
<section aria-labelledby="receipt-keys"><h3 id="receipt-keys">Keys for receipts</h3>
<p class="note">The service has published these keys for its receipts of interactions. <a href="${pagePath(handle)}.json">The JSON of this listing</a> has the public keys, with which a receipt can be checked offline.</p>
<ul class="plain">${claim.receipt_keys.map(
    ({ kid, jwk, kind, valid_from, valid_until, commit, ...place }) => html`
<li><code class="foreign">${kid}</code> (${jwk.crv}), first seen ${minute(valid_from)} at <span class="foreign">${place.repository ?? place.domain}</span> (${toLabel(kind)})${commit ? html`, commit <code>${commit.slice(0, 12)}</code>` : ''}${valid_until ? html`; receipts count until ${minute(valid_until)}` : ''}</li>`,
  )}</ul></section>`;

const wayItem = (does: string, at: string, publicUrl: string): Html =>
  at.startsWith(publicUrl)
    ? html`<li><a href="${at.slice(publicUrl.length)}" rel="nofollow">${does}</a></li>`
    : html`<li>${does}: <code>${at}</code></li>`;

const claimSection = (listing: ListingDocument, ways: readonly ProofPlace[], site: PageSite): Html => html`
<details class="box"><summary><h3 id="claim">${listing.claim ? 'Claim' : 'Is this yours?'}</h3></summary>
${
  listing.claim
    ? html`
<p>${withDays(shortCommits(listing.claim.statement))}</p>
<p class="note">Method: ${toLabel(listing.claim.kind)}. Last recorded check: ${day(lastCheck_at(listing.claim))}.${listing.claim.suspended_reason ? ` Suspended: ${reasonText(listing.claim.suspended_reason)}.` : ''}</p>`
    : howToClaim(ways, site)
}
${(listing.claim || ways.length > 0) && html`<p><a class="button" href="${pagePath(listing.handle)}/claim">${listing.claim ? 'Check or renew the claim' : 'How to claim'}<span class="unseen"> ${listing.handle}</span></a></p>`}
<ul class="plain">${publisherWays(listing, site.config).map(([does, at]) => wayItem(does, at, site.config.publicUrl))}</ul>
${untoldNews(site.config).map((text) => html`<p class="note">${text}</p>`)}
</details>`;

const forPublishers = (listing: ListingDocument, ways: readonly ProofPlace[], site: PageSite): Html => html`
<section class="for-publishers" aria-labelledby="publishers">
<h2 id="publishers">For publishers</h2>
<div class="columns">${claimSection(listing, ways, site)}${badgeBlock(toBadged(listing), site.config.publicUrl)}</div>
${receiptKeys(listing)}
<p class="twins">This listing as <a href="${pagePath(listing.handle)}.json">JSON</a> or <a href="${pagePath(listing.handle)}.md">Markdown</a>. ${feedLinks(listing.handle)}</p>
</section>`;

const similarSection = (similar: readonly Hit[]) =>
  similar.length > 0 &&
  html`
<section class="similar" aria-labelledby="similar">
<h2 id="similar">Similar listings</h2>
<ul class="plain">${similar.map(
    ({ handle, title, [shownApart]: { alike, isSample } = {} }) => html`
<li>${handleLink(handle)}${title && html` <span class="foreign">${title}</span>`}${isSample && ' (sample)'}
${alike && html`<p class="note">${toHtml(alike)}</p>`}</li>`,
  )}</ul>
</section>`;

const overTimeBlock = (listing: ListingDocument, overTime: OverTime) => {
  const pictures = pagePictures(listing, overTime);
  return (
    pictures.length > 0 &&
    html`
<section class="over-time" aria-labelledby="over-time"><h2 id="over-time">Over time</h2>${pictures}</section>`
  );
};

interface ShownEvidence {
  readonly overTime: OverTime;
  readonly months?: readonly MonthCount[];
}

/** `connect` stands beside it, because a wide screen has a column for both. */
const evidenceBlock = (
  listing: ListingDocument,
  { overTime, months = [] }: ShownEvidence,
  connect: Html | '' = '',
): Html => html`
<div class="evidence-of" id="evidence">
<div class="said">
${beingChecked(listing)}${answerBlock(listing)}
<p class="snapshot">${toHtml(snapshotWords(listing.handle, listing.signals.native, listing.evidence_snapshot_date))}</p>
${recordOf(listing)}
</div>
<div class="beside">${overTimeBlock(listing, overTime)}${connect}</div>
<div class="said">
${allFactsBlock(listing)}
${nativeBlock(listing, months)}
</div>
</div>`;

/** Of a past day there is no way to connect, and nothing that a publisher could do. */
export const toPastPage = (site: PageSite, listing: ListingDocument, overTime: OverTime): Html =>
  toPage(site, {
    ...toListingHead(listing),
    title: `${listing.handle} as of ${listing.as_of?.day}`,
    indexed: false,
    body: html`
<article class="listing">
${listingHeading(listing)}
${evidenceBlock(listing, { overTime })}
</article>`,
  });

export const toListingPage = (
  site: PageSite,
  listing: ListingDocument,
  {
    similar,
    ways,
    ...evidence
  }: ShownEvidence & {
    readonly similar: readonly Hit[];
    /** The easiest first. */
    readonly ways: readonly ProofPlace[];
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
${evidenceBlock(listing, evidence, connectSection(listing))}
${similarSection(similar)}
${forPublishers(listing, ways, site)}
</article>`,
  });
