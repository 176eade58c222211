import { html } from 'hono/html';
import { kindOf } from '../../evidence/kinds/recorded/kind-of.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { ListingChange } from '../../evidence/observation/listing-history.ts';
import { observedText } from '../answers/fact-text.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { claimHistory } from '../listing/claim-block.ts';

const textOf = (kind: string, { value, state, details }: ListingChange['after']) =>
  value === null ? toLabel(state) : observedText({ kind, value, state, ...(details && { details }) });

const entry = (at: string, log_index: number) =>
  html`${day(at)} <span class="note"><a href="/log/entry/${log_index}">log index ${log_index}</a></span>`;

const change = ({ kind, subject, before, after, at, log_index }: ListingChange) => html`
<li>${entry(at, log_index)}
<p><b>${kindOf(kind)?.title ?? toLabel(kind)}</b>${subject && html` <span class="note foreign">${subject}</span>`}: ${
  before
    ? html`was <span class="foreign">${textOf(kind, before)}</span> until ${day(before.seen_until)}, now <span class="foreign">${textOf(kind, after)}</span>`
    : html`first seen: <span class="foreign">${textOf(kind, after)}</span>`
}</p></li>`;

const none = html`<p>No change of what Dossier checks is recorded for this listing.</p>`;

/** What changed about a listing, newest first, with what was before and after. */
export const toHistoryPage = (
  site: Site,
  listing: ListingDocument,
  changes: readonly ListingChange[],
): Html =>
  toPage(site, {
    title: `History of ${listing.handle}`,
    description: `What changed about ${listing.handle}, each change with its date and its entry of the log.`,
    path: `${pagePath(listing.handle)}/history`,
    indexed: false,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(listing.handle)}">${listing.handle}</a></p>
<h1>History</h1>
<p class="lead">What Dossier saw change, newest first. A change happened between the date when the old value was last seen and the date when the new one was first seen.</p>
<h2 id="observed">What Dossier checks</h2>
${changes.length > 0 ? html`<ol class="timeline">${changes.map(change)}</ol>` : none}
${claimHistory(listing)}
<p class="note">The same as <a href="${pagePath(listing.handle)}/history.json">JSON</a>.</p>`,
  });
