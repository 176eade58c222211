import { amount, named } from '../core/text.ts';
import type { ImportedSignal } from '../listings/listing.ts';
import {
  type DatedObservation,
  isDated,
  knowingOf,
  type Observation,
  type ObservationState,
  type Question,
  questions,
  questionTitles,
  stateWords,
} from '../observations/observation.ts';
import { kindOf, toShownValue } from '../observations/recorded-kinds.ts';
import type { ListingDocument, NotSeenItem } from './listing-document.ts';
import { inputsText, sourcesFirst, toSplitKinds } from './sentences.ts';
import { signalText, toLabel } from './words.ts';

/** One fact that answers a question, in words. */
export interface Known {
  readonly title: string;
  readonly text: string;
  readonly means?: string;
  /** What must be read with it, as that an endpoint did not answer the last time. */
  readonly reason?: string;
  readonly source: string;
  readonly at: string;
  /** Since when Dossier has seen the same, if not only at `at`. */
  readonly since?: string;
  /** What it is about, where there are several. */
  readonly subjects: readonly string[];
}

/** What was not seen, or is not known, about a question: a sentence, and what kind of not knowing it is. */
export interface Unknown {
  readonly text: string;
  readonly state: string;
  /** The place that it is said of, if something else is known of another. */
  readonly at?: string;
}

/** A buyer's question in the three states of knowing: what is known, what was looked for and not seen, what is not known. */
export interface Asked {
  readonly question: Question;
  readonly title: string;
  readonly known: readonly Known[];
  readonly notSeen: readonly Unknown[];
  readonly unknown: readonly Unknown[];
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);
const plain = (value: Observation['value'], unit: string | undefined): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return `${amount(value)}${unit ? ` ${toLabel(unit)}` : ''}`;
  const text = value ?? 'none';
  if (isTime(text)) return text.slice(0, 10);
  return /^[0-9a-f]{40,64}$/.test(text) ? text.slice(0, 12) : text;
};

type Shown = Pick<Observation, 'kind' | 'value' | 'state'> & Partial<Pick<Observation, 'details' | 'unit'>>;

/** What a check found, in words; of a state other than observed, that state as well. */
export function observedText({ kind, value, state, details, unit }: Shown): string {
  const text =
    kindOf(kind)?.shows?.({ value, state, source: '', ...(details && { details }) }) ??
    toShownValue(kind, plain(value, unit ?? kindOf(kind)?.unit));
  return state === 'observed' ? text : `${text} (${stateWords[state]})`;
}

function importedText(signal: ImportedSignal): string {
  const text = signalText(signal);
  return (
    kindOf(signal.kind)?.words?.[text] ?? (isTime(text) ? text.slice(0, 10) : toShownValue(signal.kind, text))
  );
}

const leastShared = 6;

const wordsOf = (text: string) => text.replace(/\.$/, '').split(' ');

const sharedBy = (sentences: readonly (readonly string[])[]): number => {
  const [first = [], ...others] = sentences;
  const differs = first.findIndex((word, at) => others.some((other) => other[at] !== word));
  return differs === -1 ? first.length : differs;
};

const list = (parts: readonly string[]) => `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;

function join(gaps: readonly Unknown[]): Unknown[] {
  const sentences = gaps.map(({ text }) => wordsOf(text));
  const shared = sharedBy(sentences);
  const [first] = gaps;
  if (!first || gaps.length === 1 || shared < leastShared) return [...gaps];
  const start = sentences[0]?.slice(0, shared).join(' ');
  return [{ ...first, text: `${start} ${list(sentences.map((words) => words.slice(shared).join(' ')))}.` }];
}

/** Sentences of one state that begin alike become one: "... has no field that states a licence or support." */
const joined = (gaps: readonly Unknown[]): Unknown[] =>
  [...Map.groupBy(gaps, ({ state }) => state).values()].flatMap(join);

type Fact = Pick<Known, 'title' | 'text' | 'means' | 'subjects'>;

/** What callers must supply, by what it says: several endpoints often need the same. */
function inputsOf({ remotes, packages }: ListingDocument): Fact[] {
  const places = [
    ...remotes.map(({ url, inputs }) => ({ at: url, needs: inputsText(inputs) })),
    ...packages.map(({ identifier, inputs }) => ({ at: identifier, needs: inputsText(inputs) })),
  ];
  const byNeeds = Map.groupBy(places, ({ needs }) => needs ?? '');
  return [...byNeeds]
    .filter(([needs]) => needs !== '')
    .map(([needs, at]) => ({
      title: 'Inputs',
      text: needs,
      means: 'What the publisher recorded that a caller must or may send.',
      subjects: places.length > 1 ? at.map((place) => place.at) : [],
    }));
}

const ratingsOf = ({ signals: { native } }: ListingDocument): Fact[] =>
  native.ratings === 0
    ? []
    : [
        {
          title: 'Ratings',
          text: sourcesFirst(native),
          means: 'Ratings made on this service by claimed listings; each is shown with its source.',
          subjects: [],
        },
      ];

const websiteOf = ({ website }: ListingDocument): Fact[] =>
  website === undefined
    ? []
    : [
        {
          title: 'Website',
          text: named(website),
          means: 'The website that the publisher recorded.',
          subjects: [],
        },
      ];

const byQuestion: Partial<Record<Question, (listing: ListingDocument) => Fact[]>> = {
  access: inputsOf,
  publisher: websiteOf,
  ratings: ratingsOf,
};

/** What fields of the listing document itself answer. */
const fromRecord = (listing: ListingDocument, question: Question): Known[] =>
  (byQuestion[question]?.(listing) ?? []).map((fact) => ({
    ...fact,
    source: question === 'ratings' ? 'this service' : listing.origin,
    at: question === 'ratings' ? listing.evidence_snapshot_date : listing.observed_at,
  }));

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
  readonly by?: NotSeenItem['by'];
  readonly as_of?: string;
}

/** Whose check or record it was that did not see a fact, and when. */
const byWhom = {
  Dossier: 'Dossier’s check of',
  record: 'record of',
  'this service': 'this service on',
} as const;

/** Kinds with the same reason, and day if there is one, become one sentence; of split kinds it names the place. */
function gapsOf(items: readonly Gap[], split: ReadonlySet<string> = new Set()): Unknown[] {
  const placeOf = ({ kind, subject }: Gap) => (split.has(kind) ? subject : undefined);
  const byReason = Map.groupBy(items, (one) =>
    [one.state, one.reason, one.by, one.as_of, placeOf(one)].join('\n'),
  );
  return [...byReason.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const { state, reason = `${stateWords[state]}.`, by, as_of } = first;
    const named = [first, ...others].filter(({ kind }) => kindOf(kind)).map(({ kind }) => titleOf(kind));
    const titles = named.length > 0 ? `${[...new Set(named)].join(', ')}: ` : '';
    const at = placeOf(first);
    return [{ text: `${titles}${reason}${by ? ` (${byWhom[by]} ${as_of})` : ''}`, state, ...(at && { at }) }];
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
export const toAllFacts = (listing: ListingDocument): Asked[] =>
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
