import { kindOf } from '../../evidence/kinds/recorded/kind-of.ts';
import type { ImportedSignal, ListingDocument } from '../../evidence/listing/listing-document.ts';
import { toSplitKinds } from '../../evidence/listing/sentences/not-known.ts';
import {
  type DatedObservation,
  isDated,
  knowingOf,
  type Observation,
  type ObservationState,
  stateWords,
} from '../../evidence/observation/observation.ts';
import { type Question, questions, questionTitles } from '../../evidence/observation/question.ts';
import { toLabel } from '../layout/labels.ts';
import type { Answer, Known, Unknown } from './answer.ts';
import { importedText, observedText } from './fact-text.ts';
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

interface Gap {
  readonly kind: string;
  readonly subject?: string | undefined;
  readonly state: ObservationState;
  readonly reason?: string | undefined;
  readonly as_of?: string;
}

/** Kinds with the same reason, and day if there is one, become one sentence; of split kinds it names the place. */
function gapsOf(items: readonly Gap[], split: ReadonlySet<string> = new Set()): Unknown[] {
  const placeOf = ({ kind, subject }: Gap) => (split.has(kind) ? subject : undefined);
  const byReason = Map.groupBy(items, (one) => [one.state, one.reason, one.as_of, placeOf(one)].join('\n'));
  return [...byReason.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const { state, reason = `${stateWords[state]}.`, as_of } = first;
    const named = [first, ...others].filter(({ kind }) => kindOf(kind)).map(({ kind }) => titleOf(kind));
    const titles = named.length > 0 ? `${[...new Set(named)].join(', ')}: ` : '';
    const at = placeOf(first);
    return [{ text: `${titles}${reason}${as_of ? ` (${as_of})` : ''}`, state, ...(at && { at }) }];
  });
}

const isNotKnown = (one: Pick<Observation, 'value' | 'state'>) => knowingOf(one) === 'not_known';

function unknownOf({ observations, not_known, signals }: ListingDocument, question: Question): Unknown[] {
  const observed = observations.filter((one) => one.question === question && isNotKnown(one));
  const imported = signals.imported.filter(
    (one) => kindOf(one.kind)?.question === question && isNotKnown(one),
  );
  const own = not_known.filter(
    (one) => one.question === question && !observations.some(({ kind }) => kind === one.kind),
  );
  return [
    ...gapsOf(observed),
    ...joined(own.map(({ reason, state }) => ({ text: reason, state }))),
    ...imported.flatMap((one) => gapsOf([one])),
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

/** Every question of a buyer, in its order, in the three states of knowing. */
export const toAnswers = (listing: ListingDocument): Answer[] =>
  questions.map((question) => ({
    question,
    title: questionTitles[question],
    known: knownOf(listing, question),
    notSeen: gapsOf(
      listing.not_seen.filter((one) => one.question === question),
      toSplitKinds(listing.observations),
    ),
    unknown: unknownOf(listing, question),
  }));

/** Imported facts of kinds that Dossier has no question for. */
export const otherFacts = ({ signals: { imported } }: ListingDocument): Known[] =>
  imported.filter((one) => !kindOf(one.kind) && isKnown(one)).map(ofImported);
