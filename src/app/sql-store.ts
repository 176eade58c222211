import { sql } from 'kysely';
import { createCheckReads, createCheckWrites } from '../claims/checks/check.ts';
import {
  createClaimReads,
  createClaimWrites,
  createOptOutReads,
  createOptOutWrites,
  requireShown,
} from '../claims/table.ts';
import { everyListing } from '../core/handle.ts';
import { lazyMembers } from '../core/lazy.ts';
import { createDocumentReads } from '../document/facts.ts';
import { createImportReads, createImportWrites } from '../imports/table.ts';
import { createLimitWrites } from '../limits/limit.ts';
import { createChangeReads, createChangeWrites } from '../listings/changes.ts';
import { listingTable, withoutHidden } from '../listings/listing.ts';
import { readIds } from '../listings/near.ts';
import { createListingReads, type ListingReads } from '../listings/reads.ts';
import { toIndexKeys } from '../listings/references/references.ts';
import { createListingWrites, deletePast } from '../listings/writes.ts';
import { createAuditReads, createAuditWrites, createLogReads, createLogWrites } from '../log/entries.ts';
import {
  createFeedbackReads,
  createFeedbackWrites,
  createModerationReads,
  createModerationWrites,
} from '../moderation/table.ts';
import {
  createObservationReads,
  createObservationWrites,
  deleteValues,
} from '../observations/known/table.ts';
import { createRatingReads, createRatingWrites, readNativeFacts } from '../ratings/queries.ts';
import { createCachedSearch, createUncachedSearch } from '../search/cached-documents.ts';
import { replaceInIndex } from '../search/indexing.ts';
import type { EngineIndex, SearchIndex } from '../search/search-index.ts';
import { createSelectionReads, createSelectionWrites } from '../selections/table.ts';
import { dumpStore, type Follow, isComplete, loadStore } from '../store/backup.ts';
import { createGroupCommit } from '../store/group-commit.ts';
import { createLeaseReads, createLeases, createLeaseWrites } from '../store/lease.ts';
import type { ChangedHandles, Store } from '../store/store.ts';
import type { StoredRow } from '../store/table.ts';
import { createWebhookReads, createWebhookWrites } from '../webhooks/table.ts';
import { type Db, type Schema, type SqlEngine, tables } from './schema.ts';

declare module '../store/store.ts' {
  interface Reads extends Readonly<ReturnType<typeof createReads>> {}
  interface Transaction extends Readonly<ReturnType<typeof createTransaction>> {}
}

const createFigureReads = (db: Db) => ({
  async counts() {
    const { rows } = await sql<
      Record<'claimed' | 'suspended', number> &
        Record<'ratings' | 'open_feedback' | 'open_reports' | 'contested_opt_outs', number>
    >`select (select count(*) from claim where state = 'claimed') as claimed,
      (select count(*) from claim where state = 'suspended') as suspended,
      (select count(*) from rating where is_current = 1) as ratings,
      (select count(*) from feedback where state = 'open' and coalesce(category, '') <> 'report') as open_feedback,
      (select count(*) from feedback where state = 'open' and category = 'report') as open_reports,
      (select count(*) from opt_out where state = 'contested') as contested_opt_outs`.execute(db);
    const [{ claimed, suspended, ...counts }] = rows as [(typeof rows)[number]];
    return { claims: { claimed, suspended }, ...counts };
  },
});

/** Only what a list shows is from the primary, so that hidden or withdrawn texts disappear at once. */
function createListings({ reader, lagging }: SqlEngine, index: SearchIndex): ListingReads {
  const current = createListingReads(reader, index);
  if (lagging === reader) return current;
  const replica = createListingReads(lagging, index);
  const { search, best, listCounts, facetCounts, near, page, completions } = replica;
  const lists = { search, best, listCounts, facetCounts, near, page, completions };
  return {
    ...current,
    ...lists,
    list: async (query) => {
      const found = await replica.list(query);
      const listings = await current.byIds(found.map(({ id }) => id));
      const byId = new Map(listings.map((listing) => [listing.id, listing]));
      return found.map((listing) => byId.get(listing.id) ?? withoutHidden({ ...listing, hidden: true }));
    },
  };
}

const createReads = (db: Db, search: SearchIndex) => ({
  listings: createListingReads(db, search),
  documents: createDocumentReads(db),
  optOuts: createOptOutReads(db),
  ratings: createRatingReads(db),
  claims: createClaimReads(db),
  checks: createCheckReads(db),
  audits: createAuditReads(db),
  log: createLogReads(db),
  imports: createImportReads(db),
  feedback: createFeedbackReads(db),
  figures: createFigureReads(db),
  observations: createObservationReads(db),
  changes: createChangeReads(db),
  selections: createSelectionReads(db),
  webhooks: createWebhookReads(db),
  moderation: createModerationReads(db),
});

