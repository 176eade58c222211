import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program, runDossier, startDossier } from '../support/command.ts';
import { openFolder } from '../support/opened.ts';

const root = openFolder();
const settings = { PORT: '0', REGISTRY_URL: 'off', DATABASE_URL: ':memory:', LOG_FORMAT: 'json' };

/** Starts the service behind a line of shell; its standard error goes to a file. Resolves with its URL. */
async function startBehind(script: string, environment: Record<string, string>, stderr: string) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, ...environment };
  const log = openSync(stderr, 'w');
  const child = spawn('sh', ['-c', `${script}; exec node ${program} serve`], {
    env,
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  let output = '';
  if (!child.stdout) throw new Error('it has no output');
  for await (const piece of child.stdout) {
    output += String(piece);
    const [, url] = /^listening on (.+)$/m.exec(output) ?? [];
    if (url) return { child, url };
  }
  throw new Error(output);
}
/** The files that a process has open under the folder of this test. */
const openFiles = (pid: number | undefined) =>
  readdirSync(`/proc/${pid}/fd`)
    .map((descriptor) => readLink(`/proc/${pid}/fd/${descriptor}`))
    .filter((path) => path.startsWith(root));
const readLink = (path: string) => {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
};

describe('a full disk', () => {
  it('under the checkpoint file refuses proofs, leaves no file open, and the rest goes on', async () => {
    const environment = { CHECKPOINT_FILE: join(root, 'checkpoint') };
    // No file may grow at all, as on a disk without room.
    const { child, url } = await startBehind('trap "" XFSZ; ulimit -f 0', environment, '/dev/null');
    const checkpoint = async () => (await fetch(`${url}/log/checkpoint`)).status;
    expect(await checkpoint()).toBe(503);
    for (let count = 0; count < 5; count++) expect(await checkpoint()).toBe(503);
    expect(openFiles(child.pid)).toEqual([]);
    expect((await fetch(`${url}/agents/co.webhook/webhook`)).status).toBe(200);
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  it('under the log of the process loses lines, and the service goes on', async () => {
    const { child, url } = await startBehind(':', {}, '/dev/full');
    for (let count = 0; count < 30; count++) expect((await fetch(`${url}/about`)).status).toBe(200);
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  });
});

it('serve refuses a CHECKPOINT_FILE in a folder that cannot be made', async () => {
  writeFileSync(join(root, 'a-file'), '');
  const { code, stderr } = await runDossier(['serve'], {
    ...settings,
    CHECKPOINT_FILE: join(root, 'a-file/checkpoint'),
  });
  expect([code, stderr]).toEqual([
    78,
    expect.stringMatching(/^CHECKPOINT_FILE: its folder cannot be written: (EEXIST|ENOTDIR)/),
  ]);
});

it('a body that ends before it is complete is no failure of the service', async () => {
  const service = startDossier(['serve'], settings);
  const url = new URL(await service.line(/^listening on (.+)$/m));
  for (const path of ['/api/mcp', '/api/feedback', '/feedback'])
    await new Promise<void>((resolve) => {
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a`,
        );
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('close', () => resolve());
    });
  expect((await fetch(`${url}about`)).status).toBe(200);
  service.child.kill('SIGTERM');
  const { stderr } = await service.ended;
  const levels = stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level >= 40)).toEqual([]);
});

it('the key of the log is there before anybody asks for it, so that every backup has it', async () => {
  const database = { ...settings, DATABASE_URL: `file:${join(root, 'key.db')}` };
  const service = startDossier(['serve'], database);
  await service.line(/^listening on (.+)$/m);
  await expect
    .poll(async () => (await runDossier(['backup', join(root, `${Date.now()}.gz`)], database)).code)
    .toBe(0);
  service.child.kill('SIGTERM');
  await service.ended;
  const { DatabaseSync } = await import('node:sqlite');
  const opened = new DatabaseSync(join(root, 'key.db'));
  expect(opened.prepare('select count(*) as keys from log_key').get()).toEqual({ keys: 1 });
  opened.close();
});
