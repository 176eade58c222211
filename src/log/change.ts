/** What each type of change says: of listings, every type of log entry about a listing, and of the operator's views. */
const sentences = {
  'listing.new': 'listed for the first time here',
  'listing.changed': 'record changed',
  'listing.withdrawn': 'no longer listed',
  'listing.restored': 'listed again',
  'claim.activated': 'claim proven',
  'claim.suspended': 'claim suspended',
  'claim.keys_changed': 'keys for receipts changed',
  'capability.revoked': 'capability revoked',
  'rating.submitted': 'new rating',
  'rating.amended': 'rating amended',
  'rating.withdrawn': 'rating withdrawn',
  'rating.responded': 'response to a rating',
  'observation.changed': 'changed',
  'moderation.applied': 'action of the operator',
  'view.joined': 'joined the view',
  'view.left': 'left the view',
} as const;
type ChangeType = keyof typeof sentences;
export const changeTypes = Object.keys(sentences) as [ChangeType, ...ChangeType[]];

/** One change of the evidence about a listing, in the order of all changes (docs/changes.md). */
export interface Change {
  /**
   * Names this change alone, where to go on from: its position and time. After a restore of an older backup positions are
   * given again, ids are not.
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

const isChangeType = (type: string): type is ChangeType => Object.hasOwn(sentences, type);

/** A criterion of a view that a listing does not meet any more, in the data of `view.left`; of an approval with the sentence that says why. */
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

/** What the operator did, as in `hide rating, personal_data`. */
const toActionText = ({ action, target_kind, reason, ends }: NewChange['data']) =>
  `${ends === undefined ? '' : 'undid '}${action} ${target_kind}, ${reason}`;

/** Which view a listing left and why, as in `our-services: has_endpoint not met`. */
const toLeftText = ({ view, failed }: NewChange['data']) => {
  const reasons = (failed as readonly FailedCriterion[]).map(
    ({ criterion, value, result, fact }) =>
      fact ?? `${criterion}${value === undefined ? '' : ` ${value}`} ${result.replaceAll('_', ' ')}`,
  );
  return `${view}: ${reasons.join(', ') || 'not listed'}`;
};

const namesOf = ({ type, data }: NewChange): string[] => {
  if (type === 'moderation.applied') return [toActionText(data)];
  if (type === 'view.joined') return [String(data.view)];
  if (type === 'view.left') return [toLeftText(data)];
  const named = data.fields ?? data.kinds;
  const names = Array.isArray(named) ? named.map(String) : [];
  // Which tools are listed says how many.
  return names.includes('tools.surface') ? names.filter((name) => name !== 'tools.count') : names;
};

/** What a change is, in words; `toName` gives kinds of fact their names. */
export function changeText(change: NewChange, toName = (name: string) => name): string {
  const names = namesOf(change);
  if (change.type === 'observation.changed') return `${names.map(toName).join(', ') || 'facts'} changed`;
  const by = typeof change.data.source === 'string' ? ` by ${change.data.source}` : '';
  return `${sentences[change.type]}${by}${names.length > 0 ? ` (${names.join(', ')})` : ''}`;
}

const notable: ReadonlySet<ChangeType> = new Set([
  'listing.withdrawn',
  'claim.activated',
  'claim.suspended',
  'rating.submitted',
  'rating.amended',
  'rating.withdrawn',
]);

/** Whether a change is one of prices, payees, tools, owners or ratings, or a withdrawal. */
export function isNotable({ type, data }: NewChange): boolean {
  if (type === 'listing.changed') return Array.isArray(data.fields) && data.fields.includes('repository');
  if (type === 'observation.changed')
    return (
      Array.isArray(data.kinds) && data.kinds.some((kind) => /^(?:price|tools|auth)\b/.test(String(kind)))
    );
  return notable.has(type);
}

/** Which changes to read. */
export interface ChangeFilter {
  /** Of one listing. */
  readonly handle?: string | undefined;
  /** Of all listings of a namespace. */
  readonly namespace?: string | undefined;
}
