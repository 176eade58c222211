import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { type ImportRequest, type ImportResult, runImport } from '../../src/imports/import.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, openDatabase } from './database.ts';
import type { RegistryEntry } from './entries.ts';
import { type RegistryServer, startRegistryServer } from './registry-server.ts';

/** A real store and a real registry on loopback that it imports from. */
export interface Importing {
  readonly registry: RegistryServer;
  readonly store: Store;
  /** One run, with short waits between tries. */
  run(request?: ImportRequest): Promise<ImportResult>;
  /** Moves the clock of the importing side. */
  wait(seconds: number): void;
  /** Everything the import has written, but the times of reading: for comparison. */
  written(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Listings, versions, and the facts of every tenth listing as they stand, without the times of our reading.
 */
export async function readWritten(store: Store): Promise<unknown> {
  const handles = (await store.listings.page('', 100_000)).map(({ handle }) => handle);
  const listings = (await store.listings.byHandles(handles)).sort((a, b) => (a.handle < b.handle ? -1 : 1));
  const facts = await Promise.all(
    listings
      .filter((_, at) => at % 10 === 0)
      .map(async ({ handle }) => {
        const found = await store.documents.facts(handle);
        const imported = found?.imported.map(({ observed_at: _, ...signal }) => signal);
        return { imported, versions: found?.versions };
      }),
  );
  const versions = await store.listings.versionSummaries(handles);
  const order = ({ handle, version }: { handle: string; version: string }) => `${handle} ${version}`;
  return {
    listings: listings.map(({ imported_at: _, import_run: __, ...listing }) => listing),
    facts,
    versions: versions.sort((a, b) => (order(a) < order(b) ? -1 : 1)),
  };
}

/** Opens both; close it after use. The clock starts at 2026-11-01T00:00:00Z. */
export async function openImporting(
  entries: readonly RegistryEntry[],
  databaseUrl?: string,
): Promise<Importing> {
  const registry = await startRegistryServer(entries);
  const store = await openDatabase(databaseUrl ?? (await createDatabase()));
  const config = readConfig({ REGISTRY_URL: registry.url, REGISTRY_NAME: 'registry.test' }, '1.2.3');
  let now_ms = Date.parse('2026-11-01T00:00:00Z');
  const context = { store, config, log: pino({ level: 'silent' }), clock: () => new Date(now_ms) };
  return {
    registry,
    store,
    run: (request = {}) => runImport(context, { patience: { tries: 3, wait_ms: 1 }, ...request }),
    wait: (seconds) => {
      now_ms += seconds * 1000;
    },
    written: () => readWritten(store),
    async close() {
      await registry.stop();
      await store.close();
    },
  };
}
