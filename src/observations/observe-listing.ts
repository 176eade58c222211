import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { mapTexts } from '../core/json.ts';
import { own, type Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import { toLeaf } from '../log/leaf.ts';
import type { Facet } from '../search/facets.ts';
import type { HeldLease } from './checks.ts';
import { compareRuns, type DatedFinding, keyOf, missedAll, type RunStamp } from './compare.ts';
import type { EndpointAnswer } from './endpoint/conversation.ts';
import {
  type Surface,
  type SurfaceMember,
  surfaceDigest,
  surfaceNames,
  surfaces,
} from './endpoint/surface.ts';
import { listOf } from './endpoint/texts.ts';
import { fitTogether, passGate, toShownName, withPacked } from './gate.ts';
import { type Difference, factsOf, type Kind } from './kind.ts';
import { endpointAnswers } from './kinds/endpoint.ts';
import { changedName, surfaceChanges, weightiest } from './kinds/lists/member-changes.ts';
import { toolsSurface } from './kinds/lists/tools.ts';
import { costOf, priceOffers } from './kinds/prices/offers.ts';
import { kindOf, kinds, surfaceOf } from './kinds.ts';
import { malwareWords } from './malware.ts';
import type { ObservationChange, StoredObservation } from './observation.ts';
import { isUnanswered, type Outcome } from './outcome.ts';
import type { CheckRun } from './run.ts';
import type { ObservationTransaction } from './schema.ts';
import { sumOfClasses } from './tool-change.ts';

/** A list that differs from the last stored list of its surface, or is the first. */
interface NewSurface {
  readonly remote: string;
  readonly surface: Surface;
  readonly members: readonly SurfaceMember[];
  readonly digest: string;
  /** The date of the stored list, if this list has the same members in a different form. */
  readonly first_seen_at?: string;
  readonly changes?: ReturnType<typeof surfaceChanges>;
}

type Surfaces = ReadonlyMap<string, NewSurface>;

const surfaceKey = (remote: string, { name }: Surface) => `${name} ${remote}`;

async function findNewSurface(
  {
    handle,
    remote,
    surface,
  }: { readonly handle: string; readonly remote: string; readonly surface: Surface },
  endpoint: EndpointAnswer,
  { observations }: Context['store'],
): Promise<NewSurface | undefined> {
  const list = listOf(endpoint, surface.name);
  if (list?.result !== 'listed') return undefined;
  const { members, digested } = list;
  const digest = surfaceDigest(digested);
  const at = { handle, remote, surface: surface.name };
  const [last] = await observations.surfaces(at);
  const known = last && (await observations.surfaceText(at, last.digest));
  const found = { remote, surface, members, digest };
  if (last?.digest === digest)
    return known === JSON.stringify(members) ? undefined : { ...found, first_seen_at: last.first_seen_at };
  if (known === undefined) return found;
  const changes = surfaceChanges(surface, JSON.parse(known) as SurfaceMember[], members);
  return { ...found, changes: mapTexts(changes, toShownName) as typeof changes };
}

/**
 * Lists are compared before the write begins, because other writers must wait during a write. Under the lease
 * of the check, nobody else stores lists of the listing.
 */
async function findNewSurfaces(run: CheckRun, { store }: Pick<Context, 'store'>): Promise<Surfaces> {
  const { handle, remotes } = run.listing;
  const found = new Map<string, NewSurface>();
  for (const { url: remote } of remotes) {
    // The kinds that asked first have logged why a question failed.
    const endpoint = await run.endpoint({ url: remote }).catch(() => undefined);
    if (endpoint?.result !== 'answered') continue;
    for (const name of surfaceNames) {
      const surface = surfaces[name];
      const one = await findNewSurface({ handle, remote, surface }, endpoint, store);
      if (one) found.set(surfaceKey(remote, surface), one);
    }
  }
  return found;
}

const mostNamed = 20;
const mostLogged = 100;

const isOtherAt = ({ changed_from, first_seen_at }: StoredObservation, at: string) =>
  changed_from !== undefined && first_seen_at === at;

/** Returns undefined if the list replaces no stored list, or only one with the same members. */
const listChangesOf = (
  { kind, subject = '' }: Pick<StoredObservation, 'kind' | 'subject'>,
  found: Surfaces,
) => {
  const surface = surfaceOf(kind);
  return surface && found.get(surfaceKey(subject, surface))?.changes;
};

/** Adds which members of a list changed at this check, and how. */
function withChangedMembers(one: StoredObservation, found: Surfaces, at: string): StoredObservation {
  const changes = listChangesOf(one, found);
  if (!one.changed_from || !isOtherAt(one, at) || !changes) return one;
  const { counts } = changes;
  const all = weightiest(changes.items, mostNamed);
  const members = all.map((item) => ({ name: changedName(item), change: item.change, class: item.class }));
  const named =
    surfaceOf(one.kind) === surfaces.tools
      ? { tools: members.map(({ name: tool, ...change }) => ({ tool, ...change })) }
      : { members };
  return { ...one, changed_from: { ...one.changed_from, ...named, counts } };
}

/**
 * Adds the members that differ to the change of a list, instead of the details of both lists. The list is
 * compared with the last stored list, even if other answers came after that list.
 */
function itemize(change: ObservationChange, one: StoredObservation, found: Surfaces): ObservationChange {
  const changes = listChangesOf(change, found);
  if (!change.before || !changes || !one.changed_from) return change;
  const { tools: _, members: __, counts: ___, ...before } = one.changed_from;
  const { details: ____, ...after } = change.after;
  return { ...change, before, after, ...changes };
}

async function putSurfaces(
  tx: ObservationTransaction,
  handle: string,
  found: Surfaces,
  at: string,
): Promise<void> {
  for (const { remote, surface, members, digest, first_seen_at = at } of found.values())
    await tx.observations.putSurface({
      handle,
      remote,
      surface: surface.name,
      digest,
      first_seen_at,
      members,
    });
}

type Differences = ReadonlyMap<string, Difference>;

/** Whole values are compared before the write begins, since other writers wait for a write. */
async function findDifferences(
  { handle }: CheckRun['listing'],
  found: readonly DatedFinding[],
  { observations }: Context['store'],
): Promise<Differences> {
  const known = new Map((await observations.ofListing(handle))?.observations.map((one) => [keyOf(one), one]));
  const differences = new Map<string, Difference>();
  for (const one of found) {
    const was = known.get(keyOf(one));
    const digest = was?.value_digest ?? was?.last?.value_digest;
    if (!one.packed || digest === undefined || digest === one.packed.digest) continue;
    const before = await observations.whole(handle, digest);
    const difference = before !== undefined && kindOf(one.kind)?.difference?.(before, one.whole ?? null);
    if (difference) differences.set(keyOf(one), difference);
  }
  return differences;
}

function withDifference(one: StoredObservation, differences: Differences, at: string): StoredObservation {
  const difference = differences.get(keyOf(one));
  if (!one.changed_from || !difference || !isOtherAt(one, at)) return one;
  const { items, counts } = difference;
  const shown = { items: items.slice(0, mostNamed), counts: { ...counts } };
  return { ...one, changed_from: { ...one.changed_from, difference: shown } };
}

function compareObserved(
  known: readonly StoredObservation[],
  { found, surfaces: lists, differences, stamp }: ObservedRecord,
) {
  const compared = compareRuns(known, found, stamp);
  const observations = compared.observations
    .map((one) => withChangedMembers(one, lists, stamp.at))
    .map((one) => withDifference(one, differences, stamp.at));
  const changedLists = new Map(
    observations
      .filter((one) => surfaceOf(one.kind) && isOtherAt(one, stamp.at))
      .map((one) => [keyOf(one), one]),
  );
  const changes = compared.changes.map((change) => {
    const one = changedLists.get(keyOf(change));
    const difference = change.before && differences.get(keyOf(change));
    if (difference) return { ...change, ...difference, items: difference.items.slice(0, mostLogged) };
    return one ? itemize(change, one, lists) : change;
  });
  return { observations, changes };
}

type CheckContext = Pick<Context, 'log'> & { readonly signal: AbortSignal };

/** The check was not made, or failed, for a reason that says nothing about the service. */
const uncheckedKind = ({ kind, method_version, isOptional }: Kind, { parts: why }: Words): DatedFinding => ({
  kind,
  method_version,
  value: null,
  outcome: 'not_asked',
  why,
  source: 'Dossier',
  ...(isOptional && { rule: 'rare' as const }),
  isFailure: true,
});

const failed = own('The check failed on our side; the failure was logged.');

/**
 * If the check fails, its only finding says that it failed. In place of a fact that cannot be stored, a
 * finding says the same.
 */
async function checkKind(
  kind: Kind,
  run: CheckRun,
  { log, signal }: CheckContext,
): Promise<readonly DatedFinding[]> {
  const { kind: name } = kind;
  const { handle } = run.listing;
  try {
    const found = (await kind.check?.(run)) ?? [];
    if (new Set(found.map(({ subject }) => subject)).size < found.length)
      throw new Error('two facts are about the same subject');
    return found.map((one) => {
      try {
        return passGate(kind, one);
      } catch (error) {
        log.warn({ err: error, kind: name, handle }, 'a fact could not be stored');
        const { isFailure: _, ...unchecked } = uncheckedKind(kind, failed);
        const { subject, recorded } = one;
        return { ...unchecked, ...(subject && { subject }), ...(recorded && { recorded }) };
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, kind: name, handle }, 'a check failed');
    return [uncheckedKind(kind, failed)];
  }
}

const listKinds: ReadonlySet<string> = new Set(kinds.filter(({ isList }) => isList).map(({ kind }) => kind));

/** Stores nothing. After each kind, other checks of the thread get a turn. */
export async function findAll(run: CheckRun, checks: CheckContext): Promise<DatedFinding[]> {
  const found: DatedFinding[] = [];
  for (const kind of kinds) {
    for (const one of await checkKind(kind, run, checks)) found.push(await withPacked(one));
    await setImmediate();
  }
  return fitTogether(found, (kind) => listKinds.has(kind));
}

/** `seen:no_payment_seen`: every endpoint let Dossier in without a payment, and no fact shows a payment. */
function toFacets({ remotes }: CheckRun['listing'], observations: readonly StoredObservation[]): Facet[] {
  const found = observations.filter(({ missed }) => missed === undefined || missed.isInPart);
  const stated = (kind: Kind, outcome: Outcome) =>
    factsOf(kind, found)
      .filter((one) => one.outcome === outcome)
      .map(({ subject }) => subject);
  const free = stated(priceOffers, 'nothing');
  const isPaid = factsOf(priceOffers, found).some(({ value }) => value && costOf(value));
  const isFree = remotes.length > 0 && remotes.every(({ url }) => free.includes(url)) && !isPaid;
  return [
    ...(stated(endpointAnswers, 'seen').length > 0 ? ['seen:answered' as const] : []),
    ...(isFree ? ['seen:no_payment_seen' as const] : []),
  ];
}

/** `imported_at` is the time at which the observed record was imported. */
interface ObservedRecord {
  readonly found: readonly DatedFinding[];
  readonly surfaces: Surfaces;
  readonly differences: Differences;
  readonly stamp: RunStamp;
  readonly lease: HeldLease;
  readonly listing: CheckRun['listing'];
  readonly imported_at: string;
}

/**
 * The fact that an endpoint became unanswered may have the date of an earlier check, the first without an
 * answer.
 */
const isChangedAt = ({ changed_from, first_seen_at, outcome }: StoredObservation, { at }: RunStamp) =>
  changed_from !== undefined && (first_seen_at === at || isUnanswered(outcome));

function isPublished({ kind: name, changed_from, ...one }: StoredObservation): boolean {
  const kind = kindOf(name);
  return (
    !kind?.isPublishedIfSaid || !changed_from || kind.sayChange?.(changed_from, one, own('')) !== undefined
  );
}

/** `changes` is the number of facts that changed or are new. */
export type RunReport = Awaited<ReturnType<typeof writeObserved>>;

/** One entry of the log commits to all changes of the check. */
async function writeObserved(tx: ObservationTransaction, observed: ObservedRecord) {
  const { found, surfaces: lists, stamp, lease, imported_at, listing } = observed;
  const { handle } = listing;
  if (!(await tx.leases.isHeldBy(lease))) throw new Error('another process has taken this check over');
  const known = await tx.observations.ofListing(handle);
  const { observations, changes } = compareObserved(known?.observations ?? [], observed);
  await tx.observations.put({ handle, observed_at: stamp.at, observations }, imported_at);
  // Facts about an older record say nothing about the present one.
  const isOlder = known?.due_since != null && known.due_since > imported_at;
  await tx.listings.reindex(handle, isOlder ? [] : toFacets(listing, observations));
  await putSurfaces(tx, handle, lists, stamp.at);
  for (const { packed } of found)
    if (packed) await tx.observations.putWhole({ handle, at: stamp.at, ...packed });
  // The listing may have been withdrawn, or have another record, since the check began.
  const { remotes = [] } = (await tx.listings.byHandle(handle)) ?? {};
  const recorded = remotes.map(({ url }) => url);
  await tx.observations.dropSurfaces(handle, recorded);
  if (lists.size > 0) await tx.observations.trimSurfaces(handle);
  if (changes.length > 0) {
    const change = { handle, ...stamp, changes };
    // An audit looks for every new fact in the log. The event leaves out facts that are seen for the first
    // time, and values that come back unchanged.
    const changed = new Set(changes.map(keyOf));
    const reported = observations.filter(
      (one) => changed.has(keyOf(one)) && isChangedAt(one, stamp) && isPublished(one),
    );
    const kinds = [...new Set(reported.map(({ kind }) => kind))];
    const isMalware = malwareWords(reported, ['malware']).length > 0;
    const ofTools = reported.filter(({ kind }) => kind === toolsSurface.kind);
    const tools_changed = sumOfClasses(ofTools.flatMap(({ changed_from }) => changed_from?.counts ?? []));
    const log_index = await tx.log.append(
      toLeaf('observation.changed', change),
      kinds.length > 0
        ? { handle, at: stamp.at, data: { kinds, tools_changed, ...(isMalware && { malware: true }) } }
        : undefined,
    );
    await tx.observations.addChange({ ...change, log_index });
  }
  return { handle, observations, changes: changes.length };
}

/**
 * Stores that a check was stopped. The check counts as made: known facts stay, and unknown ones become
 * `not_asked`. Throws if the store fails or the lease was lost.
 */
export function storeEnded(
  listing: Listing,
  why: Words,
  { store, stamp, lease }: Pick<Context, 'store'> & Pick<ObservedRecord, 'stamp' | 'lease'>,
): Promise<RunReport> {
  const asked = kinds.filter((kind) => kind.check && kind.about(listing).length > 0);
  const found = asked.map((kind) => uncheckedKind(kind, why));
  const { imported_at } = listing;
  return store.write((tx) =>
    writeObserved(tx, {
      found,
      surfaces: new Map(),
      differences: new Map(),
      stamp,
      lease,
      listing,
      imported_at,
    }),
  );
}

const notStored = own('The check failed on our side, and nothing of it was stored; the failure was logged.');

/** Throws if the store fails, the lease was lost or the signal was aborted. */
export async function observeListing(
  run: CheckRun,
  context: Pick<Context, 'store' | 'clock'> &
    CheckContext &
    Pick<ObservedRecord, 'lease' | 'imported_at'> & { readonly vantage: string },
): Promise<RunReport> {
  const { lease, imported_at, signal, store, clock } = context;
  const { handle } = run.listing;
  const now = () => clock().toISOString();
  try {
    const found = await findAll(run, context);
    const lists = await findNewSurfaces(run, context);
    const differences = await findDifferences(run.listing, found, store);
    signal.throwIfAborted();
    // The time is taken after the waits for turns, so that nothing is dated before it was seen.
    const stamp = { at: now(), vantage: context.vantage };
    const observed = { found, surfaces: lists, differences, stamp, lease, imported_at, listing: run.listing };
    return await store.write((tx) => writeObserved(tx, observed));
  } catch (error) {
    signal.throwIfAborted();
    // A check that could not be stored counts as made, so that the host is not asked again before the next
    // check is due.
    await store.write(async (tx) => {
      if (!(await tx.leases.isHeldBy(lease))) return;
      const { observations: known = [] } = (await tx.observations.ofListing(handle)) ?? {};
      const at = now();
      const observations = missedAll(known, notStored, { at });
      await tx.observations.put({ handle, observed_at: at, observations }, imported_at);
    });
    throw error;
  }
}
