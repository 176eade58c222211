import type { Migration } from 'kysely/migration';
import type { Db } from '../store.ts';
import { type EngineDdl, runStatements } from './0001-tables.ts';

/**
 * Adds the former values of listings; the next full import, and the next check of each listing, fill them in.
 */
export const createFormerValues = (ddl: EngineDdl): Migration => ({
  up: (db: Db) => runStatements(db, './0002-former-values.sql', ddl),
});
