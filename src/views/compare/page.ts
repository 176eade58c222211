import { html } from 'hono/html';
import { type Problem, problemTable } from '../../core/problem.ts';
import { dayText, isWebAddress } from '../../core/text.ts';
import { isEmpty, join, own, say, toText, type Words } from '../../core/words.ts';
import { type AnswerWords, toAnswer, toAnswerWords } from '../../document/answers/answers.ts';
import { lineNames, lineTitles } from '../../document/answers/lines.ts';
import {
  type CriterionAnswer,
  type CriterionName,
  criteria,
  criterionNames,
  criterionText,
} from '../../document/criteria/criteria.ts';
import type { Criterion, CriterionFinding } from '../../document/criteria/criterion.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import type { Hit } from '../../document/resolved.ts';
import { isSpecified } from '../../listings/listing.ts';
import { type ComparedAgent, compareStatement } from '../../tools/compare-agents.ts';
import { day, type Html, handleLink, paste, toCurl } from '../html.ts';
import { type PageSite, toPage } from '../layout.ts';
import { listingRows } from '../listing-list.ts';
import { toHtml } from '../words.ts';
import { defaultPicks, type Picks, toPath } from './address.ts';

type FieldMessages = Readonly<Partial<Record<CriterionName, string>>>;

interface Field {
  readonly name: CriterionName;
  readonly values: readonly string[];
  readonly message: string | undefined;
}

const errorId = (name: string) => `${name}-error`;
function valueField(field: Field, value: string) {
  const { takes } = criteria[field.name] as Criterion;
  const named = html`name="${field.name}"${field.message === undefined ? '' : html` aria-invalid="true" aria-describedby="${errorId(field.name)}"`}`;
  if (takes.kind === 'number')
    return html`<input type="number" min="1" max="${takes.max}" inputmode="numeric" value="${value}" ${named}>`;
  const limits = { tag: html`maxlength="40"`, price: html`maxlength="300" placeholder="0.01 USDC"` };
  if (takes.kind === 'tag' || takes.kind === 'price')
    return html`<input type="text" ${limits[takes.kind]} spellcheck="false" autocomplete="off" value="${value}" ${named}>`;
  const choices = takes.kind === 'choice' ? takes.of : [];
  return html`<select ${named}><option value="">any</option>${choices.map((choice) => html`<option${choice === value ? html` selected` : ''}>${choice}</option>`)}</select>`;
}

/** Left out if empty. */
function criterionFields(field: Field): Html {
  const { label, takes } = criteria[field.name] as Criterion;
  const message =
    field.message && html`<span class="error" id="${errorId(field.name)}">${field.message}</span>`;
  if (takes.kind === 'nothing') {
    const isPicked = field.values.length > 0;
    return html`<li><label><input type="checkbox" name="${field.name}" value="true"${isPicked ? html` checked` : ''}> ${label}</label>${message}</li>`;
  }
  const [before, after] = label.replace('(s)', 's').split('{}');
  return html`${(field.values.length > 0 ? field.values : ['']).map(
    (value) => html`<li><label>${before}${valueField(field, value)}${after}</label>${message}</li>`,
  )}`;
}

function criteriaList(kind: Criterion['evidence'], title: string, [picks, messages]: [Picks, FieldMessages]) {
  const fields = criterionNames
    .filter((name) => criteria[name].evidence === kind)
    .map((name) => ({
      name,
      values: picks.criteria
        .filter(({ criterion }) => criterion === name)
        .map(({ value }) => value ?? 'true'),
      message: messages[name],
    }));
  return html`<fieldset><legend>${title}</legend><ul class="plain">${fields.map(criterionFields)}</ul></fieldset>`;
}

const picked = (picks: Picks, descriptions: ReadonlyMap<string, string>) => html`
<ol class="picked">${picks.handles.map((handle) => {
  const without = { ...picks, handles: picks.handles.filter((other) => other !== handle) };
  return html`<li>${handleLink(handle)} <a class="remove" href="${toPath(without)}" aria-label="Remove ${handle}">remove</a>${descriptions.get(handle) && html`<p class="foreign note">${descriptions.get(handle)}</p>`}<input type="hidden" name="handle" value="${handle}"></li>`;
})}</ol>`;

