/**
 * Of listings, every type of log entry about a listing, and of the operator's views, in the order in which
 * several of one day are said; document/changes.ts has their words.
 */
export const changeTypes = [
  'listing.withdrawn',
  'observation.changed',
  'listing.changed',
  'listing.new',
  'listing.restored',
  'moderation.applied',
  'claim.activated',
  'claim.suspended',
  'claim.keys_changed',
  'capability.revoked',
  'rating.submitted',
  'rating.amended',
  'rating.withdrawn',
  'rating.responded',
  'view.joined',
  'view.left',
] as const;
export type ChangeType = (typeof changeTypes)[number];

/** One change of the evidence about a listing, in the order of all changes (docs/changes.md). */
export interface Change {
  /**
   * Names this change alone, where to go on from: its position and time. After a restore of an older backup
   * positions are given again, ids are not.
   */
  readonly id: string;
  /** Position in the stream; grows. */
  readonly seq: number;
  readonly type: ChangeType;
  /** The listing whose evidence changed; of a rating, the rated one. */
  readonly handle: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  /** What more there is to say: the entry of the log, or the fields of the record that changed. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether a change of a listing takes a tag from it. */
export const takesTag = ({ data: { left_tags } }: Change, tag: string): boolean =>
  Array.isArray(left_tags) && left_tags.includes(tag);

/** A change before it has its position. */
export type NewChange = Omit<Change, 'id' | 'seq'>;

/** The id of the change at a position. */
export const toChangeId = ({ seq, at }: Pick<Change, 'seq' | 'at'>): string =>
  `${seq}_${Date.parse(at).toString(36)}`;

/** Whether a text has the form of a change's id. */
export const isChangeId = (text: string): boolean => /^[1-9]\d{0,14}_[0-9a-z]{1,10}$/.test(text);

export const isChangeType = (type: string): type is ChangeType =>
  (changeTypes as readonly string[]).includes(type);

/**
 * A criterion of a view that a listing does not meet any more, in the data of `view.left`; of an approval
 * with the sentence that says why.
 */
export interface FailedCriterion {
  readonly criterion: string;
  readonly value?: string | number;
  readonly result: string;
  readonly fact?: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The change that a log entry about a listing is; undefined for entries about the log itself. */
export const toLoggedChange = (
  type: string,
  log_index: number,
  { handle, at, data }: Pick<NewChange, 'handle' | 'at'> & Partial<Pick<NewChange, 'data'>>,
): NewChange | undefined =>
  isChangeType(type) ? { type, handle, at, data: { log_index, ...data } } : undefined;

/** Which changes to read. */
export interface ChangeFilter {
  /** Of one listing. */
  readonly handle?: string | undefined;
  /** Of all listings of a namespace. */
  readonly namespace?: string | undefined;
}
