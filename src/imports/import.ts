import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { recordRestored } from '../claims/opt-out.ts';
import { suspendClaim } from '../claims/suspend.ts';
import type { Context } from '../context.ts';
import { asMembers } from '../core/json.ts';
import { isGone, isSample, type Listing, sampleSource, toWithdrawn } from '../listings/listing.ts';
import { toLeaf } from '../log/leaf.ts';
import type { Lease } from '../store/store.ts';
import { deriveMissing } from './derive.ts';
import { copyFields, type ImportCounts, type ImportRun, isUnreadable, RegistryError } from './import-run.ts';
import {
  addCounts,
  changesRepository,
  createMassChangeGuard,
  isStill,
  MassChangeError,
  type PagePlan,
  planPage,
  toChanges,
  withdraws,
} from './plan.ts';
import {
  beginRun,
  importLease,
  newestKnown,
  type RunImport,
  type RunStart,
  saveWithLease,
  UnderWayError,
} from './run.ts';
import type { ImportTransaction } from './schema.ts';
import {
  batchPages,
  openSource,
  type Patience,
  type RegistrySource,
  readPages,
  readSampleHandles,
  type SourcePage,
} from './source.ts';

function toQuarantine({ quarantined }: PagePlan, run_id: number, seen_at: string) {
  const rows = quarantined.map((one) => ({ ...one, run_id, seen_at }));
  return [...new Map(rows.map((row) => [`${row.name}\n${row.version}`, row])).values()];
}

async function updateClaims(tx: ImportTransaction, { listings }: PagePlan, at: string): Promise<void> {
  for (const change of listings) {
    const { handle, repository_key } = change.listing;
    const isOther = changesRepository(change);
    const isWithdrawn = withdraws(change);
    if (isOther || isWithdrawn || change.optOut) {
      const claim = await tx.claims.claim(handle);
      const isMoved = isOther && claim?.kind === 'repository';
      const reason = isMoved ? 'repository_not_recorded' : isWithdrawn ? 'withdrawn' : undefined;
      const after = reason ? await suspendClaim(tx, claim, { reason, at }) : claim;
      // Unless it is recorded, no check reads a repository's opt-out lines.
      for (const optOut of isOther ? await tx.optOuts.of(handle) : [])
        if (optOut.kind === 'repository' && optOut.place_key !== repository_key)
          await tx.optOuts.remove(optOut);
      if (change.optOut)
        await recordRestored(tx, [after, change.optOut], { at, reason: 'repository_not_recorded' });
    }
    // Facets for claim and ratings went when it was withdrawn.
    if (change.known?.withdrawn && !change.listing.withdrawn) await tx.listings.reindex(handle);
  }
}

const observedPart = ({ remotes, packages, repository, website }: Listing) => ({
  remotes: remotes.map(({ type, url }) => [type, url]),
  packages: packages.map(({ registry_type, registry_base_url, identifier, version }) => [
    registry_type,
    registry_base_url,
    identifier,
    version,
  ]),
  repository,
  website,
});

const renamed = ({ listings }: PagePlan): string[] =>
  listings
    .filter(({ known, listing }) => known && !isDeepStrictEqual(observedPart(known), observedPart(listing)))
    .map(({ listing: { handle } }) => handle);

