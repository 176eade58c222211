import type { CopyField } from '../imports/import-run.ts';
import type { ImportedSignal } from '../listings/listing.ts';
import { knowingOf, type Observation, stateWords } from '../observations/observation.ts';
import type { ListingDocument } from './listing-document.ts';
import { copyLacksSentence } from './record.ts';

/** Results of a criterion. `unknown` never counts as a yes or a no, nor does `not_applicable`: the record names nothing to ask it of. */
export const comparisonResults = ['met', 'not_met', 'unknown', 'not_applicable'] as const;
type ComparisonResult = (typeof comparisonResults)[number];

/** What a rule judges: the listing document as every face shows it, at a time. */
export interface ComparedListing {
  readonly listing: ListingDocument;
  readonly now_ms: number;
}

export interface Finding {
  readonly result: ComparisonResult;
  /** A sentence by this service, without any publisher text. */
  readonly fact: string;
  /** The publisher's text that the fact is about. */
  readonly recorded?: string;
  /** The recorded endpoint, package or host that was looked at. */
  readonly subject?: string;
  readonly source: string;
  /** YYYY-MM-DD. */
  readonly as_of: string;
}

/** The value of a criterion: none, a whole number, one of several choices, a tag, or a price such as "0.01 USDC". */
export type CriterionValue = string | number | undefined;
type Takes =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'number'; readonly max: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'tag' }
  | { readonly kind: 'price' };

/** One question that stored facts can answer. */
export interface Criterion {
  /** Where its facts come from: elsewhere, checks of this service's own, or claims and ratings made on it. */
  readonly evidence: 'imported' | 'observed' | 'native';
  /** The question; `{}` stands for the value, `(s)` for a plural that depends on it. */
  readonly label: string;
  readonly takes: Takes;
  /** The rule, pure; `value` must be one that `takes` allows. */
  judge(compared: ComparedListing, value: CriterionValue): Finding;
}

type Rule<Value> = (compared: ComparedListing, value: Value) => Finding;
type Question = Pick<Criterion, 'evidence' | 'label'>;

const define = <Value extends CriterionValue>(
  { evidence, label }: Question,
  takes: Takes,
  rule: Rule<Value>,
): Criterion => ({ evidence, label, takes, judge: (compared, value) => rule(compared, value as Value) });

export const plainCriterion = (question: Question, rule: Rule<undefined>): Criterion =>
  define(question, { kind: 'nothing' }, rule);

/** A criterion that takes a whole number from 1 to `max`. */
export const numberCriterion = (question: Question & { max: number }, rule: Rule<number>): Criterion =>
  define(question, { kind: 'number', max: question.max }, rule);

export const choiceCriterion = (
  question: Question & { of: readonly string[] },
  rule: Rule<string>,
): Criterion => define(question, { kind: 'choice', of: question.of }, rule);

export const tagCriterion = (question: Question, rule: Rule<string>): Criterion =>
  define(question, { kind: 'tag' }, rule);

/** A criterion that takes a price (observations/kinds/price.ts). */
export const priceCriterion = (question: Question, rule: Rule<string>): Criterion =>
  define(question, { kind: 'price' }, rule);

/** The result of a criterion whose answer is known. */
export const decided = (holds: boolean): 'met' | 'not_met' => (holds ? 'met' : 'not_met');

const day_ms = 86_400_000;
const skew_ms = 5 * 60_000;

/** Days since a time, not rounded and at least 0; undefined for a time in the future. */
export function daysSince(time: string, now_ms: number): number | undefined {
  const age_ms = now_ms - Date.parse(time);
  return age_ms < -skew_ms ? undefined : Math.max(age_ms, 0) / day_ms;
}

export const signalOf = (
  { listing }: Pick<ComparedListing, 'listing'>,
  kind: string,
): ImportedSignal | undefined => listing.signals.imported.find((signal) => signal.kind === kind);

/** A finding from the registry's record, as of its reading. */
export const recordedFinding = (
  { listing }: ComparedListing,
  found: Pick<Finding, 'result' | 'fact' | 'recorded'>,
): Finding => ({ ...found, source: listing.origin, as_of: listing.observed_at.slice(0, 10) });

/** The finding about a field that the record does not have: unknown if the copy has it of no listing. */
export function absentFinding(
  compared: ComparedListing,
  field: CopyField,
  found: Pick<Finding, 'result' | 'fact'>,
): Finding {
  const lacking = copyLacksSentence(compared.listing.copy_lacks, field);
  return recordedFinding(compared, lacking === undefined ? found : { result: 'unknown', fact: lacking });
}

/** A finding from what this service saw itself, as of when it last saw it. */
export const observedFinding = (
  { subject, source, observed_at = '' }: Observation,
  found: Pick<Finding, 'result' | 'fact' | 'recorded'>,
): Finding => ({
  ...found,
  ...(subject !== undefined && { subject }),
  source,
  as_of: observed_at.slice(0, 10),
});

const worst = ['not_met', 'unknown', 'met'] as const;

/** The worst of some findings: what must be so of each recorded endpoint or package. */
export const worstOf = (findings: readonly Finding[]): Finding | undefined =>
  worst.flatMap((wanted) => findings.find(({ result }) => result === wanted) ?? [])[0];

/** The finding where nothing was seen: unknown, and how the look ended if there was one. `fact` has no full stop. */
export function unseenFinding({ listing }: ComparedListing, fact: string, look?: Observation): Finding {
  const why =
    look && (knowingOf(look) === 'not_seen' || look.state === 'stale') ? stateWords[look.state] : undefined;
  return {
    result: 'unknown',
    fact: why ? `${fact}: ${why}.` : `${fact}.`,
    ...(look?.subject !== undefined && { subject: look.subject }),
    source: look?.source ?? 'Dossier',
    as_of: (look?.observed_at ?? listing.evidence_snapshot_date).slice(0, 10),
  };
}
