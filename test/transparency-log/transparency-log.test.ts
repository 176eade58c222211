import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js';
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toLeaf } from '../../src/log/leaf.ts';
import { leafHash, nodeHash } from '../../src/log/merkle.ts';
import { readVerifier } from '../../src/log/notes.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';

let folder: string;
let directory: Directory;
const open = (database = 'dossier.db', CHECKPOINT_FILE = '') =>
  openDirectory({
    environment: { DATABASE_URL: `file:${join(folder, database)}`, LIMITS: 'off', CHECKPOINT_FILE },
  });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-record-'));
  directory = await open();
});
afterEach(async () => {
  await directory.close();
  await rm(folder, { recursive: true });
});

const append = (count: number, from = 0) =>
  directory.store.write(async (tx) => {
    for (let at = from; at < from + count; at++) await tx.log.append(toLeaf('rating.submitted', { at }));
  });
const get = async (path: string) => {
  const response = await directory.app.request(path);
  expect(response.status).toBe(200);
  return response;
};
const text = async (path: string) => (await get(path)).text();
const bytes = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());
/** The number of entries of every log, by its name. */
async function logs(): Promise<string[]> {
  const shown = JSON.parse(await text('/log')) as { logs: { log: string; entries: number }[] };
  return shown.logs.map(({ log, entries }) => `${log.replace('http://', '')} ${entries}`);
}
/** The checkpoint in the file, without the line that names the database. */
const savedCheckpoint = async (file = 'dossier.db.checkpoint') =>
  (await readFile(join(folder, file), 'utf8')).replace(/^database .*\n$/m, '');
async function prove(input: object) {
  const response = await directory.post('/api/tools/get_proof', input);
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

describe('the checkpoint', () => {
  it('names the log by its address, its size and its root, signed with the published key', async () => {
    await append(3);
    const checkpoint = await text('/log/checkpoint');
    expect(checkpoint.split('\n').slice(0, 2)).toEqual(['127.0.0.1:3000/log', '3']);
    expect(checkpoint).toMatch(
      /^127\.0\.0\.1:3000\/log\n3\n[A-Za-z0-9+/]{43}=\n\n\u2014 127\.0\.0\.1:3000\/log [A-Za-z0-9+/]{91}=\n$/,
    );
    expect((await text('/log/key')).trim()).toMatch(
      /^127\.0\.0\.1:3000\/log\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/,
    );
  });
  it('is signed at most once a second, and then names what came in between', async () => {
    await append(1);
    const first = await text('/log/checkpoint');
    await append(1, 1);
    expect(await text('/log/checkpoint')).toBe(first);
    directory.wait(1);
    expect((await text('/log/checkpoint')).split('\n')[1]).toBe('2');
  });
  it('covers every entry whose proof is asked for, however many ask at once, and the file keeps the newest', async () => {
    const asked: ReturnType<typeof prove>[] = [];
    for (let at = 0; at < 50; at++) {
      await append(1, at);
      asked.push(prove({ log_index: at }));
    }
    expect((await Promise.all(asked)).filter(({ status }) => status !== 200)).toEqual([]);
    directory.wait(1);
    const newest = await text('/log/checkpoint');
    expect(newest.split('\n')[1]).toBe('50');
    expect(await savedCheckpoint()).toBe(newest);
    expect((await readdir(folder)).filter((file) => file.endsWith('.new'))).toEqual([]);
  });
});

describe('an entry’s proof', () => {
  it('is saved without the files of processes that were killed while they wrote theirs', async () => {
    const fileOf = (name: string) => join(folder, name);
    const killed = 'dossier.db.checkpoint.0b2f9d4e-3c1a-4f57-9a55-6d3a2f1c8e70.new';
    const writing = 'dossier.db.checkpoint.7c9e6679-7425-40de-944b-e07fc1f90ae7.new';
    const others = ['dossier.db.checkpoint.new', 'other.checkpoint.0b2f9d4e-3c1a-4f57-9a55-6d3a2f1c8e70.new'];
    for (const name of [killed, writing, ...others]) await writeFile(fileOf(name), 'cut');
    const before = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [killed, ...others]) await utimes(fileOf(name), before, before);
    await append(1);
    await text('/log/checkpoint');
    expect((await readdir(folder)).filter((name) => name.endsWith('.new')).sort()).toEqual(
      [writing, ...others].sort(),
    );
  });
  it('is checked by an implementation that is not ours: checkpoint, signature and path', async () => {
    await append(11);
    for (const log_index of [0, 4, 10]) {
      const { body } = await prove({ log_index });
      expect(body.statement).toBe(
        `The proof shows that the leaf is entry ${log_index} of the append-only log http://127.0.0.1:3000/log, not that the entry is right. Save this answer: \`dossier verify FILE --key KEY\` checks it offline, with the key that http://127.0.0.1:3000/log/key had when you first read it.`,
      );
      const [head, envelope = ''] = [
        body.proof?.split('\n\n')[0] ?? '',
        body.proof?.slice((body.proof?.indexOf('\n\n') ?? 0) + 2),
      ];
      const [name, place, ...hashes] = head.split('\n');
      expect([name, place]).toEqual(['c2sp.org/tlog-proof@v1', `index ${log_index}`]);
      const verifier = readVerifier(body.key ?? '');
      const keyId = Buffer.from(body.key?.split('+')[1] ?? '', 'hex');
      const entry = {
        inclusionProof: {
          logIndex: String(log_index),
          hashes: hashes.map((hash) => Buffer.from(hash, 'base64')),
          checkpoint: { envelope },
        },
        canonicalizedBody: Buffer.from(body.leaf ?? ''),
      };
      const log = { logID: keyId, publicKey: verifier?.publicKey, baseURL: 'http://127.0.0.1:3000/log' };
      const checkpoint = verifyCheckpoint(entry as never, [log] as never);
      expect(checkpoint.logSize).toBe(11n);
      expect(() => verifyMerkleInclusion(entry as never, checkpoint)).not.toThrow();
      const other = { ...entry, canonicalizedBody: Buffer.from('another leaf') };
      expect(() => verifyMerkleInclusion(other as never, checkpoint)).toThrow(/does not match/);
    }
  });
  it('is answered by its own address as text', async () => {
    await append(2);
    expect(await text('/log/proof/1')).toBe((await prove({ log_index: 1 })).body.proof);
  });
  it.each([
    [{ log_index: 99 }, 404, 'not_found'],
    [{ rating_id: 'none' }, 404, 'not_found'],
    [{}, 422, 'invalid_input'],
    [{ log_index: 0, rating_id: 'x' }, 422, 'invalid_input'],
    [{ log_index: -1 }, 422, 'invalid_input'],
  ])('%j is answered with %i %s', async (input, status, code) => {
    expect(await prove(input)).toMatchObject({ status, body: { code } });
  });
});

