import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { type Html, handleLink } from '../layout/html.ts';
import {
  answerRows,
  type Compared,
  type Comparison,
  kindTitles,
  type Row,
  recordedRows,
} from './compare-rows.ts';
import { createFootnotes, type Footnotes } from './compare-sources.ts';

// On narrow screens columns are stacked, and each cell names its listing; screen readers use the column header instead.
const cell = (handle: string, content: Html) => html`
<td role="cell"><p class="of handle" aria-hidden="true">${handle}</p>${content}</td>`;

const sameCell = (content: Html, listings: number) => html`
<td role="cell" colspan="${listings}" aria-colspan="${listings}"><p class="note">The same for all ${listings}:</p>${content}</td>`;

function toRow({ name, cells }: Row): Html {
  const [first] = cells;
  const isSame = cells.length > 1 && new Set(cells.map(({ essence }) => essence)).size === 1;
  if (first && isSame)
    return html`
<tr role="row" class="same"><th scope="row" role="rowheader">${name}</th>${sameCell(first.content, cells.length)}</tr>`;
  return html`
<tr role="row"><th scope="row" role="rowheader">${name}</th>${cells.map(({ handle, content }) => cell(handle, content))}</tr>`;
}

const heads = (listings: readonly Compared[], of: string) => html`
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${of}</th>${listings.map(({ handle, sample }) => html`<th scope="col" role="columnheader">${handleLink(handle)}${sample && ' (sample)'}</th>`)}</tr></thead>`;

/** Where the records are from: one source for all, or one for each listing. */
const recordedIn = (documents: readonly ListingDocument[], notes: Footnotes) => {
  const marks = documents.map(({ handle, origin, observed_at }) => ({
    handle,
    mark: notes.mark({ source: origin, as_of: observed_at }),
  }));
  const [first] = marks;
  const isOne = first !== undefined && marks.every(({ mark }) => String(mark) === String(first.mark));
  return html`<p class="note">By the publishers, in their records${isOne ? first.mark : html`: ${marks.map(({ handle, mark }, at) => html`${at > 0 ? ', ' : ''}${handle}${mark}`)}`}.</p>`;
};

interface Table {
  readonly id: string;
  readonly title: string;
  /** What a row is. */
  readonly of: string;
  readonly rows: readonly Row[];
  readonly note?: Html;
}

/** A table with a column for each listing, in the requested order. */
const table = (listings: readonly Compared[], { id, title, of, rows, note }: Table): Html | '' =>
  rows.length === 0
    ? ''
    : html`
<section class="compared" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>${note}
<section class="scroll" tabindex="0" aria-label="${title}, side by side"><table role="table">${heads(listings, of)}
<tbody role="rowgroup">${rows.map(toRow)}</tbody>
</table></section>
</section>`;

/**
 * The tables of a comparison: first what is recorded, then the criteria by kind of evidence, last the sources. A row that
 * is the same for all listings is said once, and can be hidden.
 */
export function comparisonTables(
  { listings, statement }: Comparison,
  documents: readonly ListingDocument[],
): Html {
  const known = listings.filter(({ problem }) => !problem);
  if (known.length === 0) return html``;
  const notes = createFootnotes();
  const kinds = ['imported', 'observed', 'native'] as const;
  const tables = [
    {
      id: 'recorded',
      title: 'What is recorded',
      of: 'Fact',
      note: recordedIn(documents, notes),
      rows: recordedRows(documents),
    },
    ...kinds.map((id) => ({
      id,
      title: kindTitles[id],
      of: 'Criterion',
      rows: answerRows(known, id, notes),
    })),
  ];
  return html`
<p class="differences"><label><input type="checkbox" id="differences"> Differences only</label></p>
${tables.map((one) => table(known, one))}
<p class="note">${statement} Unknown is not a no: it was not checked, or nothing is recorded.</p>
${notes.list()}`;
}
