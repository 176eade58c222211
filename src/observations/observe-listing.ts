import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { unlessAborted } from '../core/every.ts';
import type { Json } from '../core/json.ts';
import { own, type Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import { toLeaf } from '../log/leaf.ts';
import type { Facet } from '../search/query.ts';
import type { Lease } from '../store/store.ts';
import { pausedUntil } from './asked/hosts/host-queue.ts';
import { isUnanswered } from './asked/outcome.ts';
import type { CheckRun } from './asked/run.ts';
import type { Differences, FoundDifference } from './known/changes/telling.ts';
import { fitTogether, passGate, withPacked } from './known/gate.ts';
import { type Difference, factsOf, type Kind } from './known/kind.ts';
import { answersNow, endpointAnswers } from './known/kinds/endpoint.ts';
import { toolsSurface } from './known/kinds/lists/tools.ts';
import { kindOf, kinds, surfaceOf } from './known/kinds.ts';
import { saidAs } from './known/malware.ts';
import { type StoredObservation, sumOfClasses } from './known/observation.ts';
import { costOf, priceOffers } from './known/prices/offers.ts';
import { type DatedFinding, missedAll, type RunStamp, recordRun } from './known/recording.ts';
import type { ObservationTransaction } from './known/schema.ts';
import { toFacts } from './known/standing.ts';
import { allKept } from './known/timeline/past.ts';
import { keyOf, type Timeline, wholeDigestOf } from './known/timeline/timeline.ts';
import { recordedNow } from './known/to-observations.ts';

/** `isHeldBy` tests on any thread whether the lease is still held. */
export type HeldLease = Pick<Lease, 'name' | 'owner'>;

/** `wasEnded`: from outside, because the check took too much time or memory. */
export interface CheckReport {
  readonly changes: number;
  readonly wasEnded?: true;
}

/** In this thread or a different one (app/observer-thread.ts). */
export interface Checks {
  /** `not_due`: by `isDue`, under the lease. `interrupted`: the check is due again. */
  observeIfDue(
    listing: Listing,
    isDue: () => Promise<boolean>,
  ): Promise<CheckReport | 'leased' | 'not_due' | 'interrupted'>;
  /** When no host of the remotes is in a pause any more (RFC 3339); undefined if none is. */
  pausedUntil(listing: Listing): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Once the signal aborts, each check rejects with its reason. */
export function createChecks<Report>(
  context: Pick<Context, 'store' | 'clock'>,
  signal: AbortSignal,
  run: (listing: Listing, lease: Lease) => Promise<Report>,
) {
  return {
    async observeIfDue(listing: Listing, isDue: () => Promise<boolean>) {
      signal.throwIfAborted();
      await using lease = await context.store.leases.take(`check/${listing.handle}`);
      if (!lease) return 'leased';
      const begin = async () => ((await isDue()) ? run(listing, lease) : 'not_due');
      return await unlessAborted(begin(), signal);
    },
    pausedUntil({ remotes }: Listing) {
      const hosts = remotes.map(({ url }) => URL.parse(url)?.host).filter((host) => host !== undefined);
      return pausedUntil([...new Set(hosts)], context);
    },
  };
}

const mostNamed = 20;
const mostLogged = 100;

const toFound = ({ items, counts, shown = items }: Difference): FoundDifference => ({
  items: items.slice(0, mostLogged),
  counts,
  shown: shown.slice(0, mostNamed),
});

const lastValue = (known: Timeline | undefined) => known?.spans.findLast(({ outcome }) => outcome === 'seen');

/** Before the write, because other writers wait for it. The lease keeps others from storing values. */
async function findDifferences(
  { handle }: CheckRun['listing'],
  found: readonly DatedFinding[],
  { observations }: Context['store'],
): Promise<Differences> {
  const kept = await observations.ofListing(handle);
  const known = new Map((kept ? allKept(kept) : []).map((one) => [keyOf(one), one]));
  const differences = new Map<string, FoundDifference>();
  for (const one of found) {
    const { packed, kind, subject = '', whole = null } = one;
    const last = lastValue(known.get(keyOf(one)));
    const digest = last && wholeDigestOf(last);
    const compare = kindOf(kind)?.difference;
    if (!packed || !compare || digest === undefined || digest === packed.digest) continue;
    const before = await observations.valueText({ handle, kind, subject }, digest);
    if (before !== undefined)
      differences.set(keyOf(one), toFound(compare(JSON.parse(before) as Json, whole)));
  }
  return differences;
}

async function putValues(
  tx: ObservationTransaction,
  handle: string,
  { found, timelines }: { readonly found: readonly DatedFinding[]; readonly timelines: readonly Timeline[] },
): Promise<void> {
  const known = new Map(timelines.map((one) => [keyOf(one), one]));
  for (const one of found) {
    const { packed, kind, subject = '' } = one;
    const last = lastValue(known.get(keyOf(one)));
    if (!packed || !last || wholeDigestOf(last) !== packed.digest) continue;
    await tx.observations.putValue({ handle, kind, subject, first_seen_at: last.from, ...packed });
  }
}

type CheckContext = Pick<Context, 'log'> & { readonly signal: AbortSignal };

/** The reason says nothing about the service. */
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

async function checkKind(kind: Kind, run: CheckRun, { log, signal }: CheckContext) {
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

export async function findAll(run: CheckRun, checks: CheckContext): Promise<DatedFinding[]> {
  const found: DatedFinding[] = [];
  for (const kind of kinds) {
    for (const one of await checkKind(kind, run, checks)) found.push(await withPacked(one));
    await setImmediate();
  }
  return fitTogether(found, (kind) => listKinds.has(kind));
}

/**
 * `seen:no_payment_seen`: every endpoint let Dossier in without a payment, and no fact shows a payment.
 * The home page counts what is `told`.
 */
function toFacets({ remotes }: CheckRun['listing'], observations: readonly StoredObservation[]): Facet[] {
  const found = observations.filter(({ missed }) => missed === undefined);
  const free = factsOf(priceOffers, found).flatMap(({ outcome, subject }) =>
    outcome === 'nothing' ? [subject] : [],
  );
  const isPaid = factsOf(priceOffers, found).some(({ value }) => value && costOf(value));
  const isFree = remotes.length > 0 && remotes.every(({ url }) => free.includes(url)) && !isPaid;
  return [
    ...(factsOf(endpointAnswers, observations).some(answersNow) ? ['seen:answered' as const] : []),
    ...(isFree ? ['seen:no_payment_seen' as const] : []),
    ...(isPaid ? ['told:payment' as const] : []),
    ...(saidAs(found, ['malware']).length > 0 ? ['told:malware' as const] : []),
  ];
}

interface ObservedRecord {
  readonly found: readonly DatedFinding[];
  readonly differences: Differences;
  readonly stamp: RunStamp;
  readonly lease: HeldLease;
  readonly listing: CheckRun['listing'];
  readonly imported_at: string;
}

function isTold({ kind: name, changed_from, first_seen_at, ...one }: StoredObservation): boolean {
  if (changed_from?.seen_from !== first_seen_at) return false;
  const kind = kindOf(name);
  return !kind?.isPublishedIfSaid || kind.sayChange?.(changed_from, one, own('')) !== undefined;
}

/** What an endpoint asks first has a fact of its own, which also tells that it no longer asks. */
const isLost = ({ outcome }: StoredObservation) => outcome === 'absent' || isUnanswered(outcome);

const isOfTools = ({ kind }: StoredObservation) => kindOf(kind)?.line === 'tools';

/** The endpoints whose lists or instructions a check saw changed, or saw first while others were known. */
function textsChanged(news: readonly StoredObservation[], known: readonly StoredObservation[]) {
  const before = new Set(known.filter((one) => isOfTools(one) && one.value !== null).map(subjectOf));
  const isText = (one: StoredObservation) => isOfTools(one) && kindOf(one.kind)?.isLocked === true;
  return new Set(
    news.filter((one) => isText(one) && one.value !== null && before.has(one.subject)).map(subjectOf),
  );
}

const subjectOf = ({ subject }: StoredObservation) => subject;

/** What changed texts bring at first sight, such as the name of a file, was not in the texts before. */
const isBroughtBy = (one: StoredObservation, texts: ReadonlySet<string | undefined>): boolean =>
  isOfTools(one) &&
  kindOf(one.kind)?.standsOutAs !== undefined &&
  one.value !== null &&
  texts.has(one.subject);

export type RunReport = Awaited<ReturnType<typeof writeObserved>>;

/** One entry of the log commits to all changes of the check. */
async function writeObserved(tx: ObservationTransaction, observed: ObservedRecord) {
  const { found, stamp, lease, imported_at, listing } = observed;
  const { handle } = listing;
  if (!(await tx.leases.isHeldBy(lease))) throw new Error('another process has taken this check over');
  const known = await tx.observations.ofListing(handle);
  const { timelines, changes } = recordRun(known ?? { timelines: [] }, found, stamp, observed.differences);
  await tx.observations.put({ handle, observed_at: stamp.at, timelines, known }, imported_at);
  const observations = toFacts(timelines);
  // Facts about an older record say nothing about the present one.
  const isOlder = known?.due_since != null && known.due_since > imported_at;
  await tx.listings.reindex(handle, isOlder ? [] : toFacets(listing, observations));
  await putValues(tx, handle, { found, timelines });
  // The listing may have been withdrawn, or have another record, since the check began.
  const now = await tx.listings.byHandle(handle);
  // A caller may still be connected to an endpoint that the record no longer names.
  const lists = allKept(known ?? { timelines }).filter(({ kind }) => surfaceOf(kind));
  const facts = now && !now.withdrawn ? [...recordedNow(now, observations), ...toFacts(lists)] : [];
  await tx.observations.keepValues(handle, facts);
  if (changes.length > 0) {
    const change = { handle, ...stamp, changes };
    // An audit looks for every new fact in the log; the event leaves out first sights, and values that
    // return if their loss was not told.
    const changed = new Set(changes.map(keyOf));
    const news = observations.filter((one) => changed.has(keyOf(one)));
    const texts = textsChanged(news, known?.observations ?? []);
    const lost = new Set((known?.observations ?? []).filter((one) => isLost(one) && isTold(one)).map(keyOf));
    const told = news.filter(isTold);
    const reported = news.filter(
      (one) =>
        told.includes(one) ||
        (lost.has(keyOf(one)) && !isLost(one)) ||
        (!one.changed_from && isBroughtBy(one, texts)),
    );
    const kinds = [...new Set(reported.map(({ kind }) => kind))];
    const isMalware = saidAs(reported, ['malware']).length > 0;
    const ofTools = told.filter(({ kind }) => kind === toolsSurface.kind);
    const ended = changes.filter((one) => one.alternates_since !== undefined).map(({ kind }) => kind);
    const to_and_fro = ended.length > 0 && { to_and_fro: [...new Set(ended)] };
    const tools_changed = sumOfClasses(ofTools.flatMap(({ changed_from }) => changed_from?.counts ?? []));
    const log_index = await tx.log.append(
      toLeaf('observation.changed', change),
      kinds.length > 0
        ? {
            handle,
            at: stamp.at,
            data: { kinds, tools_changed, ...to_and_fro, ...(isMalware && { malware: true }) },
          }
        : undefined,
    );
    await tx.observations.addChange({ ...change, log_index });
  }
  return { handle, observations, changes: changes.length };
}

/** The check counts as made: known facts stay, and unknown ones become `not_asked`. */
export function storeEnded(
  listing: Listing,
  why: Words,
  { store, stamp, lease }: Pick<Context, 'store'> & Pick<ObservedRecord, 'stamp' | 'lease'>,
): Promise<RunReport> {
  const asked = kinds.filter((kind) => kind.check && kind.about(listing).length > 0);
  const found = asked.map((kind) => uncheckedKind(kind, why));
  const { imported_at } = listing;
  return store.write((tx) =>
    writeObserved(tx, { found, differences: new Map(), stamp, lease, listing, imported_at }),
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
    const differences = await findDifferences(run.listing, found, store);
    signal.throwIfAborted();
    // After the waits for turns, so that nothing is dated before it was seen.
    const stamp = { at: now(), vantage: context.vantage };
    const observed = { found, differences, stamp, lease, imported_at, listing: run.listing };
    return await store.write((tx) => writeObserved(tx, observed));
  } catch (error) {
    signal.throwIfAborted();
    // The check counts as made, so that the host is not asked again before the next one is due.
    await store.write(async (tx) => {
      if (!(await tx.leases.isHeldBy(lease))) return;
      const known = await tx.observations.ofListing(handle);
      const at = now();
      const timelines = missedAll(known?.timelines ?? [], notStored, { at, vantage: context.vantage });
      await tx.observations.put({ handle, observed_at: at, timelines, known }, imported_at);
    });
    throw error;
  }
}
