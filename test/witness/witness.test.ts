import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toLeaf } from '../../src/evidence/log/leaf.ts';
import { readCosigner } from '../../src/evidence/log/witness/cosigner.ts';
import { createWitnessRounds } from '../../src/transparency-log/witnesses/rounds.ts';
import { runDossier, type Started, startDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { startWitness as startIn } from '../support/witness-command.ts';
import { openWitness } from '../support/witnesses.ts';

let folder: string;
let directory: Directory;
let started: Started[];
const open = (database: string, publicUrl = 'https://a.example') =>
  openDirectory({
    entries: [],
    environment: { DATABASE_URL: `file:${join(folder, database)}`, PUBLIC_URL: publicUrl, LIMITS: 'off' },
  });
beforeEach(async () => {
  started = [];
  folder = await mkdtemp(join(tmpdir(), 'dossier-witness-'));
  directory = await open('a.db');
});
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await directory.close();
  await rm(folder, { recursive: true });
});

const append = (of: Directory, ...texts: string[]) =>
  of.store.write(async (tx) => {
    for (const text of texts) await tx.log.append(toLeaf('rating.submitted', { text }));
  });
const textOf = async (of: Directory, path: string) => (await of.app.request(path)).text();
const keyOf = async (of: Directory) => (await textOf(of, '/log/key')).trim();

/** A `dossier witness` of these logs, ended with the test. */
async function startWitness(name: string, ...logs: string[]) {
  const running = await startIn(folder, name, ...logs);
  started.push(running.witness);
  return running;
}
type Asked = { name: string; url: string; keys: string[] };
/** Asks witnesses as the service would; returns what it logged. */
async function ask(of: Directory, witnesses: readonly Asked[], at = 0) {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const named = witnesses.map(({ name, url, keys }) => {
    const cosigner = readCosigner(keys[at] ?? '');
    if (!cosigner) throw new Error(`no key: ${keys[at]}`);
    return { name, cosigner, url: new URL(url) };
  });
  const config = { ...of.context.config, witnesses: named };
  await createWitnessRounds({ ...of.context, config, log }).ask();
  return logged;
}
const post = async (url: string, body: string) => {
  const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() };
};

