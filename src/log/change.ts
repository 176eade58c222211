/** In our words. The home page shows the changes of one day in this order. */
export const changeTexts = {
  'listing.withdrawn': 'no longer listed',
  'observation.changed': 'a check saw new or changed facts',
  'listing.changed': 'record changed',
  'listing.new': 'listed for the first time here',
  'listing.restored': 'listed again',
  'moderation.applied': 'action of the operator',
  'claim.activated': 'claimed',
  'claim.suspended': 'claim suspended',
  'claim.line_added': 'a line without a capability of the claim was added',
  'claim.keys_changed': 'keys for receipts changed',
  'capability.revoked': 'capability revoked',
  'rating.submitted': 'new rating',
  'rating.amended': 'rating amended',
  'rating.withdrawn': 'rating withdrawn',
  'rating.responded': 'response to a rating',
  'view.joined': 'joined the view',
  'view.left': 'left the view',
} as const;
export type ChangeType = keyof typeof changeTexts;
export const changeTypes = Object.keys(changeTexts) as [ChangeType, ...ChangeType[]];

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

export const isChangeType = (type: string): type is ChangeType => Object.hasOwn(changeTexts, type);

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
