import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import { runRestore, writeBackupFile } from '../../src/cli/backup/backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { attempt } from '../../src/core/json.ts';
import type { ExitError } from '../../src/core/process.ts';
import { readAllRows } from '../support/all-rows.ts';
import { createBackups, lastLine, refused } from '../support/backups.ts';
import { program, runDossier } from '../support/command.ts';
import { opened } from '../support/opened.ts';

// Each test starts the command several times.
const backups = await opened(createBackups());
const whole = backups.whole;
const path = (name: string) => backups.path(name);
const run = (args: readonly string[], databaseUrl: string) => runDossier(args, backups.settings(databaseUrl));

/** Runs the command in this process; returns the exit code and the message about the file. */
async function restoreHere(backup: Buffer, databaseUrl: string): Promise<[number, string]> {
  const file = path('here.gz');
  writeFileSync(file, backup);
  const progress = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const error = await runRestore(readConfig(backups.settings(databaseUrl), '0.0.0-test'), file).then(
    () => undefined,
    (reason: ExitError) => reason,
  );
  progress.mockRestore();
  return [error?.exitCode ?? 0, error?.message.replace(`${file}: `, '') ?? ''];
}

const notWhole =
  '; the database is now incomplete and no service starts on it; run dossier restore again with a complete backup';
/** The same backup with its lines changed, as a well-formed gzip file. */
const changed = (change: (lines: string[]) => string[]) =>
  gzipSync(change(gunzipSync(whole).toString('utf8').split('\n')).join('\n'));
const digestOf = (lines: readonly string[]) =>
  createHash('sha256')
    .update(
      lines
        .slice(1, -2)
        .map((line) => `${line}\n`)
        .join(''),
    )
    .digest('hex');
const withDigest = (lines: readonly string[]) =>
  lines.with(-2, (lines.at(-2) ?? '').replace(/"sha256":"[0-9a-f]+"/, `"sha256":"${digestOf(lines)}"`));
const flip = (bytes: Buffer, at: number) => {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
};

/** All on the same database, so that each meets what the one before has left. */
describe('an incomplete backup is not restored, and its database not served', () => {
  const database = () => `file:${path('broken.db')}`;
  it.each<[string, () => Buffer, string]>([
    ['cut in the middle', () => whole.subarray(0, whole.length / 2), 'truncated'],
    ['without its last byte', () => whole.subarray(0, -1), 'truncated'],
    ['without its last line', () => changed((lines) => lines.toSpliced(-2, 1)), 'truncated'],
    ['cut in a line', () => changed((lines) => [...lines.slice(0, 3), '{"table":"li']), 'truncated'],
    ['with a changed byte in its checksum', () => flip(whole, whole.length - 8), 'damaged, or not a backup'],
    [
      'with a changed byte, packed again',
      () => changed((lines) => lines.with(3, (lines[3] ?? '').replace('A plain', 'a plain'))),
      'damaged',
    ],
    ['without some rows', () => changed((lines) => lines.toSpliced(3, 1)), 'damaged'],
    [
      'without some rows, but with their digest',
      () => changed((lines) => withDigest(lines.toSpliced(3, 1))),
      'wrong number of rows in listing',
    ],
    [
      'with rows twice, and their digest',
      () => changed((lines) => withDigest(lines.toSpliced(3, 0, lines[3] ?? ''))),
      'UNIQUE constraint failed: listing.id',
    ],
    [
      'with something after its end',
      () => changed((lines) => [...lines, '{}', '']),
      'more data follows the end of the backup',
    ],
    [
      'with another table',
      () => changed((lines) => lines.toSpliced(3, 0, '{"table":"kysely_migration","columns":[],"rows":[]}')),
      'unknown table kysely_migration',
    ],
    [
      'with a column too many',
      () =>
        changed((lines) =>
          lines.with(3, (lines[3] ?? '').replace('"columns":["id"', '"columns":["id","id2"')),
        ),
      'damaged',
    ],
  ])('%s', async (_name, make, reason) => {
    expect(await restoreHere(make(), database())).toEqual([74, `${reason}${notWhole}`]);
  });
  it('until a complete one is restored', async () => {
    expect(await run(['serve'], database())).toEqual(refused);
    expect(await run(['backup', path('never.gz')], database())).toEqual(refused);
    expect((await backups.restore(whole, database())).code).toBe(0);
    expect(await readAllRows(database())).toEqual(backups.rows);
  });
});

