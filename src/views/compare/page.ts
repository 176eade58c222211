import { html } from 'hono/html';
import { type Problem, problemTable } from '../../core/problem.ts';
import { isEmpty, own, toText } from '../../core/words.ts';
import { gapTitles, recordWords, toAnswer, toAnswerWords } from '../../document/answers/answers.ts';
import { lineNames, lineTitles } from '../../document/answers/lines.ts';
import {
  type CriterionName,
  criteria,
  criterionNames,
  criterionText,
  defaultCriteria,
  isCriterionName,
  type RequestedCriterion,
  rowsOf,
} from '../../document/criteria/criteria.ts';
import {
  type Criterion,
  evidenceNames,
  evidenceTitles,
  resultTexts,
} from '../../document/criteria/criterion.ts';
import type { Hit } from '../../document/resolved.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { isDated } from '../../observations/known/observation.ts';
import { type ComparedAgent, compareStatement } from '../../tools/compare-agents.ts';
import { type Html, handleLink, paste, toCurl, toHtml } from '../html.ts';
import { type PageSite, toPage } from '../layout.ts';
import { listingRows } from '../listing-list.ts';
import { inTime, smallPicture } from '../pictures/days.ts';

export interface Picks {
  readonly handles: readonly string[];
  /** As written in the address. */
  readonly criteria: readonly { readonly criterion: CriterionName; readonly value?: string }[];
  /** A handle, or words to find one by. */
  readonly add: string;
  /** The day as of which the listings are compared. */
  readonly as_of?: string;
}

export const defaultPicks: Picks['criteria'] = defaultCriteria.map(({ criterion, value }) => ({
  criterion,
  value: value?.toString(),
}));

function toPicked([name, value]: [string, string]): Picks['criteria'] {
  if (!isCriterionName(name) || value === '') return [];
  if (criteria[name].takes.kind !== 'nothing') return [{ criterion: name, value }];
  return value === 'true' ? [{ criterion: name }] : [];
}

/** Links repeat all picks. One more than a comparison takes, so that the page can say so. */
const maxHandles = 9;
const maxCriteria = 21;

/** In the order of the address. A search form has no criteria: its filters have some of their names. */
export function readPicks(address: URLSearchParams): Picks {
  const handles = new Set(address.getAll('handle').filter(Boolean));
  const picked = (address.has('ticked') ? [] : [...address])
    .flatMap(toPicked)
    .map((one) => [JSON.stringify(one), one] as const);
  return {
    handles: [...handles].slice(0, maxHandles),
    criteria: [...new Map(picked).values()].slice(0, maxCriteria),
    add: address.get('add')?.trim() ?? '',
    ...(address.get('as_of') && { as_of: address.get('as_of') ?? '' }),
  };
}

export const toQuery = ({ handles, criteria: picked, add, as_of }: Picks): string =>
  new URLSearchParams([
    ...handles.map((handle) => ['handle', handle]),
    ...picked.map(({ criterion, value }) => [criterion, value ?? 'true']),
    ...(add ? [['add', add]] : []),
    ...(as_of ? [['as_of', as_of]] : []),
  ]).toString();

export function toPath(picks: Picks): string {
  const query = toQuery(picks);
  return query ? `/compare?${query}` : '/compare';
}

export const comparePath = (handle: string): string => toPath({ handles: [handle], criteria: [], add: '' });

type FieldMessages = Readonly<Partial<Record<CriterionName, string>>>;

interface Field {
  readonly name: CriterionName;
  readonly values: readonly string[];
  readonly message: string | undefined;
}