describe('dossier witness', () => {
  it('cosigns what continues, and tells a rollback, a fork, a wrong proof, another key and another log apart', async () => {
    await append(directory, 'one', 'two', 'three');
    const { url, keys } = await startWitness('w', await keyOf(directory));
    const first = await textOf(directory, '/log/checkpoint');
    const cosigned = await post(url, `old 0\n\n${first}`);
    expect(cosigned.status).toBe(200);
    expect(cosigned.body).toMatch(/^\u2014 w\.example\/w \S{104}\n\u2014 w\.example\/w \S{3244}\n$/);

    await append(directory, 'four');
    directory.wait(2);
    const second = await textOf(directory, '/log/checkpoint');
    const proof = await textOf(directory, '/log/consistency/3/4');
    expect(await post(url, `old 0\n\n${second}`)).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      body: '3\n',
    });
    const wrongProof = await textOf(directory, '/log/consistency/2/4');
    expect((await post(url, `old 3\n${wrongProof}\n${second}`)).status).toBe(422);
    expect((await post(url, `old 3\n${proof}\n${second.replace('\n4\n', '\n5\n')}`)).status).toBe(403);
    expect((await post(url, `old 3\n${proof}\n${second.replaceAll('a.example', 'b.example')}`)).status).toBe(
      404,
    );
    expect((await post(url, `old 5\n${proof}\n${second}`)).status).toBe(400);
    expect((await post(url, 'what?')).status).toBe(400);
    expect((await post(url, `old 3\n${proof}\n${second}`)).status).toBe(200);
    expect(await post(url, `old 3\n\n${first}`)).toMatchObject({ status: 409, body: '4\n' });

    const hash = createHash('sha256').update('a.example/log').digest('hex');
    const kept = await (await fetch(`${url}/${hash}/checkpoint`)).text();
    expect(kept.startsWith(second)).toBe(true);
    await writeFile(join(folder, 'kept'), kept);
    const policy = join(folder, 'policy');
    const named = keys.map((key, at) => `witness w${at} ${key}`);
    await writeFile(
      policy,
      [`log ${await keyOf(directory)}`, ...named, 'group g all w0 w1', 'quorum g'].join('\n'),
    );
    const ended = await runDossier(['verify', '--checkpoint', join(folder, 'kept'), '--policy', policy], {});
    expect([ended.code, ended.stderr]).toEqual([0, '']);
  });
  it('loses nothing when it is killed between storing its state and answering', async () => {
    await append(directory, 'one');
    const key = await keyOf(directory);
    const before = await startWitness('w', key);
    const checkpoint = await textOf(directory, '/log/checkpoint');
    const answered = post(before.url, `old 0\n\n${checkpoint}`).catch(() => 'no answer');
    const state = join(folder, 'w.json');
    while (!(await readFile(state, 'utf8').catch(() => ''))) await new Promise(setImmediate);
    before.witness.child.kill('SIGKILL');
    await before.witness.ended;
    await answered;

    const after = await startWitness('w', key);
    expect(after.keys).toEqual(before.keys);
    expect(await post(after.url, `old 0\n\n${checkpoint}`)).toMatchObject({ status: 409, body: '1\n' });
    expect(await ask(directory, [after])).toEqual([]);
    expect(await textOf(directory, '/log/checkpoint')).toContain('\u2014 w.example/w ');
  });
  it('is the only process that uses its state file, under whatever name, until it ends', async () => {
    const key = await keyOf(directory);
    const first = await startWitness('w', key);
    await symlink(join(folder, 'w.json'), join(folder, 'other.json'));
    const files = ['--logs', 'w.logs', '--key', 'w.key'].map((word) =>
      word.startsWith('--') ? word : join(folder, word),
    );
    const second = (state: string) => {
      const rest = [...files, '--state', state, '--port', '0'];
      const witness = startDossier(['witness', '--name', 'w.example/w', ...rest], {});
      started.push(witness);
      return witness.ended;
    };
    const refusal = 'cannot be used: another process uses it; each witness needs a state file of its own\n';
    for (const name of ['w.json', 'other.json'])
      expect(await second(join(folder, name))).toEqual({
        code: 74,
        stdout: '',
        stderr: `${join(folder, name)}: ${refusal}`,
      });
    expect((await post(first.url, 'what?')).status).toBe(400);
    first.witness.child.kill('SIGKILL');
    await first.witness.ended;
    expect((await startWitness('w', key)).keys).toEqual(first.keys);
  });
  it('answers 409 for another tree of the size that it cosigned', async () => {
    await append(directory, 'one');
    const key = await keyOf(directory);
    const { url } = await startWitness('w', key);
    await directory.close();
    await cp(join(folder, 'a.db'), join(folder, 'copy.db'));
    const sendNext = async (database: string, text: string) => {
      directory = await open(database);
      await append(directory, text);
      directory.wait(2);
      return post(url, `old 0\n\n${await textOf(directory, '/log/checkpoint')}`);
    };
    expect((await sendNext('a.db', 'two')).status).toBe(200);
    await directory.close();
    expect(await sendNext('copy.db', 'another two')).toMatchObject({ status: 409, body: '2\n' });
    const checkpoint = await textOf(directory, '/log/checkpoint');
    expect(await post(url, `old 2\n\n${checkpoint}`)).toMatchObject({ status: 409, body: '2\n' });
  });
  it('does not begin anew when its state cannot be read', async () => {
    await writeFile(join(folder, 'w.json'), '{"a.example/log": {"size": 3}}');
    await writeFile(join(folder, 'logs'), `log ${await keyOf(directory)}\nquorum none\n`);
    const files = ['--logs', 'logs', '--key', 'w.key', '--state', 'w.json'].map((word) =>
      word.startsWith('--') ? word : join(folder, word),
    );
    const ended = await runDossier(['witness', '--name', 'w.example', ...files, '--port', '0'], {});
    expect(ended.code).toBe(74);
    expect(ended.stderr).toContain('w.json: cannot be used');
  });
});

