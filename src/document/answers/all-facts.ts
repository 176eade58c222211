import { dayText } from '../../core/text.ts';
import {
  day,
  dayOf,
  listed,
  ours,
  own,
  phrase,
  say,
  sentence,
  source,
  toText,
  type Words,
  within,
} from '../../core/words.ts';
import type { ListingPackage } from '../../listings/listing.ts';
import { endedWords } from '../../observations/asked/outcome.ts';
import { toPackage } from '../../observations/asked/published/recorded.ts';
import { subjectWords } from '../../observations/known/kinds/packages/packages.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import {
  checked_at,
  isDated,
  knowingOf,
  type Observation,
  type Question,
  questions,
  questionTitles,
  type StoredObservation,
} from '../../observations/known/observation.ts';
import type { ListingDocument, NotSeenItem } from '../listing-document.ts';
import { ofChecks, type TextFact } from '../recorded-facts.ts';
import { factWords, isKnown } from '../seen.ts';
import { inputWords, notKnownWords, packageWords, toSplitKinds, typeWords } from '../sentences.ts';
import { factTitle, toLabel, unique } from '../words.ts';
import { ratedWords } from './kept-up.ts';
import { type FactTable, inputCells, offersTable } from './tables.ts';

export interface ListedFact {
  /** Of a fact, or of several with the same reason; may be empty. */
  readonly title: string;
  readonly text: Words;
  readonly state: TextFact['state'];
  readonly means?: string | undefined;
  /** Beside the text. */
  readonly table?: FactTable | undefined;
  /** What the text says, as a row of `inputHeads`. */
  readonly cells?: readonly Words[];
}

type ShownInFull = Pick<
  Observation,
  'kind' | 'outcome' | 'asks_for' | 'value' | 'unit' | 'details' | 'as_seen'
>;

export const valueWords = (found: ShownInFull & Pick<StoredObservation, 'why'>): Words =>
  found.value === null ? endedWords(found) : factWords(found);

type KnownInFull = ShownInFull &
  Pick<Observation, 'source' | 'subject' | 'first_seen_at' | 'reason'> & { readonly observed_at: string };

function knownWords(one: KnownInFull, place?: Words | false): Words {
  const { reason, source, observed_at, first_seen_at = observed_at } = one;
  const isOlder = dayText(first_seen_at) < dayText(observed_at);
  const same = isOlder ? say`, the same since ${day(first_seen_at)}` : say``;
  const fact = say`${valueWords(one)}${place}${same} (${ours(source)}, ${dayOf(observed_at)})`;
  return reason ? say`${fact}. ${reason}` : fact;
}

/** One package in several transports has its facts once. */
function transportsWords(subject: string, packages: readonly ListingPackage[]): Words {
  const same = packages.filter((one) => toPackage(one)?.subject === subject);
  const names = unique(same.flatMap(({ transport }) => (transport ? [typeWords(transport)] : [])));
  return names.length > 1 ? say` over ${listed(names)}` : say``;
}

const toKnown = (found: readonly KnownInFull[], packages: readonly ListingPackage[]): ListedFact[] =>
  [...Map.groupBy(found, (one) => `${one.kind}\n${toText(knownWords(one))}`).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return [];
      const { subject } = first;
      const more = others.length > 0 && say` and ${others.length} more`;
      const place =
        subject !== undefined &&
        say` at ${subjectWords(subject)}${transportsWords(subject, packages)}${more}`;
      const text = knownWords(first, place);
      const kind = kindOf(first.kind);
      if (!kind) return [{ title: toLabel(first.kind), text, state: 'known' }];
      const means = `${kind.means} ${kind.doesNotMean}`;
      return [{ title: kind.title, text, state: 'known', means, table: offersTable(first) }];
    },
  );

const toGaps = (gaps: readonly ReturnType<typeof notKnownGap>[], state: TextFact['state']): ListedFact[] =>
  [...Map.groupBy(gaps, ({ text }) => toText(text)).values()].flatMap((same) => {
    const [first] = same;
    const names = [...new Set(same.map(({ name }) => name))].filter(Boolean).join(', ');
    const title = `${names.charAt(0).toUpperCase()}${names.slice(1)}`;
    return first ? [{ title, text: first.text, state }] : [];
  });

