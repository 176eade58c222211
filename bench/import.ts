import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { runImport } from '../src/registry/import.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { manyEntries, readRealEntries } from '../test/support/registry-entries.ts';
import { startRegistryServer } from '../test/support/registry-server.ts';

/**
 * Imports every real row from a registry on loopback (its own process) into SQLite on disk: once anew, once incremental,
 * once with nothing changed. Prints rows per second and what became of each row.
 */
async function measure(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-bench-'));
  const store = await openSqliteStore(`file:${join(folder, 'bench.db')}`);
  const config = readConfig({ REGISTRY_URL: url }, '0.0.0');
  const context = { store, config, log: pino({ level: 'silent' }), clock: () => new Date() };
  // Another name of the same registry has no earlier run, so it is walked in full.
  const otherName = url.replace('127.0.0.1', 'localhost');
  for (const [name, source] of [
    ['new', url],
    ['incremental', url],
    ['unchanged', otherName],
  ] as const) {
    const started = performance.now();
    const { counts, state } = await runImport(context, { source });
    const took_s = (performance.now() - started) / 1000;
    const accounted = counts.rows_new + counts.rows_changed + counts.rows_unchanged + counts.rows_quarantined;
    console.log(
      `${name}: ${state}, ${counts.rows_seen} rows in ${took_s.toFixed(2)} s, ${Math.round(counts.rows_seen / took_s)} rows/s; accounted for ${accounted}:`,
      JSON.stringify(counts),
    );
  }
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

if (process.send) {
  const server = await startRegistryServer(readRealEntries() ?? manyEntries(2500));
  process.send(server.url);
} else {
  const child = fork(import.meta.filename);
  const [url] = (await once(child, 'message')) as [string];
  try {
    await measure(url);
  } finally {
    child.kill();
  }
}
