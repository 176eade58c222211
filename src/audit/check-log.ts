import { type ClaimEvent, foldClaim, isProof, placeMember } from '../claims/claim.ts';
import { type LoggedKeys, toLoggedKeys } from '../claims/receipt-keys.ts';
import { type JsonObject, ownMember, readObject } from '../core/json.ts';
import { counted } from '../core/text.ts';
import { isCommittedTo } from '../log/leaf.ts';
import { findGroupFaults } from './check-groups.ts';
import { type AuditState, shownFrom } from './check-listing.ts';
import {
  createSaidActions,
  findModerationFaults,
  isReached,
  noteAction,
  standingOn,
} from './check-moderation.ts';
import { differingFields } from './entry-proof.ts';
import { type AuditFault, type AuditSteps, logFault, rowFault, toShownValue } from './fault.ts';
import { type AuditedClaim, type EntryRecord, isWithheld, type ShownListing } from './served.ts';

type DatedKey = LoggedKeys['published'][number] & { readonly valid_from: string; valid_until?: string };
const newestFirst = (keys: readonly DatedKey[]): DatedKey[] =>
  keys.toSorted((a, b) => (`${a.valid_from} ${a.kid_sha256}` < `${b.valid_from} ${b.kid_sha256}` ? 1 : -1));

/** A listing document shows this many, the newest. */
const mostKeys = 20;

/** The newest key is first. Undefined if an event states only how many keys it published. */
function loggedKeys(events: readonly ClaimEvent[], shown: readonly DatedKey[]): DatedKey[] | undefined {
  const known: DatedKey[] = [];
  const open = new Map<string, DatedKey[]>();
  for (const { at, keys } of events) {
    if (typeof keys?.published === 'number') return undefined;
    const { published = [], ended = [] } = (keys ?? {}) as Partial<LoggedKeys>;
    for (const kid_sha256 of ended) {
      for (const key of open.get(kid_sha256) ?? []) key.valid_until = at;
      open.delete(kid_sha256);
    }
    for (const key of published) {
      const dated: DatedKey = { ...key, valid_from: at };
      known.push(dated);
      open.set(key.kid_sha256, [...(open.get(key.kid_sha256) ?? []), dated]);
    }
  }
  // Of keys that were first seen at the same time, the document may show only some.
  const oldest = shown[mostKeys - 1]?.valid_from ?? '';
  const isShown = ({ valid_from, kid_sha256 }: DatedKey) =>
    valid_from > oldest || (valid_from === oldest && shown.some((one) => one.kid_sha256 === kid_sha256));
  return newestFirst(known).filter(isShown);
}

