import { isDeepStrictEqual } from 'node:util';
import type { ClaimEvent } from '../../claims/claim.ts';
import type { Context } from '../../context.ts';
import { ownMember } from '../../core/json.ts';
import type { Words } from '../../core/words.ts';
import { type ComparedRow, deletedOf, isSpecified, type Listing } from '../../listings/listing.ts';
import { type ChangedVersion, changedVersion, isTold } from '../../listings/version-moves.ts';
import type { Change } from '../../log/change.ts';
import { addTexts, type ShownChange } from '../../observations/known/changes/history.ts';
import { unloggedChanges, withLater } from '../../observations/known/changes/telling.ts';
import { noticesOfArrival } from '../../observations/known/kinds/packages/newest-version.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import type { ObservationChange } from '../../observations/known/observation.ts';
import type { RecordedChange } from '../../observations/known/table.ts';
import type { ListingFacts } from '../record.ts';
import { versionWords } from '../version-record.ts';

/** `lane`: in the picture; what joined or left a view of the operator is no change of the listing. */
export const historyKindTexts = {
  price: { text: 'price and payees', lane: 'price' },
  reach: { text: 'whether it answers', lane: 'endpoint' },
  tools: { text: 'tools', lane: 'tools' },
  access: { text: 'what it asks for', lane: 'endpoint' },
  publisher: { text: 'who stands behind it', lane: 'record' },
  code: { text: 'package and code', lane: 'package' },
  upkeep: { text: 'upkeep', lane: 'package' },
  terms: { text: 'terms and data', lane: 'record' },
  record: { text: 'record and versions', lane: 'record' },
  claim: { text: 'claim', lane: 'claim' },
  ratings: { text: 'ratings', lane: 'ratings' },
  operator: { text: 'actions of the operator', lane: 'operator' },
  views: { text: 'views', lane: undefined },
} as const satisfies Readonly<Record<string, { text: string; lane: string | undefined }>>;
export type HistoryKind = keyof typeof historyKindTexts;
export const historyKinds = Object.keys(historyKindTexts) as [HistoryKind, ...HistoryKind[]];

/** `recorded`: by a version of which no difference is told. */
export type HistoryEvent = ReturnType<
  typeof toCheck | typeof toRecorded | typeof toVersion | typeof toStatus
> & { readonly recorded?: Words };

const kindsByPrefix: Readonly<Record<string, HistoryKind | undefined>> = {
  listing: 'record',
  claim: 'claim',
  capability: 'claim',
  rating: 'ratings',
  moderation: 'operator',
  view: 'views',
  version: 'record',
};
const recordedKinds = new Set(Object.values(kindsByPrefix));

export const isOfChecks = (kind: HistoryKind | undefined): boolean =>
  kind === undefined || !recordedKinds.has(kind);

/** Undefined for a check, whose changes each have a kind. */
export const kindOfEvent = ({ type }: HistoryEvent): HistoryKind | undefined =>
  ownMember(kindsByPrefix, type.split('.')[0] ?? '');

/** A fact found by another method was not compared with its value before. */
export const isReread = ({ before }: ShownChange) => before?.by_other_method === true;
export const isChanged = ({ before }: ShownChange) =>
  before !== undefined && before.outcome !== 'not_asked' && !before.by_other_method;
export const isSeen = (change: ShownChange) =>
  !isChanged(change) && !isReread(change) && change.after.outcome !== 'not_asked';

type RecordedEvent = Exclude<HistoryEvent, { type: 'check' }>;

const changesAny =
  (...names: readonly string[]) =>
  ({ type, data }: RecordedEvent): boolean => {
    const { fields } = type === 'version.published' ? data.moved : (data as Change['data']);
    return Array.isArray(fields) && names.some((one) => fields.includes(one));
  };

/** Kinds of facts that follow from the record too: how it is reached, what it asks for, how it is kept up. */
const toldByRecord: Readonly<Partial<Record<HistoryKind, (event: RecordedEvent) => boolean>>> = {
  reach: changesAny('endpoint', 'remotes'),
  access: changesAny('inputs'),
  upkeep: ({ type, data }) =>
    type.startsWith('version.') || 'from_version' in data || 'status' in data || type === 'listing.new',
};

/** What is told of a newest version is about its code and its publisher too. */
const questionsOf = (change: ShownChange) => [
  kindOf(change.kind)?.question,
  ...noticesOfArrival(change).map(({ question }) => question),
];