const notKnownGap = ({ kind, reason, outcome }: Pick<Observation, 'kind' | 'outcome' | 'reason'>) => ({
  name: factTitle(kind),
  text: reason ?? (outcome === 'nothing' ? own('not stated.') : own('not checked by Dossier.')),
});

function inputFacts({ remotes, packages, observed_at }: ListingDocument): ListedFact[] {
  const places = [
    ...remotes.map(({ url, inputs = [] }) => ({ of: subjectWords(url), inputs })),
    // A record may name one package once for each transport.
    ...packages.map((one) => ({ of: packageWords(one), inputs: one.inputs ?? [] })),
  ];
  const all = places.flatMap(({ of, inputs }) => inputs.map((input) => ({ of, input })));
  const weight = ({ input: { required, secret } }: (typeof all)[number]) =>
    (required ? 0 : 2) + (secret ? 0 : 1);
  const sorted = all.toSorted((a, b) => weight(a) - weight(b));
  return [...Map.groupBy(sorted, ({ input }) => JSON.stringify(input)).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return [];
      const more = others.length > 0 ? say` and ${others.length} more` : say``;
      const at = say`${places.length > 1 && say` at ${first.of}`}${more}`;
      const text = sentence(inputWords(first.input, say`${at}${source('record', dayText(observed_at))}`));
      return [{ title: '', text, state: 'known', cells: inputCells(first.input, at) }];
    },
  );
}

const ratingFacts = (listing: ListingDocument): ListedFact[] =>
  listing.signals.native.ratings > 0
    ? [
        {
          title: 'Ratings',
          text: say`${phrase(ratedWords(listing))} (this service, ${dayOf(listing.evidence_snapshot_date)})`,
          state: 'known',
        },
      ]
    : [];

const otherFacts: Readonly<Partial<Record<Question, (listing: ListingDocument) => ListedFact[]>>> = {
  access: inputFacts,
  ratings: ratingFacts,
};

const nothing: ListedFact = {
  title: '',
  text: own('Nothing about this question is recorded here, and Dossier has not checked it.'),
  state: 'not_known',
};

function factsOf(listing: ListingDocument, question: Question): ListedFact[] {
  const { observations, signals, not_seen, not_known } = listing;
  const observed = observations.filter((one) => one.question === question);
  // Checks may see what a listing shares; other imported facts are from the record.
  const imported = signals.imported
    .filter(({ kind }) => kindOf(kind)?.question === question)
    .map((one) => ({ ...one, source: one.source === ofChecks ? 'Dossier' : 'record' }));
  const split = toSplitKinds(observations);
  // If checks of a kind ended differently, each reason names its endpoint or package.
  const reasonsOf = Map.groupBy(not_seen, ({ kind }) => kind);
  const endedAlike = (kind: string) =>
    !split.has(kind) && new Set(reasonsOf.get(kind)?.map(({ reason }) => toText(reason))).size < 2;
  const placed = ({ kind, subject, reason }: (typeof not_seen)[number]) =>
    subject === undefined || endedAlike(kind) ? reason : say`at ${subjectWords(subject)}: ${within(reason)}`;
  const unread = not_known.filter(
    (one) => one.question === question && !observed.some(({ kind }) => kind === one.kind),
  );
  return [
    ...(otherFacts[question]?.(listing) ?? []),
    ...toKnown([...observed.filter(isDated), ...imported].filter(isKnown), listing.packages),
    ...toGaps(
      not_seen
        .filter((one) => one.question === question)
        // A reason says what the newest check got, too.
        .map((one: NotSeenItem) => ({
          name: kindOf(one.kind) ? factTitle(one.kind) : '',
          text: sentence(
            say`${phrase(placed(one))} (${own(one.by)}, ${dayOf(one[checked_at] ?? one.as_of)})`,
          ),
        })),
      'not_there',
    ),
    ...toGaps(
      [
        ...observed.filter((one) => knowingOf(one) === 'not_known').map(notKnownGap),
        ...unread.map((one) =>
          one.state === 'not_stated'
            ? { name: toText(notKnownWords(one)), text: own('not stated.') }
            : { name: '', text: one.reason },
        ),
        ...imported.filter(({ value }) => value === null).map(notKnownGap),
      ],
      'not_known',
    ),
  ];
}

export const toAllFacts = (listing: ListingDocument) =>
  questions.map((question) => {
    const [first = nothing, ...others] = factsOf(listing, question);
    return { question, title: questionTitles[question], facts: [first, ...others] as const };
  });