const errorId = (name: string) => `${name}-error`;
function valueField(field: Field, value: string) {
  const { takes } = criteria[field.name];
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
  const { label, takes } = criteria[field.name];
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

function criteriaList(kind: Criterion['evidence'], [picks, messages]: [Picks, FieldMessages]) {
  const fields = criterionNames
    .filter((name) => criteria[name].evidence === kind)
    .map((name) => ({
      name,
      values: picks.criteria
        .filter(({ criterion }) => criterion === name)
        .map(({ value }) => value ?? 'true'),
      message: messages[name],
    }));
  return html`<fieldset><legend>${evidenceTitles[kind]}</legend><ul class="plain">${fields.map(criterionFields)}</ul></fieldset>`;
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
${evidenceNames.map((kind) => criteriaList(kind, shown))}
</div>
<p><button type="submit">Compare</button></p>
</details>
</form>`;
}

/** Cells are compared by `essence`; equal ones are shown once. An empty one shows nothing. */
interface ComparisonRow {
  readonly name: string;
  /** The line of the listing, or where the lines stand that show why. */
  readonly id?: string;
  readonly note?: Html;
  readonly cells: readonly { readonly handle: string; readonly content: Html; readonly essence: string }[];
}

type JudgedAgent = Required<Pick<ComparedAgent, 'document' | 'judged'>> & ComparedAgent;

/** Links to the rows above that show why. */
function whyNote(one: RequestedCriterion): Html {
  const ids = new Set(rowsOf(one).map((row) => (row in lineTitles ? row : 'stands_out')));
  const titles: Readonly<Record<string, string>> = { ...lineTitles, stands_out: 'Stands out' };
  return html`<p class="note">${[...ids].map((id, at) => html`${at > 0 && ', '}<a href="#${id}">${titles[id]}</a>`)}</p>`;
}

function criterionRows(listings: readonly JudgedAgent[], kind: Criterion['evidence']): ComparisonRow[] {
  const asked = listings[0]?.judged ?? [];
  return asked.flatMap((one, at) => {
    if (criteria[one.criterion].evidence !== kind) return [];
    const cells = listings.map(({ handle, document, judged }) => {
      const { result, because: reason = own('') } = judged[at] ?? one;
      const why = isEmpty(reason) ? '' : html` ${toHtml(reason, document.evidence_snapshot_date)}`;
      const content = html`<p><span class="result ${result}">${resultTexts[result]}</span>${why}</p>`;
      return { handle, content, essence: `${result} ${toText(reason)}` };
    });
    return [{ name: criterionText(one), note: whyNote(one), cells }];
  });
}

/** All that is said of the listings, each line with its title. */
function answeredRows(listings: readonly JudgedAgent[]): ComparisonRow[] {
  const all = listings.map(({ handle, document, notices = [] }) => {
    const answer = toAnswer(document);
    const standsOut = [...notices, ...answer.standsOut, ...answer.ofNoCheck];
    const { lines, unseen, unchecked } = toAnswerWords(answer);
    const said = { ...lines, unseen, unchecked, record: recordWords(document) };
    return { handle, standsOut, today: document.evidence_snapshot_date, said };
  });
  const rowOf = (id: keyof (typeof all)[number]['said'], name: string, none = own('')): ComparisonRow => ({
    name,
    id,
    cells: all.map(({ handle, said: { [id]: words = none }, today }) => {
      const shown = isEmpty(words) ? none : words;
      return { handle, content: html`<p>${toHtml(shown, today)}</p>`, essence: toText(shown) };
    }),
  });
  const standsOut: ComparisonRow = {
    name: 'Stands out',
    id: 'stands_out',
    cells: all.map(({ handle, standsOut, today }) => ({
      handle,
      content: html`<p>${standsOut.length === 0 && 'Nothing.'}${standsOut.map(
        ({ key, text }, at) =>
          html`${at > 0 && ' '}<span${key === 'malware' && html` class="alarm"`}>${toHtml(text, today)}</span>`,
      )}</p>`,
      essence: standsOut.map(({ text }) => toText(text)).join(' ') || 'Nothing.',
    })),
  };
  const overTime: ComparisonRow = {
    name: 'Over time',
    cells: listings.map(({ handle, document: { observations } }) => {
      const small = smallPicture(inTime(observations));
      const isNone = small.length === 0 && !factsOf(endpointAnswers, observations).some(isDated);
      const none = isNone ? 'No check of an endpoint and no change of a checked fact is known.' : '';
      const content = html`<p class="small-picture">${none}${small.map(({ drawn }) => drawn)}</p>`;
      return { handle, content, essence: none || small.map(({ words }) => toText(words)).join(' ') };
    }),
  };
  return [
    standsOut,
    overTime,
    ...lineNames.map((name) => rowOf(name, lineTitles[name], own('Not known.'))),
    ...(['unseen', 'unchecked'] as const).map((name) => rowOf(name, gapTitles[name])),
    rowOf('record', 'Record'),
  ].filter(({ cells }) => cells.some(({ essence }) => essence !== ''));
}

function toRow({ name, id, note, cells }: ComparisonRow): Html {
  const [first] = cells;
  const title = html`<th scope="row" role="rowheader"${id && html` id="${id}"`}>${name}${note}</th>`;
  const isSame = cells.length > 1 && new Set(cells.map(({ essence }) => essence)).size === 1;
  if (first && isSame)
    return html`
<tr role="row" class="same">${title}
<td role="cell" colspan="${cells.length}" aria-colspan="${cells.length}"><p class="note">The same for ${cells.length === 2 ? 'both' : `all ${cells.length}`}:</p>${first.content}</td></tr>`;
  // Narrow screens stack columns; screen readers use the column header.
  return html`
<tr role="row">${title}${cells.map(
    ({ handle, content, essence }) => html`
<td role="cell">${essence && html`<p class="of handle" aria-hidden="true">${handle}</p>${content}`}</td>`,
  )}</tr>`;
}

/** More columns would be too narrow to read. */
const mostColumns = 4;

/** For many listings: each answer once, with the listings that have it. */
function toQuestion({ name, id, note, cells }: ComparisonRow): Html {
  const answers = [...Map.groupBy(cells, ({ essence }) => essence).values()].filter(([one]) => one?.essence);
  const isSame = answers[0]?.length === cells.length;
  return html`
<section class="question${isSame && ' same'}"><h3${id && html` id="${id}"`}>${name}</h3>${note}
<ul class="answers">${answers.map(
    (same) =>
      html`<li>${isSame ? html`<p class="note">The same for all ${same.length}:</p>` : same.map(({ handle }) => html`<p class="of">${handleLink(handle)}</p>`)}${same[0]?.content}</li>`,
  )}</ul></section>`;
}

const table = (
  listings: readonly ComparedAgent[],
  { id, title, of }: Readonly<Record<'id' | 'title' | 'of', string>>,
  rows: readonly ComparisonRow[],
) =>
  rows.length > 0 &&
  html`
<section class="compared" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${
  listings.length > mostColumns
    ? rows.map(toQuestion)
    : html`<section class="scroll" tabindex="0" aria-label="${title}, side by side"><table role="table">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${of}</th>${listings.map(({ handle, sample }) => html`<th scope="col" role="columnheader">${handleLink(handle)}${sample && ' (sample)'}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(toRow)}</tbody>
</table></section>`
}
</section>`;

const isCompared = (one: ComparedAgent): one is JudgedAgent => one.document !== undefined;

function comparisonTables(listings: readonly JudgedAgent[]): Html {
  if (listings.length === 0) return html``;
  const answers = { id: 'answers', title: 'In short', of: 'Question' };
  return html`
<p class="differences"><label><input type="checkbox" id="differences"> Differences only</label></p>
${table(listings, answers, answeredRows(listings))}
${evidenceNames.map((id) => table(listings, { id, title: evidenceTitles[id], of: 'Criterion' }, criterionRows(listings, id)))}
<p class="note">${compareStatement} Unknown does not mean no. Under each criterion stands which rows above show why.</p>`;
}

export interface ComparePage {
  readonly picks: Picks;
  readonly input?: object;
  readonly comparison?: readonly ComparedAgent[];
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
  const { picks, comparison, input } = page;
  const descriptions = new Map(comparison?.map(({ handle, description }) => [handle, description ?? '']));
  return toPage(site, {
    title: comparison ? `Compare: ${picks.handles.join(', ')}` : 'Compare listings',
    description:
      'Two to eight listings side by side against criteria you pick: met, not met, unknown or does not apply, and the facts that show why, with source and date.',
    path: '/compare',
    indexed: picks.handles.length === 0 && picks.criteria.length === 0,
    body: html`
<h1>Compare listings</h1>
<p class="lead">Side by side against criteria you pick: met, not met, unknown or does not apply, and the facts that show why, with their sources and dates. There is no total and no winner.</p>
${problemBlock(page)}${unknownBlock(page)}${checkedBlock(page)}
${(comparison ?? []).flatMap(({ handle, ...one }) => [one.as_of, one.version_asked, one.part_asked].map((said) => said && html`<p class="notice">${handleLink(handle)}: ${toHtml(said)}</p>`))}
${comparison ? comparisonTables(comparison.filter(isCompared)) : ''}
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