const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** Files beside the database, such as the checkpoint, need room too. */
const isFullDisk = (error: unknown) =>
  error instanceof Error && 'code' in error && noRoom.has(String(error.code));

/**
 * `touch` gets changed handles, `leave` withdrawn ones; for these and `standing`, `requireShown` holds at the
 * end.
 */
const createTransaction = (
  db: Db,
  engine: SqlEngine,
  { touch, leave, standing }: Record<'touch' | 'leave' | 'standing', (handle: string) => void>,
) =>
  lazyMembers({
    listings: () =>
      createListingWrites(db, createUncachedSearch(engine.search), {
        touch: (handle) => touch(handle ?? everyListing),
        standing: leave,
        readNative: (handle) => readNativeFacts(db, handle),
      }),
    documents: () => createDocumentReads(db),
    optOuts: () => createOptOutWrites(db),
    ratings: () => createRatingWrites(db, touch),
    claims: () => createClaimWrites(db, { touch, standing, followers: createRatingWrites(db, touch) }),
    checks: () => createCheckWrites(db),
    audits: () => createAuditWrites(db),
    log: () => createLogWrites(db),
    imports: () => createImportWrites(db, () => touch(everyListing)),
    feedback: () => createFeedbackWrites(db),
    figures: () => createFigureReads(db),
    limits: () => createLimitWrites(db),
    leases: () => createLeaseWrites(db, engine),
    observations: () => createObservationWrites(db, touch),
    changes: () => createChangeWrites(db, touch),
    selections: () => createSelectionWrites(db, touch),
    webhooks: () => createWebhookWrites(db),
    moderation: () => createModerationWrites(db, (handle) => touch(handle ?? everyListing)),
  });

const toChangedHandles = (touched: ReadonlySet<string>): ChangedHandles =>
  touched.has(everyListing) ? 'all' : [...touched];

type StoreListener = (changed: ChangedHandles) => void;

function createCommits(engine: SqlEngine, publish: StoreListener) {
  const touched = new Set<string>();
  const commit = createGroupCommit<Schema>(async (work) => {
    touched.clear();
    try {
      await engine.writer.transaction().execute(async (db) => {
        await engine.takeWriteLock(db);
        await work(db);
        if (touched.size > 0) await engine.announce(db, toChangedHandles(touched));
      });
    } finally {
      // After an error the commit may have happened: only its confirmation was lost.
      if (touched.size > 0) publish(toChangedHandles(touched));
    }
  });
  return { commit, touch: (handle: string) => void touched.add(handle) };
}

/** Backups do not contain the index. */
const updateIndex =
  (search: EngineIndex): Follow<Schema> =>
  async (db, { table, removed, added }) => {
    if (table !== listingTable.name) return;
    const idsOf = (rows: readonly StoredRow[]) => rows.map(({ id }) => Number(id));
    const stored = db.selectFrom('listing').selectAll().where('id', 'in', idsOf(added));
    const listings = added.length > 0 ? await stored.execute() : [];
    await replaceInIndex(db, search, { removedIds: idsOf(removed), listings, toKeys: toIndexKeys });
  };

export function createSqlStore(engine: SqlEngine): Store {
  const { search, change } = createCachedSearch(engine.search, engine.reader, (handles) =>
    readIds(engine.reader, handles),
  );
  const uncached = createUncachedSearch(engine.search);
  const listeners = new Set<StoreListener>([change]);
  const publish: StoreListener = (changed) => {
    for (const listener of listeners) listener(changed);
  };
  const stopWatching = engine.onForeignChange(publish);
  const { commit, touch } = createCommits(engine, publish);
  const write: Store['write'] = (work) =>
    commit(async (db) => {
      const left = new Set<string>();
      const claimed = new Set<string>();
      const leave = (handle: string) => void left.add(handle);
      const standing = (handle: string) => void claimed.add(handle);
      const result = await work(createTransaction(db, engine, { touch, leave, standing }));
      await deleteValues(db, [...left]);
      await deletePast(db, [...left]);
      await requireShown(db, [...left, ...claimed]);
      return result;
    });
  const leases = createLeases(createLeaseReads(engine.reader, engine), write);
  return {
    ...createReads(engine.reader, search),
    listings: createListings(engine, search),
    failureOf: (error) => (isFullDisk(error) ? 'storage_full' : engine.failureOf(error)),
    isWell: engine.isWell,
    health: createReads(engine.health, uncached),
    leases,
    write,
    isComplete: () => isComplete(engine.writer, tables),
    findDamage: engine.findDamage,
    dropDeleted: engine.dropDeleted,
    snapshot: (work) => engine.snapshot((db) => work(createReads(db, uncached))),
    dump: (work) => dumpStore(engine, tables, work),
    load: () => loadStore(engine, { tables, commit, follow: updateIndex(engine.search) }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stopWatching();
      await leases.end();
      await engine.close();
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}
