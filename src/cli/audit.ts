import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../config/exit.ts';
import { openStore } from '../store/open.ts';
import { auditDatabase } from '../transparency-log/audit-database.ts';

/**
 * Compares what a database stores with its transparency log. Prints one line a finding; ends with 1 if something
 * differs, with 2 if the log is empty.
 */
export async function runAudit(config: Config, database: string | undefined): Promise<void> {
  const databaseUrl = database === undefined || /^[a-z]+:/i.test(database) ? database : `file:${database}`;
  if (databaseUrl && /^https?:/.test(databaseUrl))
    throw new ExitError(exitCodes.usage, 'audit: name a database file or a postgres: URL');
  const databases = databaseUrl ? { databaseUrl, databaseReadUrl: '' } : config;
  const store = await openStore(databases);
  // A dump occupies the connection that reads on SQLite, so rows are looked up through another.
  const lookups = await openStore(databases);
  try {
    const entries = await store.log.size();
    let found = 0;
    await store.dump(async (dump) => {
      for await (const { where, message } of auditDatabase(lookups, dump, entries)) {
        found += 1;
        process.stdout.write(`DIFFERS  ${where}: ${message}\n`);
      }
    });
    process.stdout.write(`${entries} log entries; ${found} differences\n`);
    if (found > 0) throw new ExitError(1, 'audit: what is stored differs from the log');
    if (entries === 0) throw new ExitError(2, 'audit: the log is empty, so there is nothing to compare');
  } finally {
    await Promise.all([store.close(), lookups.close()]);
  }
}
