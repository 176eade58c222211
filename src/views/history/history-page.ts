import { html } from 'hono/html';
import { kindOf } from '../../evidence/kinds/recorded/kind-of.ts';
import type { ShownChange } from '../../evidence/kinds/tools/history-texts.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { stateWords } from '../../evidence/observation/observation.ts';
import { observedText } from '../answers/fact-text.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { claimHistory } from '../listing/claim-block.ts';
import { toolChanges } from './tool-changes.ts';

const textOf = (kind: string, { value, state, details }: ShownChange['after']) =>
  value === null ? stateWords[state] : observedText({ kind, value, state, ...(details && { details }) });

const entry = (at: string, log_index: number) =>
  html`${day(at)} <span class="note"><a href="/log/entry/${log_index}">log index ${log_index}</a></span>`;

/** What was and what is; a change that is listed item by item says only until when the old value was seen. */
function wasAndIs({ kind, before, after, items = [] }: ShownChange): Html {
  if (!before && after.value === null) return html`first look: ${stateWords[after.state]}`;
  if (!before) return html`first seen: <span class="foreign">${textOf(kind, after)}</span>`;
  if (items.length > 0) return html`others than until ${day(before.seen_until)}`;
  return html`was <span class="foreign">${textOf(kind, before)}</span> until ${day(before.seen_until)}, now <span class="foreign">${textOf(kind, after)}</span>`;
}

const change = (changed: ShownChange) => html`
<li>${entry(changed.at, changed.log_index)}
<p><b>${kindOf(changed.kind)?.title ?? toLabel(changed.kind)}</b>${changed.subject && html` <span class="note foreign">${changed.subject}</span>`}: ${wasAndIs(changed)}</p>${toolChanges(changed)}</li>`;

const none = html`<p>No change of what Dossier checks is recorded for this listing.</p>`;

/** What changed about a listing, newest first, with what was before and after. */
export function toHistoryPage(site: Site, listing: ListingDocument, changes: readonly ShownChange[]): Html {
  // That something was not looked at yet is no event.
  const seen = changes.filter(({ before, after }) => before || after.state !== 'not_checked');
  return toPage(site, {
    title: `History of ${listing.handle}`,
    description: `What changed about ${listing.handle}, each change with its date and its entry of the log.`,
    path: `${pagePath(listing.handle)}/history`,
    indexed: false,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(listing.handle)}">${listing.handle}</a></p>
<h1>History</h1>
<p class="lead">What Dossier saw change, newest first. A change happened between the date when the old value was last seen and the date when the new one was first seen.</p>
<h2 id="observed">What Dossier checks</h2>
${seen.length > 0 ? html`<ol class="timeline">${seen.map(change)}</ol>` : none}
${claimHistory(listing)}
<p class="note">The same as <a href="${pagePath(listing.handle)}/history.json">JSON</a>.</p>`,
  });
}
