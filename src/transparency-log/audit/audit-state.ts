import type { CountedRating } from './check-groups.ts';
import type { ShownNotices } from './check-moderation.ts';
import type { ShownListing } from './evidence-reader.ts';

/** What the first half of an audit, the listings, passes to the second half, the log. */
export interface AuditState {
  /** Entries before the audit began: all of them must be shown. */
  readonly size: number;
  /** 1 for each of those entries that is shown somewhere. */
  readonly shown: Uint8Array;
  /** The newest version of every rating that is shown, for the group that it is in. */
  readonly counted: CountedRating[];
  /** The claim, and the newest events, of each listing that shows some. */
  readonly claims: Map<string, Pick<ShownListing, 'claim' | 'events'>>;
  /** Whether each listing that is read is withdrawn or hidden. */
  readonly listings: Map<string, Pick<ShownListing, 'withdrawn' | 'isHidden'>>;
  /** Listings that are withdrawn, and show nothing. */
  readonly hidden: Set<string>;
  /** Log index of the first shown event of histories that show only their newest 100. */
  readonly cutHistories: Map<string, number>;
  /** When each rating that is shown as withdrawn was, by rating id; without superseded versions. */
  readonly withdrawn: Map<string, string>;
  /** Which rating replaced each that is shown as superseded. */
  readonly superseded: Map<string, string>;
  /** What is shown as erased, by log index, with its name. */
  readonly erased: Map<number, { readonly where: string; readonly at: string }>;
  /** Ids of ratings that are shown as erased. */
  readonly erasedRatings: Set<string>;
  /** Actions of the operator that are shown. */
  readonly notices: ShownNotices;
  /** Ids of ratings whose texts the operator has hidden. */
  readonly hiddenRatings: Set<string>;
  /** Log index of each rating that is shown without texts, so that no response is shown either; by rating id. */
  readonly tombstones: Map<string, number>;
}

export const createAuditState = (size: number): AuditState => ({
  size,
  shown: new Uint8Array(size),
  counted: [],
  claims: new Map(),
  listings: new Map(),
  hidden: new Set(),
  cutHistories: new Map(),
  withdrawn: new Map(),
  superseded: new Map(),
  erased: new Map(),
  erasedRatings: new Set(),
  tombstones: new Map(),
  notices: new Map(),
  hiddenRatings: new Set(),
});