function compareForm(picks: Picks, messages: FieldMessages, descriptions: ReadonlyMap<string, string>): Html {
  const withCriteria = { ...picks, criteria: picks.criteria.length > 0 ? picks.criteria : defaultPicks };
  const shown: [Picks, FieldMessages] = [withCriteria, messages];
  return html`
<form class="compare" action="/compare" method="get">
${picks.handles.length > 0 ? picked(picks, descriptions) : ''}
<p><label for="add">${picks.handles.length > 0 ? 'Add a listing' : 'First listing'}: its handle, or words to find it by</label>
<span class="field"><input id="add" name="add" type="search" value="${picks.add}" maxlength="200" autocomplete="off" spellcheck="false"><button type="submit">Add</button></span></p>
<p><label>As of a day <input type="date" name="as_of" value="${picks.as_of ?? ''}"></label></p>
<details${Object.keys(messages).length > 0 ? html` open` : ''}><summary>Criteria: ${withCriteria.criteria.length} picked</summary>
<div class="columns">
${criteriaList('imported', 'Recorded and imported', shown)}
${criteriaList('observed', 'Checked by Dossier', shown)}
${criteriaList('native', 'Claims and ratings made on Dossier', shown)}
</div>
<p><button type="submit">Compare</button></p>
</details>
</form>`;
}

/** One for each source and day. */
function createFootnotes() {
  const notes = new Map<string, Pick<CriterionFinding, 'source' | 'as_of'>>();
  return {
    /** Empty without a source. */
    mark(of: Pick<CriterionFinding, 'source' | 'as_of'>): Html | '' {
      if (of.source === '') return '';
      const key = `${of.source} ${dayText(of.as_of)}`;
      notes.set(key, notes.get(key) ?? of);
      const number = [...notes.keys()].indexOf(key) + 1;
      return html`<sup><a href="#source-${number}" aria-label="Source ${number}">${number}</a></sup>`;
    },
    /** In the order of their marks. */
    list: () => html`
<h2 id="sources">Sources</h2>
<ol class="sources">${[...notes.values()].map(({ source, as_of }, at) => html`<li id="source-${at + 1}">${source}, as of ${day(as_of)}</li>`)}</ol>`,
  };
}

export const resultTexts = {
  met: 'Met',
  not_met: 'Not met',
  unknown: 'Unknown',
  not_applicable: 'Does not apply',
} as const;

export const kindTitles = {
  imported: 'As recorded and imported',
  observed: 'As checked by Dossier',
  native: 'Claims and ratings made on Dossier',
} as const;

/** Cells are compared by `essence`; equal ones are shown once. */
interface ComparisonRow {
  readonly name: string;
  readonly cells: readonly { readonly handle: string; readonly content: Html; readonly essence: string }[];
}

const evidenceKinds = ['imported', 'observed', 'native'] as const;

const criterionKey = ({ criterion, value }: CriterionAnswer) => JSON.stringify([criterion, value]);

/** A check may answer it for one listing, the record for another. */
function answeredElsewhere(one: ComparedAgent, kind: keyof typeof kindTitles, key: string): Html {
  const other =
    evidenceKinds.find((name) => one[name]?.some((answer) => criterionKey(answer) === key)) ?? kind;
  const where = evidenceKinds.indexOf(other) < evidenceKinds.indexOf(kind) ? 'above' : 'below';
  return html`<p class="note">Answered ${where} under “${kindTitles[other]}”.</p>`;
}

function answerRows(
  listings: readonly ComparedAgent[],
  kind: keyof typeof kindTitles,
  notes: ReturnType<typeof createFootnotes>,
): ComparisonRow[] {
  const asked = new Map(
    listings.flatMap((one) => one[kind] ?? []).map((answer) => [criterionKey(answer), answer] as const),
  );
  return [...asked].map(([key, criterion]) => ({
    name: criterionText(criterion),
    cells: listings.map((listing) => {
      const { handle } = listing;
      const answer = listing[kind]?.find((one) => criterionKey(one) === key);
      if (!answer) return { handle, content: answeredElsewhere(listing, kind, key), essence: '' };
      const { result, fact, recorded = [], quoted, source, as_of } = answer;
      // Addresses have rows of their own.
      const words = recorded.filter((text) => !isWebAddress(text)).join(', ');
      const essence = JSON.stringify([result, fact, recorded, quoted, source, dayText(as_of)]);
      const content = html`
<p><span class="result ${result}">${resultTexts[result]}</span> ${toHtml(fact)}${notes.mark(answer)}</p>
${words && html`<p class="foreign">${words}</p>`}${quoted && html`<p>Quoted: ${toHtml(quoted, as_of)}.</p>`}`;
      return { handle, content, essence };
    }),
  }));
}

