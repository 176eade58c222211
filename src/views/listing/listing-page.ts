import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import { badgeBlock, toBadged } from '../badge/badge-block.ts';
import { comparePath } from '../compare/compare-address.ts';
import { connectBlock } from '../connect/connect-block.ts';
import { dated, type Html, pagePath } from '../layout/html.ts';
import { stateTexts } from '../layout/labels.ts';
import { toPage } from '../layout/layout.ts';
import { toListingHead } from '../layout/listing-head.ts';
import { originNote } from '../layout/origin-note.ts';
import type { Site } from '../layout/site.ts';
import { nativeBlock } from '../ratings/native-block.ts';
import { claimBlock } from './claim-block.ts';
import { importedBlock } from './imported-block.ts';
import { glanceOf } from './listing-glance.ts';
import { notKnownBlock } from './not-known-block.ts';
import { recordedBlock } from './recorded-block.ts';

const heading = (listing: ListingDocument) => html`
<header class="listing-head">
<p class="eyebrow">Listing <span class="state">${stateTexts[listing.state]}</span>${listing.origin_status === 'deprecated' ? html` <span class="state">Deprecated in the registry</span>` : ''}${listing.sample && html` <span class="state">Sample</span>`}</p>
<h1 class="handle">${listing.handle}</h1>
${listing.title && html`<p class="listing-title foreign">${listing.title}</p>`}
<p class="lead foreign">${listing.description}</p>
${originNote(listing)}
<p class="snapshot">${dated(listing.evidence_snapshot, listing.evidence_snapshot_date)}</p>
${glance(listing)}
<p><a href="${comparePath(listing.handle)}">Compare with other listings</a></p>
</header>`;

const glance = (listing: ListingDocument) => html`
<dl class="glance">${glanceOf(listing).map(({ name, text, search }) => html`<div><dt>${name}</dt><dd class="foreign">${search ? html`<a href="/agents?q=${encodeURIComponent(search)}" rel="nofollow">${text}</a>` : text}</dd></div>`)}</dl>`;

const parts: readonly (readonly [string, string])[] = [
  ['native', 'Native ratings'],
  ['imported', 'Imported signals'],
  ['not-known', 'Not known'],
  ['recorded', 'As recorded'],
  ['claim', 'Claim'],
  ['connect', 'Connect'],
  ['badge', 'Badge'],
];

const onThisPage = html`
<nav class="on-page" aria-label="On this page"><ul>${parts.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;

const alternates = ({ handle, links }: ListingDocument) => html`
<link rel="alternate" type="application/json" title="${handle} as JSON" href="${links.json}">
<link rel="alternate" type="text/markdown" title="${handle} as Markdown" href="${links.markdown}">`;

/**
 * The page of a listing, in the order of docs/contract.md: the listing, then the evidence, then what to do. `months` are
 * those of list_ratings.
 */
export const toListingPage = (site: Site, listing: ListingDocument, months: readonly MonthCount[]): Html =>
  toPage(site, {
    ...toListingHead(listing),
    head: alternates(listing),
    body: html`
<article class="with-nav">
${heading(listing)}
${onThisPage}
<div class="parts">
<div class="blocks">
${nativeBlock(listing, months)}
${importedBlock(listing)}
${notKnownBlock(listing)}
</div>
${recordedBlock(listing)}
${claimBlock(listing)}
${connectBlock(listing, site.config.publicUrl)}
${badgeBlock(toBadged(listing), site.config.publicUrl)}
<p class="twins">This listing as <a href="${pagePath(listing.handle)}.json">JSON</a> or <a href="${pagePath(listing.handle)}.md">Markdown</a>. Something wrong? <a href="/feedback?handle=${encodeURIComponent(listing.handle)}">Send private feedback</a>.</p>
</div>
</article>`,
  });
