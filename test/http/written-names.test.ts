import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const packaged = (registryType: string, identifier: string, version = '1.2.0') =>
  packageAt(registryType, identifier, version);
const at = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
const directory = await openedDirectory({
  entries: [
    registryEntry('io.github.quillworks/quillpad', {
      ...onGitHub('quillworks/quillpad'),
      ...packaged('pypi', 'quillpad-mcp'),
    }),
    registryEntry('com.saltmarsh/scan', packaged('npm', '@saltmarsh/scan')),
    registryEntry('com.saltmarsh/image', packaged('oci', 'docker.io/saltmarsh/image:1.2.0')),
    registryEntry('io.github.quillworks/tide', packaged('oci', 'ghcr.io/quillworks/tide:1.2.0')),
    registryEntry(
      'com.saltmarsh/pinned',
      packaged('oci', `ghcr.io/saltmarsh/pinned@sha256:${'a1'.repeat(32)}`),
    ),
    registryEntry('com.saltmarsh/file', {
      packages: [
        {
          registryType: 'mcpb',
          identifier: 'https://github.com/saltmarsh/file/releases/download/v1/file.mcpb',
          fileSha256: 'b2'.repeat(32),
          transport: { type: 'stdio' },
        },
      ],
      remotes: [],
    }),
    registryEntry('com.fieldgate/orders', packaged('nuget', 'Fieldgate.Orders')),
    registryEntry('com.kelpdb.mcp/mcp', at('https://docs.mcp.kelpdb.com/mcp')),
    registryEntry('com.kelpdb/kelpdb-mcp-server', at('https://mcp.kelpdb.com/mcp')),
    registryEntry('io.github.gulldb-js/gulldb-mcp-server', onGitHub('gulldb-js/gulldb-mcp-server')),
    registryEntry('io.github.tern-works/tern-notes', onGitHub('tern-works/tern-notes')),
    registryEntry('ai.borrowed/gull', onGitHub('gulldock/gull')),
  ],
  environment: { LIMITS: 'off' },
});

interface Resolved {
  readonly asked: string;
  readonly outcome: string;
  readonly handle?: string;
  readonly reason?: string;
  readonly version_asked?: string;
  readonly near?: readonly string[];
}
interface Body {
  readonly results: readonly Resolved[];
  readonly handle?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly near?: readonly string[];
}
const call = (tool: string, input: object) => callTool<Body>(directory, tool, input);
const resolve = async (...handles: string[]) => (await call('resolve_agents', { handles })).results;

const { quillpad, scan, image, orders, kelpdb } = {
  quillpad: 'io.github.quillworks/quillpad',
  scan: 'com.saltmarsh/scan',
  image: 'com.saltmarsh/image',
  orders: 'com.fieldgate/orders',
  kelpdb: 'com.kelpdb/kelpdb-mcp-server',
};

it.each([
  ['left-pad', 'If this is a package, ask about it with its registry, as in `npm:left-pad`.'],
  ['c3'.repeat(32), 'Ask about the file or image that has it.'],
  [
    'MAL-2026-1',
    'Dossier has checked no listing, so it does not know which packages this advisory is about; ',
  ],
  [`0x${'5'.repeat(40)}`, 'so it does not know whose endpoint asks to be paid at this address.'],
])(
  'resolve_agents says of %s what get_agent says, and links nothing that is no package',
  async (text, why) => {
    const [resolved] = await resolve(text);
    const { detail } = await call('get_agent', { handle: text });
    expect(resolved).toMatchObject({ outcome: 'not_listed', reason: expect.stringContaining(why) });
    expect(detail).toContain(why);
    expect(`${resolved?.reason}${detail}`).not.toContain('osv.dev/list');
  },
);

