import { z } from 'zod';
import { type RatingGroup, ratingGroups } from './groups.ts';
import { type ProofClass, proofClasses } from './proof/proof-classes.ts';
import { outcomes, type RatingRecord } from './rating.ts';

/** What counted ratings can be filtered by; only those that fit every given value are left. */
export interface RatingFilter {
  readonly outcome?: RatingRecord['outcome'] | undefined;
  /** The group at the time of reading. */
  readonly group?: RatingGroup | undefined;
  readonly proof_class?: ProofClass | undefined;
}

/** How many counted ratings of a listing have the same outcome, group and class of proof. */
export type RatingCell = Required<{ [name in keyof RatingFilter]: NonNullable<RatingFilter[name]> }> & {
  readonly ratings: number;
};

type FacetName = keyof RatingFilter;
const facets: Readonly<Record<FacetName, readonly string[]>> = {
  outcome: outcomes,
  group: ratingGroups,
  proof_class: proofClasses,
};
const names = Object.keys(facets) as FacetName[];

/** Counted ratings by each value of a filter, those of them that fit the other filters; values without any are left out. */
export const ratingFacets = z.object({
  outcome: z.record(z.string(), z.int()),
  group: z.record(z.string(), z.int()),
  proof_class: z.record(z.string(), z.int()),
});
export type RatingFacets = z.infer<typeof ratingFacets>;

function countValues(name: FacetName, cells: readonly RatingCell[], filter: RatingFilter) {
  const others = names.filter((other) => other !== name && filter[other] !== undefined);
  const matching = cells.filter((cell) => others.every((other) => cell[other] === filter[other]));
  const counts = facets[name].map((value): [string, number] => [
    value,
    matching.filter((cell) => cell[name] === value).reduce((sum, { ratings }) => sum + ratings, 0),
  ]);
  return Object.fromEntries(counts.filter(([, ratings]) => ratings > 0));
}

/** The counts that stand beside each value of each filter, while a filter is chosen. */
export const toRatingFacets = (cells: readonly RatingCell[], filter: RatingFilter): RatingFacets => ({
  outcome: countValues('outcome', cells, filter),
  group: countValues('group', cells, filter),
  proof_class: countValues('proof_class', cells, filter),
});
