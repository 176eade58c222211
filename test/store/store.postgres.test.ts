import { Client } from 'pg';
import { afterAll, describe } from 'vitest';
import { createCachedStore } from '../../src/app/cached-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, openDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { describeStore } from './store-contract.ts';

const url = await createDatabase();
const store = await opened(openDatabase(url));
const client = new Client(url);
await client.connect();
await client.query('create temporary table head_of_empty_log as table log_head');
afterAll(async () => {
  await client.end();
});

/** Deletes every row but those of a new database, and tells the store that all has changed. */
const empty = `do $$
  declare name text; has_rows boolean;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
      execute format('select exists(select from %I)', name) into has_rows;
      if has_rows then execute format('truncate %I', name); end if;
    end loop;
  end $$;
  insert into log_head select * from head_of_empty_log;
  notify dossier_changed`;

/**
 * One store stays open, and each case finds it empty: opening its connections anew for each took most of the
 * time.
 */
async function openEmpty(): Promise<Store> {
  const changed = Promise.withResolvers<void>();
  const stop = store.onChange(() => changed.resolve());
  await client.query(empty);
  await changed.promise;
  stop();
  return { ...store, close: async () => undefined };
}

const openCached = async () => createCachedStore(await openEmpty());
describe('PostgreSQL', describeStore(openEmpty));
describe('PostgreSQL, cached', describeStore(openCached, true));