describe('what a file, a lock file or a trace names is read, and the name is repeated', () => {
  it.each([
    ['quillpad-mcp==1.2.0', quillpad, 'quillpad-mcp==1.2.0'],
    ['quillpad_mcp-1.2.0-py3-none-any.whl', quillpad, 'quillpad_mcp-1.2.0-py3-none-any.whl'],
    [`sha256:${'a1'.repeat(32)}`, 'com.saltmarsh/pinned', `sha256:${'a1'.repeat(32)}`],
    ['B2'.repeat(32), 'com.saltmarsh/file', 'B2'.repeat(32)],
    ['quillpad-mcp[dev]==1.1.0', quillpad, 'quillpad-mcp[dev]==1.1.0'],
    ['quillpad-mcp~=1.1.0', quillpad, 'quillpad-mcp~=1.1.0'],
    ['quillpad-mcp>=1.1,<2', quillpad, 'quillpad-mcp>=1.1,<2'],
    ['quillpad-mcp==1.2.0 --hash=sha256:abcd', quillpad, 'quillpad-mcp==1.2.0'],
    [
      'quillpad-mcp==1.2.0 \\\n    --hash=sha256:abcd \\\n    --hash=sha256:ef',
      quillpad,
      'quillpad-mcp==1.2.0',
    ],
    ['quillpad-mcp==1.2.0; sys_platform=="linux"', quillpad, 'quillpad-mcp==1.2.0'],
    ['quillpad-mcp==1.2.0  # via x', quillpad, 'quillpad-mcp==1.2.0'],
    ['quillpad-mcp = "^1.2"', quillpad, 'quillpad-mcp@^1.2'],
    [
      '[[package]]\nname = "quillpad-mcp"\nversion = "1.2.0"\nsource = { registry = "https://pypi.org/simple" }\ndependencies = [\n    { name = "httpx" },\n]',
      quillpad,
      'pypi:quillpad-mcp@1.2.0',
    ],
    [
      '"node_modules/@saltmarsh/scan": {\n  "version": "1.2.0",\n  "resolved": "https://registry.npmjs.org/@saltmarsh/scan/-/scan-1.2.0.tgz",\n  "dependencies": { "zod": "^3.0.0" }\n},',
      scan,
      'npm:@saltmarsh/scan@1.2.0',
    ],
    ['{"packages":{"node_modules/@saltmarsh/scan":{"version":"1.2.0"}}}', scan, 'npm:@saltmarsh/scan@1.2.0'],
    ['node_modules/@saltmarsh/scan', scan, 'npm:@saltmarsh/scan'],
    [
      'at Object.<anonymous> (/home/u/.npm/_npx/1a2b/node_modules/@saltmarsh/scan/dist/index.js:12:3)',
      scan,
      'npm:@saltmarsh/scan',
    ],
    ['C:\\Users\\u\\node_modules\\@saltmarsh\\scan\\dist\\index.js', scan, 'npm:@saltmarsh/scan'],
    ['"@saltmarsh/scan": "^1.2.0",', scan, 'npm:@saltmarsh/scan@^1.2.0'],
    ['"@saltmarsh/scan@^1.0.0":\n  version "1.2.0"\n  resolved "x"', scan, 'npm:@saltmarsh/scan@1.2.0'],
    ['@saltmarsh/scan@1.2.0:', scan, 'npm:@saltmarsh/scan@1.2.0'],
    ['FROM saltmarsh/image:1.2.0 AS mcp', image, 'oci:saltmarsh/image:1.2.0'],
    ['image: saltmarsh/image:1.2.0', image, 'oci:saltmarsh/image:1.2.0'],
    ['- uses: docker://saltmarsh/image:1.2.0', image, 'oci:saltmarsh/image:1.2.0'],
    ['docker://saltmarsh/image:1.2.0', image, 'oci:saltmarsh/image:1.2.0'],
    ['saltmarsh/image', image, 'saltmarsh/image'],
    ['quillpad-mcp (^1.2)', quillpad, 'quillpad-mcp (^1.2)'],
    ['quillpad-mcp ^1.2.0', quillpad, 'quillpad-mcp ^1.2.0'],
    ['quillpad-mcp = {version = "^1.2", extras = ["x"]}', quillpad, 'quillpad-mcp@^1.2'],
    ['docker.io/saltmarsh/image # cache', image, 'docker.io/saltmarsh/image'],
    [
      'services:\n  scan:\n    image: saltmarsh/image:1.2.0\n    environment:\n      KEY: hush-1',
      image,
      'oci:saltmarsh/image:1.2.0',
    ],
    [
      '<PackageReference Include="Fieldgate.Orders" Version="1.2.0" />',
      orders,
      'nuget:Fieldgate.Orders@1.2.0',
    ],
  ])('%j', async (text, handle, asked) => {
    const [one, ...others] = await resolve(text);
    expect({ ...one, others }).toMatchObject({ outcome: 'listed', handle, asked, others: [] });
    expect(await call('get_agent', { handle: text })).toMatchObject({ handle });
    expect(one?.version_asked ?? '').not.toContain('not a version');
    if (/[@=:]1\.2\.0$/.test(asked)) expect(one?.version_asked).toBeUndefined();
  });

  it('a line of a workflow as the repository and what it asks for of it', async () => {
    const workflow = (ref: string) =>
      `jobs:\n  scan:\n    steps:\n      - uses: quillworks/quillpad@${ref} # pin`;
    for (const [text, ref] of [
      ['- uses: quillworks/quillpad@v0.7.0', 'v0.7.0'],
      [workflow('main'), 'main'],
    ] as const) {
      const asked = 'https://github.com/quillworks/quillpad';
      const [one] = await resolve(text);
      expect(one).toMatchObject({ outcome: 'listed', handle: quillpad, asked });
      expect(one?.version_asked).toContain(`You asked about \`${ref}\` in the repository`);
    }
  });

  it('each of several, without the values between them', async () => {
    const lines =
      'quillpad-mcp==1.2.0 --hash=sha256:aa\nhttpx==0.1.0 --hash=sha256:bb\n--index-url https://u:hush@x.example/';
    expect((await resolve(lines)).map((one) => one.asked)).toEqual(['quillpad-mcp==1.2.0', 'httpx==0.1.0']);
    const trace =
      'Error: x\n  at a (/x/node_modules/zod/y.js:1:2)\n  at b (/x/node_modules/@saltmarsh/scan/z.js:1:2)';
    expect((await resolve(trace)).map((one) => one.asked)).toEqual(['npm:zod', 'npm:@saltmarsh/scan']);
  });

  it('but no value of a setting, which is not repeated: its place in the list is', async () => {
    const asked = [
      'KEY=hush-1',
      'api_key = "hush-2"',
      'password = "1.2hush"',
      '"api-key": "hush-3"',
      '"token": "1.2.3hush"',
      '--key hush-4',
      'key: hush-5',
    ];
    const results = await resolve(...asked);
    expect(results.map((one) => one.asked)).toEqual([
      'item 1',
      'api_key …',
      'password …',
      'item 4',
      'item 5',
      'item 6',
      'item 7',
    ]);
    expect(JSON.stringify(results)).not.toContain('hush');
  });
});

