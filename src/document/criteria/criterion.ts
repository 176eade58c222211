import { day_ms } from '../../core/text.ts';
import { own, phrase, type Words, within } from '../../core/words.ts';
import type { LineName } from '../answers/lines.ts';
import type { StandOut } from '../answers/stands-out.ts';
import type { ListingDocument } from '../listing-document.ts';

/** `not_applicable`: nothing to judge, for example no package in the record. */
export const resultTexts = {
  met: 'Met',
  not_met: 'Not met',
  unknown: 'Unknown',
  not_applicable: 'Does not apply',
} as const;
export type Result = keyof typeof resultTexts;
export const results = Object.keys(resultTexts) as [Result, ...Result[]];

/** `because` may be empty if it is not unknown. */
export interface ReasonedResult {
  readonly result: Result;
  readonly because: Words;
}
/** What is not known has its reason; without one, the rows say why. */
export type JudgedResult = Exclude<Result, 'unknown'> | ReasonedResult;

export const because = (result: Result, why: Words): ReasonedResult => ({
  result,
  because: within(phrase(why)),
});
export const unknown = (why: Words) => because('unknown', why);

export const noEndpoint = because('not_applicable', own('no endpoint recorded'));
export const noPackage = because('not_applicable', own('no package recorded'));

export type Row = LineName | StandOut['key'];

export type CriterionValue = string | number | undefined;
export type Takes =
  | { readonly kind: 'nothing' }
  /** `usual` is used if none is given. */
  | { readonly kind: 'number'; readonly max: number; readonly usual?: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'tag' }
  | { readonly kind: 'price' };

export const evidenceTitles = {
  imported: 'What is recorded, unless a check differs',
  observed: 'What Dossier checks',
  native: 'Claims and ratings made on Dossier',
} as const;
type Evidence = keyof typeof evidenceTitles;
export const evidenceNames = Object.keys(evidenceTitles) as Evidence[];

export interface Criterion {
  readonly evidence: Evidence;
  /** `{}` stands for the value; `(s)` is left out if it is 1. */
  readonly label: string;
  readonly takes: Takes;
  /** Empty if no row says more than the label and the result. */
  readonly rows: readonly Row[] | ((value: CriterionValue) => readonly Row[]);
  /** Pure. `value` must be one that `takes` allows. */
  judge(listing: ListingDocument, value: CriterionValue, now_ms: number): JudgedResult;
}

export const criteriaOf =
  (evidence: Evidence) =>
  <Value extends CriterionValue>(
    label: string,
    takes: Takes,
    rows: readonly Row[] | ((value: Value) => readonly Row[]),
    judge: (listing: ListingDocument, value: Value, now_ms: number) => JudgedResult,
  ): Criterion =>
    ({ evidence, label, takes, rows, judge }) as Criterion;

export const plain = { kind: 'nothing' } as const;
export const days = { kind: 'number', max: 3650 } as const;
export const daysUnchanged = { ...days, usual: 30 } as const;

export const decided = (holds: boolean) => (holds ? 'met' : 'not_met');

export const perhaps = (holds: boolean | undefined): Result =>
  holds === undefined ? 'unknown' : decided(holds);

const skew_ms = 5 * 60_000;

/** Not rounded. Up to five minutes ahead counts as now; a later time gives undefined. */
export function daysSince(time: string | undefined, now_ms: number): number | undefined {
  const age_ms = time === undefined ? Number.NaN : now_ms - Date.parse(time);
  return age_ms >= -skew_ms ? Math.max(age_ms, 0) / day_ms : undefined;
}

const firstOf = (found: readonly Result[], order: readonly Result[]) =>
  order.find((one) => found.includes(one));

/** Undefined if there is none. */
export const ofEvery = (found: readonly Result[]) => firstOf(found, ['not_met', 'unknown', 'met']);

/** Undefined if there is none. */
export const ofSome = (found: readonly Result[]) => firstOf(found, ['met', 'unknown', 'not_met']);