function answeredRows(documents: readonly ListingDocument[]): ComparisonRow[] {
  const answers = documents.map((listing) => {
    const answer = toAnswer(listing);
    return { listing, answer, said: toAnswerWords(answer) };
  });
  const standsOut: ComparisonRow = {
    name: 'Stands out',
    cells: answers.map(({ listing: { handle, evidence_snapshot_date: today }, answer, said }) => ({
      handle,
      content: html`<p>${answer.standsOut.length === 0 && 'Nothing.'}${answer.standsOut.map(
        ({ key, text }, at) =>
          html`${at > 0 && ' '}<span${key === 'malware' && html` class="alarm"`}>${toHtml(text, today)}</span>`,
      )}</p>`,
      essence: toText(join(said.stands_out, ' ')),
    })),
  };
  const rowOf = (name: string, wordsOf: (said: AnswerWords) => Words | undefined): ComparisonRow => ({
    name,
    cells: answers.map(({ listing, said }) => {
      const words = wordsOf(said) ?? say``;
      const shown = isEmpty(words) ? own('Not known.') : words;
      const content = html`<p>${toHtml(shown, listing.evidence_snapshot_date)}</p>`;
      return { handle: listing.handle, content, essence: toText(words) };
    }),
  });
  const rows = [standsOut, ...lineNames.map((name) => rowOf(lineTitles[name], ({ lines }) => lines[name]))];
  return rows.filter(({ cells }) => cells.some(({ essence }) => essence !== ''));
}

function toRow({ name, cells }: ComparisonRow): Html {
  const [first] = cells;
  const isSame = cells.length > 1 && new Set(cells.map(({ essence }) => essence)).size === 1;
  if (first && isSame)
    return html`
<tr role="row" class="same"><th scope="row" role="rowheader">${name}</th>
<td role="cell" colspan="${cells.length}" aria-colspan="${cells.length}"><p class="note">The same for ${cells.length === 2 ? 'both' : `all ${cells.length}`}:</p>${first.content}</td></tr>`;
  // Narrow screens stack columns; screen readers use the column header.
  return html`
<tr role="row"><th scope="row" role="rowheader">${name}</th>${cells.map(
    ({ handle, content }) => html`
<td role="cell"><p class="of handle" aria-hidden="true">${handle}</p>${content}</td>`,
  )}</tr>`;
}

const recordedIn = (documents: readonly ListingDocument[], notes: ReturnType<typeof createFootnotes>) =>
  html`<p class="note">Facts marked (record) are from the record of each listing: ${documents.map(({ handle, origin: source, observed_at: as_of }, at) => html`${at > 0 && ', '}${handle}${notes.mark({ source, as_of })}`)}.${documents.filter(isSpecified).map(({ handle }) => ` The record of ${handle} is from the specification of Dossier, not from a registry.`)}</p>`;

const table = (
  listings: readonly ComparedAgent[],
  { id, title, of }: Readonly<Record<'id' | 'title' | 'of', string>>,
  rows: readonly ComparisonRow[],
  note?: Html,
) =>
  rows.length > 0 &&
  html`
<section class="compared" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>${note}
<section class="scroll" tabindex="0" aria-label="${title}, side by side"><table role="table">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${of}</th>${listings.map(({ handle, sample }) => html`<th scope="col" role="columnheader">${handleLink(handle)}${sample && ' (sample)'}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(toRow)}</tbody>
</table></section>
</section>`;

function comparisonTables(listings: readonly ComparedAgent[], documents: readonly ListingDocument[]): Html {
  const known = listings.filter(({ problem }) => !problem);
  if (known.length === 0) return html``;
  const notes = createFootnotes();
  const recorded = recordedIn(documents, notes);
  const answers = { id: 'answers', title: 'In short', of: 'Question' };
  return html`
<p class="differences"><label><input type="checkbox" id="differences"> Differences only</label></p>
${table(known, answers, answeredRows(documents), recorded)}
${evidenceKinds.map((id) => table(known, { id, title: kindTitles[id], of: 'Criterion' }, answerRows(known, id, notes)))}
<p class="note">${compareStatement} Unknown does not mean no: the text beside it says why nothing is known.</p>
${notes.list()}`;
}

export interface ComparePage {
  readonly picks: Picks;
  readonly input?: object;
  readonly comparison?: readonly ComparedAgent[];
  /** In the order of the picks. */
  readonly documents?: readonly ListingDocument[];
  readonly found?: readonly Hit[];
  readonly problem?: Problem;
}

const maxListings = 8;

const withHandle = (picks: Picks, handle: string, instead?: string): Picks => ({
  ...picks,
  handles: [...picks.handles.filter((other) => other !== instead), handle],
  add: '',
});

function foundBlock({ picks, found }: ComparePage) {
  if (!found) return '';
  if (found.length === 0)
    return html`<p class="notice" role="status">No listing matches “${picks.add}”. Try other words.</p>`;
  return html`