const noName =
  'Dossier reads no name in this text: ask about the package, image, address or handle in it, or give its words to search_agents.';
const pattern =
  'This is a pattern, not a host: ask about each host. Dossier does not look up what is recorded below `mcp.kelpdb.com`; search_agents with publisher `kelpdb.com` lists what is in its namespaces.';
const page =
  'This is a page of another directory, which Dossier does not read: ask about the package, repository or address on it.';

describe('a text in which no name is read is not said to be unlisted, and both doors say why', () => {
  it.each<[string, string, readonly string[] | undefined]>([
    ['*.mcp.kelpdb.com', pattern, ['com.kelpdb.mcp/mcp']],
    ['https://*.mcp.kelpdb.com/*', pattern, ['com.kelpdb.mcp/mcp']],
    ['KelpDB Labs, Inc.', noName, ['com.kelpdb.mcp/mcp']],
    ['Gull DB', noName, ['io.github.gulldb-js/gulldb-mcp-server']],
    ['Fieldgate GmbH', noName, ['com.fieldgate/orders']],
    ['!!!', noName, undefined],
    ['RUN apt-get update && rm -rf /x', noName, undefined],
    ['https://www.pulsemcp.com/servers/kelpdb', page, ['com.kelpdb.mcp/mcp']],
    ['hub.docker.com/mcp/server/kelpdb/overview', page, ['com.kelpdb.mcp/mcp']],
    ['https://smithery.ai/server/@tern-works/tern-notes', page, ['io.github.tern-works/tern-notes']],
    ['https://github.com/mcp/tern-works/tern-notes', page, ['io.github.tern-works/tern-notes']],
  ])('%s', async (handle, why, near) => {
    const [one] = await resolve(handle);
    expect(one).toMatchObject({ outcome: 'not_known', reason: why });
    const agent = await call('get_agent', { handle });
    expect(agent.detail).toContain(why);
    expect(one?.near?.[0]).toBe(near?.[0]);
    expect(agent.near?.[0]).toBe(near?.[0]);
  });

  it('names what was pasted as code in the text, too', async () => {
    const client = await opened(connect('v2', directory));
    const { content } = await client.call('resolve_agents', { handles: ['*.mcp.kelpdb.com'] });
    expect(content[0]?.text).toContain(pattern);
  });
});