async function applyPage(
  tx: ImportTransaction,
  plan: PagePlan,
  { run, source, mayRelease, isRecorded, at }: Omit<Import, 'context' | 'request' | 'guard'> & { at: string },
): Promise<void> {
  const present = [...plan.known.values()].filter(({ listing }) => !isGone(listing));
  await tx.listings.keepPast(
    present.map(({ listing }) => listing.handle),
    at,
  );
  await tx.listings.putVersions(plan.versions, at);
  await tx.ratings.putIdentities(plan.identities);
  await tx.listings.putListings(plan.listings.filter(({ differs }) => differs).map(({ listing }) => listing));
  // A copy may lack listings, so each is known as of the newest copy that has it.
  if (!source.isIncremental)
    await tx.listings.readAgain(
      plan.readable.map(({ name: handle, version }) => ({ handle, version })),
      { origin: source.origin, import_run: run.id },
    );
  for (const derived of plan.derived) await tx.listings.putDerived(derived);
  for (const optOut of plan.optedOut) await tx.optOuts.put(optOut);
  await tx.observations.setDue(renamed(plan), at);
  if (mayRelease) await tx.imports.release(plan.readable);
  await tx.imports.quarantine(toQuarantine(plan, run.id, at));
  await updateClaims(tx, plan, at);
  if (isRecorded) await tx.changes.add(toChanges(plan.listings, at));
}

async function withdrawRatings(tx: ImportTransaction, handle: string, withdrawn_at: string): Promise<void> {
  for (const { id, subject_handle } of await tx.ratings.currentWith(handle)) {
    const record = { id, subject_handle, withdrawn_at, reason: 'sample_ended' };
    const about = { handle: subject_handle, at: withdrawn_at };
    const withdrawn_by = await tx.log.append(toLeaf('rating.withdrawn', record), about);
    await tx.ratings.end(id, { withdrawn_at, withdrawn_by });
    await tx.listings.reindex(subject_handle);
  }
}

async function endOne(tx: ImportTransaction, listing: Listing, at: string): Promise<void> {
  const { handle } = listing;
  await suspendClaim(tx, await tx.claims.claim(handle), { reason: 'withdrawn', at });
  await withdrawRatings(tx, handle, at);
  await tx.listings.deleteVersions(handle);
  await tx.listings.putListings([toWithdrawn(listing, 'deleted')]);
}

/**
 * Withdraws the sample's listings that the page names, so that the registry's take their place, and the
 * rest with the last page. Suspends their claims and ends ratings by and about them. Returns whether there
 * were any.
 */
export async function endSample(tx: ImportTransaction, page: SourcePage, at: string): Promise<boolean> {
  const handles = await readSampleHandles();
  const named = new Set(page.entries.map((entry) => asMembers(asMembers(entry).server).name));
  const ending = page.nextCursor === undefined ? handles : handles.filter((handle) => named.has(handle));
  const listings = ending.length === 0 ? [] : await tx.listings.byHandles(ending);
  const ended = listings.filter((listing) => isSample(listing) && !isGone(listing));
  for (const listing of ended) await endOne(tx, listing, at);
  return ended.length > 0;
}

export type ImportContext = Pick<Context, 'store' | 'config' | 'log' | 'clock'>;

type Import = Awaited<ReturnType<typeof openImport>>;

/** With fewer of the last full run's rows, the registry is at fault. */
const leastShare = 0.9;

/**
 * A missing next cursor ends the list without an error. The error passes, so that the next import asks for
 * the same page again.
 */
function requireWhole({ run, request }: Import, page: SourcePage): void {
  const { kind, expectedRows = 0, counts } = run;
  const rows = counts.rows_seen + page.entries.length;
  const isWhole = kind !== 'full' || page.nextCursor !== undefined || rows >= leastShare * expectedRows;
  if (isWhole || request.acceptChanges) return;
  throw new RegistryError(
    `the list ended after ${rows} entries, and the last full import read ${expectedRows}; if that is right, run: dossier import --full --accept-changes`,
    true,
  );
}

/** Thrown before listings are withdrawn or moved, to check the rest of the run. */
class ReviewNeeded extends Error {}

/** An incremental run never fails for this, because it may have one row. */
function whyUnread({ kind }: RunImport, counts: ImportCounts, { quarantined }: PagePlan): string | undefined {
  if (kind !== 'full' || !isUnreadable(counts)) return undefined;
  const one = quarantined.at(-1);
  const { rows_quarantined, rows_seen } = counts;
  return `${rows_quarantined} of ${rows_seen} entries could not be read, so Dossier cannot import this registry${one ? ` (one of them: ${one.reason})` : ''}`;
}

