import { html } from 'hono/html';
import type { CopyField, ListingDocument, ListingPackage } from '../../evidence/listing/listing-document.ts';
import { copyLacksSentence } from '../../evidence/listing/record/reading.ts';
import { day, foreignLink, type Html, tagLink } from '../layout/html.ts';
import { versionDates, versionsTitle } from '../layout/labels.ts';

/** That the record has none, or that the copy has it of no listing. */
const noneRecorded = ({ copy_lacks }: ListingDocument, field?: CopyField): Html =>
  html`<span class="state unknown">${(field && copyLacksSentence(copy_lacks, field)) ?? 'none recorded'}</span>`;

const packageItem = (recorded: ListingPackage) => html`
<li><span class="foreign">${recorded.registry_type}</span> <code class="foreign">${recorded.identifier}${recorded.version ? `@${recorded.version}` : ''}</code>${recorded.transport ? html` <span class="note foreign">over ${recorded.transport}</span>` : ''}</li>`;

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

/** What the publisher recorded in the registry, in brief; what it did not record is shown as `none recorded`. */
export const recordedBlock = (listing: ListingDocument): Html => html`
<section class="box" aria-labelledby="recorded">
<h2 id="recorded">As recorded</h2>
<dl class="brief-facts">
${fact('Endpoint', endpoints(listing))}
${fact('Repository', listing.repository ? foreignLink(listing.repository) : noneRecorded(listing, 'repository'))}
${fact('Packages', listed(listing.packages.map(packageItem), noneRecorded(listing, 'package')))}
${listing.website ? fact('Website', foreignLink(listing.website)) : ''}
${fact('Version', html`<span class="foreign">${listing.version}</span>, ${versionDates(listing)}`)}
${listing.status_message ? fact('Status message', html`<span class="foreign">${listing.status_message}</span>`) : ''}
${fact('Origin', html`${listing.origin}, as of ${day(listing.observed_at)}, imported ${day(listing.imported_at)}`)}
</dl>
<p class="tags">${listing.tags.map(({ tag }) => tagLink(tag))}</p>
</section>`;

/** Why the listing has each of its tags. */
export const tagReasons = ({ tags }: ListingDocument): Html | '' =>
  tags.length === 0
    ? ''
    : html`
<section aria-labelledby="tag-reasons"><h3 id="tag-reasons">Why these tags</h3>
<ul class="tag-reasons">${tags.map(({ tag, reason }) => html`<li>${tagLink(tag)} <span class="note foreign">${reason}</span></li>`)}</ul></section>`;

/** The newest versions, where there are several. */
export const versionsBlock = (listing: ListingDocument): Html | '' =>
  listing.versions.length < 2
    ? ''
    : html`
<details class="versions"><summary>${versionsTitle(listing)}</summary>
<table><thead><tr><th scope="col">Version</th><th scope="col">Published</th><th scope="col">Status</th></tr></thead>
<tbody>${listing.versions.map(({ version, status, published_at }) => html`<tr><th scope="row"><code class="foreign">${version}</code></th><td>${day(published_at)}</td><td>${status}</td></tr>`)}</tbody></table></details>`;
