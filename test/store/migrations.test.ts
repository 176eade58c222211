import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startImports } from '../../src/app/import-schedule.ts';
import { stopWords } from '../../src/search/words.ts';
import { derivation } from '../../src/store/migrations/migrate.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { type Directory, documentOf, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { queryDatabase, takeBackMigrations } from '../support/nodes.ts';
import { openedDirectory } from '../support/opened.ts';
import { addSource } from '../support/rating-source.ts';

// Each test starts the command several times.
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-migrations-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const applied = [
  '0001-tables',
  '0002-former-values',
  '0003-derived',
  '0004-digests',
  '0005-timelines',
  '0006-values',
  '0007-lines',
  '0008-past',
  '0009-holders',
  '0010-endpoint-holders',
  '0011-credentials',
  '0012-fields',
  '0013-later',
  '0014-inputs',
  '0015-upkeep',
  '0016-required',
  '0017-digests',
  '0018-transports',
  '0019-restored',
  '0020-compared',
  '0021-references',
  '0022-forms',
  '0023-parts',
  '0024-derived',
  '0025-derivation',
  '0026-folder',
];

const namesOf = async (databaseUrl: string) =>
  (await queryDatabase(databaseUrl, 'select name from kysely_migration order by name')).map(
    ({ name }) => name,
  );

it('makes a new database in one step and opens it again', async () => {
  const databaseUrl = await createSharedDatabase(folder);
  for (let opened = 0; opened < 2; opened++) {
    const store = await openDatabase(databaseUrl);
    await store.close();
    expect(await namesOf(databaseUrl)).toEqual(applied);
  }
});

async function createOpened(): Promise<string> {
  const databaseUrl = await createSharedDatabase(folder);
  await (await openDatabase(databaseUrl)).close();
  return databaseUrl;
}

/** The database of a version that had no migration after `last`, and stored no digests. */
async function createEarlier(last: string): Promise<string> {
  const databaseUrl = await createOpened();
  await takeBackMigrations(databaseUrl, last);
  return databaseUrl;
}

it('upgrades a database whose migrations were stored without digests, and stores these', async () => {
  const databaseUrl = await createEarlier('0002-former-values');
  await (await openDatabase(databaseUrl)).close();
  const stored = await queryDatabase(databaseUrl, 'select name, sha256 from kysely_migration order by name');
  expect(stored.map(({ name }) => name)).toEqual(applied);
  for (const { sha256 } of stored) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  // Applied migrations never change.
  expect(stored.slice(0, 2).map(({ sha256 }) => sha256)).toEqual([
    'bf1782ee7706438cd02341d9610ade8c2039b3cecde3e1b7b66fe4cb421921f5',
    'b59475c3b186328cdd24b8713f8e4cdc62275073465b4a74ce6ed0b7379c491a',
  ]);
});

it('derives what stored records lack after an upgrade, also without a registry, and says so until then', async () => {
  const handle = 'com.relocate/mail';
  const version = (at: number, host: string) =>
    registryEntry(
      handle,
      { version: `1.0.${at}`, unknown: 1, remotes: [{ type: 'sse', url: `https://${host}/mcp` }] },
      { publishedAt: `2026-10-1${at}T08:00:00Z`, isLatest: at === 1 },
    );
  const entries = [version(0, 'mail.vendor.example.com'), version(1, 'mail.evil.example.net')];
  const DATABASE_URL = await createSharedDatabase(folder);
  const importedOf = async (directory: Directory) => (await documentOf(directory, handle)).signals;
  const made = await openDirectory({ entries, environment: { DATABASE_URL } });
  const before = await importedOf(made);
  await made.close();
  await takeBackMigrations(DATABASE_URL, '0002-former-values');
  const environment = { DATABASE_URL, REGISTRY_URL: 'off' };
  const upgraded = await openDirectory({ entries: [], environment });
  const reason =
    'Dossier was upgraded and has not read the stored records again since. It does so before the next import.';
  expect(await importedOf(upgraded)).toMatchObject({
    imported: expect.arrayContaining(
      ['record.moves', 'record.unread_fields'].map((kind) =>
        expect.objectContaining({ kind, value: null, outcome: 'not_asked', reason }),
      ),
    ),
  });
  const page = await upgraded.app.request(`/agents/${handle}.md`);
  expect(await page.text()).toContain('2 versions, which were not compared yet');
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line) => logged.push(line) });
  await startImports({ ...upgraded.context, log }, new AbortController().signal);
  expect(logged.filter((line) => line.includes('"versions":2'))).toHaveLength(2);
  expect(await importedOf(upgraded)).toEqual(before);
  expect(JSON.stringify(before)).toContain('"to":["mail.evil.example.net"]');
  const stored = await queryDatabase(DATABASE_URL, 'select owners from listing');
  await upgraded.close();
  for (const { owners } of stored) expect(owners).toContain('"owner":"example.net"');
});

