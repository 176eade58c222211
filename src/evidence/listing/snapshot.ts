import { amount, counted } from '../text/plural.ts';

/** What the snapshot sentence needs to know. */
export interface SnapshotFacts {
  readonly handle: string;
  readonly ratings: number;
  /** Ratings of the group independent. */
  readonly independent: number;
  /** RFC 3339 times of the last completed import and the last native event, where there are any. */
  readonly times: readonly (string | undefined)[];
}

/** The as-of date: the later of the last completed import and the last native event, YYYY-MM-DD. */
export const snapshotDate = ({ times }: Pick<SnapshotFacts, 'times'>): string =>
  (
    times
      .filter((time) => time !== undefined)
      .sort()
      .at(-1) ?? ''
  ).slice(0, 10);

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
  return `${facts.handle} is listed with ${evidence} as of ${snapshotDate(facts)}. A listing is not verification and not a recommendation to buy.`;
}

/** The statement about a listing's native ratings; for none, it points out that this matters. */
export const nativeStatement = (ratings: number): string =>
  ratings === 0
    ? 'No native ratings. For a decision to buy, that absence matters.'
    : `${counted(ratings, 'native rating')}. Each is one sourced signal, never a final verdict.`;
