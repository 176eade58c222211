import type { ClaimEvent } from '../claims/claim.ts';
import { type JsonObject, ownMember, readObject } from '../core/json.ts';
import { counted } from '../core/text.ts';
import { isCommittedTo } from '../log/leaf.ts';
import { findClaimFaults } from './check-claims.ts';
import { findGroupFaults } from './check-groups.ts';
import {
  type AuditState,
  createSaidActions,
  findModerationFaults,
  hiddenWith,
  isErasedByAction,
  newestOf,
  noteAction,
  shownFrom,
} from './check-listing.ts';
import type { CountedRating } from './check-ratings.ts';
import { type EntryRecord, isWithheld } from './evidence-reader.ts';
import { type AuditFault, logFault, rowFault } from './fault.ts';
import type { AuditSteps } from './steps.ts';

/** The statements of the entries that were read. Other entries or rows must agree with these statements. */
const createSaid = () => ({
  withdrawn: new Map<string, { readonly at: unknown; readonly log_index: number }>(),
  amended: new Map<string, { readonly by: string; readonly log_index: number }>(),
  erased: new Map<number, { readonly at: string; readonly by: number }>(),
  absent: new Map<number, string>(),
  /** From the entry of each rating whose record is withheld to the entry that withdrew the rating. */
  withheld: new Map<number, number>(),
  endings: new Set<number>(),
  ofUnshownListings: new Set<string>(),
  unshownResponses: new Map<number, string>(),
  actions: createSaidActions(),
  claims: new Map<string, ClaimEvent[]>(),
  /** Ratings that only the log shows. */
  unshownRatings: new Map<string, Pick<CountedRating, 'subject_handle' | 'source_root'>>(),
  withheldCount: 0,
});
type Said = ReturnType<typeof createSaid>;

const entryFault = (log_index: number, message: string) => rowFault(`entry ${log_index}`, message);

/**
 * These types are not imported from the code that writes the entries. If that code wrote an event under a
 * wrong type, the audit would otherwise not notice.
 */
const eventTypes = [
  'claim.activated',
  'claim.suspended',
  'claim.keys_changed',
  'capability.revoked',
  'listing.withdrawn',
  'listing.restored',
];

function checkShownEvent(
  { handle, type }: JsonObject,
  log_index: number,
  { unshownListings, listings }: AuditState,
) {
  const { events = [] } = listings.get(String(handle)) ?? {};
  if (unshownListings.has(String(handle)) || log_index < shownFrom(events, type === 'keys_changed'))
    return [];
  return [
    entryFault(
      log_index,
      `it records the event "${type}", which the claim history of ${handle} does not show`,
    ),
  ];
}

function checkShownChange(
  { handle }: JsonObject,
  log_index: number,
  { unshownListings }: AuditState,
): AuditFault[] {
  if (unshownListings.has(String(handle))) return [];
  return [entryFault(log_index, `it records changes that Dossier saw at ${handle}, which are shown nowhere`)];
}

function checkSaid(
  type: string,
  members: JsonObject,
  log_index: number,
  said: Said,
  state: AuditState,
): AuditFault[] {
  const isUnshown = log_index < state.size && state.shown[log_index] === 0;
  const id = String(members.id);
  if (['rating.submitted', 'rating.amended'].includes(type)) {
    const isOfUnshown = state.unshownListings.has(String(members.subject_handle));
    if (isOfUnshown) said.ofUnshownListings.add(id);
    const { subject_handle, source_root } = members;
    if (state.shown[log_index] !== 1)
      said.unshownRatings.set(id, {
        subject_handle: String(subject_handle),
        source_root: String(source_root),
      });
    if (members.supersedes !== undefined) said.amended.set(String(members.supersedes), { by: id, log_index });
    return isUnshown && !isOfUnshown
      ? [
          entryFault(
            log_index,
            `it records rating ${id} of ${members.subject_handle}, but that rating is shown nowhere`,
          ),
        ]
      : [];
  }
  if (type === 'moderation.applied') noteAction(said.actions, members, log_index);
  if (type === 'rating.withdrawn') {
    said.withdrawn.set(id, { at: members.withdrawn_at, log_index });
    if (state.unshownListings.has(String(members.subject_handle))) said.ofUnshownListings.add(id);
  }
  if (type === 'record.erased')
    said.erased.set(Number(members.log_index), { at: String(members.erased_at), by: log_index });
  if (eventTypes.includes(type)) {
    const handle = String(members.handle);
    const event = { ...members, log_index } as unknown as ClaimEvent;
    const known = said.claims.get(handle);
    if (known) known.push(event);
    else said.claims.set(handle, [event]);
  }
  if (type === 'rating.responded' && isUnshown)
    said.unshownResponses.set(log_index, String(members.rating_id));
  if (isUnshown && type === 'observation.changed') return checkShownChange(members, log_index, state);
  return isUnshown && eventTypes.includes(type) ? checkShownEvent(members, log_index, state) : [];
}

