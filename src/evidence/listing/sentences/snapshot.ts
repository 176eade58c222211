import { counted } from '../../text/plural.ts';

/** How many ratings there are, and from how many independent sources. */
export interface CountedSources {
  readonly ratings: number;
  readonly independent: { readonly ratings: number; readonly sources: number };
}

/** What is said first of ratings, so that many by one source look like what they are: `1 independent source, 243 native ratings`. */
export function sourcesFirst({ ratings, independent }: CountedSources): string {
  const apart = ratings - independent.ratings;
  const from =
    independent.sources === 0
      ? 'no independent source'
      : `${counted(independent.sources, 'independent source')}, ${counted(independent.ratings, 'native rating')}`;
  return apart === 0 ? from : `${from}; ${counted(apart, 'native rating')} set apart`;
}

/** What the snapshot sentence needs to know. */
export interface SnapshotFacts {
  readonly handle: string;
  readonly native: CountedSources;
  /** The day of the answer, YYYY-MM-DD: this service knows its own ratings and claims as of now. */
  readonly date: string;
  /** As of when a listing is known that was read from a saved copy, RFC 3339. */
  readonly copy_at?: string | undefined;
}

/** The evidence snapshot sentence (specification, "What the service does", 6; docs/contract.md). */
export function snapshotSentence(facts: SnapshotFacts): string {
  const evidence = facts.native.ratings === 0 ? 'no rating evidence' : `${sourcesFirst(facts.native)},`;
  const copy = facts.copy_at
    ? ` Its record is from a saved copy of a registry, as of ${facts.copy_at.slice(0, 10)}.`
    : '';
  return `${facts.handle} is listed with ${evidence} as of ${facts.date}.${copy} A listing is not verification and not a recommendation to buy.`;
}

/** Counts of a listing's ratings, and of what the operator did to some. */
interface RatingTotals extends CountedSources {
  readonly voided: number;
  readonly hidden: number;
}

const toModerated = ({ voided, hidden }: Pick<RatingTotals, 'voided' | 'hidden'>) => [
  ...(voided > 0 ? [`Not counted: ${counted(voided, 'rating')} that the operator voided.`] : []),
  ...(hidden > 0 ? [`The operator has hidden the texts of ${counted(hidden, 'rating')}.`] : []),
];

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The statement about a listing's native ratings; for none, it points out that this matters. */
export const nativeStatement = (totals: RatingTotals): string =>
  [
    totals.ratings === 0
      ? 'No native ratings. For a decision to buy, that absence matters.'
      : `${capitalized(sourcesFirst(totals))}. Each rating is one sourced signal, never a final verdict.`,
    ...toModerated(totals),
  ].join(' ');
