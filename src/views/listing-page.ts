import { html } from 'hono/html';
import type { ListingDocument, ListingPackage, ListingRemote } from '../evidence/listing-document.ts';
import { badgeBlock } from './badge-block.ts';
import { connectBlock } from './connect-block.ts';
import { day, foreignLink, type Html, pagePath, tagLink } from './html.ts';
import { importedBlock } from './imported-block.ts';
import { inputsText } from './inputs-text.ts';
import { toPage } from './layout.ts';
import { toListingHead } from './listing-head.ts';
import { matchTexts, notClaimed, stateTexts, versionsTitle, words } from './listing-words.ts';
import { nativeBlock } from './native-block.ts';
import type { Site } from './site.ts';

const heading = (listing: ListingDocument) => html`
<header class="listing-head">
<p class="eyebrow">Listing <span class="state">${stateTexts[listing.state]}</span>${listing.origin_status === 'deprecated' ? html` <span class="state">Deprecated in the registry</span>` : ''}</p>
<h1 class="handle">${listing.handle}</h1>
${listing.title && html`<p class="listing-title foreign">${listing.title}</p>`}
<p class="lead foreign">${listing.description}</p>
<p class="snapshot">${listing.evidence_snapshot}</p>
</header>`;

const inputsNote = ({ inputs }: ListingPackage | ListingRemote) =>
  inputs ? html` <span class="note foreign">${inputsText(inputs)}</span>` : '';

const remoteItem = (remote: ListingRemote) => html`
<li><span class="kind">${remote.type}</span> ${foreignLink(remote.url)}${inputsNote(remote)}</li>`;

const packageItem = (recorded: ListingPackage) => html`
<li><span class="kind">${recorded.registry_type}</span> <code class="foreign">${recorded.identifier}${recorded.version ? `@${recorded.version}` : ''}</code>${recorded.transport ? html` <span class="note">over ${recorded.transport}</span>` : ''}${inputsNote(recorded)}</li>`;

const orNone = (items: readonly unknown[], shown: Html) =>
  items.length === 0 ? html`<span class="none">none recorded</span>` : shown;

const recorded = (listing: ListingDocument) => html`
<section aria-labelledby="recorded">
<h2 id="recorded">As recorded by the publisher</h2>
<dl class="facts wide">
<div><dt>Endpoint</dt><dd>${listing.endpoint ? foreignLink(listing.endpoint) : html`<span class="none">none recorded</span>`}</dd></div>
${listing.remotes.some(({ url, inputs }) => url !== listing.endpoint || inputs) ? html`<div><dt>All remotes</dt><dd><ul class="plain">${listing.remotes.map(remoteItem)}</ul></dd></div>` : ''}
<div><dt>Repository</dt><dd>${listing.repository ? foreignLink(listing.repository) : html`<span class="none">none recorded</span>`}</dd></div>
${listing.website ? html`<div><dt>Website</dt><dd>${foreignLink(listing.website)}</dd></div>` : ''}
<div><dt>Packages</dt><dd>${orNone(listing.packages, html`<ul class="plain">${listing.packages.map(packageItem)}</ul>`)}</dd></div>
<div><dt>Tags</dt><dd>${orNone(listing.tags, html`<span class="tags">${listing.tags.map(({ tag, reason }) => tagLink(tag, reason))}</span>`)}</dd></div>
<div><dt>Version</dt><dd><span class="foreign">${listing.version}</span>, published ${day(listing.published_at)}, updated ${day(listing.updated_at)}</dd></div>
<div><dt>Origin</dt><dd>${listing.origin}, imported ${day(listing.imported_at)}</dd></div>
${listing.status_message ? html`<div><dt>Status message</dt><dd class="foreign">${listing.status_message}</dd></div>` : ''}
</dl>
${
  listing.versions.length > 1
    ? html`<details><summary>${versionsTitle(listing)}</summary><ul class="plain">${listing.versions.map(({ version, status, published_at }) => html`<li><code class="foreign">${version}</code> <span class="note">${status}, ${day(published_at)}</span></li>`)}</ul></details>`
    : ''
}
</section>`;

const claimFacts = (claim: NonNullable<ListingDocument['claim']>) => html`
<p>${claim.statement}</p>
<p>${matchTexts[claim.namespace_matches_repository_owner]} Last looked at on ${day(claim.checked_at)}.${claim.suspended_reason ? ` Suspended: ${words(claim.suspended_reason)}.` : ''}</p>
<details><summary>History of the claim</summary><ul class="plain">${claim.history.map(({ type, at, commit, reason }) => html`<li>${day(at)} ${type}${commit ? html` at <code>${commit.slice(0, 12)}</code>` : ''}${reason ? ` (${words(reason)})` : ''}</li>`)}</ul></details>`;

const claimBlock = (listing: ListingDocument) => html`
<section aria-labelledby="claim">
<h2 id="claim">Claim</h2>
${listing.claim ? claimFacts(listing.claim) : html`<p>${notClaimed}</p>`}
<p><a class="button" href="${pagePath(listing.handle)}/claim">How to claim ${listing.handle}</a></p>
</section>`;

const alternates = ({ handle, links }: ListingDocument) => html`
<link rel="alternate" type="application/json" title="${handle} as JSON" href="${links.json}">
<link rel="alternate" type="text/markdown" title="${handle} as Markdown" href="${links.markdown}">`;

/** The page of a listing, in the order of the contract: what it says, then the evidence, then what to do. */
export const toListingPage = (site: Site, listing: ListingDocument): Html =>
  toPage(site, {
    ...toListingHead(listing),
    head: alternates(listing),
    body: html`
<article>
${heading(listing)}
<div class="blocks">
${nativeBlock(listing)}
${importedBlock(listing)}
</div>
${recorded(listing)}
${claimBlock(listing)}
${connectBlock(listing, site.config.PUBLIC_URL)}
${badgeBlock({ handle: listing.handle, statement: listing.signals.native.statement }, site.config.PUBLIC_URL)}
<p class="twins">This listing as <a href="${pagePath(listing.handle)}.json">JSON</a> or <a href="${pagePath(listing.handle)}.md">Markdown</a>. Something wrong? <a href="/feedback?handle=${encodeURIComponent(listing.handle)}">Send private feedback</a>.</p>
</article>`,
  });
