import { amount, coded, day, withoutStop } from '../../core/text.ts';
import { toText } from '../../core/words.ts';
import {
  isDated,
  knowingOf,
  type Observation,
  type Question,
  questions,
  questionTitles,
} from '../../observations/observation.ts';
import { outcomeWords } from '../../observations/outcome.ts';
import { kindOf, toShownValue } from '../../observations/recorded-kinds.ts';
import type { Fact } from '../fact.ts';
import type { ListingDocument } from '../listing-document.ts';
import { isKnown } from '../seen.ts';
import { notKnownWords, toSplitKinds } from '../sentences.ts';
import { factName, toLabel } from '../words.ts';

/** One fact as page and Markdown list it below the answer. */
export interface ListedFact {
  /** What it is about; of what is not known, several with the same reason. */
  readonly title: string;
  /** What is so of it, with whose word that is and its date. Texts of others are in “ ” or in code spans (core/text.ts). */
  readonly text: string;
  readonly state: Fact['state'];
  /** The definition of a fact that is known. */
  readonly means?: string | undefined;
}

type Shown = Pick<
  Observation,
  'kind' | 'outcome' | 'asks_for' | 'value' | 'unit' | 'details' | 'as_seen' | 'missed_since' | 'is_stale'
>;

function plainText(value: NonNullable<Shown['value']>, { kind, unit = kindOf(kind)?.unit }: Shown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    const isNamed = unit === undefined || kind.includes(unit.replace(/s$/, ''));
    return isNamed
      ? amount(value)
      : `${amount(value)} ${toLabel(value === 1 ? unit.replace(/s$/, '') : unit)}`;
  }
  if (typeof value !== 'string') return coded(JSON.stringify(value));
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return day(value);
  return toShownValue(kind, /^[0-9a-f]{40,64}$/.test(value) ? value.slice(0, 12) : value);
}

/** What a check or a source found, in words; of what is older, that as well. */
export function valueText(found: Shown): string {
  const { kind, value, is_stale, missed_since } = found;
  if (value === null) return toText(outcomeWords(found));
  const { say, words } = kindOf(kind) ?? {};
  const said = say?.(found);
  const text = (said && toText(said)) ?? words?.[String(value)] ?? plainText(value, found);
  if (!is_stale) return text;
  return `${text} (${missed_since ? `not seen by checks since ${day(missed_since)}` : 'not checked lately'})`;
}

type Known = Shown &
  Pick<Observation, 'reason' | 'source' | 'subject' | 'first_seen_at'> & { readonly observed_at: string };

const knownText = (one: Known, place = ''): string => {
  const { reason, source, observed_at, first_seen_at = observed_at } = one;
  const same = day(first_seen_at) < day(observed_at) ? `, the same since ${day(first_seen_at)}` : '';
  return `${valueText(one)}${place}${same} (${source}, ${day(observed_at)})${reason ? `. ${reason}` : ''}`;
};

/** Facts of one kind that say the same of several subjects become one. */
const toKnown = (found: readonly Known[]): ListedFact[] =>
  [...Map.groupBy(found, (one) => `${one.kind}\n${knownText(one)}`).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return [];
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      const place = first.subject === undefined ? '' : ` at ${coded(first.subject)}${more}`;
      const { title = toLabel(first.kind), means } = kindOf(first.kind) ?? {};
      return [{ title, text: knownText(first, place), state: 'known', means }];
    },
  );

/** Gaps with the same reason become one fact. */
const toGaps = (gaps: readonly ReturnType<typeof notKnownGap>[], state: Fact['state']): ListedFact[] =>
  [...Map.groupBy(gaps, ({ text }) => text)].map(([text, same]) => {
    const names = [...new Set(same.map(({ name }) => name))].filter(Boolean).join(', ');
    return { title: `${names.charAt(0).toUpperCase()}${names.slice(1)}`, text, state };
  });

const notKnownGap = ({ kind, reason, outcome }: Pick<Observation, 'kind' | 'reason' | 'outcome'>) => ({
  name: factName(kind),
  text: reason ?? `${outcome === 'nothing' ? 'not stated' : 'not checked by Dossier'}.`,
});

const notKnown = (one: Pick<Observation, 'value' | 'outcome'>) => knowingOf(one) === 'not_known';

function factsOf({ observations, signals, not_seen, not_known }: ListingDocument, question: Question) {
  const observed = observations.filter((one) => one.question === question);
  // All are of the record, whose origin is named beside it.
  const imported = signals.imported
    .filter(({ kind }) => kindOf(kind)?.question === question)
    .map((one) => ({ ...one, source: 'record' }));
  const split = toSplitKinds(observations);
  const placeOf = ({ kind, subject }: (typeof not_seen)[number]) =>
    subject !== undefined && split.has(kind) ? ` at ${coded(subject)}` : '';
  const own = not_known.filter(
    (one) => one.question === question && !observed.some(({ kind }) => kind === one.kind),
  );
  return [
    ...toKnown([...observed.filter(isDated), ...imported].filter(isKnown)),
    ...toGaps(
      not_seen
        .filter((one) => one.question === question)
        .map((one) => ({
          name: kindOf(one.kind) ? factName(one.kind) : '',
          text: `${withoutStop(one.reason)}${placeOf(one)} (${one.by}, ${one.as_of}).`,
        })),
      'not_there',
    ),
    ...toGaps(
      [
        ...observed.filter(notKnown).map(notKnownGap),
        ...own.map((one) =>
          one.state === 'not_stated'
            ? { name: notKnownWords(one), text: 'not stated.' }
            : { name: '', text: one.reason },
        ),
        ...imported.filter(({ value }) => value === null).map(notKnownGap),
      ],
      'not_known',
    ),
  ];
}

/** Every question of a buyer, in its order: what is known, what was looked for and not seen, and what is not known of it, in this order. */
export const toAllFacts = (listing: ListingDocument) =>
  questions.map((question) => {
    const facts: readonly ListedFact[] = factsOf(listing, question);
    return { question, title: questionTitles[question], facts };
  });
