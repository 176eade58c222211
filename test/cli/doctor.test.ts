import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { runDossier, startDossier } from '../support/command.ts';
import { registryEntry } from '../support/entries.ts';
import { openFolder } from '../support/opened.ts';

// Each test starts the command.
/** By how much the registry's clock is ahead of ours. */
let ahead_ms = 0;
/** For how long a cache in front of the registry has had its answer. */
let age_s = 0;

const root = openFolder();
const registry = createServer((_, response) => {
  response.writeHead(200, {
    'content-type': 'application/json',
    date: new Date(Date.now() + ahead_ms - age_s * 1000).toUTCString(),
    ...(age_s > 0 && { age: String(age_s) }),
  });
  response.end(JSON.stringify({ servers: [registryEntry('com.example/one')], metadata: { count: 1 } }));
});
await once(registry.listen(0, '127.0.0.1'), 'listening');
const registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
const database = `file:${join(root, 'a.db')}`;
const common = { DATABASE_URL: database, LOG_LEVEL: 'error', BACKUP_DIR: join(root, 'backups') };
const service = startDossier(['serve'], { ...common, PORT: '0', REGISTRY_URL: registryUrl });
const publicUrl = await service.line(/^listening on (.+)$/m);
const settings = { ...common, REGISTRY_URL: registryUrl, PUBLIC_URL: publicUrl };
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  registry.close();
});

/** Its lines that are not fine, and its exit code. */
async function diagnose(change: Record<string, string> = {}) {
  const { code, stdout } = await runDossier(['doctor'], { ...settings, ...change });
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok '));
  return { code, lines: lines.map((line) => line.replaceAll(root, '').trim()) };
}

