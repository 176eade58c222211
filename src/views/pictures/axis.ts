import { html } from 'hono/html';
import { counted, dayText } from '../../core/text.ts';
import { toTitle } from '../../core/words.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { laneTitles, type Mark, marksWords } from '../../document/pictures/changes.ts';
import type { OverTime } from '../../tools/find/pictures.ts';
import { historyPageSize } from '../../tools/get-history.ts';
import { type Html, pagePath } from '../html.ts';
import { percent, picture, toScale } from './scale.ts';

const lane_px = 24;

/** The id of an event in a list of the history. */
export const eventId = (at: string): string => `at-${at.replaceAll(/\D/g, '')}`;

/** Events after those of the first page are found by their day. */
const entryPath = (handle: string, { at, event }: Mark): string =>
  `${pagePath(handle)}/history${event < historyPageSize ? '' : `?until=${dayText(at)}`}#${eventId(at)}`;

/** A lane for each of what changed, a mark for each day with changes. Nothing if nothing changed. */
export function axisPicture(
  { handle, evidence_snapshot_date: today }: Pick<ListingDocument, 'handle' | 'evidence_snapshot_date'>,
  { marks, isCut, since }: OverTime,
): Html[] {
  if (marks.length === 0) return [];
  // A move may be of a version older than all that was read.
  const [first = today] = [since, ...marks.map(({ at }) => at)].sort();
  const place = toScale(first, `${today}T23:59:59Z`);
  const lanes = [...new Set(marks.map(({ lane }) => lane))];
  const mark = (one: Mark) => {
    const { lane, at, changes, weight, words } = one;
    const what = changes > 1 ? `${counted(changes, 'change')}, such as ` : '';
    const says = `${laneTitles[lane]}, ${dayText(at)}: ${what}${toTitle(words)}`;
    return html`<a href="${entryPath(handle, one)}"><title>${says}</title><circle class="weight-${weight}" cx="${percent(place(at))}" cy="${lane_px * (lanes.indexOf(lane) + 0.5)}" r="${1 + 2.5 * weight}"/></a>`;
  };
  const drawn = html`<div class="lanes"><ul aria-hidden="true">${lanes.map((lane) => html`<li>${laneTitles[lane]}</li>`)}</ul>
<svg role="group" aria-label="What changed, by day" width="100%" height="${lane_px * lanes.length}">${lanes.map((_, at) => html`<line x1="0" x2="100%" y1="${lane_px * (at + 0.5)}" y2="${lane_px * (at + 0.5)}"/>`)}${marks.map(mark)}</svg></div>`;
  return [picture(drawn, [first, today], marksWords(marks, isCut), { name: 'axis' })];
}
