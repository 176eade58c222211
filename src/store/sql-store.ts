import { createClaimReads, createClaimWrites } from './claims.ts';
import { dumpStore } from './dump.ts';
import type { Db, Engine, SearchIndex } from './engine.ts';
import { createFeedbackReads, createFeedbackWrites, createKeyReads, createKeyWrites } from './feedback.ts';
import { createImportReads, createImportWrites } from './imports.ts';
import { createLimitReads, createLimitWrites } from './limits.ts';
import { createListingReads } from './listing-reads.ts';
import { createListingWrites } from './listing-writes.ts';
import { isWhole, loadStore } from './load.ts';
import { createLogReads, createLogWrites } from './log.ts';
import { createRatingReads, createRatingWrites } from './ratings.ts';
import type { Reads, Store, Transaction, Written } from './store.ts';

const createReads = (db: Db, search: SearchIndex): Reads => ({
  listings: createListingReads(db, search),
  ratings: createRatingReads(db),
  claims: createClaimReads(db),
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
  log: createLogWrites(db),
  imports: createImportWrites(db, () => touch(everyListing)),
  feedback: createFeedbackWrites(db),
  keys: createKeyWrites(db),
  limits: createLimitWrites(db),
});

/** The store over an engine: every query is written once, the engine brings connections, DDL and search. */
export function createSqlStore(engine: Engine): Store {
  const listeners = new Set<(written: Written) => void>();
  const announce = (written: Written) => {
    for (const listener of listeners) listener(written);
  };
  const stopWatching = engine.onForeignWrite(announce);
  return {
    ...createReads(engine.reader, engine.search),
    async write(work) {
      const touched = new Set<string>();
      const result = await engine.writer
        .transaction()
        .execute((db) => work(createTransaction(db, engine.search, (handle) => touched.add(handle))));
      if (touched.size > 0) announce(touched.has(everyListing) ? 'all' : [...touched]);
      return result;
    },
    isWhole: () => isWhole(engine.reader),
    dump: (work) => dumpStore(engine, work),
    load: () => loadStore(engine, (work) => engine.writer.transaction().execute(work)),
    onWritten(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stopWatching();
      await engine.close();
    },
  };
}
