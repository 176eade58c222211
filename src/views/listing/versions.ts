import { html } from 'hono/html';
import { ageText, amount, counted, dayText } from '../../core/text.ts';
import type { HistoryEvent } from '../../document/answers/history-events.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import type { ComparedRow } from '../../listings/listing.ts';
import type { readVersionsPage } from '../../listings/reads.ts';
import { changedVersion } from '../../listings/version-moves.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { changedVersionWords } from '../../observations/known/kinds/moves.ts';
import { registryVersions } from '../../observations/known/kinds/record.ts';
import { day, type Html, pagePath, toHtml, withDays } from '../html.ts';
import type { PageSite } from '../layout.ts';
import { eventId } from '../pictures/axis.ts';
import { rowTable } from '../tables.ts';
import { toListingPart } from './tabs.ts';

/** `span`: of all pages. */
type VersionsShown = Awaited<ReturnType<typeof readVersionsPage>>;

/** `36 versions from 2025-08-05 to 2025-10-28; the newest 13 months ago.` */
function pace(
  { count, deleted, first, last }: VersionsShown['span'],
  { evidence_snapshot_date: today, signals }: ListingDocument,
): Html | string {
  const why = factsOf(registryVersions, signals.imported)[0]?.reason;
  if (count > 0 && why)
    return html`${toHtml(why)} The version shown was published ${ageText(dayText(last), today)}.`;
  if (count === 0) return 'No version is stored.';
  const from = dayText(first);
  const to = dayText(last);
  if (count === 1) return `1 version, published ${ageText(to, today)}.`;
  const span = from === to ? `of ${to}` : `from ${from} to ${to}`;
  const withdrawn = deleted > 0 ? ` The registry has withdrawn ${amount(deleted)} of them.` : '';
  return withDays(`${counted(count, 'version')} ${span}; the newest ${ageText(to, today)}.${withdrawn}`);
}

const isOfVersion = (version: string) => (event: HistoryEvent) =>
  event.type === 'version.published'
    ? [event.data.moved, ...event.data.since].some((one) => one.version === version)
    : event.type === 'listing.changed' && event.data.version === version;

/** With a link only to an event that the first page of the history has. */
function changeCell(row: ComparedRow, { handle }: ListingDocument, events: readonly HistoryEvent[]) {
  const changed = changedVersion(row);
  const words = toHtml(changedVersionWords(changed));
  if (changed.unchanged) return html`<span class="note">${words}</span>`;
  const history = `${pagePath(handle)}/history`;
  const on = events.find(isOfVersion(changed.version))?.at;
  return html`${words}${on && html` <a class="note" href="${history}?kind=record#${eventId(on)}">in the history<span class="unseen"> of ${changed.version}</span></a>`}`;
}

const chip = (text: string) => html` <span class="state">${text}</span>`;

/** The newest by date, the latest by the registry and the shown one may be three versions; `newest` all. */
function cellsOf(
  listing: ListingDocument,
  versions: readonly ComparedRow[],
  isFirstPage: boolean,
  events: readonly HistoryEvent[],
) {
  const newest = isFirstPage
    ? versions.find(({ undated, status }) => !undated && status !== 'deleted')
    : undefined;
  const { handle, evidence_snapshot_date: today } = listing;
  return (one: ComparedRow) => {
    const { version, status, published_at, is_latest, undated } = one;
    const record = `/v0.1/servers/${encodeURIComponent(handle)}/versions/${encodeURIComponent(version)}`;
    const isShown = version === listing.version;
    const chips =
      is_latest && one === newest && isShown
        ? chip('newest')
        : html`${is_latest && chip('latest in the registry')}${one === newest && chip('newest by date')}${isShown && chip('shown here')}`;
    const name = html`<code class="foreign">${version}</code>${chips}${status === 'deleted' ? chip('withdrawn') : status !== 'active' && chip(status)}`;
    const date = undated
      ? 'no date stated'
      : html`${day(published_at)} <span class="note">${ageText(dayText(published_at), today)}</span>`;
    const link = html`<a href="${record}" rel="nofollow">JSON<span class="unseen"> of ${version}</span></a>`;
    return [name, date, changeCell(one, listing, events), status === 'deleted' ? '' : link];
  };
}

/** A registry may send 10,000 versions of a listing. */
export const versionsPerPage = 200;

export function toVersionsPage(
  site: PageSite,
  listing: ListingDocument,
  { versions, page, span }: VersionsShown,
  events: readonly HistoryEvent[],
): Html {
  const path = `${pagePath(listing.handle)}/versions`;
  const toCells = cellsOf(listing, versions, page === 1, events);
  const link = (to: number, text: string) => html`<a href="${path}?page=${to}">${text}</a>`;
  return toListingPart(site, listing, 'Versions', {
    description: `All versions of ${listing.handle} that Dossier has read, with their dates.`,
    body: html`
<p class="lead">${pace(span, listing)}</p>
${rowTable(['Version', 'Published', 'What it changed', 'Record'], versions.map(toCells))}
${page > 1 && html`<p>${link(page - 1, 'Newer versions')}</p>`}
${page * versionsPerPage < span.count && html`<p>${link(page + 1, 'Older versions')}</p>`}
<p class="note">A version is compared with the one published before it, in the fields that Dossier reads. <a href="${pagePath(listing.handle)}/history?kind=record">All recorded changes of the record</a></p>
<p class="note">The versions are as the ${listing.sample ? 'sample has' : 'registry sent'} them, as of ${day(listing.observed_at)}.</p>`,
  });
}
