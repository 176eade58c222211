import { html } from 'hono/html';
import { whatAClaimShows } from '../../evidence/claim/claim-statement.ts';
import { claimMethods, placesOf } from '../../evidence/claim/methods/index.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { ClaimEvent, ListingDocument } from '../../evidence/listing/listing-document.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { matchTexts, toLabel } from '../layout/labels.ts';
import type { Site } from '../layout/site.ts';

const event = ({ type, at, kind, commit, reason, log_index }: ClaimEvent) => html`
<li>${day(at)} ${toLabel(type)} (${toLabel(kind)})${commit ? html` at <code>${commit.slice(0, 12)}</code>` : ''}${reason ? ` (${toLabel(reason)})` : ''} <span class="note"><a href="/log/entry/${log_index}">log index ${log_index}</a></span></li>`;

/** What happened to the claim of a listing, oldest first; nothing for a listing without such events. */
export function claimHistory({ claim, history }: ListingDocument): Html | '' {
  const events = claim?.history ?? history ?? [];
  if (events.length === 0) return '';
  return html`
<section aria-labelledby="claim-history"><h3 id="claim-history">History of the ${claim ? 'claim' : 'listing'}</h3>
${claim?.repository && html`<p class="note">${matchTexts[claim.namespace_matches_repository_owner]}</p>`}
<ol class="timeline">${events.map(event)}</ol></section>`;
}

const standing = (claim: NonNullable<ListingDocument['claim']>) => html`
<details class="wide-open"><summary>What the claim of ${day(claim.claimed_at)} shows</summary><p>${claim.statement}</p></details>
<p class="note">Way: ${toLabel(claim.kind)}. Last checked on ${day(claim.checked_at)}.${claim.suspended_reason ? ` Suspended: ${toLabel(claim.suspended_reason)}.` : ''}</p>`;

/** The claim instruction: the three steps, the address and the name of the file (specification, "Claim procedure"). */
const instruction = ({ handle, repository }: ListingDocument, { config }: Site) => html`
<ol class="steps">
<li>Send <code>POST ${config.publicUrl}/api/claim-github</code> with <code>{"handle":"${handle}"}</code>. The answer has a challenge.</li>
<li>Commit the challenge to <span class="foreign">${repository}</span> as <code>${config.claimFile}</code>, at the root of the default branch.</li>
<li>Send the same request again.</li>
</ol>`;

/** Whether the recorded address is on a host that claims are read from. */
const isReadable = ({ repositoryHosts }: Site['config'], address: string) =>
  Object.hasOwn(repositoryHosts, URL.parse(address)?.hostname ?? '');

function otherWays({ handle, repository }: ListingDocument, { config }: Site) {
  const toKey = (address: string) =>
    isReadable(config, address) ? address.toLowerCase().replace(/^https:\/\//, '') : undefined;
  return placesOf({ handle, repository }, toKey).filter(({ kind }) => kind !== 'repository');
}

const wayItem = (place: ProofPlace, { config }: Site) =>
  html`<li>${claimMethods[place.kind].whereToPut(place, config.claimFile)}</li>`;

function withoutRepository(listing: ListingDocument, site: Site) {
  const ways = otherWays(listing, site);
  if (ways.length === 0)
    return html`<p>The listing records no repository and its namespace is neither a domain nor a GitHub account, so it cannot be claimed.</p>`;
  return html`
<p>The listing records no repository. It can be claimed in ${ways.length > 1 ? 'one of these ways' : 'this way'}:</p>
<ul>${ways.map((place) => wayItem(place, site))}</ul>`;
}

const unclaimed = (listing: ListingDocument, site: Site) => html`
<p>${whatAClaimShows} A claim lets the listing rate others.</p>
${listing.repository ? instruction(listing, site) : withoutRepository(listing, site)}
${listing.repository && otherWays(listing, site).length > 0 ? html`<p class="note">There are other ways to claim it.</p>` : ''}`;

/** The claim of a listing, or how to claim it. */
export const claimBlock = (listing: ListingDocument, site: Site): Html => html`
<section class="box" aria-labelledby="claim">
<h2 id="claim">${listing.claim ? 'Claim' : 'Is this yours?'}</h2>
${listing.claim ? standing(listing.claim) : unclaimed(listing, site)}
<p><a class="button" href="${pagePath(listing.handle)}/claim">${listing.claim ? 'Check or renew the claim' : 'How to claim'}<span class="unseen"> ${listing.handle}</span></a></p>
</section>`;