async function writePage(current: Import, page: SourcePage, tries = 2): Promise<void> {
  const { context, guard, run } = current;
  const { origin } = current.source;
  const at = context.clock().toISOString();
  const cursor = page.nextCursor;
  requireWhole(current, page);
  const facts = { origin, at, runId: run.id };
  // Outside the transaction, because all other writes wait for it.
  const planned = await planPage(context.store, page.entries, facts);
  const written = await context.store.write(async (tx) => {
    const hasEnded = current.source.name !== sampleSource && (await endSample(tx, page, at));
    const isSame = !hasEnded && (await isStill(tx, planned));
    if (!isSame && !hasEnded && tries > 0) return undefined;
    const plan = isSame ? planned : await planPage(tx, page.entries, facts);
    if (plan.affected.length > 0 && guard.mustReview) throw new ReviewNeeded();
    guard.count(plan.affected);
    await applyPage(tx, plan, { ...current, at });
    const progress = {
      counts: addCounts(run.counts, plan.counts),
      newestUpdatedAt: newestKnown(run, plan.updatedAt),
      recorded: {
        ...run.recorded,
        [origin]: copyFields.filter(
          (field) => run.recorded[origin]?.includes(field) || plan.fields.includes(field),
        ),
      },
    };
    const error = cursor === undefined ? whyUnread(run, progress.counts, plan) : undefined;
    const state = error === undefined ? ('done' as const) : ('failed' as const);
    const end = cursor === undefined ? { state, finished_at: at, error } : {};
    const isSaved = await saveWithLease(tx, run, { cursor, progress, ...end });
    if (!isSaved) throw new RegistryError('another process has taken this import over', true);
    return { ...run, ...progress, cursor, error };
  });
  if (!written) return writePage(current, page, tries - 1);
  current.run = written;
  if (current.run.counts.rows_quarantined > 0) current.mayRelease = true;
}

async function review({ context, run, source, guard, request: { signal } }: Import): Promise<void> {
  const { cursor, updated_since: updatedSince } = run;
  const at = context.clock().toISOString();
  for await (const { entries } of readPages(source, { cursor, updatedSince, signal })) {
    const facts = { origin: source.origin, at, runId: run.id };
    guard.count((await planPage(context.store, entries, facts)).affected);
    await setImmediate();
  }
  guard.clear();
}

async function writePages(current: Import): Promise<void> {
  const { source, request } = current;
  const { signal, onProgress } = request;
  const { cursor, updated_since: updatedSince } = current.run;
  for await (const page of batchPages(readPages(source, { cursor, updatedSince, signal }))) {
    try {
      await writePage(current, page);
    } catch (error) {
      if (!(error instanceof ReviewNeeded)) throw error;
      await review(current);
      await writePage(current, page);
    }
    onProgress?.({ counts: current.run.counts, total: page.total });
    await setImmediate();
  }
}

/** After a run that wrote fewer listings, the index is not merged. */
const mergedShare = 0.1;

async function mergeIndex({ context, run, request: { signal } }: Import): Promise<void> {
  const { store } = context;
  const written = run.counts.listings_new + run.counts.listings_changed;
  if (written === 0 || written < (await store.listings.count()) * mergedShare) return;
  const mergePart = (isFirst: boolean) => store.write((tx) => tx.listings.mergeIndex(isFirst));
  for (let isMore = await mergePart(true); isMore && !signal?.aborted; isMore = await mergePart(false))
    await setImmediate();
}

