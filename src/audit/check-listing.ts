import { type ClaimEvent, claimEvent } from '../claims/claim.ts';
import { type JsonObject, readObject } from '../core/json.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import { kinds } from '../observations/kinds.ts';
import type { ObservationChange } from '../observations/observation.ts';
import { isLearnedOutcome } from '../observations/outcome.ts';

import type { RecordedChange } from '../observations/table.ts';
import { essenceOf, keyOf } from '../observations/timeline/timeline.ts';
import type { RatingRecord } from '../ratings/rating.ts';
import { type CountedRating, findColumnFaults, findCountFaults, toCounted } from './check-ratings.ts';
import { differingFields, shownRatingFields } from './entry-proof.ts';
import { type EntryRecord, isWithheld, type ShownListing } from './evidence-reader.ts';
import { type AuditFault, logFault, rowFault, toShownValue } from './fault.ts';
import type { AuditSteps } from './steps.ts';

interface ShownNotice {
  readonly where: string;
  readonly notice: ModerationNotice;
  readonly rating_id?: string;
  readonly handle?: string;
}

export const createSaidActions = () => ({
  /** Actions by log index, including those that have ended. */
  applied: new Map<number, JsonObject>(),
  /** The key is the log index of an ended action, and the value that of the entry that ended it. */
  ended: new Map<number, number>(),
  /** Entries whose records a service does not give out, because their log is closed. */
  closed: new Set<number>(),
});
type SaidActions = ReturnType<typeof createSaidActions>;

export function noteAction({ applied, ended }: SaidActions, members: JsonObject, log_index: number): void {
  if (typeof members.ends === 'number') ended.set(members.ends, log_index);
  else applied.set(log_index, members);
}

const hadEnded = ({ ended }: SaidActions, log_index: number, size: number): boolean =>
  (ended.get(log_index) ?? size) < size;

const reaches = (indexes: unknown, index: number) => Array.isArray(indexes) && indexes.includes(index);

/**
 * Returns all log indexes of the actions in force that hide entry `record_index`, which is included. Returns
 * an empty list if no action hides that entry.
 */
export const hiddenWith = (said: SaidActions, record_index: number, size: number): unknown[] =>
  [...said.applied].flatMap(([log_index, { action, record_indexes }]) =>
    action === 'hide' && reaches(record_indexes, record_index) && !hadEnded(said, log_index, size)
      ? record_indexes
      : [],
  );

export const isErasedByAction = ({ applied }: SaidActions, record_index: number): boolean =>
  [...applied.values()].some(
    ({ action, record_indexes }) => action === 'erase' && reaches(record_indexes, record_index),
  );

const noticeFields = ['action', 'reason', 'statement', 'at'] as const;
const pick = (members: JsonObject) => toCanonicalJson(noticeFields.map((field) => members[field] ?? null));

/** An action without a handle, such as a block of a namespace, may be shown with any listing. */
const isAbout = ({ target_kind, target, handle }: JsonObject, shown: ShownNotice): boolean =>
  shown.rating_id === undefined
    ? target_kind !== 'rating' &&
      target_kind !== 'response' &&
      (handle === undefined || handle === shown.handle)
    : (target_kind === 'rating' || target_kind === 'response') && target === shown.rating_id;

function findShownFault(actions: SaidActions, shown: ShownNotice, size: number): AuditFault | undefined {
  const { where, notice } = shown;
  const { log_index } = notice;
  if (actions.closed.has(log_index)) return undefined;
  const said = actions.applied.get(log_index);
  const text = `it shows the action "${notice.action}" of the operator by entry ${log_index}`;
  if (!said) return rowFault(where, `${text}, but that entry records no action`);
  if (hadEnded(actions, log_index, size))
    return rowFault(where, `${text}, but another entry ended that action`);
  if (!isAbout(said, shown))
    return rowFault(where, `${text}, but that entry is about ${said.target_kind} ${said.target}`);
  return pick(said) === pick(notice)
    ? undefined
    : rowFault(where, `${text}, but that entry says something else`);
}

/** While a listing is shown, readers must see the actions on targets of these kinds. */
const shownKinds = ['rating', 'response', 'listing', 'capability'];

/** `isShown` tells whether the target of an action is shown. */
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
        `it records the action "${members.action}" of the operator on ${members.target_kind} ${members.target}, but the action is shown nowhere`,
      );
  }
}

export const createAuditState = (size: number) => ({
  /** The number of entries when the audit began. Later entries need not be shown yet. */
  size,
  /** Has 1 at the index of each of the first `size` entries that is shown somewhere. */
  shown: new Uint8Array(size),
  listings: new Map<string, Pick<ShownListing, 'claim' | 'events' | 'withdrawn' | 'isHidden'>>(),
  /** Listings of which the reader shows nothing. */
  unshownListings: new Set<string>(),
  ratings: new Map<string, CountedRating>(),
  erased: new Map<number, { readonly where: string; readonly at: string }>(),
  notices: new Map<number, ShownNotice[]>(),
});
export type AuditState = ReturnType<typeof createAuditState>;

