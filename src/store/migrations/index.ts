import type { Migration } from 'kysely/migration';
import { createInitialTables } from './0001-initial.ts';
import type { EngineDdl } from './engine-ddl.ts';

/** Every migration under the name of its file, oldest first. A new one is a file here and a line in this list. */
export const listMigrations = (ddl: EngineDdl): Readonly<Record<string, Migration>> => ({
  '0001-initial': createInitialTables(ddl),
});