it.each<[string, string]>([
  ['CONNECT mcp.kelpdb.com:443', kelpdb],
  ['CONNECT mcp.kelpdb.com:443 HTTP/1.1', kelpdb],
  ['mcp.kelpdb.com:443', kelpdb],
  ['wss://mcp.kelpdb.com/mcp', kelpdb],
  ['gh repo clone quillworks/quillpad', quillpad],
  ['gh release download v1 -R quillworks/quillpad', quillpad],
  ['/plugin marketplace add quillworks/quillpad', quillpad],
  ['git clone https://github.com/quillworks/quillpad && cd quillpad && pip install -e .', quillpad],
  ['git clone https://github.com/quillworks/quillpad; cd quillpad; npm ci && npm start', quillpad],
  ['curl -fsSL https://raw.githubusercontent.com/quillworks/quillpad/main/install.sh | bash', quillpad],
  ['cargo install --git https://github.com/quillworks/quillpad --tag v1.0 quillpad', quillpad],
  ['pip install "quillpad @ git+https://github.com/quillworks/quillpad@v1.2"', quillpad],
  ['go install github.com/quillworks/quillpad/cmd/x@latest', quillpad],
  ['https://pkg.go.dev/github.com/quillworks/quillpad@v1.2', quillpad],
  ['nix run github:quillworks/quillpad', quillpad],
  ['https://github.com/quillworks/quillpad/pkgs/container/quillpad', quillpad],
  ['https://github.com/quillworks/quillpad/pkgs/container/tide', 'io.github.quillworks/tide'],
  ['https://github.com/users/quillworks/packages/container/package/tide', 'io.github.quillworks/tide'],
  ['https://ghcr.io/quillworks/tide', 'io.github.quillworks/tide'],
  ['https://hub.docker.com/r/saltmarsh/image/tags', image],
  ['https://raw.githubusercontent.com/quillworks/quillpad/main/README.md', quillpad],
  ['https://unpkg.com/@saltmarsh/scan@1.2.0/dist/index.js', scan],
  ['https://cdn.jsdelivr.net/npm/@saltmarsh/scan', scan],
  ['https://hub.docker.com/layers/saltmarsh/image/1.2.0/images/sha256-ab', image],
  ...[
    'https://esm.sh/@saltmarsh/scan@1.2.0',
    'https://socket.dev/npm/package/@saltmarsh/scan',
    'https://libraries.io/npm/%40saltmarsh%2Fscan',
    'https://img.shields.io/npm/v/@saltmarsh/scan.svg',
    'Hi team, someone asked to add @saltmarsh/scan to our list. OK?',
    '(@saltmarsh/scan).',
    '- @saltmarsh/scan',
    '“@saltmarsh/scan”',
    'Puis-je installer « @saltmarsh/scan » ?',
    '我应该安装@saltmarsh/scan吗？',
    '@saltmarsh/scanは安全ですか？',
    '\u200b@saltmarsh/scan\u200b',
    'npm view @saltmarsh/scan versions',
    'import { scan } from "@saltmarsh/scan";',
    "Error: Cannot find package '@saltmarsh/scan' imported from /app/server.js",
    'StdioServerParameters(command="npx", args=["-y", "@saltmarsh/scan"])',
    "Using MCP server command: npx with args and path: { metadata: { args: ['-y', '@saltmarsh/scan'] } }",
    'command: npx\nargs: -y @saltmarsh/scan',
    '> npx -y @saltmarsh/scan',
    'npx -y @saltmarsh/scan --key <your-key>',
    'KEY=<your-key> npx -y @saltmarsh/scan…',
    'goose://extension?cmd=npx&arg=-y&arg=%40saltmarsh%2Fscan&id=scan&name=scan',
    'npx @modelcontextprotocol/inspector npx -y @saltmarsh/scan',
    'npx -y supergateway --stdio "npx -y @saltmarsh/scan"',
    'npx add-mcp @saltmarsh/scan',
    'NPX @saltmarsh/scan',
    'NPM INSTALL @saltmarsh/scan',
    'deno add npm:@saltmarsh/scan',
  ].map((text): [string, string] => [text, scan]),
  ...[
    'PyPI package quillpad-mcp',
    'quillpad-mcp (PyPI)',
    'poetry add quillpad-mcp',
    'pip show quillpad-mcp',
    'Pip install quillpad-mcp',
    'uv run --with quillpad-mcp quillpad-mcp --port 1',
    'uv run --with quillpad-mcp[all]==1.2.0 -m quillpad_mcp',
    'uv run --with quillpad-mcp python -m quillpad_mcp',
    'gh:quillworks/quillpad',
    'deno run -A https://raw.githubusercontent.com/quillworks/quillpad/main/mod.ts',
    'Successfully installed quillpad-mcp-1.2.0',
    'https://pepy.tech/project/quillpad-mcp',
    'dependencies = ["quillpad-mcp>=1.2.0"]',
    'mise use -g pipx:quillpad-mcp',
    'https://deepwiki.com/quillworks/quillpad',
    'https://api.github.com/repos/quillworks/quillpad',
    'https:\\/\\/github.com\\/quillworks\\/quillpad',
    'https://github.com/quillworks/quillpad@main',
    'quillworks/quillpad#12',
    'GitHub: quillworks/quillpad',
    'See github.com/quillworks/quillpad, please',
  ].map((text): [string, string] => [text, quillpad]),
  ...[
    'helm install x oci://saltmarsh/image --version 1.2.0',
    'docker image inspect saltmarsh/image',
    'trivy image saltmarsh/image:1.2.0',
    'kubectl run x --image=saltmarsh/image',
    "Unable to find image 'saltmarsh/image:latest' locally",
    'image:\n  repository: saltmarsh/image\n  tag: 1.2.0',
    'docker run -i --rm -e KEY=<your-key> saltmarsh/image',
  ].map((text): [string, string] => [text, image]),
  ...[
    '请检查https://mcp.kelpdb.com/mcp是否安全',
    'https://mcp.kelpdb.com/mcp。',
    'hxxps://mcp[.]kelpdb[.]com/mcp',
    'Endpoint: mcp.kelpdb.com/mcp',
    'goose://extension?url=https%3A%2F%2Fmcp.kelpdb.com%2Fmcp&type=streamable_http&name=kelp',
    'http://localhost:6274/?transport=streamable-http&serverUrl=https%3A%2F%2Fmcp.kelpdb.com%2Fmcp',
    'npx add-mcp https://mcp.kelpdb.com/mcp',
    'npx -y supergateway --streamableHttp https://mcp.kelpdb.com/mcp',
    'com.kelpdb%2Fkelpdb-mcp-server',
    'com.kelpdb / kelpdb-mcp-server',
    '@com.kelpdb/kelpdb-mcp-server',
    'com.kelpdb/kelpdb-mcp-server (v1.2.0)',
    'com.kelpdb/kelpdb-mcp-server, version 1.2.0',
    'com.kelpdb/kelpdb-mcp-server。',
    'https://registry.modelcontextprotocol.io/?q=com.kelpdb%2Fkelpdb-mcp-server',
    '{"name":"com.kelpdb/kelpdb-mcp-server","repository":{"url":"https://docs.example.org/none"}}',
  ].map((text): [string, string] => [text, kelpdb]),
])('is the address, the repository or the package behind %s', async (text, handle) => {
  expect(await resolve(text)).toMatchObject([{ outcome: 'listed', handle }]);
  expect(await call('get_agent', { handle: text })).toMatchObject({ handle });
});

