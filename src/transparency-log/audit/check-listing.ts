import { differingFields, shownRatingFields } from '../../evidence/log/compare-record.ts';
import { readMembers } from '../../evidence/log/read-record.ts';
import type { ModerationNotice } from '../../evidence/moderation/moderation.ts';
import type { RatingRecord } from '../../evidence/rating/rating.ts';
import type { AuditState } from './audit-state.ts';
import { findCountFaults } from './check-counts.ts';
import { toCounted } from './check-groups.ts';
import type { ShownNotice } from './check-moderation.ts';
import { findObservationFaults } from './check-observations.ts';
import { isWithheld, type ReadRecord, type ShownListing } from './evidence-reader.ts';
import { type AuditFault, logFault, rowFault, toShownValue } from './fault.ts';

type Members = Readonly<Record<string, unknown>>;

/** One thing that is shown, the entry that it names, and the fields that must be as in the entry's record. */
interface ShownItem {
  readonly where: string;
  readonly log_index: number;
  readonly members: Members;
  readonly fields: readonly string[];
  readonly erased_at?: string | undefined;
  /** Its text is hidden, and its record may be. */
  readonly hidden_at?: string | undefined;
  /** Its texts are shown no more, so a service need not give out its record. */
  readonly isTombstone?: boolean | undefined;
}

/** A history shows no more events than this. */
const longestHistory = 100;

const eventFields = [
  'handle',
  'type',
  'at',
  'kind',
  'repository',
  'domain',
  'root',
  'root_generation',
  'commit',
  'reason',
];

function toResponse({ rating_id, subject_handle, response }: RatingRecord): ShownItem[] {
  if (!response) return [];
  return [
    {
      where: `response to rating ${rating_id}`,
      ...{ log_index: response.log_index, erased_at: response.erased_at, hidden_at: response.hidden_at },
      members: { rating_id, subject_handle, text: response.text, created_at: response.created_at },
      fields: ['rating_id', 'subject_handle', ...(response.hidden_at ? [] : ['text']), 'created_at'],
    },
  ];
}

const changeFields = ['handle', 'at', 'vantage', 'changes'];

const toItems = ({ handle, ratings, events, observations, moderation = [] }: ShownListing): ShownItem[] => [
  ...ratings.flatMap((rating) => [
    {
      where: `rating ${rating.rating_id} of ${handle}`,
      ...{ log_index: rating.log_index, erased_at: rating.erased_at, hidden_at: rating.hidden_at },
      members: { ...rating, id: rating.rating_id },
      fields: shownRatingFields(rating),
      isTombstone: rating.withdrawn_at !== undefined,
    },
    ...toResponse(rating),
  ]),
  ...events.map((event) => ({
    where: `claim event ${event.type} of ${handle} at ${event.at}`,
    log_index: event.log_index,
    members: { ...event, handle },
    fields: eventFields,
  })),
  ...observations.changes.map((change) => ({
    where: `changes of ${handle} at ${change.at}`,
    log_index: change.log_index,
    members: { ...change },
    fields: changeFields,
    isTombstone: moderation.some(({ action }) => action === 'hide'),
  })),
];

/** The log indexes that a listing shows. */
export const indexesOf = (listing: ShownListing): number[] =>
  toItems(listing).map(({ log_index }) => log_index);

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
  const committed = readMembers(record.record) ?? {};
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
export function findListingFaults(
  listing: ShownListing,
  records: ReadonlyMap<number, ReadRecord>,
): AuditFault[] {
  const faults = toItems(listing).map((item) => findItemFault(item, records.get(item.log_index)));
  const { handle, observations } = listing;
  return [
    ...faults.filter((fault) => fault !== undefined),
    ...findMislisted(listing),
    ...findCountFaults(listing),
    ...findObservationFaults(handle, observations),
  ];
}

function noteRating(
  { rating_id: id, withdrawn_at, superseded_by, erased_at, hidden_at, log_index }: RatingRecord,
  state: AuditState,
): void {
  if (hidden_at !== undefined) state.hiddenRatings.add(id);
  if (superseded_by !== undefined) state.superseded.set(id, superseded_by);
  if (withdrawn_at === undefined) return;
  state.tombstones.set(id, log_index);
  if (erased_at !== undefined) state.erasedRatings.add(id);
  else if (superseded_by === undefined) state.withdrawn.set(id, withdrawn_at);
}

function noteNotices({ handle, ratings, moderation = [] }: ShownListing, { notices }: AuditState): void {
  const note = (at: Omit<ShownNotice, 'notice'>, shown: readonly ModerationNotice[] = []) => {
    for (const notice of shown)
      notices.set(notice.log_index, [...(notices.get(notice.log_index) ?? []), { ...at, notice }]);
  };
  note({ where: handle, handle }, moderation);
  for (const { rating_id, moderation: ofRating, response } of ratings) {
    note({ where: `rating ${rating_id}`, rating_id }, ofRating);
    note({ where: `response to rating ${rating_id}`, rating_id }, response?.moderation);
  }
}

/** Remembers what a listing shows, for the half of the audit that reads the log. */
export function noteShown(listing: ShownListing, state: AuditState): void {
  for (const { where, log_index, erased_at } of toItems(listing)) {
    if (log_index < state.size) state.shown[log_index] = 1;
    if (erased_at !== undefined) state.erased.set(log_index, { where, at: erased_at });
  }
  for (const rating of listing.ratings) noteRating(rating, state);
  state.counted.push(...toCounted(listing));
  const { handle, claim, events, withdrawn, isHidden } = listing;
  state.listings.set(handle, { withdrawn, isHidden });
  if (claim || events.length > 0) state.claims.set(handle, { claim, events });
  noteNotices(listing, state);
  const indexes = new Set(events.map(({ log_index }) => log_index));
  if (indexes.size >= longestHistory) state.cutHistories.set(handle, Math.min(...indexes));
}