describe('tiles', () => {
  it('hold the leaf hashes and, above, the hashes of full tiles; entries hash to them', async () => {
    await append(300);
    const leaves = await bytes('/log/tile/0/000');
    expect(leaves.length).toBe(8192);
    const rest = await bytes('/log/tile/0/001.p/44');
    expect(rest.length).toBe(44 * 32);
    const above = await bytes('/log/tile/1/000.p/1');
    let row: Buffer[] = Array.from({ length: 256 }, (_, at) => leaves.subarray(at * 32, at * 32 + 32));
    while (row.length > 1)
      row = Array.from({ length: row.length / 2 }, (_, at) =>
        nodeHash(row[2 * at] ?? leaves, row[2 * at + 1] ?? leaves),
      );
    expect(above.equals(row[0] ?? leaves)).toBe(true);
    const bundle = await bytes('/log/tile/entries/001.p/44');
    const first = bundle.subarray(2, 2 + bundle.readUInt16BE(0));
    expect(leafHash(first).equals(rest.subarray(0, 32))).toBe(true);
  });
  it.each([
    '/log/tile/0/000',
    '/log/tile/0/000.p/6',
    '/log/tile/0/x001/000',
    '/log/tile/64/000',
    '/log/tile/0/0',
    '/log/tile/0/000.p/0',
    '/log/tile/1/000',
    '/log/tile/entries/001',
    '/log/7/checkpoint',
    '/log/proof/x',
    '/log/consistency/3/2',
    '/log/consistency/0/6',
  ])('%s is not there in a log of five entries', async (path) => {
    await append(5);
    expect((await directory.app.request(path)).status).toBe(404);
  });
});