it.each([
  [
    'https://github.com/gulldock/other',
    'a repository of its account is in the record of `ai.borrowed/gull`.',
  ],
  ['git clone https://github.com/gulldock/other.git', 'a repository of its account is in the record of'],
  [
    'https://github.com/gulldock',
    'A repository of it is in the record of `ai.borrowed/gull`, which does not',
  ],
  [
    'https://github.com/orgs/gulldock/repositories',
    'A repository of it is in the record of `ai.borrowed/gull`',
  ],
  ['github.com/gulldock', 'A repository of it is in the record of `ai.borrowed/gull`'],
])('whose record names the account of %s is near', async (handle, why) => {
  const agent = await call('get_agent', { handle });
  expect([agent.code, agent.near]).toEqual(['unknown_handle', ['ai.borrowed/gull']]);
  expect(agent.detail).toContain(why);
  expect(await resolve(handle)).toMatchObject([{ outcome: 'not_listed', near: ['ai.borrowed/gull'] }]);
});

it.each([
  `"${kelpdb}"`,
  JSON.stringify({ name: kelpdb, version: '1.2.0' }),
  'https://registry.modelcontextprotocol.io/v0/servers/com.kelpdb%2Fkelpdb-mcp-server',
])('search_agents names the listing of %s first', async (query) => {
  const { listings, advice } = await callTool<{ listings: Resolved[]; advice?: string }>(
    directory,
    'search_agents',
    { query },
  );
  expect(listings[0]?.handle).toBe(kelpdb);
  expect(advice).toBe('It names `com.kelpdb/kelpdb-mcp-server`. get_agent reads this name.');
});

