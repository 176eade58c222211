import { day_ms, dayText } from '../../core/text.ts';
import { dayOf, say, type Words } from '../../core/words.ts';
import type { CopyField } from '../../imports/import-run.ts';
import { factsOf, type RecordKind } from '../../observations/kind.ts';
import { knowingOf, type Observation } from '../../observations/observation.ts';
import { outcomeWords } from '../../observations/outcome.ts';
import type { ListingDocument } from '../listing-document.ts';
import { whyNoneRead } from '../record.ts';
import { isChecked } from '../seen.ts';

export interface ComparedListing {
  readonly listing: ListingDocument;
  readonly now_ms: number;
}

export interface CriterionFinding {
  /** `not_applicable`: there is nothing to judge, for example because the record names no package. */
  readonly result: 'met' | 'not_met' | 'unknown' | 'not_applicable';
  readonly fact: Words;
  /** The texts of the publisher that the fact is about. */
  readonly recorded?: readonly string[];
  /** A price that the fact is about. */
  readonly quoted?: Words;
  /** The recorded endpoint, package or host that was checked. */
  readonly subject?: string;
  /** Empty if nothing was checked. */
  readonly source: string;
  /** YYYY-MM-DD. */
  readonly as_of: string;
}

export type CriterionValue = string | number | undefined;
type Takes =
  | { readonly kind: 'nothing' }
  /** `usual` is the number used if none is given. */
  | { readonly kind: 'number'; readonly max: number; readonly usual?: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'tag' }
  | { readonly kind: 'price' };

export interface Criterion {
  readonly evidence: 'imported' | 'observed' | 'native';
  /** The question. `{}` stands for the value, and `(s)` is left out if the value is 1. */
  readonly label: string;
  readonly takes: Takes;
  /** A pure function. `value` must be one that `takes` allows. */
  judge(compared: ComparedListing, value: CriterionValue): CriterionFinding;
}

export type CriterionResult = Pick<CriterionFinding, 'result' | 'fact' | 'recorded'>;

/** `withSource` adds source and date to findings without them. If it is absent, each rule returns them. */
export function criteriaOf<Given extends CriterionResult = CriterionFinding>(
  evidence: Criterion['evidence'],
  withSource?: (compared: ComparedListing, found: Given) => CriterionFinding,
) {
  type Rule<Value> = (compared: ComparedListing, value: Value) => CriterionFinding | Given;
  const define = <Value extends CriterionValue>(
    label: string,
    takes: Takes,
    rule: Rule<Value>,
  ): Criterion => ({
    evidence,
    label,
    takes,
    judge(compared, value) {
      const found = rule(compared, value as Value);
      return withSource && !('source' in found) ? withSource(compared, found) : (found as CriterionFinding);
    },
  });
  return {
    plain: (label: string, rule: Rule<undefined>) => define(label, { kind: 'nothing' }, rule),
    number: (label: string, max: number, rule: Rule<number>) => define(label, { kind: 'number', max }, rule),
    unchangedFor: (label: string, max: number, rule: Rule<number>) =>
      define(label, { kind: 'number', max, usual: 30 }, rule),
    choice: (label: string, of: readonly string[], rule: Rule<string>) =>
      define(label, { kind: 'choice', of }, rule),
    tag: (label: string, rule: Rule<string>) => define(label, { kind: 'tag' }, rule),
    price: (label: string, rule: Rule<string>) => define(label, { kind: 'price' }, rule),
  };
}

export const met = (fact: Words) => ({ result: 'met', fact }) as const;
export const notMet = (fact: Words) => ({ result: 'not_met', fact }) as const;
export const unknown = (fact: Words) => ({ result: 'unknown', fact }) as const;
export const notApplicable = (fact: Words) => ({ result: 'not_applicable', fact }) as const;
export const decided = (holds: boolean, fact: Words) => (holds ? met(fact) : notMet(fact));

const skew_ms = 5 * 60_000;

/**
 * The result is not rounded. A time up to five minutes in the future counts as now; a later one gives
 * undefined.
 */
export function daysSince(time: string, now_ms: number): number | undefined {
  const age_ms = now_ms - Date.parse(time);
  return age_ms < -skew_ms ? undefined : Math.max(age_ms, 0) / day_ms;
}

/** The signal may say that the record has nothing of this kind. */
export const signalOf = <K extends RecordKind>({ listing }: Pick<ComparedListing, 'listing'>, kind: K) =>
  factsOf(kind, listing.signals.imported)[0];

export const recordedFinding = ({ listing }: ComparedListing, found: CriterionResult): CriterionFinding => ({
  ...found,
  source: listing.origin,
  as_of: dayText(listing.observed_at),
});

/** Returns `found`, or unknown if the field is not read, or if no record in the copy has it. */
export function absentFinding(
  compared: ComparedListing,
  field: CopyField,
  found: CriterionResult,
): CriterionFinding {
  const why = whyNoneRead(compared.listing, field);
  return recordedFinding(compared, why === undefined ? found : unknown(why));
}

export const observedFinding = (
  { subject, source, observed_at = '' }: Observation,
  found: CriterionResult & Pick<CriterionFinding, 'quoted'>,
): CriterionFinding => ({
  ...found,
  ...(subject !== undefined && { subject }),
  source,
  as_of: dayText(observed_at),
});

const firstOf = (findings: readonly CriterionFinding[], order: readonly CriterionFinding['result'][]) =>
  order.flatMap((wanted) => findings.find(({ result }) => result === wanted) ?? [])[0];

/** The finding for a criterion that every endpoint or package must meet; undefined if there is none. */
export const worstOf = (findings: readonly CriterionFinding[]) =>
  firstOf(findings, ['not_met', 'unknown', 'met']);

/** The finding for a criterion that one endpoint or package must meet; undefined if there is none. */
export const bestOf = (findings: readonly CriterionFinding[]) =>
  firstOf(findings, ['met', 'unknown', 'not_met']);

function lastSeen(one: Observation): Words {
  const { value, observed_at = '', missed_since } = one;
  const seen =
    value === null
      ? say`On ${dayOf(observed_at)}: ${outcomeWords(one)}`
      : say`Last seen on ${dayOf(observed_at)}`;
  if (!missed_since) return say`${seen}; not checked since.`;
  return say`${seen}; checks since ${dayOf(missed_since)} were not conclusive.`;
}

function unseenWords({ listing }: ComparedListing, fact: Words, check?: Observation): Words {
  if (!isChecked({ listing })) return say`${fact}: not checked.`;
  if (check?.is_stale) return say`${fact} now. ${lastSeen(check)}`;
  if (!check || knowingOf(check) !== 'not_seen') return say`${fact}.`;
  return say`${fact}: ${outcomeWords(check)}.`;
}

/** `fact` has no full stop. The reason why nothing was seen is added if it is known. */
export const unseenFinding = (
  compared: ComparedListing,
  fact: Words,
  check?: Observation,
): CriterionFinding => ({
  ...unknown(unseenWords(compared, fact, check)),
  ...(check?.subject !== undefined && { subject: check.subject }),
  source: check?.observed_at ? check.source : '',
  as_of: dayText(check?.observed_at ?? compared.listing.evidence_snapshot_date),
});
