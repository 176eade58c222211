import { amount, counted } from '../../text/plural.ts';

/** What the snapshot sentence needs to know. */
export interface SnapshotFacts {
  readonly handle: string;
  readonly ratings: number;
  /** Ratings of the group independent. */
  readonly independent: number;
  /** The day of the answer, YYYY-MM-DD: this service knows its own ratings and claims as of now. */
  readonly date: string;
  /** As of when a listing is known that was read from a saved copy, RFC 3339. */
  readonly copy_at?: string | undefined;
}

const ofIndependent = ({ independent }: SnapshotFacts) =>
  independent === 0
    ? 'none of them from an independent source'
    : `${amount(independent)} of them from independent sources`;

/** The evidence snapshot sentence (specification, "What the service does", 6; docs/contract.md). */
export function snapshotSentence(facts: SnapshotFacts): string {
  const evidence =
    facts.ratings === 0
      ? 'no rating evidence'
      : `${counted(facts.ratings, 'native rating')}, ${ofIndependent(facts)},`;
  const copy = facts.copy_at
    ? ` Its record is from a saved copy of a registry, as of ${facts.copy_at.slice(0, 10)}.`
    : '';
  return `${facts.handle} is listed with ${evidence} as of ${facts.date}.${copy} A listing is not verification and not a recommendation to buy.`;
}

/** Counts of a listing's ratings, and of what the operator did to some. */
interface RatingTotals {
  readonly ratings: number;
  readonly voided: number;
  readonly hidden: number;
}

const toModerated = ({ voided, hidden }: RatingTotals) => [
  ...(voided > 0 ? [`Not counted: ${counted(voided, 'rating')} that the operator voided.`] : []),
  ...(hidden > 0 ? [`The operator has hidden the texts of ${counted(hidden, 'rating')}.`] : []),
];

/** The statement about a listing's native ratings; for none, it points out that this matters. */
export const nativeStatement = (totals: RatingTotals): string =>
  [
    totals.ratings === 0
      ? 'No native ratings. For a decision to buy, that absence matters.'
      : `${counted(totals.ratings, 'native rating')}. Each is one sourced signal, never a final verdict.`,
    ...toModerated(totals),
  ].join(' ');
