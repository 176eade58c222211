import { day_ms, dayText } from '../../core/text.ts';
import { dayOf, say, type Words } from '../../core/words.ts';
import type { CopyField } from '../../imports/import-run.ts';
import { factsOf, type RecordKind } from '../../observations/kind.ts';
import { knowingOf, type Observation } from '../../observations/observation.ts';
import { outcomeWords } from '../../observations/outcome.ts';
import type { ListingDocument } from '../listing-document.ts';
import { copyLacksWords } from '../record.ts';
import { isChecked } from '../seen.ts';

/** What a rule judges: the listing document as every face shows it, at a time. */
export interface ComparedListing {
  readonly listing: ListingDocument;
  readonly now_ms: number;
}

export interface Finding {
  /**
   * `unknown` never counts as a yes or a no, nor does `not_applicable`: the record names nothing to ask it
   * of.
   */
  readonly result: 'met' | 'not_met' | 'unknown' | 'not_applicable';
  /** A sentence by this service. */
  readonly fact: Words;
  /** The texts of the publisher that the fact is about. */
  readonly recorded?: readonly string[];
  /** A price that was quoted. */
  readonly quoted?: Words;
  /** The recorded endpoint, package or host that was checked. */
  readonly subject?: string;
  /** Empty if nothing was checked. */
  readonly source: string;
  /** YYYY-MM-DD. */
  readonly as_of: string;
}

/**
 * The value of a criterion: none, a whole number, one of several choices, a tag, or a price such as "0.01
 * USDC".
 */
export type CriterionValue = string | number | undefined;
type Takes =
  | { readonly kind: 'nothing' }
  /** `usual` is taken where a caller sends none. */
  | { readonly kind: 'number'; readonly max: number; readonly usual?: number }
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

export type Found = Pick<Finding, 'result' | 'fact' | 'recorded'>;

/**
 * What defines criteria whose facts come from one kind of evidence, each by its label and its rule. If that
 * usually has one source, `withSource` adds it and its date to what a rule finds without them; else every
 * rule states them.
 */
export function criteriaOf<Given extends Found = Finding>(
  evidence: Criterion['evidence'],
  withSource?: (compared: ComparedListing, found: Given) => Finding,
) {
  type Rule<Value> = (compared: ComparedListing, value: Value) => Finding | Given;
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
      return withSource && !('source' in found) ? withSource(compared, found) : (found as Finding);
    },
  });
  return {
    plain: (label: string, rule: Rule<undefined>) => define(label, { kind: 'nothing' }, rule),
    /** One that takes a whole number from 1 to `max`. */
    number: (label: string, max: number, rule: Rule<number>) => define(label, { kind: 'number', max }, rule),
    /** One that asks for how many days something has been so, 30 where a caller names none. */
    unchangedFor: (label: string, max: number, rule: Rule<number>) =>
      define(label, { kind: 'number', max, usual: 30 }, rule),
    choice: (label: string, of: readonly string[], rule: Rule<string>) =>
      define(label, { kind: 'choice', of }, rule),
    tag: (label: string, rule: Rule<string>) => define(label, { kind: 'tag' }, rule),
    /** One that takes a price (observations/kinds/prices/price.ts). */
    price: (label: string, rule: Rule<string>) => define(label, { kind: 'price' }, rule),
  };
}

export const met = (fact: Words) => ({ result: 'met', fact }) as const;
export const notMet = (fact: Words) => ({ result: 'not_met', fact }) as const;
export const unknown = (fact: Words) => ({ result: 'unknown', fact }) as const;
export const notApplicable = (fact: Words) => ({ result: 'not_applicable', fact }) as const;
/** The result of a criterion whose answer is known. */
export const decided = (holds: boolean, fact: Words) => (holds ? met(fact) : notMet(fact));

const skew_ms = 5 * 60_000;

/** Days since a time, not rounded and at least 0; undefined for a time in the future. */
export function daysSince(time: string, now_ms: number): number | undefined {
  const age_ms = now_ms - Date.parse(time);
  return age_ms < -skew_ms ? undefined : Math.max(age_ms, 0) / day_ms;
}

/** The fact of a kind that the record states, or that it states none. */
export const signalOf = <K extends RecordKind>({ listing }: Pick<ComparedListing, 'listing'>, kind: K) =>
  factsOf(kind, listing.signals.imported)[0];

/** A finding from the registry's record, as of its reading. */
export const recordedFinding = ({ listing }: ComparedListing, found: Found): Finding => ({
  ...found,
  source: listing.origin,
  as_of: dayText(listing.observed_at),
});

/** The finding about a field that the record does not have: unknown if the copy has it of no listing. */
export function absentFinding(compared: ComparedListing, field: CopyField, found: Found): Finding {
  const lacking = copyLacksWords(compared.listing.copy_lacks, field);
  return recordedFinding(compared, lacking === undefined ? found : unknown(lacking));
}

/** A finding from what this service saw itself, as of when it last saw it. */
export const observedFinding = (
  { subject, source, observed_at = '' }: Observation,
  found: Found & Pick<Finding, 'quoted'>,
): Finding => ({ ...found, ...(subject !== undefined && { subject }), source, as_of: dayText(observed_at) });

/** Of some findings the one whose result comes first in an order. */
const firstOf = (findings: readonly Finding[], order: readonly Finding['result'][]) =>
  order.flatMap((wanted) => findings.find(({ result }) => result === wanted) ?? [])[0];

/** The worst of some findings: what must be so of each recorded endpoint or package. */
export const worstOf = (findings: readonly Finding[]) => firstOf(findings, ['not_met', 'unknown', 'met']);

/** The best of some findings: what must be so of one of them. */
export const bestOf = (findings: readonly Finding[]) => firstOf(findings, ['met', 'unknown', 'not_met']);

function lastSeen(one: Observation): Words {
  const { value, observed_at = '', missed_since } = one;
  const seen =
    value === null
      ? say`On ${dayOf(observed_at)}: ${outcomeWords(one)}`
      : say`Last seen on ${dayOf(observed_at)}`;
  if (!missed_since) return say`${seen}; not checked since.`;
  const since = say`checks since ${dayOf(missed_since)}`;
  return value === null ? say`${seen}; ${since} could not tell.` : say`${seen}; not in ${since}.`;
}

function unseenWords({ listing }: ComparedListing, fact: Words, check?: Observation): Words {
  if (!isChecked({ listing })) return say`${fact}: not checked.`;
  if (check?.is_stale) return say`${fact} now. ${lastSeen(check)}`;
  if (!check || knowingOf(check) !== 'not_seen') return say`${fact}.`;
  return say`${fact}: ${outcomeWords(check)}.`;
}

/**
 * The finding where nothing was seen: unknown, and how the check ended if there was one. `fact` has no full
 * stop.
 */
export const unseenFinding = (compared: ComparedListing, fact: Words, check?: Observation): Finding => ({
  ...unknown(unseenWords(compared, fact, check)),
  ...(check?.subject !== undefined && { subject: check.subject }),
  source: check?.observed_at ? check.source : '',
  as_of: dayText(check?.observed_at ?? compared.listing.evidence_snapshot_date),
});
