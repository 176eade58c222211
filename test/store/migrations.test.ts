import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { queryDatabase } from '../support/nodes.ts';

// Each test starts the command several times.
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-migrations-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const namesOf = async (databaseUrl: string) =>
  (await queryDatabase(databaseUrl, 'select name from kysely_migration order by name')).map(
    ({ name }) => name,
  );

it('makes a new database in one step and opens it again', async () => {
  const databaseUrl = await createSharedDatabase(folder);
  for (let opened = 0; opened < 2; opened++) {
    const store = await openDatabase(databaseUrl);
    await store.close();
    expect(await namesOf(databaseUrl)).toEqual(['0001-tables', '0002-former-values']);
  }
});

/** What every version before the first release left in Kysely's table. */
const asBeforeTheRelease = [
  `create table if not exists kysely_migration
    (name varchar(255) not null primary key, timestamp varchar(255) not null)`,
  'delete from kysely_migration',
  `insert into kysely_migration (name, timestamp) values
    ('0001_tables', '2026-11-20T10:00:00.000Z'), ('0002_search', '2026-11-20T10:00:00.001Z')`,
];

describe('a database made before the first release', () => {
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await createSharedDatabase(folder);
    for (const statement of asBeforeTheRelease) await queryDatabase(databaseUrl, statement);
  });

  it.each([
    ['serve'],
    ['stdio'],
    ['import', '--from', 'data/sample.json'],
    ['feedback', 'list'],
    ['backup', 'never-written.gz'],
    ['restore', 'never-read.gz'],
  ])('is refused by dossier %s with 78 and one line, and left alone', async (...args) => {
    expect(await runDossier(args, { DATABASE_URL: databaseUrl, REGISTRY_URL: 'off', PORT: '0' })).toEqual({
      code: 78,
      stdout: '',
      stderr:
        'DATABASE_URL: this database was made by an earlier version of Dossier, before its first release, and cannot be upgraded; set DATABASE_URL to a new one\n',
    });
    expect(await namesOf(databaseUrl)).toEqual(['0001_tables', '0002_search']);
  });
});

describe('a database that a newer version upgraded', () => {
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await createSharedDatabase(folder);
    await (await openDatabase(databaseUrl)).close();
    await queryDatabase(
      databaseUrl,
      "insert into kysely_migration (name, timestamp) values ('0003-later', '2027-01-01T00:00:00.000Z')",
    );
  });

  it.each([['serve'], ['backup', 'never-written.gz']])(
    'is refused by dossier %s with 78 and what to do, and left alone',
    async (...args) => {
      expect(await runDossier(args, { DATABASE_URL: databaseUrl, REGISTRY_URL: 'off', PORT: '0' })).toEqual({
        code: 78,
        stdout: '',
        stderr:
          'DATABASE_URL: this database was made or upgraded by a newer version of Dossier; run that version or a later one, or restore a backup made before the upgrade into a new database\n',
      });
      expect(await namesOf(databaseUrl)).toEqual(['0001-tables', '0002-former-values', '0003-later']);
    },
  );
});
