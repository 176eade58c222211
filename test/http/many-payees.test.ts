import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readFormerly } from '../../src/listings/references/former.ts';
import { readAsked, readPaidOn } from '../../src/listings/references/payees.ts';
import type { Db } from '../../src/listings/schema.ts';
import { createDb as createPostgresDb } from '../../src/store/postgres/connection.ts';
import { createDb as createSqliteDb } from '../../src/store/sqlite/connection.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry } from '../support/entries.ts';
import { openFolder } from '../support/opened.ts';

const address = '0x1111111111111111111111111111111111111111';
const network = 'eip155:8453';
const host = 'many.example.com';
/** Rows have the first letters of a digest of what they are about. */
const digestOf = (...about: readonly string[]) =>
  hash('sha256', JSON.stringify(about), 'base64url').slice(0, 16);
const payeeKey = digestOf('pay_to', address);
const hostKey = digestOf('host', host);
const isPostgres = process.env.TEST_POSTGRES !== undefined;

const folder = openFolder();
const databaseUrl = await createSharedDatabase(folder);
const entries = ['now', 'before'].map((name) => registryEntry(`com.example/${name}`));
await (await openDirectory({ entries, environment: { DATABASE_URL: databaseUrl } })).close();

/**
 * Listings `from` to `to` ask to be paid at the address; as many others did before, and recorded the host.
 */
const addRows = (from: number, to: number) => {
  const numbers = `with recursive number(n) as (select ${from} union all select n + 1 from number where n < ${to - 1})`;
  const seen = `'{"endpoints":[],"offers":[]}'`;
  const payee = (name: string, until: string) =>
    `insert into payee (key, handle, network, address, since, seen_at, until, seen) ${numbers}
     select '${payeeKey}', '${name}' || n, '${network}', '${address}', '2026-01-01', '2026-01-01', ${until}, ${seen} from number;`;
  return editDatabase(
    databaseUrl,
    `${payee('com.now/', 'null')} ${payee('com.before/', "'2026-01-01'")}
     insert into former_reference (key, handle, until) ${numbers} select '${hostKey}', 'com.had/' || n, '2026-01-01' from number;`,
  );
};

/** Two listings of the registry, which were seen first and last. */
const addListed = () =>
  editDatabase(
    databaseUrl,
    `insert into payee (key, handle, network, address, since, seen_at, until, seen) values
       ('${payeeKey}', 'com.example/now', '${network}', '${address}', '2025-01-01', '2026-01-01', null, '{"endpoints":[],"offers":[]}'),
       ('${payeeKey}', 'com.example/before', '${network}', '${address}', '2025-01-01', '2026-02-01', '2026-02-01', '{"endpoints":[],"offers":[]}');
     insert into former_reference (key, handle, until) values ('${hostKey}', 'com.example/before', '2026-02-01');
`,
  );

const views = (source: string, condition: string) =>
  ['payee', 'former_reference']
    .map(
      (table) =>
        `create view ${source}.${table} as select * from ${isPostgres ? 'public' : 'main'}.${table} where ${condition};`,
    )
    .join(' ');

/** Opens the database with views in the place of the two tables, which count each row that is read. */
async function openCounted(): Promise<{ readonly db: Db; count(): Promise<number> }> {
  if (!isPostgres) {
    let count = 0;
    const database = new DatabaseSync(databaseUrl.slice('file:'.length));
    database.function('is_counted', () => {
      count += 1;
      return 1;
    });
    database.exec(views('temp', 'is_counted()'));
    return { db: createSqliteDb(database), count: async () => count };
  }
  await editDatabase(
    databaseUrl,
    `drop schema if exists counted cascade; create schema counted; create sequence counted.rows_read;
     ${views('counted', "nextval('counted.rows_read') > 0")}`,
  );
  const db = createPostgresDb({ connectionString: databaseUrl, options: '-c search_path=counted,public' });
  const count = async () => {
    const { rows } = await sql<{ n: number }>`select last_value as n from counted.rows_read`.execute(db);
    return Number(rows[0]?.n);
  };
  return { db, count };
}

const reads: Readonly<Record<string, (db: Db) => Promise<readonly string[]>>> = {
  'who asked to be paid at an address before': async (db) =>
    (await readFormerly(db, [{ kind: 'pay_to', key: address }], 6))
      .flat()
      .map(({ listing }) => listing.handle),
  'who asked to be paid there on a network before': async (db) =>
    (await readFormerly(db, [{ kind: 'pay_to', key: address, network }], 6))
      .flat()
      .map(({ listing }) => listing.handle),
  'who is paid there on a network': async (db) =>
    (await readPaidOn(db, payeeKey, network, 6)).map(({ handle }) => handle),
  'the page of a payee': async (db) =>
    (await readAsked(db, { address, network }, 101)).map(({ handle }) => handle),
  'who recorded a host before': async (db) =>
    (await readFormerly(db, [{ kind: 'host', key: host }], 6)).flat().map(({ listing }) => listing.handle),
};

it('reads no more rows of an address that twice as many listings name', async () => {
  const countAll = async () => {
    await editDatabase(databaseUrl, 'analyze');
    const counted: Record<string, number> = {};
    const found: Record<string, readonly string[]> = {};
    for (const [name, read] of Object.entries(reads)) {
      const { db, count } = await openCounted();
      found[name] = await read(db);
      counted[name] = await count();
      await db.destroy();
    }
    return { counted, found };
  };
  await addRows(0, 10_000);
  await addListed();
  const once = await countAll();
  expect(once.found).toEqual({
    'who asked to be paid at an address before': ['com.example/before'],
    'who asked to be paid there on a network before': ['com.example/before'],
    'who is paid there on a network': ['com.example/now'],
    'the page of a payee': ['com.example/now', 'com.example/before'],
    'who recorded a host before': ['com.example/before'],
  });
  await addRows(10_000, 20_000);
  expect(await countAll()).toEqual(once);
});
