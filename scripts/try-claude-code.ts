import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectory } from '../test/support/directory.ts';
import { registryEntry } from '../test/support/entries.ts';

// Usage: npm run lab try:claude-code. Claude Code from npm (240 MB), with a home of its own and no way out
// but to loopback, reads the policy and the .mcp.json of a view; ends with 1 where it takes or refuses
// another server than the view says.
const endpoint = 'https://mail.example.com/mcp';
const folder = mkdtempSync(join(tmpdir(), 'dossier-claude-code-'));
const [home, project] = ['home', 'project'].map((name) => join(folder, name)) as [string, string];
const configuration = join(home, '.claude');
for (const path of [configuration, project]) mkdirSync(path, { recursive: true });

writeFileSync(join(folder, 'package.json'), '{"private": true}');
const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '@anthropic-ai/claude-code'];
execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const program = `claude-code-${process.platform}-${process.arch}`;
const claude = join(folder, 'node_modules/@anthropic-ai', program, 'claude');

const nowhere = 'http://127.0.0.1:9';
const env = {
  PATH: process.env.PATH,
  HOME: home,
  CLAUDE_CONFIG_DIR: configuration,
  HTTP_PROXY: nowhere,
  HTTPS_PROXY: nowhere,
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
};
/** What `claude mcp ...` prints in the project. */
function mcp(...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(claude, ['mcp', ...args], { cwd: project, env, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

const failed: string[] = [];
function expectThat(what: string, output: string, pattern: RegExp): void {
  const isSo = pattern.test(output);
  process.stdout.write(`${isSo ? 'ok' : 'FAILED'}: ${what}\n`);
  if (!isSo) failed.push(`${what}\n${output}`);
}

const views = join(folder, 'views.json');
const approval = (handle: string, more: object = {}) => ({
  handle,
  by: 'Ada',
  reason: 'mail of the office',
  on: '2026-01-05',
  ...more,
});
const approvals = [
  approval('com.example/mail', { pins: { endpoint } }),
  approval('com.example/box'),
  approval('com.example/lapsed', { until: '2026-01-31' }),
  approval('com.example/moved', { pins: { endpoint: 'https://moved.example.com/before' } }),
];
const key = 'what a reader of the private view sends';
const readers = [`sha256:${createHash('sha256').update(key).digest('hex')}`];
writeFileSync(
  views,
  JSON.stringify({
    ours: { title: 'Ours', criteria: [{ criterion: 'tag', value: 'email' }], approvals },
    own: { title: 'Own', readers },
  }),
);
const own = join(folder, 'own');
mkdirSync(own);
const payroll = 'http://payroll.acme.internal:8080/mcp';
writeFileSync(
  join(own, 'server.json'),
  JSON.stringify({
    name: 'com.acme.internal/payroll',
    description: 'Salaries.',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: payroll }],
  }),
);
// What judges views lets the process end between its batches.
const alive = setInterval(() => undefined, 1000);
const service = await openDirectory({
  entries: [
    registryEntry('com.example/mail', {
      description: 'Sends email.',
      remotes: [{ type: 'streamable-http', url: endpoint }],
    }),
    registryEntry('com.example/box', {
      description: 'Reads email.',
      packages: [
        { registryType: 'npm', identifier: '@example/box', version: '1.0.0', transport: { type: 'stdio' } },
      ],
    }),
    ...['lapsed', 'moved'].map((name) =>
      registryEntry(`com.example/${name}`, {
        description: 'Sends email.',
        remotes: [{ type: 'streamable-http', url: `https://${name}.example.com/mcp` }],
      }),
    ),
    registryEntry('com.example/maps', {
      description: 'Draws maps.',
      remotes: [{ type: 'streamable-http', url: 'https://maps.example.com/mcp' }],
    }),
  ],
  listening: true,
  environment: { VIEWS: views, PRIVATE_LISTINGS: own },
});
try {
  const headers = { authorization: `Bearer ${key}` };
  const read = async (name: string, view = 'ours') =>
    (await fetch(`${service.url}/views/${view}/${name}`, { headers })).text();
  writeFileSync(join(configuration, 'settings.json'), await read('managed-settings.json'));
  const ownPolicy = await read('managed-settings.json', 'own');
  const { mcpServers } = JSON.parse(await read('.mcp.json')) as { mcpServers: object };
  const stranger = { type: 'http', url: 'https://stranger.example.com/mcp' };
  writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { ...mcpServers, stranger } }));

  process.stdout.write(`Claude Code ${execFileSync(claude, ['--version'], { env, encoding: 'utf8' })}`);
  // Before anything is added: a list asks every server that is not to be approved first, for half a minute.
  const listed = mcp('list');
  expectThat(
    'lists the endpoint of the .mcp.json',
    listed,
    /^example-mail: https:\/\/mail\.example\.com\/mcp \(HTTP\)/m,
  );
  expectThat('lists the package of the .mcp.json', listed, /^example-box: npx -y @example\/box/m);
  expectThat('leaves out what was written into the .mcp.json besides', listed, /^(?![\s\S]*stranger)/);
  const added = /^Added /m;
  const refused = /not allowed by enterprise policy/;
  const remote = (name: string, url: string) => mcp('add', '--transport', 'http', name, url);
  const local = (name: string, identifier: string) => mcp('add', name, '--', 'npx', '-y', identifier);
  expectThat('takes the endpoint of a listing in the view', remote('mine', endpoint), added);
  expectThat(
    'refuses the endpoint of another listing',
    remote('maps', 'https://maps.example.com/mcp'),
    refused,
  );
  expectThat(
    'refuses a listing whose approval has ended',
    remote('lapsed', 'https://lapsed.example.com/mcp'),
    refused,
  );
  expectThat(
    'refuses a listing that is no longer as it was approved',
    remote('moved', 'https://moved.example.com/mcp'),
    refused,
  );
  expectThat('refuses another path of the same host', remote('path', `${endpoint}/other`), refused);
  expectThat('takes the package of a listing in the view', local('box', '@example/box'), added);
  expectThat('takes its recorded version', local('box1', '@example/box@1.0.0'), added);
  expectThat('refuses another version', local('box2', '@example/box@2.0.0'), refused);
  expectThat('refuses another package', local('other', '@example/other'), refused);

  writeFileSync(join(configuration, 'settings.json'), ownPolicy);
  expectThat('takes the endpoint of a private entry', remote('payroll', payroll), added);
  expectThat('refuses what is only in another view', remote('mail2', endpoint), refused);
} finally {
  clearInterval(alive);
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const one of failed) process.stdout.write(`${one}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
