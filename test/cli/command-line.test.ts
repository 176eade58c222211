import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDossier, startDossier } from '../support/command.ts';
import { openFolder } from '../support/opened.ts';

let database = 0;
const settings = (change: Record<string, string> = {}) => ({
  PORT: '0',
  REGISTRY_URL: 'off',
  DATABASE_URL: `file:${join(folder, `${database++}.db`)}`,
  ...change,
});
const folder = openFolder();

describe('dossier serve', () => {
  it('prints one line when it listens, serves the sample, and ends cleanly on SIGTERM', async () => {
    const service = startDossier([], settings());
    const url = await service.line(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    const answer = await fetch(`${url}/api/tools/get_agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"handle":"co.webhook/webhook"}',
    });
    expect(await answer.json()).toMatchObject({
      handle: 'co.webhook/webhook',
      endpoint: 'https://mcp.webhook.co/mcp',
      sample: true,
      origin: 'registry, as given in the specification, not read there',
      evidence_snapshot_date: new Date().toISOString().slice(0, 10),
    });
    service.child.kill('SIGTERM');
    const { code, stdout } = await service.ended;
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it('ends cleanly when npm start gets SIGTERM', async () => {
    const env = { ...process.env, ...settings({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }) };
    const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    await expect.poll(() => output).toMatch(/^listening on /m);
    npm.kill('SIGTERM');
    await once(npm, 'close');
    await expect.poll(() => output).toContain('stopping');
    const url = /^listening on (.+)$/m.exec(output)?.[1] ?? '';
    await expect
      .poll(() =>
        fetch(url).then(
          () => 'answers',
          () => 'gone',
        ),
      )
      .toBe('gone');
  });

  it('reports a port in use in one line', async () => {
    const first = startDossier([], settings());
    const port = new URL(await first.line(/^listening on (.+)$/m)).port;
    const second = await runDossier([], settings({ PORT: port }));
    expect(second).toMatchObject({
      code: 78,
      stdout: '',
      stderr: `PORT: ${port} is in use; set another, or 0 to pick one\n`,
    });
    first.child.kill('SIGTERM');
    await first.ended;
  });
});

it('settings are shown by dossier config, secrets masked', async () => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const { code, stdout } = await runDossier(
    ['config'],
    settings({ CLAIM_KEYS: `1:${secret}`, REGISTRY_NAME: 'example' }),
  );
  expect(code).toBe(0);
  expect(stdout).toContain('REGISTRY_NAME=example\n');
  expect(stdout).toContain('CLAIM_KEYS=***\n');
  expect(stdout).not.toContain(secret);
  expect(stdout).toContain('IMPORT_INTERVAL=1h\nIMPORT_FULL_INTERVAL=7d\nREPOSITORY_HOSTS={"github.com"');
  expect(stdout).toContain('LIMITS=on\n');
});

describe('CLAIM_KEYS', () => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  it.each(['256:', '1', `1:${secret},`, `1:${secret} 2:${secret}`, '1:short'])('refuses %s', async (keys) => {
    const value = keys.endsWith(':') ? `${keys}${secret}` : keys;
    expect((await runDossier(['config'], settings({ CLAIM_KEYS: value }))).code).toBe(78);
  });
  it('takes several', async () => {
    expect((await runDossier(['config'], settings({ CLAIM_KEYS: `255:${secret},1:${secret}` }))).code).toBe(
      0,
    );
  });
});

describe('dossier', () => {
  it('ends with 64 for what it does not know', async () => {
    const { code, stderr } = await runDossier(['fly'], settings());
    expect(code).toBe(64);
    expect(stderr).toBe('error: no such command: fly; see dossier --help\n');
  });
  it('says which command takes a file that was given to another one', async () => {
    const [mcp, lock] = [join(folder, '.mcp.json'), join(folder, 'old.lock.json')];
    await writeFile(mcp, '{"mcpServers": {"one": {"command": "npx", "args": ["-y", "a"]}}}');
    await writeFile(
      lock,
      '{"lockfile_version": 1, "from": "x", "locked_at": "2026-01-01T00:00:00.000Z", "listings": {}}',
    );
    const takesServers = `${mcp} configures MCP servers: dossier inventory ${mcp} says what is known of them\n`;
    const cases: readonly (readonly [args: readonly string[], first: string, next: string])[] = [
      [['check', '--from', 'http://127.0.0.1:9', mcp], "error: too many arguments for 'check'", takesServers],
      [['check', '--out', mcp], `${mcp}: not a lock file\n`, takesServers],
      [['lock', mcp], `${mcp}: not a handle`, takesServers],
      [
        ['check', lock],
        "error: too many arguments for 'check'",
        `${lock} is a lock file: dossier check --out ${lock} compares it\n`,
      ],
      [['inventory', mcp, '--fail-on', 'luck', '--offline'], '--fail-on luck: not one of', 'unpinned\n'],
    ];
    for (const [args, first, next] of cases) {
      const { code, stderr } = await runDossier(args, {});
      expect([args, code, stderr.startsWith(first), stderr.endsWith(next)]).toEqual([args, 64, true, true]);
      expect(stderr).not.toContain('no such command');
    }
  });
  it('makes a database only with the commands that fill one; every other says that there is none', async () => {
    const path = join(folder, 'nowhere', 'none.db');
    const reading: Record<string, readonly string[]> = {
      observe: [],
      listing: ['restore', 'a/b', '--reason', 'why'],
      lock: ['a/b', '--out', join(folder, 'none.lock.json')],
      inventory: ['test/cli/inventory/project/.mcp.json', '--offline'],
      feedback: [],
      reports: [],
      webhooks: [],
      moderate: ['list'],
      backup: [join(folder, 'none.gz')],
      audit: [],
    };
    // approve reads a file of views first.
    const others = ['approve', 'check', 'config', 'doctor', 'help', 'hook', 'verify'];
    const making = ['import', 'restore', 'serve', 'stdio'];
    const { stdout } = await runDossier(['--help'], {});
    const all = [...stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)/gm)].map(
      ([, name]) => name,
    );
    expect(all.toSorted()).toEqual([...Object.keys(reading), ...others, ...making].toSorted());
    for (const [name, args] of Object.entries(reading))
      expect([name, await runDossier([name, ...args], settings({ DATABASE_URL: `file:${path}` }))]).toEqual([
        name,
        {
          code: 74,
          stdout: '',
          stderr: `there is no database of Dossier at file:${path}; set DATABASE_URL to one, or make one with dossier serve or dossier import\n`,
        },
      ]);
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
  it('takes files from where it was called, by npm run dossier too, and ignores the INIT_CWD of other scripts', async () => {
    const inside = await mkdtemp(join(process.cwd(), 'test', 'cli-'));
    await writeFile(join(inside, 'saved.json'), '[]');
    const said = 'com.example/none is not listed at saved.json; nothing was written\n';
    const args = ['lock', '--from', 'saved.json', 'com.example/none'];
    const npm = spawn('npm', ['run', '--silent', 'dossier', '--', ...args], { cwd: inside });
    let output = '';
    npm.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(npm, 'close');
    const { stderr } = await runDossier(args, { INIT_CWD: inside });
    await rm(inside, { recursive: true });
    expect(output.replace(/^npm warn.*\n/gm, '')).toBe(said);
    expect(stderr).toBe(
      'saved.json: not a file of listing documents (of a dump: evidence-*.jsonl.gz), as JSON or one a line; an address begins with http:// or https://\n',
    );
  });
  it.each([
    ['a-file/x.db', /^DATABASE_URL: [^\n]+\n$/],
    ['a-file', /^DATABASE_URL: .*not a database.*restore the newest backup[^\n]*\n$/],
  ])('ends with 74 and one line when %s is no database that can be opened', async (path, said) => {
    await writeFile(join(folder, 'a-file'), 'a text of more than a few bytes\n'.repeat(100));
    const { code, stderr } = await runDossier([], settings({ DATABASE_URL: `file:${join(folder, path)}` }));
    expect([code, stderr]).toEqual([74, expect.stringMatching(said)]);
  });
  it.each([
    ['every page but the first', 0.01],
    ['the last tenth', 0.9],
  ])('ends with 74 and a line that says what to do when %s is damaged', async (_part, from) => {
    const path = join(folder, `damaged-${from}.db`);
    const database = settings({ DATABASE_URL: `file:${path}` });
    await runDossier(['import', '--from', 'data/sample.json'], database);
    const content = await readFile(path);
    await writeFile(path, content.fill(0xa5, Math.ceil(content.length * from)));
    const { code, stderr } = await runDossier(['backup', `${path}.gz`], database);
    expect([code, stderr]).toEqual([
      74,
      expect.stringMatching(/^DATABASE_URL: [^\n]*restore the newest backup[^\n]*\n$/),
    ]);
  });
  it('shows its version and its commands', async () => {
    expect((await runDossier(['--version'], {})).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await runDossier(['--help'], {})).stdout).toContain('import');
  });
});

it('dossier import ends with 69 and one line when the registry cannot be reached', async () => {
  const { code, stderr } = await runDossier(['import', '--from', 'http://127.0.0.1:9'], settings());
  expect(code).toBe(69);
  expect(stderr.trim().split('\n').at(-1)).toMatch(
    /^http:\/\/127\.0\.0\.1:9: the registry cannot be reached/,
  );
});