it('takes from a deprecated listing, after an upgrade, the day of its deprecation as a day of upkeep', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const entries = [
    registryEntry(
      'com.old/mcp',
      { version: '0.1.10' },
      {
        publishedAt: '2025-03-13T08:00:00Z',
        updatedAt: '2026-11-13T08:00:00Z',
        status: 'deprecated',
        isLatest: true,
      },
    ),
  ];
  await (await openDirectory({ entries, environment: { DATABASE_URL } })).close();
  await takeBackMigrations(DATABASE_URL, '0014-inputs');
  const earlier = `update listing set updated_at = '2026-11-13T08:00:00.000Z' where handle = 'com.old/mcp'`;
  await queryDatabase(DATABASE_URL, earlier);
  await (await openDatabase(DATABASE_URL)).close();
  const read = `select updated_at, entry_changed_at from listing where handle = 'com.old/mcp'`;
  expect(await queryDatabase(DATABASE_URL, read)).toEqual([
    { updated_at: '2025-03-13T08:00:00.000Z', entry_changed_at: '2026-11-13T08:00:00.000Z' },
  ]);
});

it('indexes again after an upgrade what an earlier version indexed by other stems', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const entries = [registryEntry('com.relocate/mail', { description: 'Sends postcards' })];
  await (await openDirectory({ entries, environment: { DATABASE_URL } })).close();
  const isFile = DATABASE_URL.startsWith('file:');
  const stale = [
    isFile
      ? "insert or replace into listing_search (rowid, terms) select position, 'wzzqqzz' from search_doc"
      : "update listing_search set terms = replace(terms::text, 'postcard', 'zzqqzz')::tsvector",
    `update ${isFile ? 'search_doc' : 'listing_search'} set text = replace(text, ' postcard:', ' zzqqzz:')`,
    "update search_term set term = 'zzqqzz' where term = 'postcard'",
    "delete from search_term where term = '=postcard=postcards'",
  ];
  for (const statement of stale) await queryDatabase(DATABASE_URL, statement);
  const isFound = async () => {
    const environment = { DATABASE_URL, REGISTRY_URL: 'off' };
    const directory = await openDirectory({ entries: [], environment });
    await startImports(directory.context, new AbortController().signal);
    const page = await (await directory.app.request('/agents?q=postcards')).text();
    await directory.close();
    return page.includes('href="/agents/com.relocate/mail"');
  };
  expect(await isFound()).toBe(false);
  await takeBackMigrations(DATABASE_URL, '0012-fields');
  expect(await isFound()).toBe(true);
  const counted =
    "select term from search_term where term in ('postcard', '=postcard=postcards', 'zzqqzz') and listings > 0 order by term";
  expect(await queryDatabase(DATABASE_URL, counted)).toEqual([
    { term: '=postcard=postcards' },
    { term: 'postcard' },
  ]);
});

it('derives anew what an earlier version derived by other rules, once', async () => {
  const handle = 'com.relocate/mail';
  const packages = [
    {
      registryType: 'npm',
      identifier: 'relocate-mail',
      environmentVariables: [{ name: 'RELOCATE_MAIL_TOKEN' }],
    },
  ];
  const DATABASE_URL = await createSharedDatabase(folder);
  await (
    await openDirectory({ entries: [registryEntry(handle, { packages })], environment: { DATABASE_URL } })
  ).close();
  for (const earlier of [
    'update derivation set number = 0',
    "delete from listing_reference where kind = 'input'",
  ])
    await queryDatabase(DATABASE_URL, earlier);
  const stale = () =>
    queryDatabase(DATABASE_URL, 'select version from listing_version where derived is null');
  await (await openDatabase(DATABASE_URL)).close();
  expect(await stale()).toHaveLength(1);
  const directory = await openDirectory({ entries: [], environment: { DATABASE_URL, REGISTRY_URL: 'off' } });
  await startImports(directory.context, new AbortController().signal);
  const page = await directory.app.request('/agents?q=RELOCATE_MAIL_TOKEN');
  expect(await page.text()).toContain('href="/agents/com.relocate/mail"');
  await directory.close();
  await (await openDatabase(DATABASE_URL)).close();
  expect(await stale()).toEqual([]);
});

