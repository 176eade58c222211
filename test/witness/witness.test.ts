import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toLeaf } from '../../src/log/leaf.ts';
import { createWitnessRound } from '../../src/log/witnesses.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { openWitness, type RunningWitness, startWitness as startOne } from '../support/witnesses.ts';

let folder: string;
let directory: Directory;
let started: RunningWitness[];
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
  for (const witness of started) witness.stop();
  await directory.close();
  await rm(folder, { recursive: true });
});

const append = (of: Directory, ...texts: string[]) =>
  of.store.write(async (tx) => {
    for (const text of texts) await tx.log.append(toLeaf('rating.submitted', { text }));
  });
const textOf = async (of: Directory, path: string) => (await of.app.request(path)).text();
const keyOf = async (of: Directory) => (await textOf(of, '/log/key')).trim();

/** A witness, stopped after the test. */
async function startWitness(name: string) {
  const running = await startOne(name);
  started.push(running);
  return running;
}
type Asked = Pick<RunningWitness, 'name' | 'url' | 'keys'>;
/** Asks witnesses as the service would; returns what it logged. */
async function ask(of: Directory, witnesses: readonly Asked[], at = 0) {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const lines = witnesses.map(({ name, url, keys }) => `witness ${name} ${keys[at]} ${url}`);
  const policy = { file: 'policy', text: `${lines.join('\n')}\nquorum none\n` };
  const config = { ...of.context.config, witnesses: policy };
  await createWitnessRound({ ...of.context, config, log })();
  return logged;
}
describe('the service', () => {
  it('publishes the cosignatures of witnesses with checkpoints and proofs; two witness each other', async () => {
    const other = await open('b.db', 'https://b.example');
    try {
      await append(directory, 'one', 'two');
      await append(other, 'three');
      const keys = [await keyOf(directory), await keyOf(other)];
      const ofA = await startWitness('wa');
      const ofB = await startWitness('wb');
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
    const witness = await startWitness('w');
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
    const honest = await startWitness('w');
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
  it('asks the one witness of WITNESSES while it serves', async () => {
    await append(directory, 'one');
    const { name, url, keys } = await startWitness('w');
    const file = join(folder, 'witnesses');
    await writeFile(file, `witness ${name} ${keys[0]} ${url}\nquorum none\n`);
    const service = startDossier([], {
      PORT: '0',
      REGISTRY_URL: 'off',
      DATABASE_URL: `file:${join(folder, 'a.db')}`,
      PUBLIC_URL: 'https://a.example',
      WITNESSES: file,
    });
    try {
      const address = await service.line(/^listening on (\S+) as /m);
      await expect
        .poll(async () => (await fetch(`${address}/log/checkpoint`)).text())
        .toContain('\u2014 w.example/w ');
    } finally {
      service.child.kill('SIGTERM');
    }
    expect((await service.ended).code).toBe(0);
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
