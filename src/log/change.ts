/** The home page shows the changes of one day in this order. */
export const changeTypes = [
  'listing.withdrawn',
  'observation.changed',
  'listing.changed',
  'listing.new',
  'listing.restored',
  'moderation.applied',
  'claim.activated',
  'claim.suspended',
  'claim.line_added',
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

/** One change of the evidence about a listing (docs/changes.md). */
export interface Change {
  /** With the time, the id stays unique even if a restored older backup uses positions again. */
  readonly id: string;
  readonly seq: number;
  readonly type: ChangeType;
  /** For a rating, the rated listing. */
  readonly handle: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type NewChange = Omit<Change, 'id' | 'seq'>;

export const toChangeId = ({ seq, at }: Pick<Change, 'seq' | 'at'>): string =>
  `${seq}_${Date.parse(at).toString(36)}`;

export const isChangeId = (text: string): boolean => /^[1-9]\d{0,14}_[0-9a-z]{1,10}$/.test(text);

export const isChangeType = (type: string): type is ChangeType =>
  (changeTypes as readonly string[]).includes(type);

/** In the data of `view.left`. For an approval, `fact` is the sentence that says why. */
export interface FailedCriterion {
  readonly criterion: string;
  readonly value?: string | number;
  readonly result: string;
  readonly fact?: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const toLoggedChange = (
  type: string,
  log_index: number,
  { handle, at, data }: Pick<NewChange, 'handle' | 'at'> & Partial<Pick<NewChange, 'data'>>,
): NewChange | undefined =>
  isChangeType(type) ? { type, handle, at, data: { log_index, ...data } } : undefined;

export type ChangeFilter = Readonly<Partial<Record<'handle' | 'namespace', string>>>;