describe('dossier verify', () => {
  const save = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  it('checks a saved proof offline, and reports what does not hold', async () => {
    await append(4);
    const { body } = await prove({ log_index: 2 });
    const key = await text('/log/key');
    const good = await runDossier(
      ['verify', await save('proof.json', JSON.stringify(body)), '--key', key],
      {},
    );
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout.split('\n').filter(Boolean)).toEqual([
      'holds  the leaf commits to this record',
      'holds  the checkpoint of 127.0.0.1:3000/log at 4 entries is signed by this key',
      'holds  the leaf is entry 2 under that checkpoint',
    ]);
    const changed = await save('changed.json', JSON.stringify({ ...body, record: '{"at":9}' }));
    const bad = await runDossier(['verify', changed, '--key', key], {});
    expect(bad).toMatchObject({ code: 1, stderr: 'verify: at least one check failed\n' });
    expect(bad.stdout).toContain('FAILS  the leaf does not commit to this record');
    expect((await runDossier(['verify', await save('x.json', '{}')], {})).code).toBe(74);
    expect((await runDossier(['verify'], {})).code).toBe(64);
  });
  it('ends with 2 if the proof has no record, and does not call it erased', async () => {
    await append(2);
    const { record: _, salt: __, ...body } = (await prove({ log_index: 1 })).body;
    const ended = await runDossier(['verify', await save('bare.json', JSON.stringify(body))], {});
    expect([ended.code, ended.stderr]).toEqual([
      2,
      'verify: there is no record to check the entry against\n',
    ]);
    expect(ended.stdout).toContain('open   no record: this proves that an entry exists, not what it says\n');
    expect(ended.stdout).not.toContain('erased');
  });
  it('refuses an entry beyond the checkpoint, though the leaf is in its tree', async () => {
    await append(1);
    const { body } = await prove({ log_index: 0 });
    const moved = { ...body, proof: body.proof?.replace('\nindex 0\n', '\nindex 1\n') };
    const ended = await runDossier(['verify', await save('moved.json', JSON.stringify(moved))], {});
    expect([ended.code, ended.stdout]).toEqual([
      1,
      expect.stringContaining('FAILS  the leaf is not under that checkpoint\n'),
    ]);
  });
  it('compares the handle and the rating id that the record must name', async () => {
    const made = { id: 'r-1', subject_handle: 'a/b', source_handle: 'c/d' };
    await directory.store.write((tx) => tx.log.append(toLeaf('rating.submitted', made)));
    const path = await save('rating.json', JSON.stringify((await prove({ log_index: 0 })).body));
    const good = await runDossier(['verify', path, '--handle', 'a/b', '--id', 'r-1'], {});
    expect([good.code, good.stdout.split('\n').slice(3, 5)]).toEqual([
      0,
      ['holds  the record names a/b', 'holds  the record names r-1'],
    ]);
    const bad = await runDossier(['verify', path, '--handle', 'a/other', '--id', 'r-2'], {});
    expect([bad.code, bad.stdout.split('\n').slice(3, 5)]).toEqual([
      1,
      ['FAILS  the record does not name a/other', 'FAILS  the record does not name r-2'],
    ]);
  });
  it('is about the listing that is rated, not about the one that rates, unless asked for as the source', async () => {
    const made = { id: 'r-1', subject_handle: 'a/b', source_handle: 'c/d' };
    await directory.store.write((tx) => tx.log.append(toLeaf('rating.submitted', made)));
    const path = await save('given.json', JSON.stringify((await prove({ log_index: 0 })).body));
    const bad = await runDossier(['verify', path, '--handle', 'c/d'], {});
    expect([bad.code, bad.stdout]).toEqual([
      1,
      expect.stringContaining('FAILS  the record does not name c/d\n'),
    ]);
    const good = await runDossier(['verify', path, '--handle', 'a/b', '--source', 'c/d'], {});
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringContaining('at 1 entry is signed by this key\n'),
    ]);
    expect(good.stdout).toContain('holds  the record names c/d as its source\n');
  });
  it('refuses files and conditions that it would not look at', async () => {
    await append(2);
    const proof = await save('proof.json', JSON.stringify((await prove({ log_index: 1 })).body));
    const key = await save('key+with+plus', await text('/log/key'));
    for (const unused of [
      [proof, '--checkpoint', 'none'],
      [proof, '--older', 'none', '--newer', 'none', '--consistency', 'none'],
      ['--checkpoint', 'none', '--handle', 'a/b'],
      ['--checkpoint', 'none', '--older', 'none'],
      ['--older', 'none', '--newer', 'none', '--consistency', 'none', '--id', 'r-1'],
    ]) {
      const { code, stdout, stderr } = await runDossier(['verify', ...unused, '--key', key], {});
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).toMatch(
        /^verify: --\w+ is not checked with .*; nothing was checked\. Check each in a separate run\n$/,
      );
    }
    expect((await runDossier(['verify', proof, '--key', key], {})).code).toBe(0);
  });
  it('names the control characters of an origin instead of sending them to the terminal', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const origin = 'evil\u001b]0;title\u0007\u202e/log';
    const der = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const typed = Buffer.concat([Buffer.from([1]), der]);
    const id = createHash('sha256').update(`${origin}\n`).update(typed).digest().subarray(0, 4);
    const root = createHash('sha256').update('\0leaf').digest('base64');
    const body = `${origin}\n1\n${root}\n`;
    const signature = Buffer.concat([id, sign(null, Buffer.from(body), privateKey)]).toString('base64');
    const proof = `c2sp.org/tlog-proof@v1\nindex 0\n\n${body}\n— ${origin} ${signature}\n`;
    const key = `${origin}+${id.toString('hex')}+${typed.toString('base64')}`;
    const path = await save('forged.json', JSON.stringify({ leaf: 'leaf', proof, key }));
    const { stdout, stderr } = await runDossier(['verify', path], {});
    expect(stdout).toContain('evil‹U+001B›]0;title‹U+0007›‹U+202E›/log');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/);
  });
  it('checks that one checkpoint continues another', async () => {
    await append(3);
    const older = await save('older', await text('/log/checkpoint'));
    await append(6, 3);
    directory.wait(1);
    const newer = await save('newer', await text('/log/checkpoint'));
    const consistency = await save('consistency', await text('/log/consistency/3/9'));
    const key = await save('key', await text('/log/key'));
    const options = ['--older', older, '--newer', newer, '--consistency', consistency, '--key', key];
    expect((await runDossier(['verify', ...options], {})).stdout).toContain(
      'holds  the newer tree continues the older one (3 entries, 9 entries)',
    );
    const wrong = await save('wrong', await text('/log/consistency/2/9'));
    const failed = await runDossier(['verify', ...options.with(5, wrong)], {});
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('history was rewritten');
    const cut = await save('cut', (await text('/log/consistency/3/9')).slice(0, -9));
    const unread = await runDossier(['verify', ...options.with(5, cut)], {});
    expect([unread.code, unread.stdout]).toEqual([
      1,
      expect.stringContaining('the consistency proof is no list of hashes in base64, one per line'),
    ]);
    expect(unread.stdout).not.toContain('history was rewritten');
  });
});

