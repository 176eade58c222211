import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import { answersBlock } from '../answers/answers-block.ts';
import { badgeBlock, toBadged } from '../badge/badge-block.ts';
import { comparePath } from '../compare/compare-address.ts';
import { askDossierBlock, connectBlock } from '../connect/connect-block.ts';
import { type Html, pagePath } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import { toListingHead } from '../layout/listing-head.ts';
import { originNote } from '../layout/origin-note.ts';
import type { Site } from '../layout/site.ts';
import { nativeBlock } from '../ratings/native-block.ts';
import { citeBlock } from './cite-block.ts';
import { claimBlock, claimHistory } from './claim-block.ts';
import { listingHeading } from './listing-heading.ts';
import { receiptKeys } from './receipt-keys.ts';
import { recordedBlock, tagReasons, versionsBlock } from './recorded-block.ts';
import { type SimilarListings, similarBlock } from './similar-block.ts';

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