describe('dossier doctor', () => {
  it('finds nothing wrong with a service that runs as it should', async () => {
    await expect.poll(async () => (await diagnose()).lines, { interval: 500 }).toEqual([]);
    const { code, stdout } = await runDossier(['doctor'], settings);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.slice(8).split(':')[0])).toEqual([
      'settings',
      'clock',
      'disk',
      'disk',
      'database',
      'log',
      'log',
      'witnesses',
      'claims',
      'private entries',
      'advisories',
      'registry',
      'registry',
      'PUBLIC_URL',
      'backups',
      '',
    ]);
  });
  it('names a clock that is wrong', async () => {
    ahead_ms = 3_600_000;
    const { code, lines } = await diagnose();
    ahead_ms = 0;
    expect([code, lines]).toEqual([
      1,
      [
        expect.stringMatching(/^FAULT {3}clock: 3(599|600) s behind the registry’s$/),
        'set it (NTP), then restart the service',
      ],
    ]);
  });
  it('does not take the age of an answer from a cache for a wrong clock', async () => {
    age_s = 45;
    const { code, lines } = await diagnose();
    age_s = 0;
    expect([code, lines]).toEqual([0, []]);
  });
  it('names a registry and a PUBLIC_URL that do not answer, or are another service', async () => {
    const away = await diagnose({ REGISTRY_URL: 'http://127.0.0.1:1', PUBLIC_URL: registryUrl });
    expect([away.code, away.lines.filter((line) => /^(FAULT|warning)/.test(line))]).toEqual([
      1,
      [
        'warning clock: no other clock answered',
        'FAULT   registry: http://127.0.0.1:1 cannot be reached: bad port',
        `FAULT   PUBLIC_URL: ${registryUrl}/healthz answers 200, not as a Dossier`,
      ],
    ]);
  });
  it('ends although the answer of the registry has no end', async () => {
    const endless = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const writing = setInterval(() => response.write('x'.repeat(65_536)), 5);
      response.once('close', () => clearInterval(writing));
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const { lines } = await diagnose({ REGISTRY_URL: url });
    endless.close();
    expect(lines).toEqual([]);
  });
  it('names a database that is an older copy than the published checkpoint', async () => {
    mkdirSync(join(root, 'older'));
    const older = join(root, 'older/a.db');
    copyFileSync(await restored(), older);
    writeFileSync(
      `${older}.checkpoint`,
      `127.0.0.1/log\n7\n${Buffer.alloc(32, 1).toString('base64')}\n\n— x y\n`,
    );
    const { code, lines } = await diagnose({ DATABASE_URL: `file:${older}` });
    expect([code, lines.filter((line) => line.startsWith('FAULT'))]).toEqual([
      1,
      [
        'FAULT   log: the database has 0 entries and does not contain the published checkpoint of 7: it is an older copy',
      ],
    ]);
  });
  it('names a damaged database, and a folder that is missing', async () => {
    mkdirSync(join(root, 'damaged'));
    const damaged = join(root, 'damaged/a.db');
    copyFileSync(await backUp(), damaged);
    const { code, lines } = await diagnose({
      DATABASE_URL: `file:${damaged}`,
      CHECKPOINT_FILE: join(root, 'nowhere/checkpoint'),
    });
    expect([code, lines.filter((line) => line.startsWith('FAULT'))]).toEqual([
      1,
      [
        'FAULT   database: file:/damaged/a.db cannot be opened: DATABASE_URL: cannot open file:/damaged/a.db: file is not a database; stop every process that uses it, and put back an intact copy of the file or restore the newest backup (docs/operations.md, "When something is down")',
        expect.stringMatching(/^FAULT {3}disk: \/nowhere \(CHECKPOINT_FILE\) cannot be written: ENOENT/),
      ],
    ]);
  });
  it.each(['import_run', 'listing_version'])(
    'finds a damaged page of %s, and asks the rest',
    async (table) => {
      const path = join(root, `${table}.db`);
      copyFileSync(await restored(), path);
      damagePage(path, table);
      const { code, stdout } = await runDossier(['doctor'], { ...settings, DATABASE_URL: `file:${path}` });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^FAULT {3}database: it is damaged: /m);
      expect(stdout).toMatch(/^\S+ +backups: /m);
    },
  );
  it('tells an import that failed, and the sample, from an import of the registry', async () => {
    const importing = { DATABASE_URL: `file:${join(root, 'imports.db')}` };
    const lines = async () => (await diagnose(importing)).lines.filter((line) => line.includes('registry: '));
    expect((await runDossier(['import', '--from', 'sample'], importing)).code).toBe(0);
    expect(await lines()).toEqual(['warning registry: only the sample was imported yet, no registry']);
    expect((await runDossier(['import', '--from', `${publicUrl}/log`], importing)).code).not.toBe(0);
    expect(await lines()).toEqual([expect.stringMatching(/^FAULT {3}registry: the newest import failed: ./)]);
  });
  it.each([
    [
      'an import that is dated in the future',
      "update import_run set finished_at = '2999-01-01T00:00:00.000Z'",
      'FAULT   clock: the newest import is dated 2999-01-01T00:00:00.000Z, which is in the future: this clock is behind, or was ahead',
    ],
    [
      'an import that is held',
      "update import_run set state = 'held'",
      'FAULT   registry: the newest import is held, because it would change too much',
    ],
    [
      'an import that is older than three intervals',
      "update import_run set finished_at = '2026-01-01T00:00:00.000Z'",
      'warning registry: the last import ended 2026-01-01T00:00:00.000Z',
    ],
    ['a database without an import', 'delete from import_run', 'warning registry: nothing was imported yet'],
    [
      'an audit that found differences',
      "delete from audit_run; insert into audit_run values (1, '2026-01-01T00:00:00.000Z', 5, 2)",
      'FAULT   log: the audit that finished 2026-01-01T00:00:00.000Z found 2 faults',
    ],
    [
      'audits that stopped',
      "delete from audit_run; insert into audit_run values (1, '2026-01-01T00:00:00.000Z', 5, 0)",
      'warning log: the audit of 2026-01-01T00:00:00.000Z found no difference from the 5 entries of the log',
    ],
    [
      'an opt-out line of somebody who does not hold the claim',
      "insert into opt_out (handle, state, kind, place, place_key, seen_at, checked_at) values ('com.example/one', 'contested', 'dns', 'example.com', 'dns:example.com', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z')",
      'warning claims: there is an opt-out line of somebody who does not hold the claim: com.example/one (at example.com since 2026-11-01)',
    ],
  ])('names %s', async (name, change, line) => {
    const path = join(root, `${name}.db`);
    copyFileSync(await restored(), path);
    const database = new DatabaseSync(path);
    database.exec(change);
    database.close();
    const { code, lines } = await diagnose({ DATABASE_URL: `file:${path}` });
    expect(lines).toContain(line);
    expect(code).toBe(line.startsWith('FAULT') ? 1 : 0);
  });
  it('names a checkpoint file that is unreadable, an address without TLS, and a backup of the future', async () => {
    const path = join(root, 'odd.db');
    copyFileSync(await restored(), path);
    writeFileSync(`${path}.checkpoint`, 'not a checkpoint');
    mkdirSync(join(root, 'ahead'));
    writeFileSync(join(root, 'ahead/dossier-2999-01-01T00-00-00Z.gz'), '');
    const { code, lines } = await diagnose({
      DATABASE_URL: `file:${path}`,
      BACKUP_DIR: join(root, 'ahead'),
      PUBLIC_URL: 'http://dossier.invalid:1',
    });
    expect([code, lines.filter((line) => line.startsWith('warning'))]).toEqual([
      0,
      [
        'warning log: the checkpoint file is unreadable, so a rolled back database would not be noticed',
        'warning PUBLIC_URL: http://dossier.invalid:1 is not encrypted',
        'warning PUBLIC_URL: http://dossier.invalid:1 does not answer: bad port',
        'warning backups: /ahead/dossier-2999-01-01T00-00-00Z.gz has a date in the future',
        'warning backups: /ahead has none yet',
      ],
    ]);
  });
  it('changes nothing: it makes no database, and no tables in an empty file', async () => {
    const missing = join(root, 'missing.db');
    const empty = join(root, 'empty.db');
    writeFileSync(empty, '');
    for (const path of [missing, empty])
      expect((await runDossier(['doctor'], { ...settings, DATABASE_URL: `file:${path}` })).stdout).toContain(
        'ok      database: there is none yet; dossier serve makes it',
      );
    expect([existsSync(missing), readFileSync(empty).length]).toEqual([false, 0]);
  });
  it('names backups that stopped, and that none are made', async () => {
    mkdirSync(join(root, 'old'));
    writeFileSync(join(root, 'old/dossier-2026-01-01T00-00-00Z.gz'), '');
    expect(await diagnose({ BACKUP_DIR: join(root, 'old') })).toEqual({
      code: 1,
      lines: [
        'FAULT   backups: the newest is /old/dossier-2026-01-01T00-00-00Z.gz, older than two intervals',
        'the log of the service says why',
      ],
    });
    expect(await diagnose({ BACKUP_DIR: '' })).toEqual({
      code: 0,
      lines: [
        'warning backups: none are made by schedule',
        'set BACKUP_DIR, or run dossier backup by a schedule of your own',
      ],
    });
  });
});