it('an address that a command gives to a package is said beside it, and is near if the package is of none', async () => {
  const given =
    'The command also gives it the address `https://mcp.kelpdb.com/mcp`, which `com.kelpdb/kelpdb-mcp-server` records; what the package does there is not known.';
  for (const command of [
    'npx -y some-bridge https://mcp.kelpdb.com/mcp',
    'uvx some-bridge --sse https://u:hush@mcp.kelpdb.com/mcp?key=hush',
    'npx some-bridge --url=https://mcp.kelpdb.com/mcp',
  ]) {
    const { code, detail, near } = await call('get_agent', { handle: command });
    expect({ code, near: near?.[0] }).toEqual({ code: 'unknown_handle', near: kelpdb });
    expect(detail).toContain(given);
    expect(detail).toContain('No listing shown here records this');
    const [one] = await resolve(command);
    expect(one).toMatchObject({ outcome: 'not_listed', version_asked: given, near: [kelpdb] });
    expect(JSON.stringify(one)).not.toContain('hush');
  }
  const [scanned] = await resolve('npx -y @saltmarsh/scan@1.2.0 https://mcp.kelpdb.com/mcp');
  expect(scanned).toMatchObject({ outcome: 'listed', handle: scan, version_asked: given });
});

it('a package URL with another registry is not the package of the usual one', async () => {
  const asked = 'pkg:npm/%40saltmarsh/scan@1.2.0?repository_url=https://npm.kelpdb.com';
  expect((await resolve(asked))[0]?.version_asked).toContain(
    'takes the package from `npm.kelpdb.com`, not from npm',
  );
});

const started = { command: 'npx', args: ['-y', '@saltmarsh/scan@1.1.0'], env: { KEY: 'hush' } };
const reached = { url: 'https://mcp.kelpdb.com/mcp' };
const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const servers = (more: object) => JSON.stringify({ mcpServers: more }, undefined, 2);
const pinned = 'npm:@saltmarsh/scan@1.1.0';
const link = encodeURIComponent(JSON.stringify({ name: 'scan', ...started }));