/** In an older or erased version, `withdrawn_at` may be the time of the amendment or erasure. */
const withdrawnAt = (rating: CountedRating | undefined) =>
  rating?.superseded_by === undefined && rating?.erased_at === undefined ? rating?.withdrawn_at : undefined;

function* findWithdrawalFaults(
  { withdrawn, ofUnshownListings, absent, actions }: Said,
  state: AuditState,
): AuditSteps {
  // If the operator has hidden a rating, its records and the record of its withdrawal are absent.
  const isUnread = (log_index: number) =>
    actions.closed.has(log_index) ||
    hiddenWith(actions, log_index, state.size).some(
      (index) => absent.get(Number(index)) === 'rating.withdrawn',
    );
  for (const [id, rating] of state.ratings) {
    yield undefined;
    const at = withdrawnAt(rating);
    if (at && withdrawn.get(id)?.at !== at && (withdrawn.has(id) || !isUnread(rating.log_index)))
      yield rowFault(`rating ${id}`, `it is shown as withdrawn at ${at}, and no log entry says so`);
  }
  for (const [id, { at, log_index }] of withdrawn) {
    yield undefined;
    const rating = state.ratings.get(id);
    const mustShow = log_index < state.size && !ofUnshownListings.has(id) && rating?.erased_at === undefined;
    if (mustShow && withdrawnAt(rating) !== at)
      yield rowFault(
        `rating ${id}`,
        `entry ${log_index} withdrew it at ${at}, but it is not shown as withdrawn at that time`,
      );
  }
}

function* findAmendmentFaults(
  { amended, ofUnshownListings, withheld, actions }: Said,
  state: AuditState,
): AuditSteps {
  const isUnread = (by: string) => {
    const { log_index = -1, erased_at, hidden_at } = state.ratings.get(by) ?? {};
    return !!erased_at || !!hidden_at || actions.closed.has(log_index) || withheld.has(log_index);
  };
  for (const [id, { superseded_by: by }] of state.ratings)
    yield by !== undefined && amended.get(id)?.by !== by && !isUnread(by)
      ? rowFault(`rating ${id}`, `it is shown as superseded by ${by}, and no log entry says so`)
      : undefined;
  for (const [id, { by, log_index }] of amended)
    yield log_index < state.size && !ofUnshownListings.has(by) && state.ratings.get(id)?.superseded_by !== by
      ? rowFault(
          `rating ${id}`,
          `entry ${log_index} says that rating ${by} amended it, but it is not shown as superseded by that rating`,
        )
      : undefined;
}

function* findErasureFaults({ absent, erased, actions }: Said, state: AuditState): AuditSteps {
  for (const [log_index, type] of absent)
    yield !erased.has(log_index) && hiddenWith(actions, log_index, state.size).length === 0
      ? logFault(
          `entry ${log_index}`,
          `the record of this ${type} is not stored, and no entry "record.erased" names it`,
        )
      : undefined;
  for (const [log_index, { where, at }] of state.erased)
    if (erased.get(log_index)?.at !== at && (erased.has(log_index) || !actions.closed.has(log_index)))
      yield rowFault(where, `it is shown as erased on ${at}, and no log entry says so`);
  for (const [log_index] of erased)
    if (!isErasedByAction(actions, log_index))
      yield logFault(
        `entry ${log_index}`,
        'an entry "record.erased" names it, but no action of the operator erased it',
      );
  for (const [log_index] of erased)
    if (!absent.has(log_index) && !actions.closed.has(log_index) && log_index < state.size)
      yield entryFault(log_index, 'an entry "record.erased" names it, but its record is still stored');
}

function* findWithheldFaults({ withheld, endings }: Said): AuditSteps {
  for (const [log_index, by] of withheld)
    yield endings.has(by)
      ? undefined
      : entryFault(
          log_index,
          `the service withholds its record because entry ${by} withdrew the rating, but that entry does not say so`,
        );
}

