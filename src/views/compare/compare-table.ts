import { html } from 'hono/html';
import type { z } from 'zod';
import { criterionText } from '../../evidence/comparison/criteria.ts';
import type { compareAgents } from '../../tools/compare-agents.ts';
import { day, foreignLink, type Html, handleLink } from '../layout/html.ts';

/** The answer of compare_agents. */
export type Comparison = z.output<(typeof compareAgents)['output']>;
type Compared = Comparison['listings'][number];
type Answer = NonNullable<Compared['native']>[number];

/** Labels of the results of a criterion. */
export const resultTexts = { met: 'Met', not_met: 'Not met', unknown: 'Unknown' } as const;

/** Titles of the three kinds of evidence. */
export const kindTitles = {
  imported: 'As recorded and imported',
  observed: 'As checked by Dossier',
  native: 'Claims and ratings made on this service',
} as const;

/** A commit by its first twelve digits, as elsewhere. */
const shortened = (text: string) => text.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{28}\b/g, '$1');

const recorded = (words: string) => (/^https?:/i.test(words) ? foreignLink(words) : words);

// On narrow screens columns are stacked, and each cell names its listing; screen readers use the column header instead.
const cell = ({ handle }: Compared, answer: Answer) => html`
<td role="cell"><p class="of handle" aria-hidden="true">${handle}</p>${inCell(answer)}</td>`;

const inCell = ({ result, fact, recorded: words, source, as_of }: Answer) => html`
<p><span class="result ${result}">${resultTexts[result]}</span></p>
<p>${shortened(fact)}</p>
${words && html`<p class="foreign">${recorded(words)}</p>`}
<p class="source">${source}, as of ${day(as_of)}</p>`;

/** What two answers must share to be said once. */
const essence = ({ result, fact, recorded: words, source, as_of }: Answer) =>
  JSON.stringify([result, fact, words, source, as_of.slice(0, 10)]);

const isSame = (answers: readonly (Answer | undefined)[]) =>
  answers.length > 1 && new Set(answers.map((answer) => answer && essence(answer))).size === 1;

const sameCell = (answer: Answer, listings: number) => html`
<td role="cell" colspan="${listings}" aria-colspan="${listings}"><p class="note">The same for all ${listings}:</p>${inCell(answer)}</td>`;

const heads = (listings: readonly Compared[]) => html`
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Criterion</th>${listings.map(({ handle, sample }) => html`<th scope="col" role="columnheader">${handleLink(handle)}${sample && ' (sample)'}</th>`)}</tr></thead>`;

function row(listings: readonly Compared[], of: (listing: Compared) => Answer | undefined) {
  const answers = listings.map(of);
  const [first] = answers.flatMap((answer) => answer ?? []);
  if (first && isSame(answers))
    return html`
<tr role="row" class="same"><th scope="row" role="rowheader">${criterionText(first)}</th>${sameCell(first, listings.length)}</tr>`;
  return html`
<tr role="row"><th scope="row" role="rowheader">${first && criterionText(first)}</th>${listings.map(
    (listing) => {
      const answer = of(listing);
      return answer && cell(listing, answer);
    },
  )}</tr>`;
}

/** One kind of evidence: a row per criterion, a column per listing, both in the requested order. */
function table(listings: readonly Compared[], kind: keyof typeof kindTitles): Html | '' {
  const title = kindTitles[kind];
  const criteria = listings[0]?.[kind] ?? [];
  if (criteria.length === 0) return '';
  return html`
<section class="compared" aria-labelledby="${kind}">
<h2 id="${kind}">${title}</h2>
<section class="scroll" tabindex="0" aria-label="${title}, side by side"><table role="table">${heads(listings)}
<tbody role="rowgroup">${criteria.map((_, at) => row(listings, (listing) => listing[kind]?.[at]))}</tbody>
</table></section>
</section>`;
}

/**
 * The tables of a comparison; an answer that is the same for all listings is said once, and can be hidden:
 * imported evidence, own checks, and separately claims and ratings made on this service.
 */
export function comparisonTables({ listings, statement }: Comparison): Html {
  const known = listings.filter(({ problem }) => !problem);
  if (known.length === 0) return html``;
  return html`
<p class="differences"><label><input type="checkbox" id="differences"> Differences only</label></p>
${table(known, 'imported')}
${table(known, 'observed')}
${table(known, 'native')}
<p class="note">${statement} Unknown is not a no: it was not checked, or nothing is recorded.</p>`;
}
