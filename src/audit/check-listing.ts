import { type ClaimEvent, claimEvent } from '../claims/claim.ts';
import { type JsonObject, readObject } from '../core/json.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import { essenceOf, keyOf } from '../observations/compare.ts';
import { kinds } from '../observations/kinds.ts';
import type { ObservationChange } from '../observations/observation.ts';
import { isLearnedOutcome } from '../observations/outcome.ts';
import type { RecordedChange } from '../observations/table.ts';
import type { RatingRecord } from '../ratings/rating.ts';
import { type CountedRating, findColumnFaults, findCountFaults, toCounted } from './check-ratings.ts';
import { differingFields, shownRatingFields } from './entry-proof.ts';
import { isWithheld, type ReadRecord, type ShownListing } from './evidence-reader.ts';
import { type AuditFault, logFault, rowFault, toShownValue } from './fault.ts';
import type { AuditSteps } from './steps.ts';

/** An action of the operator as it is shown: at a rating, or the response to it, or else at a listing. */
interface ShownNotice {
  readonly where: string;
  readonly notice: ModerationNotice;
  readonly rating_id?: string;
  readonly handle?: string;
}

/** Actions of the operator as the log's entries say them. */
export const createSaidActions = () => ({
  /** Those that stand or stood, by log index. */
  applied: new Map<number, JsonObject>(),
  /** Which entry ended each of those that do not stand any more. */
  ended: new Map<number, number>(),
  /** Entries of closed logs, whose records this audit cannot read. */
  unread: new Set<number>(),
});
type SaidActions = ReturnType<typeof createSaidActions>;

/** Remembers an entry `moderation.applied`. */
export function noteAction({ applied, ended }: SaidActions, members: JsonObject, log_index: number): void {
  if (typeof members.ends === 'number') ended.set(members.ends, log_index);
  else applied.set(log_index, members);
}

const hadEnded = ({ ended }: SaidActions, log_index: number, size: number): boolean =>
  (ended.get(log_index) ?? size) < size;

const reaches = (indexes: unknown, index: number) => Array.isArray(indexes) && indexes.includes(index);

/**
 * All entries whose records the operator has hidden together with that of one entry, itself included, by
 * actions in force.
 */
export const hiddenWith = (said: SaidActions, record_index: number, size: number): unknown[] =>
  [...said.applied].flatMap(([log_index, { action, record_indexes }]) =>
    action === 'hide' && reaches(record_indexes, record_index) && !hadEnded(said, log_index, size)
      ? record_indexes
      : [],
  );

/** Whether an action of the operator says that it erased what an entry of the log recorded. */
export const isErasedByAction = ({ applied }: SaidActions, record_index: number): boolean =>
  [...applied.values()].some(
    ({ action, record_indexes }) => action === 'erase' && reaches(record_indexes, record_index),
  );

const noticeFields = ['action', 'reason', 'statement', 'at'] as const;
const pick = (members: JsonObject) => toCanonicalJson(noticeFields.map((field) => members[field] ?? null));

/** Whether an action is about what shows it: a block of a namespace or account names no listing. */
const isAbout = ({ target_kind, target, handle }: JsonObject, shown: ShownNotice): boolean =>
  shown.rating_id === undefined
    ? target_kind !== 'rating' &&
      target_kind !== 'response' &&
      (handle === undefined || handle === shown.handle)
    : (target_kind === 'rating' || target_kind === 'response') && target === shown.rating_id;

function findShownFault(actions: SaidActions, shown: ShownNotice, size: number): AuditFault | undefined {
  const { where, notice } = shown;
  const { log_index } = notice;
  if (actions.unread.has(log_index)) return undefined;
  const said = actions.applied.get(log_index);
  const text = `it shows the action "${notice.action}" of the operator by entry ${log_index}`;
  if (!said) return rowFault(where, `${text}, and no such entry says so`);
  if (hadEnded(actions, log_index, size)) return rowFault(where, `${text}, which another entry ended`);
  if (!isAbout(said, shown))
    return rowFault(where, `${text}, which is about ${said.target_kind} ${said.target}`);
  return pick(said) === pick(notice) ? undefined : rowFault(where, `${text}, which says something else`);
}

/** Kinds whose effect readers must see where a listing is shown. */
const shownKinds = ['rating', 'response', 'listing', 'capability'];

/**
 * Shown actions that no entry says, and entries that stand and are shown nowhere. `isShown` tells whether a
 * listing is.
 */
export function* findModerationFaults(
  said: SaidActions,
  shown: AuditState['notices'],
  { size, isShown }: { readonly size: number; readonly isShown: (said: JsonObject) => boolean },
): AuditSteps {
  for (const all of shown.values()) for (const one of all) yield findShownFault(said, one, size);
  for (const [log_index, members] of said.applied) {
    const mustShow = shownKinds.includes(String(members.target_kind)) && isShown(members);
    if (log_index < size && mustShow && !said.ended.has(log_index) && !shown.has(log_index))
      yield rowFault(
        `entry ${log_index}`,
        `it records the action "${members.action}" of the operator on ${members.target_kind} ${members.target}, which is shown nowhere`,
      );
  }
}

