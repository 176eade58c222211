import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageAt, registryEntry } from '../support/entries.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';

const packages = [
  ['npm', '--call=touch /tmp/pwned'],
  ['npm', '-y'],
  ['npm', 'git+https://evil.example/x.git'],
  ['npm', 'https://evil.example/x.tgz'],
  ['npm', 'npm:other@1.0.0'],
  ['npm', 'evil/repository'],
  ['npm', './here'],
  ['npm', '@evil/../x'],
  ['npm', 'a b'],
  ['pypi', '--from=git+https://evil.example/x'],
  ['pypi', 'evil @ https://evil.example/x.whl'],
  ['pypi', 'evil[extra]'],
  ['pypi', 'git+https://evil.example/x'],
  ['oci', '--privileged'],
  ['oci', '-v /:/host alpine'],
  ['oci', 'alpine --privileged'],
  ['oci', '169.254.169.254/evil/image'],
  ['oci', 'localhost:5000/evil/image'],
  ['oci', 'registry.internal/evil/image'],
  ['nuget', '--source=https://evil.example'],
  ['nuget', 'Evil;Other'],
  ['mcpb', 'https://evil.example/x.mcpb'],
] as const;
const remotes = [
  'http://plain.example.com/mcp',
  'https://good.org@evil.example/mcp',
  'https://user:secret@evil.example/mcp',
  'https://169.254.169.254/latest/meta-data',
  'https://127.0.0.1/mcp',
  'https://127.1/mcp',
  'https://[::1]/mcp',
  'https://10.0.0.8/mcp',
  'https://localhost/mcp',
  'https://intranet/mcp',
  'https://files.internal/mcp',
  'https://printer.local/mcp',
  'https://{tenant}.example.com/mcp',
  'https://*.example.com/mcp',
  'file:///etc/passwd',
] as const;
const asPackage = ([registryType, identifier]: readonly [string, string], version = '1.0.0') =>
  packageAt(registryType, identifier, version);
const asRemote = (url: string, more: object = {}) => ({
  remotes: [{ type: 'streamable-http', url, ...more }],
});

const folder = openFolder();
const VIEWS = join(folder, 'views.json');
const criteria = [{ criterion: 'updated_within_days', value: 3650 }];
writeFileSync(VIEWS, JSON.stringify({ all: { title: 'All', criteria } }));
const directory = await openedDirectory({
  environment: { VIEWS, LIMITS: 'off' },
  entries: [
    ...packages.map((one, n) => registryEntry(`com.hostile/p${n}`, asPackage(one))),
    ...remotes.map((url, n) => registryEntry(`com.hostile/r${n}`, asRemote(url))),
    registryEntry('com.good/npm', asPackage(['npm', '@good/server'])),
    registryEntry('com.good/range', asPackage(['npm', 'good-server'], '1.0.0 --call=x')),
    registryEntry('com.good/pypi', asPackage(['pypi', 'Good_Server'])),
    registryEntry('com.good/oci', asPackage(['oci', 'ghcr.io/good/server:1.0.0'])),
    registryEntry('com.good/nuget', asPackage(['nuget', 'Good.Server'])),
    registryEntry('com.notion/mcp', asRemote('https://mcp.notion.com/mcp')),
    registryEntry('io.github.notion/mcp', asRemote('https://newcomer.example.com/mcp')),
    registryEntry('com.good/sse', {
      remotes: [
        {
          type: 'sse',
          url: 'https://sse.example.com/sse',
          headers: [{ name: 'X-Api-Key', isRequired: true, isSecret: true }],
        },
      ],
    }),
  ],
});
await directory.judgeViews();

it('an allow list has only names in the form of their registry, and https addresses of public hosts', async () => {
  const answer = await directory.app.request('/views/all/managed-settings.json');
  expect(await answer.json()).toEqual({
    allowedMcpServers: [
      { serverCommand: ['npx', '-y', '@good/server'] },
      { serverCommand: ['npx', '-y', '@good/server@1.0.0'] },
      { serverCommand: ['dnx', 'Good.Server', '--yes'] },
      { serverCommand: ['dnx', 'Good.Server@1.0.0', '--yes'] },
      { serverCommand: ['docker', 'run', '-i', '--rm', 'ghcr.io/good/server:1.0.0'] },
      { serverCommand: ['uvx', 'Good_Server'] },
      { serverCommand: ['uvx', 'Good_Server@1.0.0'] },
      { serverCommand: ['npx', '-y', 'good-server'] },
      { serverUrl: 'https://sse.example.com/sse' },
      { serverUrl: 'https://mcp.notion.com/mcp' },
      { serverUrl: 'https://newcomer.example.com/mcp' },
    ],
  });
  expect(answer.headers.get('dossier-left-out-parts')).toBe(String(22 + 15));
});

it('an .mcp.json has each listing under a name of its own, with its transport and the headers it needs', async () => {
  const answer = await directory.app.request('/views/all/.mcp.json');
  expect(await answer.json()).toEqual({
    mcpServers: {
      'good-npm': { command: 'npx', args: ['-y', '@good/server'] },
      'good-nuget': { command: 'dnx', args: ['Good.Server', '--yes'] },
      'good-oci': { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/good/server:1.0.0'] },
      'good-pypi': { command: 'uvx', args: ['Good_Server'] },
      'good-range': { command: 'npx', args: ['-y', 'good-server'] },
      'good-sse': { type: 'sse', url: 'https://sse.example.com/sse', headers: { 'X-Api-Key': 'YOUR_VALUE' } },
      'com.notion/mcp': { type: 'http', url: 'https://mcp.notion.com/mcp' },
      'io.github.notion/mcp': { type: 'http', url: 'https://newcomer.example.com/mcp' },
    },
  });
});

it('the page of a view and the page of a listing say what is left out', async () => {
  const view = await (await directory.app.request('/views/all')).text();
  expect(view).toContain(
    '<code class="foreign">--call=touch /tmp/pwned</code>: its name is not in the form of npm',
  );
  for (const [n, url] of remotes.entries()) {
    const page = await (await directory.app.request(`/agents/com.hostile/r${n}`)).text();
    expect(page).toMatch(/is given: |is a template|records no remote endpoint/);
    expect(page, url).not.toContain('claude mcp add --transport http hostile');
  }
  const listing = await (await directory.app.request('/agents/com.hostile/p0')).text();
  expect(listing).toContain('No command is shown, and allow lists and configurations leave the package out');
});