it('a restored backup closes the log with the last published checkpoint and opens the next one with it', async () => {
  await append(2);
  await text('/log/checkpoint');
  await directory.close();
  await cp(join(folder, 'dossier.db'), join(folder, 'backup.db'));
  directory = await open();
  await append(3, 2);
  directory.wait(1);
  const published = await text('/log/checkpoint');
  await directory.close();
  await cp(join(folder, 'backup.db'), join(folder, 'dossier.db'));

  directory = await open();
  expect(await text('/log/checkpoint')).toBe(published);
  const { logs } = JSON.parse(await text('/log')) as { logs: Record<string, unknown>[] };
  expect(logs).toMatchObject([
    { log: 'http://127.0.0.1:3000/log', first_log_index: 0, entries: 2, closed_with: published },
    { log: 'http://127.0.0.1:3000/log/2', first_log_index: 2, entries: 1 },
  ]);
  expect((await text('/log/2/checkpoint')).split('\n').slice(0, 2)).toEqual(['127.0.0.1:3000/log/2', '1']);
  const { body } = await prove({ log_index: 2 });
  expect(JSON.parse(body.record ?? '')).toEqual({ checkpoint: published });
  expect(body.log).toBe('http://127.0.0.1:3000/log/2');
  expect((await prove({ log_index: 0 })).status).toBe(404);
  const kept = join(folder, 'kept');
  await writeFile(kept, published);
  const { stdout } = await runDossier(['audit', '--checkpoint', kept], {
    DATABASE_URL: `file:${join(folder, 'dossier.db')}`,
  });
  expect(stdout).toContain(
    'it covers 5 entries, but the log has only 2: entries were lost. The service states this loss: /log has, as closed_with of this log, a checkpoint of 5 entries',
  );
  const [, size = '', root = ''] = (await text('/log/2/checkpoint')).split('\n');
  const auditRoot = (noted: string) =>
    runDossier(['audit', '--root', noted], { DATABASE_URL: `file:${join(folder, 'dossier.db')}` });
  expect((await auditRoot(`2:${size}:${root}`)).stdout).toMatch(/^(?!.*root given).*compared; \d faults\n$/s);
  const wrong = Buffer.alloc(32).toString('base64');
  expect((await auditRoot(`2:${size}:${wrong}`)).stdout).toContain(
    'FAULT  root given for 1 entries of log 2: the first 1 entries of the log 2 have a different root',
  );
  expect(await auditRoot(`0:${size}:${root}`)).toMatchObject({ code: 64 });
  const page = await directory.app.request('/log', { headers: { accept: 'text/html' } });
  expect((await page.text()).replaceAll(/<[^>]+>/g, '')).toContain('no time log continued entry 2');
  await directory.close();
  directory = await open();
  expect((JSON.parse(await text('/log')) as { logs: unknown[] }).logs).toHaveLength(2);
});