function* findResponseFaults(
  { unshownResponses, ofUnshownListings, actions }: Said,
  { ratings }: AuditState,
): AuditSteps {
  // The rating may be in a closed log, and its listing may not be shown.
  const isUnread = (id: string) => actions.closed.size > 0 && !ratings.has(id);
  for (const [log_index, id] of unshownResponses)
    yield !ofUnshownListings.has(id) && !isUnread(id) && ratings.get(id)?.withdrawn_at === undefined
      ? entryFault(log_index, `it records a response to rating ${id}, but that response is shown nowhere`)
      : undefined;
}

/**
 * Returns all claim events of a listing, in the order of the log. If the record of an entry is unread, the
 * event that the listing shows takes its place. Returns undefined if there may be more events.
 */
function readEvents(
  handle: string,
  { claims, absent, actions: { closed } }: Said,
  { listings, unshownListings }: AuditState,
): ClaimEvent[] | undefined {
  const { events: shown } = listings.get(handle) ?? { events: [] };
  const isShown = listings.has(handle) && !unshownListings.has(handle);
  const isShownWhole = isShown && shownFrom(shown, true) === 0 && shownFrom(shown, false) === 0;
  if (closed.size > 0 && !isShownWhole) return undefined;
  const isUnread = ({ log_index }: ClaimEvent) => closed.has(log_index) || absent.has(log_index);
  const events = [...(claims.get(handle) ?? []), ...shown.filter(isUnread)];
  return events.sort((a, b) => a.log_index - b.log_index);
}

function* findAllClaimFaults(said: Said, state: AuditState): AuditSteps {
  for (const handle of new Set([...state.listings.keys(), ...said.claims.keys()])) {
    yield undefined;
    const events = state.unshownListings.has(handle) ? undefined : readEvents(handle, said, state);
    if (events) yield* findClaimFaults({ ...state.listings.get(handle), handle, events }, state.size);
  }
}

const groupActions = ({ actions: { applied } }: Said) =>
  Map.groupBy(
    [...applied].filter(([, { target_kind }]) => target_kind === 'listing'),
    ([, { target }]) => String(target),
  );
type SaidOfListing = NonNullable<ReturnType<ReturnType<typeof groupActions>['get']>>;

const standing = (said: Said, onListing: SaidOfListing, action: string, size: number): number | undefined =>
  onListing.find(
    ([log_index, one]) => one.action === action && log_index < size && !said.actions.ended.has(log_index),
  )?.[0];

/**
 * If the operator acts on a listing while the audit runs, the listing may have been read before or after the
 * action.
 */
const isMoving = (said: Said, onListing: SaidOfListing, size: number): boolean =>
  onListing.some(([log_index]) => log_index >= size || (said.actions.ended.get(log_index) ?? -1) >= size);

function* findListingStateFaults(said: Said, state: AuditState): AuditSteps {
  const actions = groupActions(said);
  for (const [handle, { withdrawn, isHidden }] of state.listings) {
    yield undefined;
    const onListing = actions.get(handle) ?? [];
    const events = readEvents(handle, said, state) ?? [];
    const optedOut = events.findLast(({ type }) => type.startsWith('listing_'));
    if ((optedOut && optedOut.log_index >= state.size) || isMoving(said, onListing, state.size)) continue;
    const isOptedOut = optedOut?.type === 'listing_withdrawn';
    const by = isOptedOut ? optedOut.log_index : standing(said, onListing, 'withdraw', state.size);
    const where = `listing ${handle}`;
    if (by !== undefined && withdrawn === undefined)
      yield rowFault(where, `it is shown, but log entry ${by} says that it is withdrawn`);
    if (withdrawn !== undefined && withdrawn !== 'deleted' && by === undefined)
      yield rowFault(where, `it is withdrawn (${withdrawn}), and no log entry says so`);
    const hiddenBy = standing(said, onListing, 'hide', state.size);
    if (isHidden === false && hiddenBy !== undefined)
      yield rowFault(where, `its texts are shown, but log entry ${hiddenBy} says that they are hidden`);
    if (isHidden && hiddenBy === undefined)
      yield rowFault(where, 'its texts are hidden, and no log entry says so');
  }
}

function findAllGroupFaults(said: Said, state: AuditState) {
  return findGroupFaults({
    ratings: newestOf(state),
    unshown: [...said.unshownRatings.values()],
    isWhole: said.actions.closed.size === 0,
    eventsOf: (handle) => readEvents(handle, said, state),
    endedBy: ({ rating_id, log_index }) =>
      said.withdrawn.get(rating_id)?.log_index ?? said.erased.get(log_index)?.by,
    size: state.size,
  });
}