it('derives anew since stems or stop words last changed', () => {
  const stems = readFileSync(new URL('../../src/search/own-stems.json', import.meta.url));
  const digest = createHash('sha256')
    .update(stems)
    .update([...stopWords].join(' '))
    .digest('hex');
  // After a change, raise `derivation`, and put it and the new digest here.
  expect({ derivation, digest }).toEqual({
    derivation: 6,
    digest: '7e2909fd03282dcfcdb106b4093326c0109cc85fbc73e92d71638ba0cf121b94',
  });
});

it('reads again what stored records ask for after an upgrade, and keeps what checks saw', async () => {
  const handle = 'com.bearer/mail';
  const url = 'https://mail.bearer.example/mcp';
  const remotes = [{ type: 'streamable-http', url, headers: [{ name: 'Authorization' }] }];
  const DATABASE_URL = await createSharedDatabase(folder);
  const environment = { DATABASE_URL, REGISTRY_URL: 'off' };
  const query = (text: string) => queryDatabase(DATABASE_URL, text);
  const made = await openDirectory({
    entries: [registryEntry(handle, { remotes })],
    environment: { DATABASE_URL },
  });
  const before = await documentOf(made, handle);
  await made.close();
  await takeBackMigrations(DATABASE_URL, '0010-endpoint-holders');
  await query(
    `update listing set remotes = replace(remotes, ',"unmarked":true', ''), facets = facets || ' is:without_secret'`,
  );
  await query(
    `insert into listing_reference (key, published_at, handle, kind, publisher, as_of)
      values ('tools', '2026-10-01', '${handle}', 'tools', 'com.bearer', '2026-11-01')`,
  );
  const upgraded = await openedDirectory({ entries: [], environment });
  await startImports(upgraded.context, new AbortController().signal);
  expect(before).toMatchObject({ remotes: [{ inputs: [{ name: 'Authorization', unmarked: true }] }] });
  expect(await documentOf(upgraded, handle)).toMatchObject({ remotes: before.remotes });
  const [row] = await query('select facets from listing');
  expect(row?.facets).not.toContain('is:without_secret');
  expect(await query("select key from listing_reference where kind = 'tools'")).toEqual([{ key: 'tools' }]);
});

it('keeps claims and their capabilities, and has lines stand in a database from before', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const environment = { DATABASE_URL, REGISTRY_URL: 'off' };
  const made = await openDirectory({ entries: [], environment });
  const capability = await addSource(made.store);
  const before = await documentOf(made, 'b/source');
  await made.close();
  await takeBackMigrations(DATABASE_URL, '0006-values');
  await queryDatabase(DATABASE_URL, `update claim set moving = '{"dns dns:example.com ab":"2026-11-01"}'`);
  const upgraded = await openedDirectory({ entries: [], environment });
  const headers = { authorization: `Bearer ${capability}` };
  expect((await upgraded.app.request('/api/capability', { headers })).status).toBe(200);
  expect((await documentOf(upgraded, 'b/source')).claim).toEqual(before.claim);
  const [row] = await upgraded.store.claims.capabilities('b/source');
  await upgraded.store.write((tx) =>
    tx.claims.putCapability({ ...row, state: 'waiting', found_days: ['2026-11-20', '2026-11-21'] } as never),
  );
  expect((await upgraded.store.claims.capabilities('b/source'))[0]).toMatchObject({
    state: 'waiting',
    found_days: ['2026-11-20', '2026-11-21'],
  });
});

