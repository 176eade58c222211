import { kindOf } from '../../evidence/kinds/recorded/kind-of.ts';
import type { ImportedSignal, ListingDocument } from '../../evidence/listing/listing-document.ts';
import {
  type DatedObservation,
  isDated,
  knowingOf,
  type Observation,
} from '../../evidence/observation/observation.ts';
import { type Question, questions, questionTitles } from '../../evidence/observation/question.ts';
import { toLabel } from '../layout/labels.ts';
import type { Answer, Known, Unknown } from './answer.ts';
import { importedText, observedText, stateText } from './fact-text.ts';
import { joined } from './join-gaps.ts';
import { fromRecord } from './of-record.ts';

const isKnown = (one: Pick<Observation, 'value' | 'state'>) => knowingOf(one) === 'known';

const titleOf = (kind: string) => kindOf(kind)?.title ?? toLabel(kind).replaceAll('.', ' ');

const meansOf = (kind: string) => {
  const means = kindOf(kind)?.means;
  return means === undefined ? {} : { means };
};

const ofObserved = (found: DatedObservation): Known => ({
  title: titleOf(found.kind),
  text: observedText(found),
  ...meansOf(found.kind),
  ...(found.reason && { reason: found.reason }),
  source: found.source,
  at: found.observed_at,
  ...(found.first_seen_at.slice(0, 10) !== found.observed_at.slice(0, 10) && { since: found.first_seen_at }),
  subjects: found.subject === undefined ? [] : [found.subject],
});

const ofImported = (signal: ImportedSignal): Known => ({
  title: titleOf(signal.kind),
  text: importedText(signal),
  ...meansOf(signal.kind),
  ...(signal.reason && { reason: signal.reason }),
  source: signal.source,
  at: signal.observed_at,
  subjects: [],
});

/** Facts of one kind that say the same of several subjects become one. */
const merge = (facts: readonly Known[]): Known[] =>
  [...Map.groupBy(facts, ({ title, text, reason, at, since }) => [title, text, reason, at, since].join('\n'))]
    .map(([, same]) => same)
    .flatMap(([first, ...others]) =>
      first ? [{ ...first, subjects: [first, ...others].flatMap(({ subjects }) => subjects) }] : [],
    );

/** Kinds that Dossier could not learn, those with the same reason together. */
function notLearned(found: readonly Observation[]): Unknown[] {
  const byReason = Map.groupBy(found, ({ state, reason }) => `${state}\n${reason ?? ''}`);
  return [...byReason.values()].map((same) => {
    const titles = [...new Set(same.map(({ kind }) => titleOf(kind)))].join(', ');
    const [{ reason, state, observed_at } = { state: 'not_checked' as const }] = same;
    const on = observed_at ? ` (${observed_at.slice(0, 10)})` : '';
    return { text: `${titles}: ${reason ?? `${stateText(state)}.`}${on}`, state: stateText(state) };
  });
}

const importedUnknown = ({ kind, state, reason }: ImportedSignal): Unknown => ({
  text: `${titleOf(kind)}: ${reason ?? `${stateText(state)}.`}`,
  state: stateText(state),
});

function unknownOf(listing: ListingDocument, question: Question): Unknown[] {
  const { observations, not_known, signals } = listing;
  const observed = observations.filter((one) => one.question === question && !isKnown(one));
  const imported = signals.imported.filter((one) => kindOf(one.kind)?.question === question && !isKnown(one));
  const isObserved = (name: string) =>
    observations.some(
      ({ kind, state }) => kind === name || (state !== 'not_checked' && kind.startsWith(`${name}.`)),
    );
  const own = not_known.filter((one) => one.question === question && !isObserved(one.kind));
  return [
    ...notLearned(observed),
    ...joined(own.map(({ reason, state }) => ({ text: reason, state: stateText(state) }))),
    ...imported.map(importedUnknown),
  ];
}

function knownOf(listing: ListingDocument, question: Question): Known[] {
  const { observations, signals } = listing;
  return [
    ...merge(
      observations
        .filter(isDated)
        .filter((one) => one.question === question && isKnown(one))
        .map(ofObserved),
    ),
    ...fromRecord(listing, question),
    ...signals.imported
      .filter((one) => kindOf(one.kind)?.question === question && isKnown(one))
      .map(ofImported),
  ];
}

/** Every question of a buyer, in its order, with what is known of a listing and what is not. */
export const toAnswers = (listing: ListingDocument): Answer[] =>
  questions.map((question) => ({
    question,
    title: questionTitles[question],
    known: knownOf(listing, question),
    unknown: unknownOf(listing, question),
  }));

/** Imported facts of kinds that Dossier has no question for. */
export const otherFacts = ({ signals: { imported } }: ListingDocument): Known[] =>
  imported.filter((one) => !kindOf(one.kind) && isKnown(one)).map(ofImported);