/** What the first half of an audit, the listings, passes to the second half, the log. */
export const createAuditState = (size: number) => ({
  /** Entries before the audit began: all of them must be shown. */
  size,
  /** 1 for each of those entries that is shown somewhere. */
  shown: new Uint8Array(size),
  /** What each listing that is read shows of its claim, and whether it is withdrawn or hidden. */
  listings: new Map<string, Pick<ShownListing, 'claim' | 'events' | 'withdrawn' | 'isHidden'>>(),
  /** Listings that are withdrawn, and show nothing. */
  hidden: new Set<string>(),
  /** Every rating that is shown, older versions included, by its id. */
  ratings: new Map<string, CountedRating>(),
  /** What is shown as erased, by log index, with its name. */
  erased: new Map<number, { readonly where: string; readonly at: string }>(),
  notices: new Map<number, ShownNotice[]>(),
});
export type AuditState = ReturnType<typeof createAuditState>;

/** The newest version of every rating that is shown, whose group is judged. */
export const newestOf = ({ ratings }: AuditState): CountedRating[] =>
  [...ratings.values()].filter(({ superseded_by }) => superseded_by === undefined);

const tallies: ReadonlySet<string> = new Set(kinds.filter(({ isTally }) => isTally).map(({ kind }) => kind));

function isAsSaid(
  fact: ShownListing['observations']['current'][number],
  { after }: ObservationChange,
): boolean {
  // Why nothing was learned may differ from day to day, and is in no log.
  if (!isLearnedOutcome(fact.outcome) && !isLearnedOutcome(after.outcome)) return true;
  return toCanonicalJson(essenceOf(fact)) === toCanonicalJson(essenceOf(after));
}

const toText = ({ value, outcome }: ObservationChange['after']) => `${toShownValue(value)} (${outcome})`;

function newestChanges(changes: readonly RecordedChange[]) {
  const oldestFirst = changes.toSorted((a, b) => a.log_index - b.log_index);
  return new Map(
    oldestFirst.flatMap(({ log_index, changes: facts }) =>
      facts.map((fact) => [keyOf(fact), { log_index, fact }] as const),
    ),
  );
}

function findObservationFaults({ handle, observations: { current, changes } }: ShownListing): AuditFault[] {
  const newest = newestChanges(changes);
  const compared = current.filter(({ kind }) => !tallies.has(kind));
  return compared.flatMap((fact) => {
    const last = newest.get(keyOf(fact));
    const where = `${fact.kind} of ${handle}`;
    if (!last) return [rowFault(where, `it is shown as ${toText(fact)}, but no change of it is stored`)];
    if (isAsSaid(fact, last.fact)) return [];
    const said = `its newest change, log entry ${last.log_index}, says ${toText(last.fact.after)}`;
    return [rowFault(where, `it is shown as ${toText(fact)}, but ${said}`)];
  });
}

/** One thing that is shown, the entry that it names, and the fields that must be as in the entry's record. */
interface ShownItem {
  readonly where: string;
  readonly log_index: number;
  readonly members: JsonObject;
  readonly fields: readonly string[];
  readonly erased_at?: string | undefined;
  /** Its text is hidden, and its record may be. */
  readonly hidden_at?: string | undefined;
  /** Its texts are shown no more, so a service need not give out its record. */
  readonly isTombstone?: boolean | undefined;
}

/** A history shows no more changes of keys, and no more other events, than this. */
const mostKeyChanges = 20;
const longestHistory = 100;

/**
 * The entry from which on a history shows every change of keys, or every other event; 0 if it may show all.
 */
export function shownFrom(events: readonly Pick<ClaimEvent, 'type' | 'log_index'>[], isOfKeys: boolean) {
  const own = events.filter(({ type }) => (type === 'keys_changed') === isOfKeys);
  const indexes = new Set(own.map(({ log_index }) => log_index));
  return indexes.size >= (isOfKeys ? mostKeyChanges : longestHistory) ? Math.min(...indexes) : 0;
}

const eventFields = ['handle', ...Object.keys(claimEvent.omit({ keys: true, log_index: true }).shape)];

function toResponse({ rating_id, subject_handle, response }: RatingRecord): ShownItem[] {
  if (!response) return [];
  return [
    {
      where: `response to rating ${rating_id}`,
      log_index: response.log_index,
      erased_at: response.erased_at,
      hidden_at: response.hidden_at,
      members: { rating_id, subject_handle, text: response.text, created_at: response.created_at },
      fields: ['rating_id', 'subject_handle', ...(response.hidden_at ? [] : ['text']), 'created_at'],
    },
  ];
}