function only(
  { kind, isOther }: Pick<HistoryQuery, 'kind' | 'isOther'>,
  event: HistoryEvent,
): HistoryEvent | undefined {
  if (event.type !== 'check')
    return kind === undefined || kindOfEvent(event) === kind || toldByRecord[kind]?.(event)
      ? event
      : undefined;
  if (kind === undefined && !isOther) return event;
  const changes = event.changes.filter(
    (change) =>
      !isOther?.(change) &&
      (kind === undefined ||
        ((isChanged(change) || isSeen(change) || isReread(change)) &&
          questionsOf(change).some((one) => one === kind))),
  );
  return changes.length > 0 ? { ...event, changes } : undefined;
}

type CheckedChanges = Pick<RecordedChange, 'at' | 'vantage'> &
  Partial<Pick<RecordedChange, 'log_index'>> & { readonly changes: readonly ShownChange[] };
function toCheck({ at, vantage, log_index, changes }: CheckedChanges, is_first: boolean) {
  return { type: 'check' as const, at, vantage, log_index, is_first, changes };
}

/** From the record of an entry of the log. */
export const toLogged = (record: object) => toCheck({ log_index: 0, ...record } as RecordedChange, false);

function toRecorded({ type, at, data: told }: Change, claims: readonly ClaimEvent[] = [], more: object = {}) {
  const claim = claims.find(({ log_index }) => log_index === told.log_index);
  const data: Change['data'] = { ...told, ...more };
  return { type, at, data, ...(claim && { claim }) };
}

/** The stream keeps no texts of publishers, so only the newest change has the message that still stands. */
async function findMessageChange(
  { handle, status_message }: ListingFacts['listing'],
  { store }: Pick<Context, 'store'>,
): Promise<number | undefined> {
  if (status_message === undefined) return undefined;
  const before = Number.MAX_SAFE_INTEGER;
  const changes = await store.changes.ofRecord(handle, {
    before,
    limit: readAtOnce,
    types: ['listing.changed'],
  });
  const ofMessage = ({ data: { fields } }: Change) =>
    Array.isArray(fields) && fields.includes('status_message');
  return changes.find(ofMessage)?.seq;
}

const readRows = ({ handle }: Pick<Listing, 'handle'>, { store }: Pick<Context, 'store'>) =>
  store.listings.newestVersions(handle, { withDeleted: true, limit: mostVersions });

async function createRecorder(
  { listing, claimHistory }: Pick<ListingFacts, 'listing' | 'claimHistory'>,
  rows: readonly ComparedRow[],
  context: Pick<Context, 'store'>,
) {
  const says = listing.hidden && { status_message: undefined };
  const versions = rows.map((row) => ({ ...row, ...deletedOf({ ...row, ...says }) }));
  const messageChange = await findMessageChange(listing, context);
  return (change: Change) => {
    const { from_version, version } = change.data;
    const { undated, published_at, derived } = versions.find((one) => one.version === version) ?? {};
    const { deleted: from_deleted } = versions.find((one) => one.version === from_version) ?? {};
    const says = change.seq === messageChange ? listing.status_message : undefined;
    return toRecorded(change, claimHistory, {
      ...(says !== undefined && { says }),
      ...(published_at && !undated && { published_at }),
      ...(from_version !== undefined && derived?.inputs && { inputs: derived.inputs }),
      ...(from_deleted && { from_deleted }),
      ...(from_version === derived?.with && derived?.values && { values: derived.values }),
    });
  };
}

/** The stream of changes lacks versions published before the listing was first read. */
const toVersion = (at: string, moved: ChangedVersion, since: readonly ChangedVersion[] = []) => ({
  type: 'version.published' as const,
  at,
  /** `since`: the versions before it, newest first, that like it made no move and changed the same. */
  data: { moved, since },
});

/** Of the shown version. */
const toStatus = (at: string, { version, origin_status: status, status_message: says }: Listing) => ({
  type: 'version.status' as const,
  at,
  data: { version, status, ...(says !== undefined && { says }) },
});

/** Or was not compared: neither is told together with others. */
const hasMove = ({ version, published_at, later, deleted_at, ...rest }: ChangedVersion) => {
  const { fields, inputs, values, unchanged, ...move } = rest;
  return Object.keys(move).length > 0 || (unchanged !== undefined && unchanged !== 'same');
};
const changedAlike = (one: ChangedVersion, other: ChangedVersion) => {
  const [a, b] = [one, other].map(({ fields, inputs, values = {}, later, deleted_at }) => {
    return { fields, inputs, valued: Object.keys(values), later, deleted_at };
  });
  return isDeepStrictEqual(a, b);
};

const readAtOnce = 100;
const mostVersions = 500;
/** A filter may leave out all events of a read. */
const mostReads = 5;

type Placed = { readonly at: string; readonly place: number; readonly event: HistoryEvent };

