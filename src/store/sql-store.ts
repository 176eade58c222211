import { dumpStore } from './backup/dump.ts';
import { isWhole, loadStore } from './backup/load.ts';
import type { ListingReads } from './contract/listings.ts';
import type { Db, Engine, SearchIndex } from './engine.ts';
import { createGroupCommit } from './group-commit.ts';
import { createLeases } from './lease.ts';
import { createCheckReads, createCheckWrites } from './queries/claim-checks.ts';
import { createClaimReads, createClaimWrites } from './queries/claims.ts';
import { createFeedbackReads, createFeedbackWrites } from './queries/feedback.ts';
import { createImportReads, createImportWrites } from './queries/imports.ts';
import { createKeyReads, createKeyWrites } from './queries/keys.ts';
import { createLimitReads, createLimitWrites } from './queries/limits.ts';
import { createListingReads } from './queries/listing-reads.ts';
import { createListingWrites } from './queries/listing-writes.ts';
import { createRatingReads, createRatingWrites } from './queries/ratings.ts';
import { createLogReads, createLogWrites } from './queries/transparency-log.ts';
import type { ChangedHandles, Reads, Store, Transaction } from './store.ts';

/** Searches and lists from where they may lag; what is said of one listing always is as it was written. */
function createListings({ reader, lagging, search }: Engine): ListingReads {
  const { search: find, ...lists } = createListingReads(lagging, search);
  const { searchCounts, facetCounts, near, page, newest, completions } = lists;
  return {
    ...createListingReads(reader, search),
    ...{ search: find, searchCounts, facetCounts, near, page, newest, completions },
  };
}

const createReads = (db: Db, search: SearchIndex): Reads => ({
  listings: createListingReads(db, search),
  ratings: createRatingReads(db),
  claims: createClaimReads(db),
  checks: createCheckReads(db),
  log: createLogReads(db),
  imports: createImportReads(db),
  feedback: createFeedbackReads(db),
  keys: createKeyReads(db),
  limits: createLimitReads(db),
});

/** Stands for every listing among touched handles; no handle has this form. */
const everyListing = '*';

const createTransaction = (db: Db, search: SearchIndex, touch: (handle: string) => void): Transaction => ({
  listings: createListingWrites(db, search, touch),
  ratings: createRatingWrites(db, touch),
  claims: createClaimWrites(db, touch),
  checks: createCheckWrites(db),
  log: createLogWrites(db),
  imports: createImportWrites(db, () => touch(everyListing)),
  feedback: createFeedbackWrites(db),
  keys: createKeyWrites(db),
  limits: createLimitWrites(db),
});

/** What one transaction touched, and everything that a commit of several did. */
const toChangedHandles = (touched: ReadonlySet<string>): ChangedHandles =>
  touched.has(everyListing) ? 'all' : [...touched];

/** The store over an engine: every query is written once, the engine brings connections, DDL and search. */
export function createSqlStore(engine: Engine): Store {
  const listeners = new Set<(written: ChangedHandles) => void>();
  const tell = (written: ChangedHandles) => {
    for (const listener of listeners) listener(written);
  };
  const stopWatching = engine.onForeignChange(tell);
  let touched: Set<string>;
  const commit = createGroupCommit(async (work) => {
    touched = new Set();
    try {
      await engine.writer.transaction().execute(async (db) => {
        await engine.begin(db);
        await work(db);
        if (touched.size > 0) await engine.announce(db, toChangedHandles(touched));
      });
    } finally {
      // Where the answer to a commit is lost, it may have been done.
      if (touched.size > 0) tell(toChangedHandles(touched));
    }
  });
  return {
    ...createReads(engine.reader, engine.search),
    listings: createListings(engine),
    failureOf: engine.failureOf,
    node: engine.node,
    isPresent: engine.isPresent,
    leases: createLeases(engine),
    write: (work) =>
      commit((db) => work(createTransaction(db, engine.search, (handle) => touched.add(handle)))),
    isWhole: () => isWhole(engine.writer),
    dump: (work) => dumpStore(engine, work),
    load: () => loadStore(engine, commit),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stopWatching();
      await engine.close();
    },
  };
}