describe('a file that is no backup of this program leaves the database new', () => {
  const database = () => `file:${path('new.db')}`;
  const header = (change: object) =>
    changed((lines) => lines.with(0, JSON.stringify({ ...JSON.parse(lines[0] ?? ''), ...change })));
  it.each<[string, () => Buffer, string]>([
    ['nothing', () => Buffer.alloc(0), 'truncated'],
    ['a text', () => Buffer.from('not a backup\n'), 'damaged, or not a backup'],
    ['another gzip file', () => gzipSync('[{"server":{}}]\n'), 'not a backup of this service'],
    ['another format', () => header({ format: 'other' }), 'not a backup of this service'],
    [
      'an earlier format',
      () => header({ version: 8, created_at: '2026-11-27T08:00:00Z' }),
      'backup format 8 cannot be read by this version (it reads 9); only the release or checkout of Dossier 0.1.0 that made it on 2026-11-27 restores it',
    ],
    [
      'a later format',
      () =>
        header({ version: 10, dossier: '9.9.9', created_at: '2028-01-02T08:00:00Z', rows: 'another shape' }),
      'backup format 10 cannot be read by this version (it reads 9); only the release or checkout of Dossier 9.9.9 that made it on 2028-01-02 restores it',
    ],
    ['a broken header', () => header({ rows: { listing: -1 } }), 'damaged in its first line'],
  ])('%s', async (_name, make, reason) => {
    expect(await restoreHere(make(), database())).toEqual([74, reason]);
  });
  it('a file that is not there', async () => {
    const { code, stderr } = await run(['restore', path('missing.gz')], database());
    expect(code).toBe(74);
    expect(stderr).toMatch(/missing\.gz: cannot be read: ENOENT[^\n]+\n$/);
    expect((await run(['feedback'], database())).stdout).toBe('No open feedback.\n');
  });
});

describe('a backup', () => {
  const backupTo = (file: string) => run(['backup', file], backups.original);
  it('overwrites no other file, and reports where it cannot write', async () => {
    writeFileSync(path('there.gz'), 'precious');
    expect(await backupTo(path('there.gz'))).toEqual({
      code: 74,
      stdout: '',
      stderr: `${path('there.gz')}: already exists; choose another name\n`,
    });
    expect(readFileSync(path('there.gz'), 'utf8')).toBe('precious');
    const nowhere = await backupTo(path('nowhere/b.gz'));
    expect([nowhere.code, nowhere.stderr]).toEqual([
      74,
      expect.stringMatching(/b\.gz: cannot be written: ENOENT/),
    ]);
    const below = await backupTo(path('there.gz/b.gz'));
    expect([below.code, below.stderr]).toEqual([
      74,
      expect.stringMatching(/^\S+there\.gz\/b\.gz: cannot be written: ENOTDIR/),
    ]);
  });
  it('of an empty database is refused', async () => {
    await (await openSqliteStore(`file:${path('empty.db')}`)).close();
    const { code, stderr } = await run(['backup', path('empty.gz')], `file:${path('empty.db')}`);
    expect([code, stderr]).toEqual([78, 'DATABASE_URL: this database is empty\n']);
    expect(existsSync(path('empty.gz'))).toBe(false);
  });
  // A service makes backups too, and Node ends a process that leaves a file open.
  it.skipIf(process.platform !== 'linux')('that fails leaves no file open', async () => {
    await using store = await openSqliteStore('file::memory:');
    const making = { version: '0.0.0-test', signal: new AbortController().signal };
    await expect(writeBackupFile(store, path('left.gz'), making)).rejects.toThrow('is empty');
    const files = readdirSync('/proc/self/fd').map((fd) =>
      attempt(() => readlinkSync(`/proc/self/fd/${fd}`)),
    );
    expect(files.filter((file) => file?.includes('left.gz'))).toEqual([]);
  });
});

/** Runs `dossier` where no file may grow beyond 64 kB, as on a disk without room. */
async function runWithoutRoom(args: readonly string[], databaseUrl: string) {
  const script = `trap "" XFSZ; ulimit -f 128; exec node ${program} "$@"`;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...backups.settings(databaseUrl) };
  const child = spawn('sh', ['-c', script, 'sh', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, stdout: '', stderr };
}

describe('without room', () => {
  it('a backup reports it and leaves no file behind', async () => {
    const ended = await runWithoutRoom(['backup', path('no-room.gz')], backups.original);
    expect([ended.code, lastLine(ended)]).toEqual([
      74,
      `${path('no-room.gz')}: cannot be written: EFBIG: file too large, write`,
    ]);
    expect(existsSync(path('no-room.gz'))).toBe(false);
  });
  it('a restore reports it, and can be repeated once there is room', async () => {
    const database = `file:${path('no-room.db')}`;
    // Leaves a new, empty database, and no write-ahead log.
    expect((await run(['restore', path('none.gz')], database)).code).toBe(74);
    const ended = await runWithoutRoom(['restore', path('whole.gz')], database);
    expect(ended.code).toBe(74);
    expect(lastLine(ended)).toMatch(
      /whole\.gz: (database or disk is full|disk I\/O error); the database is now incomplete/,
    );
    expect(await run(['serve'], database)).toEqual(refused);
    expect((await backups.restore(whole, database)).code).toBe(0);
    expect(await readAllRows(database)).toEqual(backups.rows);
  });
});