it('a backup made before anything was published closes the log too: it has the key that signs', async () => {
  await append(2);
  await directory.close();
  await cp(join(folder, 'dossier.db'), join(folder, 'backup.db'));
  directory = await open();
  await append(3, 2);
  const published = await text('/log/checkpoint');
  await directory.close();
  await cp(join(folder, 'backup.db'), join(folder, 'dossier.db'));
  directory = await open();
  expect(await logs()).toEqual(['127.0.0.1:3000/log 2', '127.0.0.1:3000/log/2 1']);
  expect(await text('/log/checkpoint')).toBe(published);
  // The entries were made without ratings.
  expect((await directory.audit()).filter((fault) => !/^entry \d+: it records/.test(fault))).toEqual([]);
});

it('a database that is put back again and again answers, for each log that was signed, its largest checkpoint', async () => {
  await append(2);
  await text('/log/checkpoint');
  await directory.close();
  await cp(join(folder, 'dossier.db'), join(folder, 'backup.db'));
  directory = await open();
  await append(3, 2);
  directory.wait(1);
  const signed = [await text('/log/checkpoint')];
  for (const log of [2, 3, 4]) {
    await directory.close();
    await cp(join(folder, 'backup.db'), join(folder, 'dossier.db'));
    directory = await open();
    expect(await logs()).toEqual([
      '127.0.0.1:3000/log 2',
      ...signed.slice(1).map((_, at) => `127.0.0.1:3000/log/${at + 2} 0`),
      `127.0.0.1:3000/log/${log} 1`,
    ]);
    const { body } = await prove({ log_index: 2 });
    expect(JSON.parse(body.record ?? '')).toEqual({ checkpoint: signed.at(-1) });
    // The shorter logs are signed later than the longer ones.
    await append(6 - log, 10 * log);
    directory.wait(1);
    const newest = await text(`/log/${log}/checkpoint`);
    expect(newest.split('\n').slice(0, 2)).toEqual([`127.0.0.1:3000/log/${log}`, `${7 - log}`]);
    for (const [at, checkpoint] of signed.entries())
      expect(await text(at === 0 ? '/log/checkpoint' : `/log/${at + 1}/checkpoint`)).toBe(checkpoint);
    signed.push(newest);
  }
  await directory.close();
  directory = await open();
  expect(await logs()).toHaveLength(4);
  // The entries were made without ratings.
  expect((await directory.audit()).filter((fault) => !/^entry \d+: it records/.test(fault))).toEqual([]);
});

it('a database that is rolled back while the service runs closes its log with what was signed', async () => {
  await append(5);
  const signed = await text('/log/checkpoint');
  const database = new DatabaseSync(join(folder, 'dossier.db'));
  for (const table of ['log_leaf', 'log_record']) database.exec(`delete from ${table} where log_index >= 2`);
  database.exec('delete from log_node where (position + 1) * (1 << level) > 2; update log_head set size = 2');
  database.close();
  directory.wait(1);
  expect(await text('/log/checkpoint')).toBe(signed);
  expect(await logs()).toEqual(['127.0.0.1:3000/log 2', '127.0.0.1:3000/log/2 1']);
});

