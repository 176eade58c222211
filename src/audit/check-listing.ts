import { type ClaimEvent, claimEvent } from '../claims/claim.ts';
import { type JsonObject, readObject } from '../core/json.ts';
import type { RatingRecord } from '../ratings/rating.ts';
import type { ShownNotice } from './check-moderation.ts';
import { findObservationFaults } from './check-observations.ts';
import { type CountedRating, findColumnFaults, findCountFaults, toCounted } from './check-ratings.ts';
import { differingFields, shownRatingFields } from './entry-proof.ts';
import { type EntryRecord, isWithheld, type OwnRows, type ShownListing } from './evidence-reader.ts';
import { type AuditFault, logFault, rowFault, toShownValue } from './fault.ts';
import type { AuditSteps } from './steps.ts';

interface AuditedListing extends Pick<ShownListing, 'handle' | 'claim' | 'events'> {
  readonly notices: readonly ShownNotice[];
  readonly own?: Pick<OwnRows, 'withdrawn' | 'hidden'> | undefined;
}

export const createAuditState = () => ({
  /** Log indexes. */
  shown: new Set<number>(),
  listings: new Map<string, AuditedListing>(),
  /** The reader shows nothing of these now, so no fault of theirs is told. */
  unshownListings: new Set<string>(),
  ratings: new Map<string, CountedRating>(),
  erased: new Map<number, { readonly where: string; readonly at: string; readonly handle: string }>(),
});
export type AuditState = ReturnType<typeof createAuditState>;

/** `fields` must equal those in the record of the entry. */
interface ShownItem {
  readonly where: string;
  readonly log_index: number;
  readonly members: JsonObject;
  readonly fields: readonly string[];
  readonly erased_at?: string | undefined;
  /** The record of the entry may then be absent. */
  readonly hidden_at?: string | undefined;
  /** A service may then withhold the record of the entry. */
  readonly isTombstone?: boolean | undefined;
}

/** A claim history shows at most so many changes of keys and so many other events. */
const mostKeyChanges = 20;
const longestHistory = 100;

/** Returns the log index from which the history shows all events of the sort; 0 if it shows all. */
export function shownFrom(events: readonly Pick<ClaimEvent, 'type' | 'log_index'>[], isOfKeys: boolean) {
  const own = events.filter(({ type }) => (type === 'keys_changed') === isOfKeys);
  const indexes = new Set(own.map(({ log_index }) => log_index));
  return indexes.size >= (isOfKeys ? mostKeyChanges : longestHistory) ? Math.min(...indexes) : 0;
}

const eventFields = ['handle', ...Object.keys(claimEvent.omit({ keys: true, log_index: true }).shape)];

function toResponse({ rating_id, subject_handle, response }: RatingRecord): ShownItem[] {
  if (!response) return [];
  const { text, created_at, ...shown } = response;
  const members = { rating_id, subject_handle, text, created_at };
  const fields = Object.keys(members).filter((field) => field !== 'text' || !response.hidden_at);
  return [{ where: `response to rating ${rating_id}`, ...shown, members, fields }];
}

function* toItems(listing: ShownListing): Generator<ShownItem> {
  const { handle, ratings, events, observations, moderation = [] } = listing;
  for (const rating of ratings) {
    const { rating_id, log_index, erased_at, hidden_at, withdrawn_at } = rating;
    yield {
      where: `rating ${rating_id} of ${handle}`,
      log_index,
      erased_at,
      hidden_at,
      members: { ...rating, id: rating_id },
      fields: shownRatingFields(rating),
      isTombstone: withdrawn_at !== undefined,
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

export const indexesOf = (listing: ShownListing): number[] =>
  [...toItems(listing)].map(({ log_index }) => log_index);

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
  if (isWithheld(record) && isTombstone) return undefined;
  if (record === undefined || record === 'absent' || isWithheld(record))
    return rowFault(
      where,
      `it is shown and names entry ${log_index}, but no record of that entry is ${isWithheld(record) ? 'given out' : 'stored'}`,
    );
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
  const counts = Map.groupBy(ratings, ({ rating_id }) => rating_id);
  const found = (id: string, message: string) => rowFault(`rating ${id} of ${handle}`, message);
  return ratings.flatMap((one) => {
    const { length = 1 } = counts.get(one.rating_id) ?? [];
    return [
      ...(length > 1 ? [found(one.rating_id, `it is listed ${length} times`)] : []),
      ...(one.subject_handle === handle
        ? []
        : [found(one.rating_id, `it is listed here, but it is about ${one.subject_handle}`)]),
    ];
  });
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

function toNotices({ handle, ratings, moderation }: ShownListing): ShownNotice[] {
  const note = (at: Omit<ShownNotice, 'notice'>, shown: ShownListing['moderation'] = []) =>
    shown.map((notice) => ({ ...at, notice }));
  return [
    ...note({ where: handle, handle }, moderation),
    ...ratings.flatMap(({ rating_id, moderation: ofRating, response }) => [
      ...note({ where: `rating ${rating_id}`, handle, rating_id }, ofRating),
      ...note({ where: `response to rating ${rating_id}`, handle, rating_id }, response?.moderation),
    ]),
  ];
}

/** Replaces what was noted before. */
export function* noteShown(listing: ShownListing, state: AuditState): AuditSteps {
  const { handle, claim, events, own } = listing;
  state.unshownListings.delete(handle);
  for (const { where, log_index, erased_at } of toItems(listing)) {
    yield undefined;
    state.shown.add(log_index);
    if (erased_at !== undefined) state.erased.set(log_index, { where, at: erased_at, handle });
  }
  for (const rating of toCounted(listing)) state.ratings.set(rating.rating_id, rating);
  const rows = own && { withdrawn: own.withdrawn, hidden: own.hidden };
  state.listings.set(handle, { handle, claim, events, notices: toNotices(listing), own: rows });
}
