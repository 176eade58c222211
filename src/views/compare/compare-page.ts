import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { ShortListing } from '../../evidence/listing/short-listing.ts';
import type { Problem } from '../../problem.ts';
import { type Html, handleLink, paste, toCurl } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { type Picks, toPath } from './compare-address.ts';
import { compareForm, type FieldMessages } from './compare-form.ts';
import type { Comparison } from './compare-rows.ts';
import { comparisonTables } from './compare-table.ts';

/** The state of the comparison page. */
export interface ComparePage {
  readonly picks: Picks;
  /** The input that compare_agents was called with. */
  readonly input?: object;
  readonly comparison?: Comparison;
  /** The documents of the listings that are compared, in the order of the picks. */
  readonly documents?: readonly ListingDocument[];
  /** Listings found by the words typed under "add". */
  readonly found?: readonly ShortListing[];
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
    return html`<p class="notice" role="status">No listing matches “${picks.add}”. All words must match; try fewer.</p>`;
  return html`
<section aria-labelledby="found"><h2 id="found">Listings that match “${picks.add}”</h2>
<ul class="cards">${found.map(({ handle, description, sample }) => {
    const isPicked = picks.handles.includes(handle);
    return html`
<li class="card"><h3>${handleLink(handle)}${sample && ' (sample)'}</h3><p class="foreign">${description}</p>
<p>${isPicked ? html`<span class="note">already picked</span>` : html`<a class="button" href="${toPath(withHandle(picks, handle))}" aria-label="Add ${handle}">Add</a>`}</p></li>`;
  })}</ul></section>`;
}

/** Handles that cannot be compared, each with its problem and near handles. */
function unknownBlock({ picks, comparison }: ComparePage) {
  const unknown = (comparison?.listings ?? []).flatMap(({ handle, problem }) =>
    problem ? [{ handle, problem }] : [],
  );
  if (unknown.length === 0) return '';
  return html`
<ul class="notice unanswered">${unknown.map(
    ({ handle, problem }) => html`
<li><span class="handle foreign">${handle}</span>: ${problem.message}${(problem.near ?? []).length > 0 ? html` Did you mean: ${(problem.near ?? []).map((near) => html`<a class="handle" href="${toPath(withHandle(picks, near, handle))}" aria-label="Take ${near} instead">${near}</a> `)}` : ''}</li>`,
  )}</ul>`;
}

/** Error messages by criterion; the path of each error names its position in the input. */
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

const nextStep = ({ picks }: ComparePage) =>
  picks.handles.length < 2
    ? html`<p>Pick ${picks.handles.length === 0 ? 'two to eight listings' : 'at least one more listing'} here, or tick them in <a href="/agents">the list of listings</a>.</p>`
    : '';

const sameAsJson = (site: Site, input: object) => html`
<details><summary>The same as JSON, or over MCP with <code>compare_agents</code></summary>
${paste(toCurl(`${site.config.publicUrl}/api/tools/compare_agents`, input))}
</details>`;

/** The comparison page; its address holds the listings and criteria that are picked. */
export function toComparePage(site: Site, page: ComparePage): Html {
  const { picks, comparison, input } = page;
  const descriptions = new Map(
    comparison?.listings.map(({ handle, description }) => [handle, description ?? '']),
  );
  return toPage(site, {
    title: comparison ? `Compare: ${picks.handles.join(', ')}` : 'Compare listings',
    description:
      'Two to eight listings side by side against criteria you pick: met, not met, unknown or does not apply, with fact, source and date.',
    path: '/compare',
    indexed: picks.handles.length === 0 && picks.criteria.length === 0,
    body: html`
<h1>Compare listings</h1>
<p class="lead">Side by side against criteria you pick: met, not met, unknown or does not apply, each with the fact, its source and its date. There is no total and no winner.</p>
${problemBlock(page)}${unknownBlock(page)}
${comparison ? comparisonTables(comparison, page.documents ?? []) : ''}
${compareForm(picks, toMessages(page), descriptions)}
${nextStep(page)}${foundBlock(page)}
${comparison && input ? sameAsJson(site, input) : ''}`,
  });
}