it('the service signs new entries, though nobody reads its checkpoint', async () => {
  const act = ['moderate', 'withdraw', 'com.example/one', '--reason', 'malicious'];
  expect((await runDossier(act, settings)).code).toBe(0);
  const saved = () => readFileSync(join(root, 'a.db.checkpoint'), 'utf8').split('\n')[1];
  await expect.poll(saved, { timeout: 60_000 }).toBe('1');
});

/** Overwrites the first page of a table. */
function damagePage(path: string, table: string): void {
  const database = new DatabaseSync(path);
  database.exec('pragma wal_checkpoint(truncate)');
  const { rootpage } = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  const { page_size } = database.prepare('pragma page_size').get() as { page_size: number };
  database.close();
  const content = readFileSync(path);
  content.fill(0xff, (rootpage - 1) * page_size, rootpage * page_size);
  writeFileSync(path, content);
}

let made: string | undefined;
/** A backup of the service's database. */
async function backUp(): Promise<string> {
  if (made) return made;
  made = join(root, 'backup.gz');
  expect((await runDossier(['backup', made], settings)).code).toBe(0);
  return made;
}

let restoredOnce: string | undefined;
/** A database that was restored from it, for a test to copy. */
async function restored(): Promise<string> {
  if (restoredOnce) return restoredOnce;
  const path = join(root, 'restored.db');
  expect((await runDossier(['restore', await backUp()], { DATABASE_URL: `file:${path}` })).code).toBe(0);
  restoredOnce = path;
  return path;
}