function* toItems(listing: ShownListing): Generator<ShownItem> {
  const { handle, ratings, events, observations, moderation = [] } = listing;
  for (const rating of ratings) {
    yield {
      where: `rating ${rating.rating_id} of ${handle}`,
      log_index: rating.log_index,
      erased_at: rating.erased_at,
      hidden_at: rating.hidden_at,
      members: { ...rating, id: rating.rating_id },
      fields: shownRatingFields(rating),
      isTombstone: rating.withdrawn_at !== undefined,
    };
    yield* toResponse(rating);
  }
  for (const event of events)
    yield {
      where: `claim event ${event.type} of ${handle} at ${event.at}`,
      log_index: event.log_index,
      members: { ...event, handle },
      fields: eventFields,
    };
  const isTombstone = moderation.some(({ action }) => action === 'hide');
  for (const change of observations.changes)
    yield {
      where: `changes of ${handle} at ${change.at}`,
      log_index: change.log_index,
      members: { ...change },
      fields: ['handle', 'at', 'vantage', 'changes'],
      isTombstone,
    };
}

/** The log indexes that a listing shows. */
export const indexesOf = ({ ratings, events, observations }: ShownListing): number[] => [
  ...ratings.flatMap(({ log_index, response }) => [log_index, ...(response ? [response.log_index] : [])]),
  ...[...events, ...observations.changes].map(({ log_index }) => log_index),
];

function findItemFault(
  { where, log_index, members, fields, erased_at, hidden_at, isTombstone }: ShownItem,
  record: ReadRecord | undefined,
): AuditFault | undefined {
  if (erased_at !== undefined || record === 'closed') return undefined;
  if (record === 'refused')
    return logFault(
      where,
      `entry ${log_index}, which it names, disagrees with the tree, so no proof of it is given`,
    );
  if (hidden_at !== undefined && record === 'absent') return undefined;
  if (isWithheld(record))
    return isTombstone
      ? undefined
      : rowFault(
          where,
          `it is shown, but the record of entry ${log_index}, which it names, is not given out`,
        );
  if (record === undefined || record === 'absent')
    return rowFault(where, `it is shown, but entry ${log_index}, which it names, has no stored record`);
  const committed = readObject(record.record) ?? {};
  const [field, ...more] = differingFields(committed, members, fields);
  if (field === undefined) return undefined;
  const others = more.length > 0 ? `; ${more.join(', ')} differ too` : '';
  return rowFault(
    where,
    `${field} is ${toShownValue(members[field])}, but log entry ${log_index} says ${toShownValue(committed[field])}${others}`,
  );
}

/** Ratings of other listings, and those that are listed more than once, would be counted so. */
function findMislisted({ handle, ratings }: ShownListing): AuditFault[] {
  const byId = Map.groupBy(ratings, ({ rating_id }) => rating_id);
  const found = (id: string, message: string) => rowFault(`rating ${id} of ${handle}`, message);
  return [...byId].flatMap(([id, same]) => [
    ...(same.length > 1 ? [found(id, `it is listed ${same.length} times`)] : []),
    ...same
      .filter(({ subject_handle }) => subject_handle !== handle)
      .map(({ subject_handle }) => found(id, `it is about ${subject_handle}`)),
  ]);
}

/** What a listing shows that its records do not say, and counts that do not follow from its records. */
export function* findListingFaults(
  listing: ShownListing,
  records: ReadonlyMap<number, ReadRecord>,
): AuditSteps {
  for (const item of toItems(listing)) yield findItemFault(item, records.get(item.log_index));
  yield* findMislisted(listing);
  yield* findCountFaults(listing);
  yield* findColumnFaults(listing);
  yield* findObservationFaults(listing);
}

function noteNotices({ handle, ratings, moderation = [] }: ShownListing, { notices }: AuditState): void {
  const note = (at: Omit<ShownNotice, 'notice'>, shown: readonly ModerationNotice[] = []) => {
    for (const notice of shown) {
      const known = notices.get(notice.log_index) ?? [];
      notices.set(notice.log_index, known);
      known.push({ ...at, notice });
    }
  };
  note({ where: handle, handle }, moderation);
  for (const { rating_id, moderation: ofRating, response } of ratings) {
    note({ where: `rating ${rating_id}`, rating_id }, ofRating);
    note({ where: `response to rating ${rating_id}`, rating_id }, response?.moderation);
  }
}

/** Remembers what a listing shows, for the half of the audit that reads the log; finds no fault. */
export function* noteShown(listing: ShownListing, state: AuditState): AuditSteps {
  for (const { where, log_index, erased_at } of toItems(listing)) {
    yield undefined;
    if (log_index < state.size) state.shown[log_index] = 1;
    if (erased_at !== undefined) state.erased.set(log_index, { where, at: erased_at });
  }
  for (const rating of toCounted(listing)) state.ratings.set(rating.rating_id, rating);
  const { handle, claim, events, withdrawn, isHidden } = listing;
  state.listings.set(handle, { claim, events, withdrawn, isHidden });
  noteNotices(listing, state);
}