export interface ImportRequest {
  /** A registry's address, `file:path`, a path or `sample`. */
  readonly source?: string | undefined;
  /** After each batch of pages. `total` counts rows. */
  readonly onProgress?: (progress: Pick<SourcePage, 'total'> & { readonly counts: ImportCounts }) => void;
  /** Before the next write; the source's next import can continue. */
  readonly signal?: AbortSignal | undefined;
  /** Even if it would be enough to read the changes. */
  readonly isFull?: boolean | undefined;
  /** Even what the mass-change guard would stop, and a much shorter list. */
  readonly acceptChanges?: boolean | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** The last run when this import was found due: UnderWayError if another has ended since. */
  readonly dueAfter?: RunStart['dueAfter'];
}

/** `running`: stopped, to be continued. */
export interface ImportResult {
  readonly id: number;
  readonly kind: ImportRun['kind'];
  readonly state: ImportRun['state'];
  readonly isResumed: boolean;
  readonly counts: ImportCounts;
  /** Quotes nothing from the source. */
  readonly error?: string;
}

async function openImport(
  context: ImportContext,
  request: ImportRequest,
  { source, lease }: { readonly source: RegistrySource; readonly lease: Lease },
) {
  const { store, config, clock } = context;
  const { done } = await store.imports.last();
  const run = await store.write((tx) =>
    beginRun(tx, source, {
      lease,
      at: clock().toISOString(),
      fullInterval_s: config.importFullInterval_s,
      isFull: request.isFull ?? false,
      dueAfter: request.dueAfter,
    }),
  );
  return {
    context,
    request,
    source,
    guard: createMassChangeGuard(await store.listings.count(), request.acceptChanges ?? false),
    /** Neither in the first import nor right after the sample. */
    isRecorded: done !== undefined && done.source !== sampleSource,
    /** Quarantined entries may have to be released. */
    mayRelease: (await store.imports.quarantined(1)).length > 0,
    /** With the last written page. */
    run,
  };
}

/** Throws `error` again if it is not of the source or guard. */
async function endRun({ context, run, request }: Import, error: unknown): Promise<ImportResult['state']> {
  if (request.signal?.aborted) return 'running';
  if (!(error instanceof RegistryError || error instanceof MassChangeError)) throw error;
  const state = error instanceof MassChangeError ? 'held' : 'failed';
  const keepsCursor = error instanceof RegistryError && error.isPassing;
  await context.store.write((tx) =>
    saveWithLease(tx, run, {
      state,
      finished_at: context.clock().toISOString(),
      error: error.message,
      ...(!keepsCursor && { cursor: undefined }),
    }),
  );
  return state;
}

async function runToEnd(current: Import): Promise<ImportResult> {
  const { log } = current.context;
  const { id, kind, isResumed } = current.run;
  log.info({ run: id, kind, source: current.source.name, isResumed }, 'import started');
  let end: Pick<ImportResult, 'state' | 'error'> = { state: 'done' };
  try {
    await writePages(current);
    await mergeIndex(current);
    const { error } = current.run;
    if (error !== undefined) end = { state: 'failed', error };
  } catch (error) {
    const state = await endRun(current, error);
    end = state === 'running' ? { state } : { state, error: (error as Error).message };
  }
  const { counts } = current.run;
  log.info({ run: id, state: end.state, ...counts }, 'import ended');
  return { id, kind, isResumed, counts, ...end };
}

/**
 * The whole source at first and after each IMPORT_FULL_INTERVAL, otherwise its changes. Rows, cursor and
 * counts are in one transaction, so that an interrupted run neither loses nor repeats anything. Listings
 * missing from the source stay, but for the sample's. Throws RegistryError if the source cannot be opened,
 * and UnderWayError; other failures are in the result.
 */
export async function runImport(context: ImportContext, request: ImportRequest = {}): Promise<ImportResult> {
  const { store, config } = context;
  await using lease = await store.leases.take(importLease);
  if (!lease) throw new UnderWayError();
  await deriveMissing(context, lease, request.signal);
  const source = await openSource(request.source ?? config.registryUrl, config, request.patience);
  return await runToEnd(await openImport(context, request, { source, lease }));
}
