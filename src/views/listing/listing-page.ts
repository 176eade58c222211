import { html } from 'hono/html';
import type { z } from 'zod';
import type { Config } from '../../config/config.ts';
import type { ShownReceiptKey } from '../../evidence/claim/receipt-keys.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import type { searchAgents } from '../../tools/search-agents.ts';
import { answersBlock } from '../answers/answers-block.ts';
import { badgeBlock, toBadged } from '../badge/badge-block.ts';
import { comparePath } from '../compare/compare-address.ts';
import { askDossierBlock, connectBlock } from '../connect/connect-block.ts';
import { type Html, handleLink, minute, pagePath, paste } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';
import { toPage } from '../layout/layout.ts';
import { toListingHead } from '../layout/listing-head.ts';
import { originNote } from '../layout/origin-note.ts';
import type { Site } from '../layout/site.ts';
import { nativeBlock } from '../ratings/native-block.ts';
import { claimBlock, claimHistory } from './claim-block.ts';
import { listingHeading } from './listing-heading.ts';
import { recordedBlock, tagReasons, versionsBlock } from './recorded-block.ts';

const receiptKeyItem = ({
  kid,
  jwk,
  kind,
  valid_from,
  valid_until,
  commit,
  ...place
}: ShownReceiptKey) => html`
<li><code class="foreign">${kid}</code> (${jwk.crv}), first seen ${minute(valid_from)} at <span class="foreign">${place.repository ?? place.domain}</span> (${toLabel(kind)})${commit ? html`, commit <code>${commit.slice(0, 12)}</code>` : ''}${valid_until ? html`; counted until ${minute(valid_until)}` : ''}</li>`;

/** The keys that check the listing's receipts, newest first; nothing for a listing without any. */
const receiptKeys = ({ handle, claim }: ListingDocument): Html | '' =>
  claim?.receipt_keys === undefined
    ? ''
    : html`
<section aria-labelledby="receipt-keys"><h3 id="receipt-keys">Keys for receipts</h3>
<p class="note">The service signs receipts of interactions with these keys. The public keys are in <a href="${pagePath(handle)}.json">the JSON of this listing</a>, so that a receipt can be checked offline.</p>
<ul class="plain">${claim.receipt_keys.map(receiptKeyItem)}</ul></section>`;

/** Listings that search_agents answers for `similar_to`. */
type SimilarListings = z.output<typeof searchAgents.output>['listings'];

const similarItem = ({ handle, title, alike, sample }: SimilarListings[number]) => html`
<li>${handleLink(handle)}${title && html` <span class="foreign">${title}</span>`}${sample && ' (sample)'}
<p class="note foreign">${alike}</p></li>`;

/** Similar listings of other publishers, each with what it shares; nothing if there are none. */
const similarBlock = (similar: SimilarListings): Html | '' =>
  similar.length === 0
    ? ''
    : html`
<section class="similar" aria-labelledby="similar">
<h2 id="similar">Similar listings</h2>
<p class="note">Of other publishers. The one that shares most stands first; ratings and claims have no part in the order.</p>
<ul class="plain">${similar.map(similarItem)}</ul>
</section>`;

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

/** What the page of a listing shows beside its document: ratings by month, similar listings, its newest log entry. */
export interface BesideListing {
  readonly months: readonly MonthCount[];
  readonly similar: SimilarListings;
  readonly entry: number | undefined;
}

const parts: readonly (readonly [string, string])[] = [
  ['asked', 'What a buyer asks'],
  ['native', 'Native ratings'],
  ['connect', 'Connect'],
  ['recorded', 'As recorded'],
  ['claim', 'Claim'],
  ['details', 'Details'],
];

const onThisPage = html`
<nav class="on-page" aria-label="On this page"><ul>${parts.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;

const alternates = ({ handle, links }: ListingDocument) => html`
<link rel="alternate" type="application/json" title="${handle} as JSON" href="${links.json}">
<link rel="alternate" type="text/markdown" title="${handle} as Markdown" href="${links.markdown}">`;

const forms = ({ handle }: ListingDocument) => html`
<p class="twins"><a href="${pagePath(handle)}/tools">The tools that its endpoints listed</a>. <a href="${pagePath(handle)}/history">What changed</a>. <a href="${comparePath(handle)}">Compare with other listings</a>. This listing as <a href="${pagePath(handle)}.json">JSON</a> or <a href="${pagePath(handle)}.md">Markdown</a>. Changes as <a href="${pagePath(handle)}/feed.atom">Atom</a> or <a href="${pagePath(handle)}/feed.json">JSON</a> feed, or <a href="/api/webhooks">posted to you</a>. <a href="/feedback?category=report&amp;handle=${encodeURIComponent(handle)}" rel="nofollow">Report this listing</a>.</p>`;

const details = (listing: ListingDocument, entry: number | undefined, { config }: Site) => html`
<section class="details" aria-labelledby="details">
<h2 id="details">Details</h2>
${forms(listing)}${listing.sample ? '' : originNote(listing)}
${versionsBlock(listing)}${tagReasons(listing)}${claimHistory(listing)}${receiptKeys(listing)}${citeBlock(listing, entry, config)}
${askDossierBlock(listing, config.publicUrl)}
${badgeBlock(toBadged(listing), config.publicUrl)}
</section>`;

/**
 * The page of a listing, in the order of docs/contract.md: what it is, what a buyer asks, native ratings; beside them how
 * to connect, what is recorded and how to claim it.
 */
export const toListingPage = (
  site: Site,
  listing: ListingDocument,
  { months, similar, entry }: BesideListing,
): Html =>
  toPage(site, {
    ...toListingHead(listing),
    head: alternates(listing),
    body: html`
<article class="listing">
${listingHeading(listing)}
${onThisPage}
<div class="evidence-of">
${answersBlock(listing)}
${nativeBlock(listing, months)}
</div>
<aside class="beside" aria-label="Connect, record and claim">
${connectBlock(listing)}
${recordedBlock(listing)}
${claimBlock(listing, site)}
</aside>
${details(listing, entry, site)}
${similarBlock(similar)}
</article>`,
  });
