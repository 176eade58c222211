import { html } from 'hono/html';
import { handleParts } from '../../evidence/handle.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { absences } from '../../evidence/listing/sentences/summary-text.ts';
import { counted } from '../../evidence/text/plural.ts';
import { dated, day, type Html, publisherPath } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';
import { originNote } from '../layout/origin-note.ts';
import { noticesBlock } from '../ratings/notices-block.ts';

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
export const listingHeading = (listing: ListingDocument): Html => html`
<header class="listing-head">
<h1 class="${listing.title ? 'foreign' : 'handle'}">${listing.title ?? listing.handle}</h1>
<p class="by">${listing.title && html`<span class="handle">${listing.handle}</span> · `}${publisher(listing)}</p>
${noticesBlock(listing.moderation)}${listing.description && html`<p class="lead foreign">${listing.description}</p>`}
<p class="states">${claimState(listing)}${listing.origin_status === 'deprecated' ? html` <span class="state">Deprecated in the registry</span>` : ''}${listing.sample && html` <span class="state">Sample</span>`}</p>
${absences(listing).map((text) => html`<p class="absence foreign">${text}</p>`)}${listing.sample && originNote(listing)}
<p class="snapshot">${dated(listing.evidence_snapshot, listing.evidence_snapshot_date)}</p>
</header>`;