/** False if the limit of reads ended the list. */
async function* readList(
  read: (before: number) => Promise<readonly Placed[]>,
  { before, since, until }: { readonly before: number; readonly since: string; readonly until: string },
): AsyncGenerator<Placed, boolean> {
  let from = before;
  for (let reads = 0; reads < mostReads; reads += 1) {
    const placed = await read(from);
    yield* placed.filter(({ at }) => at >= since && at <= until);
    const last = placed.at(-1);
    if (!last || placed.length < readAtOnce || last.at < since) return true;
    from = last.place;
  }
  return false;
}

async function readChecks(handle: string, before: number, context: Pick<Context, 'store'>) {
  const runs = await context.store.observations.history(handle, { before, limit: readAtOnce });
  const first = runs.length < readAtOnce ? runs.at(-1)?.log_index : undefined;
  return runs.map((run) => ({
    at: run.at,
    place: run.log_index,
    event: toCheck(run, run.log_index === first),
  }));
}

/** Changes without an entry of the log, as the checks until then saw them. */
async function readTurns(handle: string, until: string, { store }: Pick<Context, 'store'>) {
  const timelines = await store.observations.until(handle, until);
  const found = timelines.flatMap(unloggedChanges);
  return [...Map.groupBy(found, ({ is }) => is.from)].map(([at, some]): Placed => {
    const { vantage = '' } = some[0]?.is ?? {};
    const changes = some.map(({ change }) => change);
    const place = Date.parse(at) * mostSameTime + mostSameTime - 1;
    return { at, place, event: toCheck({ at, vantage, changes }, false) };
  });
}

export interface HistoryQuery {
  readonly kind?: HistoryKind | undefined;
  readonly since?: string | undefined;
  /** Of the record; it and those before it are left out, also those of the same time. */
  readonly after_version?: string | undefined;
  readonly until?: string | undefined;
  readonly after?: Places | undefined;
  readonly limit: number;
  /** Whether a fact is about a part of the record that is not asked for. */
  readonly isOther?: ((fact: Pick<ObservationChange, 'kind' | 'subject'>) => boolean) | undefined;
}

const mostSameTime = 1000;

/** Follows from the time of publication, so that a version that comes between two pages shifts no others. */
function placeOf(versions: readonly ComparedRow[], at: number): number {
  const { published_at = '' } = versions[at] ?? {};
  const sameTime = versions.slice(at + 1).filter((one) => one.published_at === published_at);
  return Date.parse(published_at) * mostSameTime + sameTime.length;
}

/** Newest first. */
async function readVersions(
  versions: readonly ComparedRow[],
  listing: Listing,
  { since = '', until = '9', after_version }: HistoryQuery,
  context: Pick<Context, 'store'>,
): Promise<Placed[]> {
  const { handle, version: shown, origin_status, entry_changed_at: ended_at, undated } = listing;
  const isAsked = (at: string) => at >= since && at <= until;
  const shownAt = versions.findIndex(({ version }) => version === shown);
  const all = await context.store.changes.ofRecord(handle, {
    before: Number.MAX_SAFE_INTEGER,
    limit: readAtOnce,
    types: ['listing.new', 'listing.changed', 'listing.restored'],
  });
  const changes = all.filter(({ at }) => isAsked(at));
  const asked = versions.findIndex(({ version }) => version === after_version);
  const told = versions.slice(0, asked < 0 ? undefined : asked).flatMap((one, at) => {
    const changed = changedVersion(one, at < shownAt);
    const { published_at } = changed;
    if (published_at === undefined || !isAsked(published_at)) return [];
    if (changes.some(({ data }) => isTold(data, changed))) return [];
    return [{ changed, published_at, place: placeOf(versions, at) }];
  });
  // Versions without a move that changed the same are one event, so that they push no move back.
  const starts = told.flatMap(({ changed }, at) => {
    const before = told[at - 1]?.changed;
    return hasMove(changed) || !before || hasMove(before) || !changedAlike(changed, before) ? [at] : [];
  });
  const published = starts.flatMap((start, nth): Placed[] => {
    const [first, ...since] = told.slice(start, starts[nth + 1]);
    if (!first) return [];
    const { published_at: at, changed, place } = first;
    const before = since.map((one) => one.changed);
    return [{ at, place, event: toVersion(at, changed, before) }];
  });
  const isToldEnd = changes.some(({ data }) => data.version === shown && data.status === origin_status);
  if (!ended_at || undated || !isAsked(ended_at) || isToldEnd) return published;
  const ended = { at: ended_at, place: Date.parse(ended_at) * mostSameTime + mostVersions };
  return [{ ...ended, event: toStatus(ended_at, listing) }, ...published].sort((a, b) => b.place - a.place);
}

