import { html } from 'hono/html';
import { inputsText } from '../../evidence/listing/inputs-text.ts';
import type {
  ListingDocument,
  ListingPackage,
  ListingRemote,
} from '../../evidence/listing/listing-document.ts';
import { day, foreignLink, type Html, tagLink } from '../layout/html.ts';
import { versionDates, versionsTitle } from '../layout/labels.ts';

const none = html`<span class="state unknown">none recorded</span>`;

const inputsNote = ({ inputs }: ListingPackage | ListingRemote) =>
  inputs ? html` <span class="note foreign">${inputsText(inputs)}</span>` : '';

const remoteItem = (remote: ListingRemote) => html`
<li><span class="kind">${remote.type}</span> ${foreignLink(remote.url)}${inputsNote(remote)}</li>`;

const packageItem = (recorded: ListingPackage) => html`
<li><span class="kind">${recorded.registry_type}</span> <code class="foreign">${recorded.identifier}${recorded.version ? `@${recorded.version}` : ''}</code>${recorded.transport ? html` <span class="note">over ${recorded.transport}</span>` : ''}${inputsNote(recorded)}</li>`;

const fact = (name: string, value: Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const listed = (items: readonly Html[]) =>
  items.length === 0 ? none : html`<ul class="plain">${items}</ul>`;

/** All remotes, unless the endpoint is the only one. */
const remotes = ({ remotes: all, endpoint }: ListingDocument) =>
  all.some(({ url, inputs }) => url !== endpoint || inputs)
    ? fact('All remotes', listed(all.map(remoteItem)))
    : '';

const tags = (listing: ListingDocument) =>
  listing.tags.length === 0
    ? none
    : html`<ul class="tag-reasons">${listing.tags.map(({ tag, reason }) => html`<li>${tagLink(tag)} <span class="note foreign">${reason}</span></li>`)}</ul>`;

const versions = (listing: ListingDocument) =>
  listing.versions.length > 1
    ? html`
<details class="versions"><summary>${versionsTitle(listing)}</summary>
<table><thead><tr><th scope="col">Version</th><th scope="col">Published</th><th scope="col">Status</th></tr></thead>
<tbody>${listing.versions.map(({ version, status, published_at }) => html`<tr><th scope="row"><code class="foreign">${version}</code></th><td>${day(published_at)}</td><td>${status}</td></tr>`)}</tbody></table></details>`
    : '';

/** What the publisher recorded in the registry; what it did not record is shown as `none recorded`. */
export const recordedBlock = (listing: ListingDocument): Html => html`
<section aria-labelledby="recorded">
<h2 id="recorded">As recorded by the publisher</h2>
<dl class="facts wide">
${fact('Endpoint', listing.endpoint ? foreignLink(listing.endpoint) : none)}
${remotes(listing)}
${fact('Repository', listing.repository ? foreignLink(listing.repository) : none)}
${listing.website ? fact('Website', foreignLink(listing.website)) : ''}
${fact('Packages', listed(listing.packages.map(packageItem)))}
${fact('Tags', tags(listing))}
${fact('Version', html`<span class="foreign">${listing.version}</span>, ${versionDates(listing)}`)}
${fact('Origin', html`${listing.origin}, as of ${day(listing.observed_at)}, imported ${day(listing.imported_at)}`)}
${listing.status_message ? fact('Status message', html`<span class="foreign">${listing.status_message}</span>`) : ''}
</dl>
${versions(listing)}
</section>`;