/** Addresses of one repository may differ in these. */
const toPlace = (address: string | undefined) => address?.toLowerCase().replace(/(\.git)?\/*$/, '');
const toComparable = ({ repository, domain, receipt_keys = [], ...claim }: AuditedClaim) => ({
  ...claim,
  place: toPlace(repository ?? domain),
  receipt_keys: newestFirst(
    receipt_keys.flatMap(({ valid_from, valid_until, ...key }) =>
      toLoggedKeys([key], []).published.map((one) => ({
        ...one,
        valid_from,
        ...(valid_until && { valid_until }),
      })),
    ),
  ),
});

const fields = ['state', 'suspended_reason', 'kind', 'place', 'claimed_at', 'commit', 'receipt_keys'];
/** The audit can read these only from a database. */
const rootFields = ['root', 'root_generation', 'first_proved_at'];

export function findClaimFaults({
  handle,
  claim,
  events,
}: Pick<ShownListing, 'handle' | 'claim' | 'events'>): AuditFault[] {
  const where = `claim of ${handle}`;
  const folded = foldClaim(events);
  const said = folded && { ...folded, ...placeMember(folded.kind, folded.place) };
  const decided = events.findLast((event) => event.type === 'suspended' || isProof(event))?.log_index;
  if (!claim && !said) return [];
  const fault = (message: string) => rowFault(where, message, handle);
  if (!claim) return [fault(`no claim is shown, but log entry ${decided} gives it the state ${said?.state}`)];
  if (!said) return [fault(`it is shown as ${claim.state}, but no entry of the log records a proof of it`)];
  const is = toComparable(claim);
  const keys = claim.hasHiddenKeys ? undefined : loggedKeys(events, is.receipt_keys);
  const must = { ...toComparable(said), receipt_keys: keys ?? is.receipt_keys };
  const compared = claim.root === undefined ? fields : [...fields, ...rootFields];
  return differingFields(must, is, compared).map((field) =>
    fault(
      `${field} is ${toShownValue(is[field as keyof typeof is])}, but its events up to log entry ${decided} say ${toShownValue(must[field as keyof typeof must])}`,
    ),
  );
}

interface SaidEnd {
  readonly handle: string;
  readonly withdrawn_at?: unknown;
  readonly superseded_by?: string;
  readonly by: number;
}

/** Other entries or rows must agree with this. */
const createSaid = () => ({
  /** From entry to type, for records that are not stored, hidden or in a closed log. */
  unread: new Map<number, string>(),
  closed: new Set<number>(),
  /** From the entry of a rating to the entry that withdrew it. */
  withheld: new Map<number, number>(),
  withheldCount: 0,
  endings: new Set<number>(),
  ends: new Map<string, SaidEnd>(),
  erased: new Map<number, { readonly at: string; readonly by: number }>(),
  unshown: new Map<number, { readonly type: string; readonly members: JsonObject }>(),
  actions: createSaidActions(),
  claims: new Map<string, ClaimEvent[]>(),
});
type Said = ReturnType<typeof createSaid>;

const entryFault = (log_index: number, message: string, handle?: string) =>
  rowFault(`entry ${log_index}`, message, handle);

const ratingTypes = ['rating.submitted', 'rating.amended'];
/** Not imported from the code that writes entries: the audit would not notice its errors. */
const eventTypes = [
  'claim.activated',
  'claim.suspended',
  'claim.line_added',
  'claim.keys_changed',
  'capability.revoked',
  'listing.withdrawn',
  'listing.restored',
];
const shownTypes = [...ratingTypes, ...eventTypes, 'rating.responded', 'observation.changed'];

function noteSaid(type: string, members: JsonObject, log_index: number, said: Said): void {
  const id = String(members.id);
  const handle = String(members.handle ?? members.subject_handle);
  if (members.supersedes !== undefined && ratingTypes.includes(type))
    said.ends.set(String(members.supersedes), { handle, superseded_by: id, by: log_index });
  if (type === 'rating.withdrawn')
    said.ends.set(id, { handle, withdrawn_at: members.withdrawn_at, by: log_index });
  if (type === 'moderation.applied') noteAction(said.actions, members, log_index);
  if (type === 'record.erased')
    said.erased.set(Number(members.log_index), { at: String(members.erased_at), by: log_index });
  if (eventTypes.includes(type)) {
    const known = said.claims.get(handle) ?? [];
    said.claims.set(handle, known);
    known.push({ ...members, log_index } as unknown as ClaimEvent);
  }
}

function toUnshown({ id, rating_id, type, source_root, handle, subject_handle }: JsonObject): JsonObject {
  return { id, rating_id, type, source_root, handle: handle ?? subject_handle };
}

function whatIs(type: string, { id, rating_id, type: event, handle }: JsonObject): string {
  if (ratingTypes.includes(type)) return `rating ${id} of ${handle}`;
  if (type === 'rating.responded') return `a response to rating ${rating_id}`;
  return type === 'observation.changed'
    ? `changes that Dossier saw at ${handle}`
    : `the event "${event}" of ${handle}`;
}

/** A claim history is cut, a withdrawn rating shows no response, and what is unread may be shown. */
function mayBeUnshown(type: string, members: JsonObject, log_index: number, said: Said, state: AuditState) {
  const { events = [] } = state.listings.get(String(members.handle)) ?? {};
  if (eventTypes.includes(type)) return log_index < shownFrom(events, members.type === 'keys_changed');
  if (type !== 'rating.responded') return false;
  const rating = state.ratings.get(String(members.rating_id));
  return rating ? rating.withdrawn_at !== undefined : said.closed.size > 0;
}

function* findUnshownFaults(said: Said, state: AuditState): AuditSteps {
  for (const [log_index, { type, members }] of said.unshown) {
    const message = `it records ${whatIs(type, members)}, but no listing shows that`;
    yield state.shown.has(log_index) || mayBeUnshown(type, members, log_index, said, state)
      ? undefined
      : entryFault(log_index, message, String(members.handle));
  }
}

/** An older or erased version may have the time of another end. */
function* findEndFaults({ ends, unread, withheld }: Said, state: AuditState): AuditSteps {
  for (const id of new Set([...state.ratings.keys(), ...ends.keys()])) {
    yield undefined;
    const rating = state.ratings.get(id);
    const said = ends.get(id);
    const { superseded_by, log_index = -1 } = rating ?? {};
    const handle = rating?.subject_handle ?? said?.handle ?? '';
    const newer = state.ratings.get(superseded_by ?? '')?.log_index ?? -1;
    const isUnread = unread.has(log_index) || unread.has(newer) || withheld.has(newer);
    const withdrawn_at = superseded_by === undefined ? rating?.withdrawn_at : undefined;
    const compared = { superseded_by, ...(rating?.erased_at === undefined && { withdrawn_at }) };
    for (const [field, shown] of Object.entries(compared)) {
      const must = said?.[field as keyof typeof compared];
      if (shown !== must && (must !== undefined || !isUnread))
        yield rowFault(
          `rating ${id}`,
          `${field} is ${toShownValue(shown)}, but ${must === undefined ? 'no log entry says so' : `log entry ${said?.by} says ${toShownValue(must)}`}`,
          handle,
        );
    }
  }
}

function* findErasureFaults({ unread, closed, erased, actions }: Said, state: AuditState): AuditSteps {
  for (const [log_index, type] of unread)
    yield closed.has(log_index) || erased.has(log_index) || isReached(actions, 'hide', log_index)
      ? undefined
      : logFault(
          `entry ${log_index}`,
          `the record of this ${type} is not stored, and no entry "record.erased" names it`,
        );
  for (const [log_index, { where, at, handle }] of state.erased)
    if (erased.get(log_index)?.at !== at && (erased.has(log_index) || !closed.has(log_index)))
      yield rowFault(where, `it is shown as erased on ${at}, and no log entry says so`, handle);
  for (const [log_index] of erased) {
    if (!isReached(actions, 'erase', log_index))
      yield logFault(
        `entry ${log_index}`,
        'an entry "record.erased" names it, but no action of the operator erased it',
      );
    if (!unread.has(log_index))
      yield entryFault(log_index, 'an entry "record.erased" names it, but its record is still stored');
  }
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

/** In the order of the log. Undefined if there may be more. */
function readEvents(handle: string, { claims, unread, closed }: Said, state: AuditState) {
  const { events: shown = [] } = state.listings.get(handle) ?? {};
  const isShownWhole =
    state.listings.has(handle) && shownFrom(shown, true) === 0 && shownFrom(shown, false) === 0;
  if (closed.size > 0 && !isShownWhole) return undefined;
  const events = [...(claims.get(handle) ?? []), ...shown.filter(({ log_index }) => unread.has(log_index))];
  return events.sort((a, b) => a.log_index - b.log_index);
}

function* findAllClaimFaults(said: Said, state: AuditState): AuditSteps {
  for (const handle of new Set([...state.listings.keys(), ...said.claims.keys()])) {
    yield undefined;
    const events = readEvents(handle, said, state);
    const { claim, own } = state.listings.get(handle) ?? {};
    if (events) yield* findClaimFaults({ handle, claim, events });
    if (claim?.state === 'claimed' && (own?.withdrawn === 'deleted' || own?.withdrawn === 'optout'))
      yield rowFault(
        `claim of ${handle}`,
        `it is in force, and the listing is withdrawn (${own.withdrawn})`,
        handle,
      );
  }
}

/** Only a database shows whether a listing is withdrawn or hidden. */
function* findListingStateFaults(said: Said, state: AuditState): AuditSteps {
  for (const [handle, { own }] of state.listings) {
    yield undefined;
    const optedOut = readEvents(handle, said, state)?.findLast(({ type }) => type.startsWith('listing_'));
    const isOptedOut = optedOut?.type === 'listing_withdrawn';
    const by = isOptedOut ? optedOut.log_index : standingOn(said.actions, handle, 'withdraw');
    const where = `listing ${handle}`;
    const withdrawn = own?.withdrawn;
    // A service shows no withdrawn listing.
    if (by !== undefined && withdrawn === undefined)
      yield rowFault(where, `it is shown, but log entry ${by} says that it is withdrawn`, handle);
    if (withdrawn !== undefined && withdrawn !== 'deleted' && by === undefined)
      yield rowFault(where, `it is withdrawn (${withdrawn}), and no log entry says so`, handle);
    const hiddenBy = standingOn(said.actions, handle, 'hide');
    if (own && !own.hidden && hiddenBy !== undefined)
      yield rowFault(
        where,
        `its texts are shown, but log entry ${hiddenBy} says that they are hidden`,
        handle,
      );
    if (own?.hidden && hiddenBy === undefined)
      yield rowFault(where, 'its texts are hidden, and no log entry says so', handle);
  }
}

const newestRatings = ({ ratings }: AuditState) =>
  [...ratings.values()].filter(({ superseded_by }) => superseded_by === undefined);

const unknownReasons: Readonly<Record<string, string>> = {
  related: 'the claim events of the rated listing cannot all be read',
  declared_interest: 'an erased version of a rating by the same source may have declared an interest',
  reciprocal: 'a rating in the other direction may exist that could not be read',
  source_ended: 'the claim events of the source cannot all be read',
  new_source:
    'the claim events of the source cannot all be read, or the source stops being new, seven days after its first proof, at about the time of the reading',
};

function* toNotChecked(said: Said, state: AuditState, unknown: ReadonlyMap<string, number>) {
  const current = newestRatings(state).filter((rating) => rating.isCurrent).length;
  if (current > 0)
    yield `stated_overlap of ${counted(current, 'rating')}: the log does not contain the registry records that this flag depends on`;
  for (const [flag, count] of unknown)
    yield `${flag} of ${counted(count, 'rating')}: ${ownMember(unknownReasons, flag)}`;
  if (said.closed.size > 0)
    yield `${counted(said.closed.size, 'record')} of closed logs: a service gives out only the records of its newest log`;
  if (said.withheldCount > 0)
    yield `${counted(said.withheldCount, 'record')} of withdrawn ratings, or of withdrawn or hidden listings: a service does not give them out`;
  if (state.unshownListings.size > 0)
    yield `${counted(state.unshownListings.size, 'listing')} that the log names and the service does not show: the log does not record what the registry withdrew, so an audit cannot tell whether they should be shown`;
}

/** Only records of withdrawn ratings, and observations of withdrawn or hidden listings, may be withheld. */
function checkWithheld(type: string, log_index: number, by: number | undefined, said: Said): AuditFault[] {
  said.withheldCount += 1;
  if (by !== undefined && type.startsWith('rating.')) said.withheld.set(log_index, by);
  else if (type !== 'observation.changed')
    return [logFault(`entry ${log_index}`, `the service does not give out the record of this ${type}`)];
  return [];
}

/** Entries must come in the order of the logs. */
export function createEntryCheck(state: AuditState) {
  const said = createSaid();
  return {
    check(log_index: number, leaf: string, record: EntryRecord): AuditFault[] {
      const where = `entry ${log_index}`;
      const type = readObject(leaf)?.t;
      if (typeof type !== 'string') return [logFault(where, 'its leaf is not the canonical JSON of a leaf')];
      if (type === 'rating.withdrawn' || type === 'record.erased') said.endings.add(log_index);
      if (record === 'refused')
        return [
          logFault(
            where,
            'the service gives no proof of it, because the stored entry disagrees with the tree',
          ),
        ];
      if (record === 'closed') said.closed.add(log_index);
      if (record === 'absent' || record === 'closed') {
        said.unread.set(log_index, type);
        return [];
      }
      if (isWithheld(record)) return checkWithheld(type, log_index, record.withdrawn_by, said);
      if (!isCommittedTo(leaf, record))
        return [logFault(where, `its stored record is not the one that its leaf (${type}) commits to`)];
      const members = readObject(record.record) ?? {};
      noteSaid(type, members, log_index, said);
      if (shownTypes.includes(type) && !state.shown.has(log_index))
        said.unshown.set(log_index, { type, members: toUnshown(members) });
      return [];
    },
    /** To be called last. Returns sentences about what could not be checked. */
    *finish(): AuditSteps<string[]> {
      yield* findUnshownFaults(said, state);
      yield* findEndFaults(said, state);
      yield* findErasureFaults(said, state);
      yield* findWithheldFaults(said);
      yield* findAllClaimFaults(said, state);
      yield* findListingStateFaults(said, state);
      const unshown = [...said.unshown].flatMap(([log_index, { type, members }]) =>
        ratingTypes.includes(type) && !state.shown.has(log_index)
          ? [{ subject_handle: String(members.handle), source_root: String(members.source_root) }]
          : [],
      );
      const unknown = yield* findGroupFaults({
        ratings: newestRatings(state),
        unshown,
        isWhole: said.closed.size === 0,
        eventsOf: (handle) => readEvents(handle, said, state),
      });
      yield* findModerationFaults(
        said.actions,
        [...state.listings.values()].flatMap(({ notices }) => notices),
        {
          isUnread: (log_index) => said.closed.has(log_index),
          // A withdrawn rating shows no response.
          isShown: ({ target, target_kind }) =>
            !(target_kind === 'response' && state.ratings.get(String(target))?.withdrawn_at),
        },
      );
      return [...toNotChecked(said, state, unknown)];
    },
  };
}