type Places = readonly [seq: number, log_index: number, version: number];
const newest: Places = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Without the changed texts of lists; at the end, without `next`. */
export async function readEvents(
  facts: Pick<ListingFacts, 'listing' | 'claimHistory'>,
  query: HistoryQuery,
  context: Pick<Context, 'store'>,
) {
  const { kind, since = '', until = '9', after = newest, limit, isOther } = query;
  const { handle, withdrawn } = facts.listing;
  const rows = await readRows(facts.listing, context);
  const toEvent = await createRecorder(facts, rows, context);
  const readChanges = async (before: number) =>
    (await context.store.changes.ofRecord(handle, { before, limit: readAtOnce })).map((change) => ({
      at: change.at,
      place: change.seq,
      event: toEvent(change),
    }));
  const isRecorded = kind === undefined || kind in toldByRecord || recordedKinds.has(kind);
  const isDated = isRecorded && !withdrawn && !isSpecified(facts.listing);
  const versions = isDated ? await readVersions(rows, facts.listing, query, context) : [];
  const turns = isOfChecks(kind) ? await readTurns(handle, until, context) : [];
  const derived = [...versions, ...turns].sort((a, b) => b.place - a.place);
  const reads = [
    isRecorded && readChanges,
    isOfChecks(kind) && ((before: number) => readChecks(handle, before, context)),
    async (before: number) => derived.filter(({ place }) => place < before),
  ];
  const places: [number, number, number] = [...after];
  const lists = places.map((before, at) => readList(reads[at] || (async () => []), { before, since, until }));
  const heads = await Promise.all(lists.map((list) => list.next()));
  const events: HistoryEvent[] = [];
  // Each list keeps its own order, even where its times are not in order.
  while (!heads.some(({ done, value }) => done && !value)) {
    const open = heads.flatMap(({ done, value }, at) => (done ? [] : [{ ...(value as Placed), list: at }]));
    // At equal times, checks count as newer than changes.
    const [first] = open.toSorted((a, b) => b.at.localeCompare(a.at) || (b.list % 2) - (a.list % 2));
    if (!first) return { events, next: undefined };
    const asked = only({ kind, isOther }, first.event);
    if (asked && events.length === limit) break;
    if (asked) events.push(asked);
    places[first.list] = first.place;
    heads[first.list] = (await lists[first.list]?.next()) ?? { done: true, value: true };
  }
  return { events, next: places };
}

/** Unless it is the shown one, of which the listing itself tells. */
async function withRecorded(event: RecordedEvent, shown: Listing, { store }: Pick<Context, 'store'>) {
  const { version: of, unchanged = 'same' } = event.type === 'version.published' ? event.data.moved : {};
  const isOfListing = event.type === 'listing.new' || event.type === 'listing.restored';
  const version = unchanged !== 'same' ? of : isOfListing && event.data.version;
  if (typeof version !== 'string' || version === shown.version) return event;
  const row = await store.listings.version(shown.handle, version);
  return row ? { ...event, recorded: versionWords(row) } : event;
}

export async function readHistory(
  facts: Pick<ListingFacts, 'listing' | 'claimHistory'>,
  query: HistoryQuery,
  context: Pick<Context, 'store'>,
) {
  const { events, next } = await readEvents(facts, query, context);
  const checks = events.filter((event) => event.type === 'check');
  const worded = (await addTexts(facts.listing.handle, checks, context)).values();
  const told = events.map((event) =>
    event.type === 'check' ? (worded.next().value ?? event) : withRecorded(event, facts.listing, context),
  );
  return { events: await Promise.all(told), next };
}

export type FollowedChange = Awaited<ReturnType<typeof withEvents>>[number];

/** As the history has them, but with `later`, and without texts and what a withdrawn listing showed. */
export async function withEvents(
  changes: readonly Change[],
  { store, clock }: Pick<Context, 'store' | 'clock'>,
) {
  const told = [...Map.groupBy(changes, ({ handle }) => handle)].map(async ([handle, all]) => {
    const facts = await store.documents.facts(handle, clock().toISOString());
    if (!facts || facts.listing.withdrawn)
      return all.map((change) => ({ change, event: toRecorded(change) }));
    const toEvent = await createRecorder(facts, await readRows(facts.listing, { store }), { store });
    const eventOf = async (change: Change) => {
      if (change.type !== 'observation.changed') return toEvent(change);
      const before = Number(change.data.log_index) + 1;
      const [run] = await store.observations.history(handle, { before, limit: 1 });
      if (run?.log_index !== before - 1) return toEvent(change);
      const hasEnded = run.changes.some((one) => one.alternates_since !== undefined);
      const known = hasEnded ? await store.observations.until(handle, clock().toISOString()) : [];
      return toCheck({ ...run, changes: withLater(run.changes, known) }, false);
    };
    return Promise.all(all.map(async (change) => ({ change, event: await eventOf(change) })));
  });
  const events = new Map((await Promise.all(told)).flat().map((one) => [one.change, one]));
  return changes.flatMap((change) => events.get(change) ?? []);
}
