import { html } from 'hono/html';
import type { z } from 'zod';
import { criterionText } from '../../evidence/comparison/criteria.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { compareAgents } from '../../tools/compare-agents.ts';
import type { Html } from '../layout/html.ts';
import { factRows, noneRecorded } from './compare-facts.ts';
import type { Footnotes } from './compare-sources.ts';

/** The answer of compare_agents. */
export type Comparison = z.output<(typeof compareAgents)['output']>;
export type Compared = Comparison['listings'][number];
type Answer = NonNullable<Compared['native']>[number];

/** Labels of the results of a criterion. */
export const resultTexts = {
  met: 'Met',
  not_met: 'Not met',
  unknown: 'Unknown',
  not_applicable: 'Does not apply',
} as const;

/** Titles of the three kinds of evidence. */
export const kindTitles = {
  imported: 'As recorded and imported',
  observed: 'As checked by Dossier',
  native: 'Claims and ratings made on this service',
} as const;
export type Kind = keyof typeof kindTitles;

/** A commit by its first twelve digits, as elsewhere. */
const shortened = (text: string) => text.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{28}\b/g, '$1');

const isAddress = (words: string) => /^https?:/i.test(words);

/** A row: its name, a cell for each listing, and what two cells must share to be said once. */
export interface Row {
  readonly name: string;
  readonly cells: readonly { readonly handle: string; readonly content: Html; readonly essence: string }[];
}

// An address stands among the facts above.
const answered = ({ result, fact, recorded: words, source, as_of }: Answer, notes: Footnotes) => html`
<p><span class="result ${result}">${resultTexts[result]}</span> ${shortened(fact)}${notes.mark({ source, as_of })}</p>
${words && !isAddress(words) && html`<p class="foreign">${words}</p>`}`;

/** The rows of one kind of evidence: one for each criterion. */
export function answerRows(listings: readonly Compared[], kind: Kind, notes: Footnotes): Row[] {
  return (listings[0]?.[kind] ?? []).map((criterion, at) => ({
    name: criterionText(criterion),
    cells: listings.flatMap(({ handle, ...listing }) => {
      const answer = listing[kind]?.[at];
      if (!answer) return [];
      const { result, fact, recorded: words, source, as_of } = answer;
      const essence = JSON.stringify([result, fact, words, source, as_of.slice(0, 10)]);
      return [{ handle, content: answered(answer, notes), essence }];
    }),
  }));
}

/** Rows of what is recorded, without those that no listing records. */
export function recordedRows(documents: readonly ListingDocument[]): Row[] {
  return factRows
    .map(({ name, value }) => ({
      name,
      values: documents.map((listing) => [listing, value(listing)] as const),
    }))
    .filter(({ values }) => values.some(([, value]) => value !== undefined))
    .map(({ name, values }) => ({
      name,
      cells: values.map(([{ handle }, value]) => ({
        handle,
        content: html`<p class="foreign">${value ?? noneRecorded}</p>`,
        essence: `${value ?? ''}`,
      })),
    }));
}