describe('each block of a pasted text is read, and the answer is about all of them', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'a command and a configuration',
      `# Install\n\nDon't forget it's beta.\n${fenced('bash', 'uvx quillpad-mcp==1.1.0')}\nor\n${fenced('json', servers({ kelp: reached }))}`,
      ['pypi:quillpad-mcp@1.1.0', reached.url],
    ],
    [
      'two configurations',
      `${fenced('json', servers({ kelp: reached }))}\n\n${fenced('json', servers({ scan: started }))}`,
      [reached.url, pinned],
    ],
    [
      'two without fences',
      `${servers({ kelp: reached })}\nor locally\n${servers({ scan: started })}`,
      [reached.url, pinned],
    ],
    [
      'TOML and JSON',
      `[mcp_servers.scan]\ncommand = "npx"\nargs = [\n  "@saltmarsh/scan@1.1.0",\n]\n\n${servers({ kelp: reached })}`,
      [reached.url, pinned],
    ],
    [
      'TOML below a question, and a command',
      'is this ok?\n[mcp_servers.scan]\ncommand = "npx"\nargs = ["@saltmarsh/scan@1.1.0"]\nuvx quillpad-mcp==1.1.0',
      [pinned, 'pypi:quillpad-mcp@1.1.0'],
    ],
    [
      'a configuration and what a client adds',
      `${fenced('json', servers({ kelp: reached }))}\n${fenced('sh', `code --add-mcp '${JSON.stringify({ name: 'scan', ...started })}'`)}`,
      [reached.url, pinned],
    ],
    [
      'a button and a command',
      `[![Install](https://img.example/x.svg)](https://insiders.vscode.dev/redirect/mcp/install?name=scan&config=${link})\n\nor \`uvx quillpad-mcp==1.1.0\``,
      [pinned, 'pypi:quillpad-mcp@1.1.0'],
    ],
    [
      'a Dockerfile with what it installs',
      'FROM saltmarsh/image:1.2.0\nRUN pip install quillpad-mcp==1.1.0',
      ['pypi:quillpad-mcp@1.1.0', 'oci:saltmarsh/image:1.2.0'],
    ],
    [
      'one word below a configuration, and one in a fence',
      `${servers({ kelp: reached })}\nhttps://docs.kelpdb.com/x\n${fenced('', 'npm:@saltmarsh/scan@1.1.0')}`,
      [reached.url, pinned],
    ],
    [
      'a report and a command',
      'npm error 404 Not Found - GET https://registry.npmjs.org/@saltmarsh%2fscan\nuvx quillpad-mcp==1.1.0',
      ['pypi:quillpad-mcp@1.1.0', 'npm:@saltmarsh/scan'],
    ],
    ['a list', `- ${scan}\n- npm:@saltmarsh/scan@1.1.0\n- ${reached.url}`, [scan, pinned, reached.url]],
  ])('%s', async (_what, handle, names) => {
    expect((await resolve(handle)).map(({ asked }) => asked)).toEqual(names);
    const said = `This text has ${names.length} names: ${names.map((one) => `\`${one}\``).join(', ')}. resolve_agents takes them all.`;
    const { code, detail } = await call('get_agent', { handle });
    expect([code, detail]).toEqual(['invalid_handle', expect.stringContaining(said)]);
    const { detail: ofHistory } = await call('get_history', { handle });
    expect(ofHistory).toContain(said);
  });

  it('what starts the same is one of them, with the name that a client gives it', async () => {
    const readme = `${fenced('sh', 'claude mcp add scan -- npx -y @saltmarsh/scan')}\n${fenced('json', servers({ scanner: { command: 'npx', args: ['@saltmarsh/scan'] } }))}`;
    expect(await resolve(readme)).toMatchObject([
      { outcome: 'listed', handle: scan, configured_as: 'scanner' },
    ]);
    expect(await call('get_agent', { handle: readme })).toMatchObject({ handle: scan });
  });

  it('a command that is not read is told beside those that are', async () => {
    const handle = 'cd server\nuvx quillpad-mcp==1.1.0';
    expect(await resolve(handle)).toMatchObject([
      { outcome: 'listed', handle: quillpad },
      {
        asked: 'the rest of item 1',
        outcome: 'not_known',
        reason: 'Dossier cannot tell what else this text runs.',
      },
    ]);
    expect((await call('get_agent', { handle })).detail).toContain(
      'This text has the name `pypi:quillpad-mcp@1.1.0`, which can be asked about alone. What else it runs Dossier cannot tell.',
    );
    const three = 'uvx quillpad-mcp==1.1.0\nnpx -y @saltmarsh/scan\nnpx --unknown x hidden';
    expect((await resolve(three)).map(({ outcome }) => outcome)).toEqual(['listed', 'listed', 'not_known']);
    const beside = `${fenced('sh', 'npx @saltmarsh/scan > log')}\n${servers({ kelp: reached })}`;
    expect((await resolve(beside)).map(({ outcome }) => outcome)).toEqual(['not_known', 'listed']);
  });

  it.each([
    'jobs:\n  scan:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npx -y @saltmarsh/scan@1.2.0 --yes',
    "steps:\n- script: npx -y @saltmarsh/scan\n  displayName: 'Scan it'",
    'task:\n  cmds:\n    - npx -y @saltmarsh/scan\n  silent: true',
    'on: [push]\nenv:\n  NODE_ENV: test\njobs:\n  a:\n    steps:\n      - run: npx @saltmarsh/scan',
  ])('settings beside the only command of a pipeline run nothing: %j', async (handle) => {
    expect(await resolve(handle)).toMatchObject([{ handle: scan }]);
    expect(await call('get_agent', { handle })).toMatchObject({ handle: scan });
  });

  it.each([
    'jobs:\n  a:\n    steps:\n      - name: x\n        run: ./own.sh\n      - run: npx -y @saltmarsh/scan',
    'a:\n  script:\n    - npx -y @saltmarsh/scan\n  entrypoint: make all',
  ])('but not what another one of them runs: %j', async (handle) => {
    expect(await resolve(handle)).toMatchObject([{ handle: scan }, { asked: 'the rest of item 1' }]);
  });

  it('what a document links to is none of them, and what all lead to is one listing', async () => {
    const links =
      'See the [docs](https://docs.example.org/x) and the [license](https://opensource.org/licenses/MIT).';
    const readme = `# Scan\n\n[![npm](https://img.shields.io/npm/v/@saltmarsh/scan)](https://www.npmjs.com/package/@saltmarsh/scan)\n${links}\n${fenced('sh', 'npx -y @saltmarsh/scan@1.2.0')}`;
    const cloned = `# Quillpad\n${links} [Code](https://github.com/quillworks/quillpad).\n${fenced('sh', 'uvx quillpad-mcp==1.2.0')}`;
    for (const [handle, listing] of [
      [readme, scan],
      [cloned, quillpad],
    ] as const) {
      const asked = (await resolve(handle)).map((one) => [one.handle, one.asked]);
      expect(new Set(asked.map(([found]) => found))).toEqual(new Set([listing]));
      expect(await call('get_agent', { handle })).toMatchObject({ handle: listing });
      expect(await call('get_history', { handle })).toMatchObject({ handle: listing });
      const { listings } = await callTool<{ listings: object[] }>(directory, 'search_agents', {
        query: handle,
      });
      expect(listings[0]).toMatchObject({ handle: listing });
    }
    expect((await resolve(links)).map(({ outcome }) => outcome)).toEqual(['not_listed', 'not_listed']);
  });

  it('a text that is too long is said to be too long', async () => {
    const handle = `uvx quillpad-mcp==1.1.0\n${'text '.repeat(1000)}`;
    for (const tool of ['get_agent', 'get_history'])
      expect((await call(tool, { handle })).detail).toContain(
        'Dossier reads a text of at most 4,000 characters, and this one is longer: ask about each name in it.',
      );
  });
});

