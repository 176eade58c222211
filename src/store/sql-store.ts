import type { ListingSummary } from '../evidence/listing/listing.ts';
import { withoutHidden } from '../evidence/listing/state/hidden.ts';
import { dumpStore } from './backup/dump.ts';
import { loadStore } from './backup/load.ts';
import { isComplete } from './backup/state.ts';
import type { AuditReads, AuditWrites } from './contract/audits.ts';
import type { ListingReads } from './contract/listings.ts';
import type { Db, Engine, SearchIndex } from './engine.ts';
import { createGroupCommit } from './group-commit.ts';
import { createLeaseReads, createLeases, createLeaseWrites } from './lease.ts';
import { createChangeReads, createChangeWrites } from './queries/changes.ts';
import { createCheckReads, createCheckWrites } from './queries/claim-checks.ts';
import { createClaimReads, createClaimWrites } from './queries/claims.ts';
import { createFeedbackReads, createFeedbackWrites } from './queries/feedback.ts';
import { createFigureReads } from './queries/figures.ts';
import { createImportReads, createImportWrites } from './queries/imports.ts';
import { createKeyReads, createKeyWrites } from './queries/keys.ts';
import { createLimitReads, createLimitWrites } from './queries/limits.ts';
import { createListingReads } from './queries/listings/reads.ts';
import { createListingWrites } from './queries/listings/writes.ts';
import { createModerationReads, createModerationWrites } from './queries/moderation.ts';
import { createObservationReads, createObservationWrites } from './queries/observations.ts';
import { createRatingReads, createRatingWrites } from './queries/ratings/ratings.ts';
import { createLogReads, createLogWrites } from './queries/transparency-log.ts';
import { createViewReads, createViewWrites } from './queries/views.ts';
import { createWebhookReads } from './queries/webhooks/reads.ts';
import { createWebhookWrites } from './queries/webhooks/writes.ts';
import type { ChangedHandles, Reads, Store, Transaction } from './store.ts';

/** The table has one row. */
const id = 1;

/** Reads of the node's own audits. */
const createAuditReads = (db: Db): AuditReads => ({
  async last() {
    const row = await db.selectFrom('audit_run').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const { id: _, ...run } = row;
    return run;
  },
});

/** Writes of audits inside a transaction; they change no listing. */
const createAuditWrites = (db: Db): AuditWrites => ({
  ...createAuditReads(db),
  async put(change) {
    await db
      .insertInto('audit_run')
      .values({ id, ...change })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
      .execute();
  },
});

/**
 * Which listings searches and lists name may lag behind; what is shown of a listing never does, so hidden texts, and those
 * of a listing that was withdrawn, are gone at once.
 */
function createListings({ reader, lagging, search: index }: Engine): ListingReads {
  const current = createListingReads(reader, index);
  if (lagging === reader) return current;
  const lists = createListingReads(lagging, index);
  const { search, listCounts, facetCounts, near, page, completions } = lists;
  const asOfNow = async (found: ListingSummary[]) => {
    const now = new Map((await current.byIds(found.map(({ id }) => id))).map((one) => [one.id, one]));
    return found.map((one) => now.get(one.id) ?? withoutHidden({ ...one, hidden: true }));
  };
  return {
    ...current,
    ...{ search, listCounts, facetCounts, near, page, completions },
    list: async (query) => asOfNow(await lists.list(query)),
    newest: async (by, limit) => asOfNow(await lists.newest(by, limit)),
  };
}

const createReads = (db: Db, search: SearchIndex): Reads => ({
  listings: createListingReads(db, search),
  ratings: createRatingReads(db),
  claims: createClaimReads(db),
  checks: createCheckReads(db),
  audits: createAuditReads(db),
  log: createLogReads(db),
  imports: createImportReads(db),
  feedback: createFeedbackReads(db),
  figures: createFigureReads(db),
  keys: createKeyReads(db),
  limits: createLimitReads(db),
  observations: createObservationReads(db),
  changes: createChangeReads(db),
  views: createViewReads(db),
  webhooks: createWebhookReads(db),
  moderation: createModerationReads(db),
});

const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** Files beside the database, such as the kept checkpoint, need room too. */
const isFullDisk = (error: unknown) =>
  error instanceof Error && 'code' in error && noRoom.has(String(error.code));

/** Stands for all listings among the changed handles; no handle has this form. */
const everyListing = '*';

const createTransaction = (db: Db, engine: Engine, touch: (handle: string) => void): Transaction => ({
  listings: createListingWrites(db, engine.search, touch),
  ratings: createRatingWrites(db, touch),
  claims: createClaimWrites(db, touch),
  checks: createCheckWrites(db),
  audits: createAuditWrites(db),
  log: createLogWrites(db),
  imports: createImportWrites(db, () => touch(everyListing)),
  feedback: createFeedbackWrites(db),
  figures: createFigureReads(db),
  keys: createKeyWrites(db),
  limits: createLimitWrites(db),
  leases: createLeaseWrites(db, engine),
  observations: createObservationWrites(db, touch),
  changes: createChangeWrites(db),
  views: createViewWrites(db, touch),
  webhooks: createWebhookWrites(db),
  moderation: createModerationWrites(db, (handle) => touch(handle ?? everyListing)),
});

const toChangedHandles = (touched: ReadonlySet<string>): ChangedHandles =>
  touched.has(everyListing) ? 'all' : [...touched];

type Listener = (changed: ChangedHandles) => void;

/** Commits of an engine; each publishes what its transactions changed, here and to other processes. */
function createCommits(engine: Engine, publish: Listener) {
  let touched: Set<string>;
  const commit = createGroupCommit(async (work) => {
    touched = new Set();
    try {
      await engine.writer.transaction().execute(async (db) => {
        await engine.takeWriteLock(db);
        await work(db);
        if (touched.size > 0) await engine.announce(db, toChangedHandles(touched));
      });
    } finally {
      // After an error too: a commit whose confirmation was lost may have happened.
      if (touched.size > 0) publish(toChangedHandles(touched));
    }
  });
  return { commit, touch: (handle: string) => void touched.add(handle) };
}

/** The store of an engine. Every query is written once; the engine brings connections, tables and search. */
export function createSqlStore(engine: Engine): Store {
  const listeners = new Set<Listener>();
  const publish: Listener = (changed) => {
    for (const listener of listeners) listener(changed);
  };
  const stopWatching = engine.onForeignChange(publish);
  const { commit, touch } = createCommits(engine, publish);
  const write: Store['write'] = (work) => commit((db) => work(createTransaction(db, engine, touch)));
  const leases = createLeases(createLeaseReads(engine.reader, engine), write);
  return {
    ...createReads(engine.reader, engine.search),
    listings: createListings(engine),
    failureOf: (error) => (isFullDisk(error) ? 'storage_full' : engine.failureOf(error)),
    isWell: engine.isWell,
    health: createReads(engine.health, engine.search),
    leases,
    write,
    isComplete: () => isComplete(engine.writer),
    findDamage: engine.findDamage,
    snapshot: (work) => engine.snapshot((db) => work(createReads(db, engine.search))),
    dump: (work) => dumpStore(engine, work),
    load: () => loadStore(engine, commit),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stopWatching();
      await leases.end();
      await engine.close();
    },
  };
}
