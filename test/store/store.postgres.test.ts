import { createCachedStore } from '../../src/app/cached-store.ts';
import { createDatabase, openDatabase } from '../support/database.ts';
import { describeStore } from './store-contract.ts';

describeStore('PostgreSQL', async () => openDatabase(await createDatabase()));
describeStore('PostgreSQL, cached', async () =>
  createCachedStore(await openDatabase(await createDatabase())),
);
