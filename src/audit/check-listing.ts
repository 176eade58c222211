import { hash } from 'node:crypto';
import { type ClaimEvent, claimEvent } from '../claims/claim.ts';
import { asMembers, isJsonObject, type JsonObject, readObject } from '../core/json.ts';
import { toGroupCounts } from '../ratings/counts.ts';
import { isCurrent, type RatingRecord } from '../ratings/rating.ts';
import { afterVersion, type FoldedRating, toPairUntil, toSource } from '../ratings/rules.ts';
import type { ShownNotice } from './check-moderation.ts';
import { findObservationFaults } from './check-observations.ts';
import { differingFields, shownRatingFields } from './entry-proof.ts';
import { type AuditFault, type AuditSteps, logFault, rowFault, toShownValue } from './fault.ts';
import { type EntryRecord, isWithheld, type OwnRows, type ShownListing } from './served.ts';

/** Neither the clocks of nodes nor the order of a list is reliable. */
const inLogOrder = (ratings: Iterable<RatingRecord>) =>
  [...ratings].sort((one, other) => one.log_index - other.log_index);

const newestBy = (ratings: readonly RatingRecord[], toKey: (rating: RatingRecord) => string) =>
  new Set(new Map(ratings.map((rating) => [`${rating.group} ${toKey(rating)}`, rating])).values());

function countListed(current: readonly RatingRecord[]) {
  const ratings = inLogOrder(current);
  const ofSources = newestBy(ratings, ({ source_root }) => toSource(source_root).source);
  const ofHandles = newestBy(ratings, ({ source_handle }) => source_handle);
  return toGroupCounts(
    ratings.flatMap((rating) => {
      const { group: in_group, outcome, score = null, proof_class, created_at: last } = rating;
      const sources = Number(ofSources.has(rating));
      const source_handles = Number(ofHandles.has(rating));
      return in_group
        ? { in_group, outcome, score, proof_class, last, ratings: 1, sources, source_handles }
        : [];
    }),
  );
}

function findVoidFault({ rating_id, voided_at, moderation = [] }: RatingRecord, handle: string) {
  const said = moderation.find(({ action }) => action === 'void')?.at;
  if (said === voided_at) return [];
  const shown = `voided_at is ${toShownValue(voided_at)}, but the actions of the operator say ${toShownValue(said)}`;
  return [rowFault(`rating ${rating_id} of ${handle}`, shown)];
}

function toDiffering(one: unknown, other: unknown): string {
  if (!isJsonObject(one)) return toShownValue(one);
  const others = asMembers(other);
  const differ = differingFields(one, others, Object.keys({ ...one, ...others }));
  return toShownValue(Object.fromEntries(differ.map((field) => [field, one[field]])));
}

const findDifferences = (where: string, shown: JsonObject, listed: JsonObject, fields: readonly string[]) =>
  differingFields(listed, shown, fields).map((field) => {
    const is = toDiffering(shown[field], listed[field]);
    const must = toDiffering(listed[field], shown[field]);
    return rowFault(where, `the document has ${is} as ${field}, but the listed records lead to ${must}`);
  });

function findCountFaults({ handle, native, ratings }: ShownListing): AuditFault[] {
  const current = ratings.filter(isCurrent);
  const flags = Object.groupBy(
    current.flatMap((rating) => rating.flags ?? []),
    (flag) => flag,
  );
  const listed = new Map(ratings.map((rating) => [rating.rating_id, rating]));
  const counted: JsonObject = {
    ...countListed(current),
    ratings: current.length,
    flags: Object.fromEntries(Object.entries(flags).map(([flag, { length }]) => [flag, length])),
    voided: ratings.filter(({ voided_at }) => voided_at !== undefined).length,
    // Older versions of a hidden rating have no action of their own to count.
    hidden: ratings.filter(({ moderation = [] }) => moderation.some(({ action }) => action === 'hide'))
      .length,
  };
  return [
    ...ratings.flatMap((rating) => findVoidFault(rating, handle)),
    ...findDifferences(`counts of ${handle}`, { ...native }, counted, Object.keys(counted)),
    ...native.recent.flatMap((shown) => {
      const record = { ...listed.get(shown.rating_id) };
      return findDifferences(`rating ${shown.rating_id} of ${handle}`, shown, record, Object.keys(shown));
    }),
  ];
}

const interactionOf = ({ source_handle, interaction_id = '', interaction_sha256 }: RatingRecord) =>
  `${source_handle} ${interaction_sha256 ?? hash('sha256', interaction_id)}`;

function foldVersions(ratings: readonly RatingRecord[]): ReadonlyMap<string, FoldedRating> {
  const inOrder = inLogOrder(ratings);
  const keys = new Map<string, string>();
  // An erased version states no interaction, but the version that amended it may.
  for (const rating of inOrder.toReversed()) {
    const { rating_id, erased_at, superseded_by = '' } = rating;
    const key = erased_at === undefined ? interactionOf(rating) : (keys.get(superseded_by) ?? rating_id);
    keys.set(rating_id, key);
  }
  const newest = new Map<string | undefined, FoldedRating>();
  return new Map(
    inOrder.map((rating) => {
      const key = keys.get(rating.rating_id);
      const facts = afterVersion(newest.get(key), rating);
      newest.set(key, facts);
      return [rating.rating_id, facts];
    }),
  );
}

/** An erased version may have stated something that no other does. */
const sourcesOfErased = (ratings: readonly RatingRecord[]) =>
  new Set(ratings.flatMap(({ erased_at, source_handle }) => (erased_at === undefined ? [] : source_handle)));

/** `isUnknown`: a version that is erased or not listed may have stated something that no other does. */
function toCounted({ ratings, own, read_on }: ShownListing) {
  const facts = foldVersions(ratings);
  const unknown = sourcesOfErased(ratings);
  return ratings.map((rating) => {
    const { comment, evidence, operation, tags, response, moderation, ...kept } = rating;
    const { group_reason = '', flags = [], rating_id, supersedes } = rating;
    const { new_until, source_ended_at } = own?.derived.get(rating_id) ?? {};
    return {
      ...kept,
      ...(facts.get(rating_id) ?? afterVersion(undefined, rating)),
      group_reason,
      flags,
      new_until,
      source_ended_at,
      read_on,
      isCurrent: isCurrent(rating),
      isUnknown: unknown.has(rating.source_handle) || (supersedes !== undefined && !facts.has(supersedes)),
    };
  });
}
export type CountedRating = ReturnType<typeof toCounted>[number];

/** Only the database shows these columns. */
function* findColumnFaults(listing: ShownListing): AuditSteps {
  if (!listing.own) return;
  for (const rating of toCounted(listing)) {
    yield undefined;
    const { rating_id, subject_handle, source_root, first_created_at } = rating;
    const folded = { first_created_at, pair_until: toPairUntil(rating) };
    const expected: JsonObject = {
      ...toSource(source_root),
      is_current: rating.isCurrent ? 1 : 0,
      ...(!rating.isUnknown && folded),
    };
    const stored: JsonObject = { ...listing.own.derived.get(rating_id) };
    for (const field of differingFields(expected, stored, Object.keys(expected)))
      yield rowFault(
        `rating ${rating_id} of ${subject_handle}`,
        `${field} is ${toShownValue(stored[field])}, but its listed versions make it ${toShownValue(expected[field])}`,
      );
  }
}

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
