import { html } from 'hono/html';
import type { Config } from '../../config/config.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { type Html, pagePath, paste } from '../layout/html.ts';

type Place = Pick<Config, 'publicUrl' | 'serviceName'>;

/** What a citation says: the snapshot with its date, the version of the record, and the newest log entry, if there is one. */
export function citation(listing: ListingDocument, entry: number | undefined, place: Place): string {
  const { handle, version, evidence_snapshot_date: date, links } = listing;
  const log = entry === undefined ? '' : ` Newest log entry about it: ${place.publicUrl}/log/entry/${entry}.`;
  return `${handle}, version ${version}. ${place.serviceName}, evidence as of ${date}. ${links.page}.${log}`;
}

/** A citation to copy, and what of it does not change. `entry` is the index of the newest log entry about the listing. */
export const citeBlock = (listing: ListingDocument, entry: number | undefined, place: Place): Html => html`
<section aria-labelledby="cite"><h3 id="cite">Cite this listing</h3>
${paste(citation(listing, entry, place))}
<p class="note">${
  entry === undefined
    ? 'This page changes with the evidence. No entry of the log is about this listing yet.'
    : html`This page changes with the evidence. The <a href="/log/entry/${entry}">log entry</a> does not: it shows what was recorded last about this listing, and anyone can check that it stands in the log.`
} <a href="${pagePath(listing.handle)}/history">What changed, with dates</a></p></section>`;