<section aria-labelledby="found"><h2 id="found">Listings that match “${picks.add}”</h2>
<ul class="cards">${listingRows(found, picks.add, ({ handle }) =>
    picks.handles.includes(handle)
      ? html`<span class="note">already picked</span>`
      : html`<a class="button" href="${toPath(withHandle(picks, handle))}" aria-label="Add ${handle}">Add</a>`,
  )}</ul></section>`;
}

function unknownBlock({ picks, comparison }: ComparePage) {
  const unknown = (comparison ?? []).flatMap(({ handle, problem }) => (problem ? [{ handle, problem }] : []));
  if (unknown.length === 0) return '';
  return html`
<ul class="notice unanswered">${unknown.map(
    ({ handle, problem }) => html`
<li><span class="handle foreign">${handle}</span>: ${problem.code === 'unknown_handle' ? `${problemTable.unknown_handle.title}.` : problem.message}${(problem.near ?? []).length > 0 ? html` Did you mean: ${(problem.near ?? []).map((near) => html`<a class="handle" href="${toPath(withHandle(picks, near, handle))}" aria-label="Take ${near} instead">${near}</a> `)}` : ''}</li>`,
  )}</ul>`;
}

function checkedBlock({ comparison = [] }: ComparePage) {
  const checked = comparison.filter(({ being_checked }) => being_checked);
  return (
    checked.length > 0 &&
    html`
<ul class="notice">${checked.map(({ handle, being_checked }) => html`<li>${handleLink(handle)}: ${being_checked}</li>`)}</ul>`
  );
}

/** By the position of the criterion in the path of the error. */
function toMessages({ picks, problem }: ComparePage): FieldMessages {
  const named = (problem?.facts.fields ?? []).flatMap(({ field, message }) => {
    const at = /^criteria\.(\d+)/.exec(field)?.[1];
    const criterion = at === undefined ? undefined : picks.criteria[Number(at)]?.criterion;
    return criterion ? [[criterion, message.replace(`${criterion} `, 'This ')]] : [];
  });
  return Object.fromEntries(named);
}

function problemBlock(page: ComparePage) {
  const { picks, problem } = page;
  if (picks.handles.length > maxListings)
    return html`<p class="notice" role="alert">At most ${maxListings} listings can be compared. Remove ${picks.handles.length - maxListings} of them.</p>`;
  if (!problem) return '';
  if (Object.keys(toMessages(page)).length > 0)
    return html`<p class="notice" role="alert">Nothing was compared: the values marked below are not valid for their criteria.</p>`;
  const messages = (problem.facts.fields ?? []).map(({ message }) => message).join('; ') || problem.message;
  return html`<p class="notice" role="alert">Nothing was compared: ${messages}.</p>`;
}

export function toComparePage(site: PageSite, page: ComparePage): Html {
  const { picks, comparison, input, documents = [] } = page;
  const descriptions = new Map(comparison?.map(({ handle, description }) => [handle, description ?? '']));
  return toPage(site, {
    title: comparison ? `Compare: ${picks.handles.join(', ')}` : 'Compare listings',
    description:
      'Two to eight listings side by side against criteria you pick: met, not met, unknown or does not apply, with fact and, if any, source and date.',
    path: '/compare',
    indexed: picks.handles.length === 0 && picks.criteria.length === 0,
    body: html`
<h1>Compare listings</h1>
<p class="lead">Side by side against criteria you pick: met, not met, unknown or does not apply, each with the fact and, if any, its source and date. There is no total and no winner.</p>
${problemBlock(page)}${unknownBlock(page)}${checkedBlock(page)}
${documents.flatMap(({ handle, as_of }) => (as_of ? html`<p class="notice">${handleLink(handle)}: ${toHtml(as_of.statement)}</p>` : []))}
${comparison ? comparisonTables(comparison, documents) : ''}
${compareForm(picks, toMessages(page), descriptions)}
${
  page.picks.handles.length < 2 &&
  html`<p>${page.picks.handles.length === 0 ? 'Pick two to eight listings here, or tick them' : 'Add at least one more listing here, or tick two to eight'} in <a href="/agents">the list of listings</a>.</p>`
}${foundBlock(page)}
${
  input &&
  html`
<details><summary>The same as JSON, or over MCP with <code>compare_agents</code></summary>
${paste(toCurl(`${site.config.publicUrl}/api/tools/compare_agents`, input))}
</details>`
}`,
  });
}