describe('the checkpoint file', () => {
  it.each([
    ['cut off', (saved: string) => saved.slice(0, 60)],
    ['empty', () => ''],
    ['unsigned', (saved: string) => saved.slice(0, saved.indexOf('\n\n') + 2)],
    ['forged', (saved: string) => saved.replace('\n3\n', '\n999999\n')],
  ])('that is %s is reported, and closes no log', async (_, change) => {
    await append(3);
    const published = await text('/log/checkpoint');
    await directory.close();
    await writeFile(join(folder, 'dossier.db.checkpoint'), change(published));
    const DATABASE_URL = `file:${join(folder, 'dossier.db')}`;
    const started = startDossier(['stdio'], { DATABASE_URL, REGISTRY_URL: 'off', LOG_FORMAT: 'json' });
    started.child.stdin?.end();
    expect((await started.ended).stderr).toContain(
      'the checkpoint file is unreadable, cut off or not signed by the key of this database',
    );
    directory = await open();
    expect((JSON.parse(await text('/log')) as { logs: unknown[] }).logs).toHaveLength(1);
    expect(await text('/log/checkpoint')).toBe(published);
  });
  it('has the newest again once that is asked for, though another process replaced it with an older one', async () => {
    const file = join(folder, 'dossier.db.checkpoint');
    await append(3);
    const older = await text('/log/checkpoint');
    await append(2, 3);
    directory.wait(1);
    const newer = await text('/log/checkpoint');
    expect([older, newer].map((published) => published.split('\n')[1])).toEqual(['3', '5']);
    await writeFile(file, older);
    directory.wait(1);
    expect(await text('/log/checkpoint')).toBe(newer);
    expect(await savedCheckpoint()).toBe(newer);
  });
  it('is never replaced by a checkpoint of a smaller tree of the same log', async () => {
    await append(3);
    await text('/log/checkpoint');
    await directory.close();
    await cp(join(folder, 'dossier.db'), join(folder, 'copy.db'));
    const file = join(folder, 'shared.checkpoint');
    const copy = await open('copy.db', file);
    directory = await open('dossier.db', file);
    await append(2, 3);
    const newer = await text('/log/checkpoint');
    const older = await (await copy.app.request('/log/checkpoint')).text();
    await copy.close();
    expect([newer, older].map((published) => published.split('\n')[1])).toEqual(['5', '3']);
    expect(await savedCheckpoint('shared.checkpoint')).toBe(newer);
  });
  it('is neither compared nor written by a copy of the database that is opened beside it', async () => {
    await append(3);
    await text('/log/checkpoint');
    await directory.close();
    await cp(join(folder, 'dossier.db'), join(folder, 'copy.db'));
    const file = join(folder, 'shared.checkpoint');
    directory = await open('dossier.db', file);
    await append(2, 3);
    await text('/log/checkpoint');
    await directory.close();
    const saved = await readFile(file, 'utf8');
    expect(saved.split('\n').at(-2)).toBe(
      `database ${JSON.stringify({ database: join(folder, 'dossier.db'), file })}`,
    );

    const DATABASE_URL = `file:${join(folder, 'copy.db')}`;
    const settings = { DATABASE_URL, CHECKPOINT_FILE: file, REGISTRY_URL: 'off', LOG_FORMAT: 'json' };
    const started = startDossier(['stdio'], settings);
    started.child.stdin?.end();
    expect((await started.ended).stderr).toContain('the checkpoint file belongs to another database');
    directory = await open('copy.db', file);
    await append(4, 3);
    expect(await logs()).toEqual(['127.0.0.1:3000/log 7']);
    expect((await text('/log/checkpoint')).split('\n')[1]).toBe('7');
    await directory.close();
    expect(await readFile(file, 'utf8')).toBe(saved);

    directory = await open('dossier.db', file);
    expect(await logs()).toEqual(['127.0.0.1:3000/log 5']);
    await directory.close();
    // The copy takes its place once the database is gone.
    await rename(join(folder, 'dossier.db'), join(folder, 'lost.db'));
    directory = await open('copy.db', file);
    expect(await logs()).toEqual(['127.0.0.1:3000/log 7', '127.0.0.1:3000/log/2 1']);
  });
});
