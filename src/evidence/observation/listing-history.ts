import type { ObservationChange } from './observation.ts';

/** One change of a fact about a listing, with when it was seen and the entry of the log that commits to it. */
export interface ListingChange extends ObservationChange {
  readonly at: string;
  readonly vantage: string;
  readonly log_index: number;
}

/** What one look found changed. */
interface Recorded {
  readonly at: string;
  readonly vantage: string;
  readonly log_index: number;
  readonly changes: readonly ObservationChange[];
}

/** Changes one by one in the same order, those of one kind if it is named. */
export const toListingChanges = (looks: readonly Recorded[], kind?: string): ListingChange[] =>
  looks
    .flatMap(({ at, vantage, log_index, changes }) =>
      changes.map((change) => ({ ...change, at, vantage, log_index })),
    )
    .filter((change) => kind === undefined || change.kind === kind);