it('makes timelines of what observations remembered, and moves the lists', async () => {
  const databaseUrl = await createEarlier('0004-digests');
  const on = (day: number) => `2026-11-${10 + day}T08:00:00.000Z`;
  const url = 'https://a.example/mcp';
  const common = { subject: url, source: 'Dossier', vantage: 'here', method_version: 'x/1' };
  const observations = [
    {
      kind: 'tools.surface',
      value: 'bb',
      outcome: 'seen',
      ...common,
      first_seen_at: on(3),
      observed_at: on(5),
      checks: 3,
      changed_from: {
        value: 'aa',
        outcome: 'seen',
        seen_until: on(2),
        tools: [{ tool: 'send', change: 'changed', class: 'words' }],
        counts: { words: 1 },
      },
      missed: { since: on(6), unanswered: on(6), outcome: 'silent', why: [{ is: 'own', text: 'Time-out.' }] },
    },
  ];
  const members = JSON.stringify([{ name: 'send' }]);
  await queryDatabase(
    databaseUrl,
    `insert into observation (handle, observed_at, observations) values ('a/b', '${on(6)}', '${JSON.stringify(observations)}')`,
  );
  await queryDatabase(
    databaseUrl,
    `insert into listed_surface (handle, remote, surface, digest, first_seen_at, members)
      values ('a/b', '${url}', 'tools', 'bb', '${on(3)}', '${members}')`,
  );
  const store = await openDatabase(databaseUrl);
  const known = await store.observations.ofListing('a/b');
  const at = { handle: 'a/b', kind: 'tools.surface', subject: url };
  const text = await store.observations.valueText(at, 'bb');
  await store.close();
  expect(known?.timelines).toMatchObject([
    {
      spans: [
        { value: 'aa', from: on(2), to: on(2) },
        { value: 'bb', from: on(3), to: on(5), checks: 3, difference: { counts: { words: 1 } } },
        { outcome: 'silent', from: on(6), to: on(6) },
      ],
    },
  ]);
  expect(known?.observations).toMatchObject([
    {
      value: 'bb',
      first_seen_at: on(3),
      observed_at: on(5),
      changed_from: { value: 'aa', seen_until: on(2), seen_from: on(3), tools: [{ tool: 'send' }] },
      missed: { since: on(6), unanswered: on(6), outcome: 'silent' },
    },
  ]);
  expect(text).toBe(members);
});

it('is left alone by the commands of an operator, so that the version that made it can back it up', async () => {
  const databaseUrl = await createEarlier('0002-former-values');
  for (const args of [['backup', 'never-written.gz'], ['audit'], ['feedback', 'list'], ['doctor']]) {
    const { code, stdout, stderr } = await runDossier(args, {
      DATABASE_URL: databaseUrl,
      REGISTRY_URL: 'off',
    });
    expect([args, code]).toEqual([args, args[0] === 'doctor' ? 1 : 78]);
    expect(stdout + stderr).toContain('make a backup with that version');
  }
  expect(await namesOf(databaseUrl)).toEqual(['0001-tables', '0002-former-values']);
});

const refusal =
  'DATABASE_URL: this database was made by another version of Dossier, from before its first release, and cannot be upgraded; run that version, or set DATABASE_URL to a new database\n';

const others: readonly [string, () => Promise<string>, readonly string[]][] = [
  [
    'whose migrations have other names',
    createOpened,
    [
      'delete from kysely_migration',
      `insert into kysely_migration (name, timestamp) values
        ('0001_tables', '2026-11-20T10:00:00.000Z'), ('0002_search', '2026-11-20T10:00:00.001Z')`,
    ],
  ],
  [
    'of commit 8070b262, whose first migration had another text',
    () => createEarlier('0001-tables'),
    ['alter table claim rename to former_claim'],
  ],
  [
    'that lacks a column',
    () => createEarlier('0002-former-values'),
    ['alter table claim drop column moving'],
  ],
  [
    'of which a migration is stored with another digest',
    createOpened,
    ["update kysely_migration set sha256 = 'ab' where name = '0002-former-values'"],
  ],
];

describe.each(others)('a database %s', (_what, make, changes) => {
  let databaseUrl: string;
  let before: unknown;
  const recorded = () => queryDatabase(databaseUrl, 'select * from kysely_migration order by name');
  beforeAll(async () => {
    databaseUrl = await make();
    for (const statement of changes) await queryDatabase(databaseUrl, statement);
    before = await recorded();
  });

  it.each([['serve'], ['backup', 'never-written.gz'], ['restore', 'never-read.gz']])(
    'is refused by dossier %s with 78 and one line, and left alone',
    async (...args) => {
      expect(await runDossier(args, { DATABASE_URL: databaseUrl, REGISTRY_URL: 'off', PORT: '0' })).toEqual({
        code: 78,
        stdout: '',
        stderr: refusal,
      });
      expect(await recorded()).toEqual(before);
    },
  );

  it('is a fault for dossier doctor', async () => {
    const { code, stdout } = await runDossier(['doctor'], { DATABASE_URL: databaseUrl, REGISTRY_URL: 'off' });
    expect([code, stdout]).toEqual([1, expect.stringContaining('made by another version of Dossier')]);
  });
});

describe('a database that a newer version upgraded', () => {
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await createOpened();
    await queryDatabase(
      databaseUrl,
      "insert into kysely_migration (name, timestamp) values ('0999-later', '2027-01-01T00:00:00.000Z')",
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
      expect(await namesOf(databaseUrl)).toEqual([...applied, '0999-later']);
    },
  );
});