export const newestOf = ({ ratings }: AuditState): CountedRating[] =>
  [...ratings.values()].filter(({ superseded_by }) => superseded_by === undefined);

const tallies: ReadonlySet<string> = new Set(kinds.filter(({ isTally }) => isTally).map(({ kind }) => kind));

function isAsSaid(
  fact: ShownListing['observations']['current'][number],
  { before, after, alternates_since }: ObservationChange,
): boolean {
  // The reason why nothing was learned may differ from day to day without a log entry.
  if (!isLearnedOutcome(fact.outcome) && !isLearnedOutcome(after.outcome)) return true;
  // Later changes between two states that alternate are no entries.
  const said = before && alternates_since ? [after, before] : [after];
  return said.some((one) => toCanonicalJson(essenceOf(fact)) === toCanonicalJson(essenceOf(one)));
}

const toNoticeText = ({ value, outcome }: ObservationChange['after']) =>
  `${toShownValue(value)} (${outcome})`;

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
    if (!last)
      return [rowFault(where, `it is shown as ${toNoticeText(fact)}, but no change of it is stored`)];
    if (isAsSaid(fact, last.fact)) return [];
    const said = `its newest change, log entry ${last.log_index}, says ${toNoticeText(last.fact.after)}`;
    return [rowFault(where, `it is shown as ${toNoticeText(fact)}, but ${said}`)];
  });
}

/** `fields` names the members that must equal those in the record of the entry. */
interface ShownItem {
  readonly where: string;
  readonly log_index: number;
  readonly members: JsonObject;
  readonly fields: readonly string[];
  readonly erased_at?: string | undefined;
  /** Set if the text of the item is hidden. The record of the entry may then be absent. */
  readonly hidden_at?: string | undefined;
  /** Set if the texts of the item are not shown. A service may then withhold the record of the entry. */
  readonly isTombstone?: boolean | undefined;
}

/** A claim history shows at most this many changes of keys. */
const mostKeyChanges = 20;
/** A claim history shows at most this many other events. */
const longestHistory = 100;

/**
 * A history is cut separately for changes of keys (`isOfKeys`) and for all remaining events. Returns the log
 * index from which the history shows all events of the given sort, or 0 if it shows all of them.
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

export const indexesOf = ({ ratings, events, observations }: ShownListing): number[] => [
  ...ratings.flatMap(({ log_index, response }) => [log_index, ...(response ? [response.log_index] : [])]),
  ...[...events, ...observations.changes].map(({ log_index }) => log_index),
];

function findItemFault(
  { where, log_index, members, fields, erased_at, hidden_at, isTombstone }: ShownItem,
  record: EntryRecord | undefined,
): AuditFault | undefined {
  if (erased_at !== undefined || record === 'closed') return undefined;
  if (record === 'refused')
    return logFault(
      where,
      `it names entry ${log_index}, which disagrees with the tree, so the service gives no proof of that entry`,
    );
  if (hidden_at !== undefined && record === 'absent') return undefined;
  if (isWithheld(record))
    return isTombstone
      ? undefined
      : rowFault(
          where,
          `it is shown and names entry ${log_index}, but the service does not give out the record of that entry`,
        );
  if (record === undefined || record === 'absent')
    return rowFault(where, `it is shown and names entry ${log_index}, but no record of that entry is stored`);
  const committed = readObject(record.record) ?? {};
  const [field, ...more] = differingFields(committed, members, fields);
  if (field === undefined) return undefined;
  const others = more.length > 0 ? `; ${more.join(', ')} differ too` : '';
  return rowFault(
    where,
    `${field} is ${toShownValue(members[field])}, but log entry ${log_index} says ${toShownValue(committed[field])}${others}`,
  );
}

function findMislisted({ handle, ratings }: ShownListing): AuditFault[] {
  const byId = Map.groupBy(ratings, ({ rating_id }) => rating_id);
  const found = (id: string, message: string) => rowFault(`rating ${id} of ${handle}`, message);
  return [...byId].flatMap(([id, same]) => [
    ...(same.length > 1 ? [found(id, `it is listed ${same.length} times`)] : []),
    ...same
      .filter(({ subject_handle }) => subject_handle !== handle)
      .map(({ subject_handle }) => found(id, `it is listed here, but it is about ${subject_handle}`)),
  ]);
}

export function* findListingFaults(
  listing: ShownListing,
  records: ReadonlyMap<number, EntryRecord>,
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
