import type { ImportedSignal, ListingDocument } from '../listing/listing-document.ts';

/** What can be said of a criterion; what is not known is never taken for a yes or a no. */
export const comparisonResults = ['met', 'not_met', 'unknown'] as const;
type ComparisonResult = (typeof comparisonResults)[number];

/** What a rule looks at: the listing document as every face shows it, and two times. */
export interface ComparedListing {
  readonly listing: ListingDocument;
  /** RFC 3339 time that what is recorded in the registry is known as of. */
  readonly recordedAt: string;
  readonly now_ms: number;
}

/** What was found: a sentence of ours, the publisher's words apart from it, the source, and a date as YYYY-MM-DD. */
export interface Finding {
  readonly result: ComparisonResult;
  readonly fact: string;
  readonly recorded?: string;
  readonly source: string;
  readonly as_of: string;
}

/** What a criterion is asked with: nothing, a whole number, one of some words, or a tag. */
export type CriterionValue = string | number | undefined;
type Takes =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'number'; readonly max: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'tag' };

/** One question that facts we keep can answer. */
export interface Criterion {
  /** Where its facts come from: imported ones stay apart from what was shown and said on this service. */
  readonly evidence: 'imported' | 'native';
  /** The question in words; `{}` stands for the value, `(s)` for the plural that follows from it. */
  readonly label: string;
  readonly takes: Takes;
  /** The rule, pure; `value` must be one that `takes` allows. */
  judge(compared: ComparedListing, value: CriterionValue): Finding;
}

type Rule<Value> = (compared: ComparedListing, value: Value) => Finding;
type Asked = Pick<Criterion, 'evidence' | 'label'>;

const define = <Value extends CriterionValue>(
  { evidence, label }: Asked,
  takes: Takes,
  rule: Rule<Value>,
): Criterion => ({ evidence, label, takes, judge: (compared, value) => rule(compared, value as Value) });

/** A criterion without a value. */
export const plainCriterion = (asked: Asked, rule: Rule<undefined>): Criterion =>
  define(asked, { kind: 'nothing' }, rule);

/** A criterion that takes a whole number from 1 to `max`. */
export const numberCriterion = (asked: Asked & { max: number }, rule: Rule<number>): Criterion =>
  define(asked, { kind: 'number', max: asked.max }, rule);

/** A criterion that takes one of some words. */
export const choiceCriterion = (asked: Asked & { of: readonly string[] }, rule: Rule<string>): Criterion =>
  define(asked, { kind: 'choice', of: asked.of }, rule);

/** A criterion that takes a tag. */
export const tagCriterion = (asked: Asked, rule: Rule<string>): Criterion =>
  define(asked, { kind: 'tag' }, rule);

/** Met or not, where that is known. */
export const decided = (holds: boolean): 'met' | 'not_met' => (holds ? 'met' : 'not_met');

const day_ms = 86_400_000;
const skew_ms = 5 * 60_000;

/** How many days a time lies back, not rounded and not below 0; undefined for one that is still to come. */
export function daysSince(time: string, now_ms: number): number | undefined {
  const age_ms = now_ms - Date.parse(time);
  return age_ms < -skew_ms ? undefined : Math.max(age_ms, 0) / day_ms;
}

/** The imported signal of a kind, where the listing has one. */
export const signalOf = (
  { listing }: Pick<ComparedListing, 'listing'>,
  kind: string,
): ImportedSignal | undefined => listing.signals.imported.find((signal) => signal.kind === kind);

/** What the registry's record says, as of the import that read it. */
export const recordedFinding = (
  { listing, recordedAt }: ComparedListing,
  found: Pick<Finding, 'result' | 'fact' | 'recorded'>,
): Finding => ({ ...found, source: listing.origin, as_of: recordedAt.slice(0, 10) });