describe('the service', () => {
  it('publishes the cosignatures of witnesses with checkpoints and proofs; two witness each other', async () => {
    const other = await open('b.db', 'https://b.example');
    try {
      await append(directory, 'one', 'two');
      await append(other, 'three');
      const keys = [await keyOf(directory), await keyOf(other)];
      const ofA = await startWitness('wa', ...keys);
      const ofB = await startWitness('wb', ...keys);
      expect(await ask(directory, [ofB])).toEqual([]);
      expect(await ask(other, [ofA], 1)).toEqual([]);
      expect(await textOf(other, '/log/checkpoint')).toMatch(/\n\u2014 wa\.example\/w \S{3244}\n$/);
      const answer = await directory.app.request('/api/tools/get_proof', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"log_index":1}',
      });
      await writeFile(join(folder, 'proof.json'), await answer.text());
      await writeFile(join(folder, 'p'), `log ${keys[0]}\nwitness b ${ofB.keys[0]}\nquorum b\n`);
      const ended = await runDossier(
        ['verify', join(folder, 'proof.json'), '--policy', join(folder, 'p')],
        {},
      );
      expect([ended.code, ended.stderr]).toEqual([0, '']);
      expect(ended.stdout).toContain('holds  the policy wants b: cosigned by b');

      await append(directory, 'four');
      directory.wait(2);
      expect(await textOf(directory, '/log/checkpoint')).not.toContain('wb.example');
      expect(await textOf(directory, '/log/proof/1')).toContain('\u2014 wb.example/w ');
      expect(await textOf(directory, '/log/proof/2')).not.toContain('wb.example');
      expect(await ask(directory, [ofB])).toEqual([]);
      expect(await textOf(directory, '/log/proof/2')).toContain('\u2014 wb.example/w ');
    } finally {
      await other.close();
    }
  });
  it('is told by a witness of a rollback and of a second history', async () => {
    await append(directory, 'one', 'two', 'three');
    const witness = await startWitness('w', await keyOf(directory));
    expect(await ask(directory, [witness])).toEqual([]);
    await directory.close();
    await cp(join(folder, 'a.db'), join(folder, 'copy.db'));
    directory = await open('a.db');
    await append(directory, 'four', 'five');
    expect(await ask(directory, [witness])).toEqual([]);
    await directory.close();

    directory = await open('copy.db');
    expect(await ask(directory, [witness])).toEqual([
      expect.stringMatching(/^a witness cosigned a larger tree of this log than the database has/),
    ]);
    await append(directory, 'other four', 'other five');
    directory.wait(2);
    expect(await ask(directory, [witness])).toEqual([
      expect.stringMatching(/^a witness says that this log does not continue the tree that it cosigned/),
    ]);
    await append(directory, 'other six');
    directory.wait(2);
    expect(await ask(directory, [witness])).toEqual([
      expect.stringMatching(/^a witness says that this log does not continue the tree that it cosigned/),
    ]);
    expect(await textOf(directory, '/log/checkpoint')).not.toContain('w.example');
  });
  it('publishes nothing of a lying witness, and does without one that is down', async () => {
    await append(directory, 'one');
    const liar = openWitness('liar.example/w', 4, 7);
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const checkpoint = body.slice(body.indexOf('\n\n') + 2);
      response.end(liar.cosign(checkpoint.replace('\n1\n', '\n9\n'), 1_790_000_000));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const honest = await startWitness('w', await keyOf(directory));
    const down = { name: 'down', url: 'http://127.0.0.1:9', keys: [openWitness('down', 4, 8).vkey] };
    const logged = await ask(directory, [{ name: 'liar', url, keys: [liar.vkey] }, down, honest]);
    server.close();
    expect(logged.toSorted()).toEqual([
      'a witness did not cosign; it is asked again',
      'a witness sent a cosignature that is not valid for the checkpoint; it is not published',
    ]);
    const checkpoint = await textOf(directory, '/log/checkpoint');
    expect(checkpoint).toContain('\u2014 w.example/w ');
    expect(checkpoint).not.toContain('liar.example');
  });
  it('refuses WITNESSES whose witnesses have no address', async () => {
    const file = join(folder, 'witnesses');
    await writeFile(file, `witness w ${openWitness('w', 4, 8).vkey}\nquorum w\n`);
    expect(await runDossier(['config'], { WITNESSES: file })).toMatchObject({
      code: 78,
      stderr: `WITNESSES: ${file}: witness w has no address (http or https)\n`,
    });
  });
});