const unknownReasons: Readonly<Record<string, string>> = {
  related:
    'the claim events of the rated listing cannot all be read, or a new event was added while the audit ran',
  declared_interest: 'an erased version of a rating by the same source may have declared an interest',
  reciprocal:
    'a rating in the other direction may exist that could not be read, or a rating changed while the audit ran',
  source_ended:
    'the claim events of the source cannot all be read, or a new event was added while the audit ran',
  new_source:
    'the claim events of the source cannot all be read, a new event was added while the audit ran, or the source stops being new, seven days after its first proof, at about the time of the reading',
};

function* toNotChecked(said: Said, state: AuditState, unknown: ReadonlyMap<string, number>) {
  const current = newestOf(state).filter((rating) => rating.isCurrent).length;
  if (current > 0)
    yield `stated_overlap of ${counted(current, 'rating')}: the log does not contain the registry records that this flag depends on`;
  for (const [flag, count] of unknown)
    yield `${flag} of ${counted(count, 'rating')}: ${ownMember(unknownReasons, flag)}`;
  if (said.actions.closed.size > 0)
    yield `${counted(said.actions.closed.size, 'record')} of closed logs: a service gives out only the records of its newest log`;
  if (said.withheldCount > 0)
    yield `${counted(said.withheldCount, 'record')} of withdrawn ratings, or of withdrawn or hidden listings: a service does not give them out`;
  if (state.unshownListings.size > 0)
    yield `${counted(state.unshownListings.size, 'listing')} that the log names and the service does not show: the log does not record what the registry withdrew, so an audit cannot tell whether they should be shown`;
}

/** A response to a withdrawn rating is not shown. */
const isActionShown = (
  { handle, target, target_kind }: JsonObject,
  { unshownListings, ratings }: AuditState,
): boolean =>
  !unshownListings.has(String(handle)) &&
  !(target_kind === 'response' && ratings.get(String(target))?.withdrawn_at);

/** Only records of withdrawn ratings, and observations of withdrawn or hidden listings, may be withheld. */
function checkWithheld(
  type: string,
  log_index: number,
  withdrawn_by: number | undefined,
  { withheld }: Said,
): AuditFault[] {
  if (withdrawn_by !== undefined && type.startsWith('rating.')) withheld.set(log_index, withdrawn_by);
  else if (type !== 'observation.changed')
    return [logFault(`entry ${log_index}`, `the service does not give out the record of this ${type}`)];
  return [];
}

/** Compares entries with what the listings show. Entries must come in the order of the logs. */
export function createEntryCheck(state: AuditState) {
  const said = createSaid();
  const { actions } = said;
  return {
    check(log_index: number, leaf: string, record: EntryRecord): AuditFault[] {
      const where = `entry ${log_index}`;
      const type = readObject(leaf)?.t;
      if (typeof type !== 'string') return [logFault(where, 'its leaf is not the canonical JSON of a leaf')];
      if (type === 'rating.withdrawn' || type === 'record.erased') said.endings.add(log_index);
      if (record === 'absent') said.absent.set(log_index, type);
      if (record === 'closed') actions.closed.add(log_index);
      if (record === 'refused')
        return [
          logFault(
            where,
            'the service gives no proof of it, because the stored entry disagrees with the tree',
          ),
        ];
      if (record === 'absent' || record === 'closed') return [];
      if (isWithheld(record)) {
        said.withheldCount += 1;
        return checkWithheld(type, log_index, record.withdrawn_by, said);
      }
      if (!isCommittedTo(leaf, record))
        return [logFault(where, `its stored record is not the one that its leaf (${type}) commits to`)];
      return checkSaid(type, readObject(record.record) ?? {}, log_index, said, state);
    },
    /**
     * Finds the faults that are known only after the last entry. Returns sentences about what could not be
     * checked.
     */
    *finish(): AuditSteps<string[]> {
      yield* findWithdrawalFaults(said, state);
      yield* findAmendmentFaults(said, state);
      yield* findErasureFaults(said, state);
      yield* findResponseFaults(said, state);
      yield* findWithheldFaults(said);
      yield* findAllClaimFaults(said, state);
      yield* findListingStateFaults(said, state);
      const unknown = yield* findAllGroupFaults(said, state);
      const isShown = (members: JsonObject) => isActionShown(members, state);
      yield* findModerationFaults(actions, state.notices, { size: state.size, isShown });
      return [...toNotChecked(said, state, unknown)];
    },
  };
}