it.each([
  'extensions:\n  scan:\n    enabled: true\n    type: stdio\n    cmd: npx\n    args: [-y, "@saltmarsh/scan@1.2.0"]\n    envs:\n      KEY: hush',
  "extensions:\n  scan:\n    cmd: npx\n    args:\n      - -y\n      - '@saltmarsh/scan@1.2.0'\n    enabled: true",
  'hi, ok?\nmcpServers:\n  # ours\n  scan:\n    command: npx\n    args:\n      - "@saltmarsh/scan@1.2.0"\n\n    env:\n      KEY: hush',
  'mcpServers:\n  - name: scan\n    command: npx\n    args: ["-y", "@saltmarsh/scan@1.2.0"]',
  '  scan:\n    command: npx -y @saltmarsh/scan@1.2.0',
  '```yaml\nmcpServers:\n  scan:\n    command: npx\n    args: ["@saltmarsh/scan@1.2.0"]\n```',
])('a configuration in YAML is read: %j', async (handle) => {
  const results = await resolve(handle);
  expect(results).toMatchObject([{ outcome: 'listed', handle: scan, configured_as: 'scan' }]);
  expect(JSON.stringify(results)).not.toContain('hush');
  expect(await call('get_agent', { handle })).toMatchObject({ handle: scan });
});

it.each([
  ['aliases', 'x: &x {command: npx, args: ["@saltmarsh/scan"]}\nmcpServers: {a: *x, b: *x}'],
  ['deep lists', `url: ${'['.repeat(3000)}`],
  ['deep objects', '{"url":'.repeat(500)],
])('%s are not followed', async (_what, handle) => {
  expect((await resolve(handle)).map(({ outcome }) => outcome)).toEqual(['not_known']);
});

it.each([
  `hey @sam is this legit?? <${reached.url}|kelp db> someone in #ai wants it by EOD`,
  `see ${reached.url}, and (https://docs.kelpdb.com/x).`,
  `is it (${reached.url})?`,
  `[docs](${reached.url}) is this good?`,
  `[docs](${reached.url})`,
  `Error calling "${reached.url}": timeout`,
  `**${reached.url}**`,
  `look at **${reached.url}**, please`,
  `url=${reached.url}`,
  `[error] MCP error -32001: Request timed out (${reached.url})`,
  'WWW-Authenticate: Bearer resource_metadata="https://mcp.kelpdb.com/.well-known/oauth-protected-resource/mcp"',
  'HTTP/2 401\nwww-authenticate: Bearer realm="OAuth", resource_metadata="https://mcp.kelpdb.com/.well-known/oauth-protected-resource/mcp"',
  'connect ECONNREFUSED mcp.kelpdb.com:443',
  'Error: getaddrinfo ENOTFOUND mcp.kelpdb.com',
  'curl: (6) Could not resolve host: mcp.kelpdb.com',
  `is \`${kelpdb}\` any good?`,
  `what about ${kelpdb}, please?`,
])('an address or a handle is read wherever it stands: %s', async (handle) => {
  expect(await resolve(handle)).toMatchObject([{ outcome: 'listed', handle: kelpdb }]);
  expect(await call('get_agent', { handle })).toMatchObject({ handle: kelpdb });
});

it.each([
  'SyntaxError: Unexpected token (server: npx -y @saltmarsh/scan@1.2.0)',
  'run npx -y @saltmarsh/scan, please',
  'Error: spawn npx -y @saltmarsh/scan ENOENT',
])('a command is read wherever it stands: %s', async (handle) => {
  expect(await call('get_agent', { handle })).toMatchObject({ handle: scan });
});
