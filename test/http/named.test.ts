import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const packaged = (registryType: string, identifier: string) => packageAt(registryType, identifier, '1.2.3');
const dayAfter = (days: number) => new Date(Date.UTC(2026, 0, 1 + days, 8)).toISOString();
/**
 * Twenty listings that record a package of PyPI, and some, older and newer, that record one of npm with the
 * same name.
 */
const crowded = (name: string, npmDays: readonly number[]) => [
  ...Array.from({ length: 20 }, (_, n) =>
    registryEntry(`com.crowd/${name}-${n}`, packaged('pypi', name), { publishedAt: dayAfter(10 + n) }),
  ),
  ...npmDays.map((days) =>
    registryEntry(`com.crowd/${name}-npm-${days}`, packaged('npm', name), { publishedAt: dayAfter(days) }),
  ),
];
const entries = [
  ...seedEntries,
  ...crowded('oneinnpm', [100]),
  ...crowded('twoinnpm', [0, 100]),
  registryEntry('com.squat/pictures', packaged('oci', 'docker.io/acme/tool:1')),
  registryEntry('com.squat/shadow', remotesAt('https://ai.squatted.dev/mcp')),
  registryEntry('com.squat/alike', remotesAt('https://mcp.politic\u0430lcomms.com/mcp')),
  registryEntry('com.example/Twin', { description: 'Has a capital' }),
  registryEntry('com.squat/twin', packaged('oci', 'com.example/twin:1')),
  registryEntry('com.example/ledger', { description: 'Keeps a ledger', ...packaged('pypi', 'Ledger_Tools') }),
  registryEntry('com.example/imager', { ...packaged('oci', 'docker.io/example/imager:1.2.3') }),
  registryEntry('io.github.alice/notes', { ...onGitHub('alice/mono'), ...packaged('npm', '@alice/notes') }),
  registryEntry('io.github.alice/diary', {
    ...onGitHub('alice/mono'),
    ...remotesAt('https://diary.example.org/mcp'),
  }),
  registryEntry('com.relay/hosted', {
    ...packaged('npm', 'relay-kit'),
    ...remotesAt('https://relay.example.org/mcp'),
  }),
  registryEntry('com.relay/local', packageAt('npm', 'relay-kit', '2.0.0')),
  registryEntry('example.website/accounts', { websiteUrl: 'https://www.website.example/agents' }),
  registryEntry('md.install/try', { description: 'Installs' }),
  registryEntry('app.vercel.acme/mail'),
  registryEntry('app.vercel.notes/mcp'),
  registryEntry('io.github.hobbyist/seepost', { websiteUrl: 'https://www.seepost.de/api' }),
  registryEntry('net.example/one', remotesAt('https://many.example.net/one')),
  registryEntry('net.example/two', remotesAt('https://many.example.net:8080/two')),
  registryEntry('io.github.alice/translation-memory', { description: 'Remembers translations' }),
  registryEntry('org.other/translation-helper', { description: 'Translates' }),
  registryEntry(
    'com.gone/secret',
    { ...packaged('npm', 'secret-words'), description: 'A withdrawn text' },
    {
      status: 'deleted',
    },
  ),
];
/** Eight listings of accounts that recorded an endpoint and a repository before their holders did. */
const lateRemotes = [{ type: 'streamable-http', url: 'https://late.example.org/mcp' }];
const vendorRemotes = [{ type: 'streamable-http', url: 'https://mcp.vendor.example.net/mcp' }];
const early = Array.from({ length: 8 }, (_, n) =>
  registryEntry(
    `io.github.bot${n}/copy`,
    { ...onGitHub('vendor/server'), remotes: lateRemotes },
    { publishedAt: dayAfter(n) },
  ),
);
entries.push(
  ...early,
  registryEntry('org.example.late/mcp', { remotes: lateRemotes }),
  ...Array.from({ length: 6 }, (_, n) =>
    registryEntry(`net.example.tenant/fake${n}`, { remotes: vendorRemotes }, { publishedAt: dayAfter(n) }),
  ),
  registryEntry('net.example.vendor/real', { remotes: vendorRemotes }),
  registryEntry('io.github.vendor/server', onGitHub('vendor/server')),
);
const directory = await openedDirectory({ entries, environment: { LIMITS: 'off' } });

interface Body {
  readonly handle?: string;
  readonly found_by?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly near?: readonly string[];
  readonly others?: readonly string[];
  readonly candidates?: readonly object[];
  readonly results?: readonly object[];
  readonly listings?: readonly {
    readonly handle: string;
    readonly problem?: { readonly message: string; readonly near?: readonly string[] };
  }[];
}

const call = (tool: string, input: object) => callTool<Body>(directory, tool, input);

const found = (what: string) => `the only listing that records this ${what}; recording does not show control`;

/** Another spelling than that of the record. */
const endpoint = 'endpoint as `https://mcp.webhook.co/mcp`';
const repository = 'repository as `https://github.com/webhook-co/webhook`';

describe('get_agent finds the one listing that records', () => {
  it.each([
    ['an endpoint', 'https://mcp.webhook.co/mcp', 'co.webhook/webhook', 'endpoint'],
    ['one with a slash at its end', 'https://mcp.webhook.co/mcp/', 'co.webhook/webhook', endpoint],
    ['its host in capitals, by http', 'http://MCP.Webhook.co/mcp', 'co.webhook/webhook', endpoint],
    ['one without a scheme', 'mcp.webhook.co/mcp/', 'co.webhook/webhook', endpoint],
    ['a repository', 'https://github.com/webhook-co/webhook', 'co.webhook/webhook', 'repository'],
    ['one by SSH', 'git@github.com:webhook-co/webhook.git', 'co.webhook/webhook', repository],
    ['one with .git', 'https://github.com/Webhook-co/Webhook.git', 'co.webhook/webhook', repository],
    ['one without a scheme', 'github.com/webhook-co/webhook', 'co.webhook/webhook', repository],
    [
      'a folder of one',
      'https://github.com/webhook-co/webhook/tree/main/a',
      'co.webhook/webhook',
      repository,
    ],
    ...[
      'pkg:github/webhook-co/webhook',
      'pkg:github/Webhook-co/webhook@v1.2?a=b#c',
      'github:webhook-co/webhook',
    ].map((name) => ['one as a package', name, 'co.webhook/webhook', repository]),
    ['a package', '@political-comms/mcp', 'com.politicalcomms/api', 'package'],
    ['one with a version', '@political-comms/mcp@1.2.3', 'com.politicalcomms/api', 'package'],
    ['one with its registry', 'npm:@political-comms/mcp', 'com.politicalcomms/api', 'npm package'],
    ['a package URL', 'pkg:npm/@political-comms/mcp@1.2.0', 'com.politicalcomms/api', 'npm package'],
    ...[
      'npx -y',
      'npx -p @political-comms/mcp@1.2.0',
      'npm exec --',
      'pnpm dlx',
      'yarn dlx',
      'bunx --bun',
      'cmd /c npx --yes',
      'KEY=a/b npx',
      '/usr/bin/npx',
      '~/.nvm/bin/npx',
    ].map((command) => [
      'a command',
      `${command} @political-comms/mcp --stdio`,
      'com.politicalcomms/api',
      'npm package',
    ]),
    ...['uvx', 'uv tool run', 'pipx run', 'uvx --from Ledger_Tools==2.0'].map((command) => [
      'a command',
      `${command} ledger-tools`,
      'com.example/ledger',
      'pypi package',
    ]),
    ['a command', 'npx -y @political-comms/mcp "a & b"', 'com.politicalcomms/api', 'npm package'],
    ['a command', 'npx -y @political-comms/mcp "x; npx y"', 'com.politicalcomms/api', 'npm package'],
    ['a command', 'npx -y "@political-comms/mcp"', 'com.politicalcomms/api', 'npm package'],
    ['a command', 'docker run -i --rm -e KEY example/imager:1.2.3', 'com.example/imager', 'oci package'],
    ['a command', 'npx mcp-remote https://mcp.webhook.co/mcp', 'co.webhook/webhook', endpoint],
    ['a command', 'npx -y webhook-co/webhook', 'co.webhook/webhook', repository],
    ...[
      'npm i -g',
      'pnpm add',
      'claude mcp add political --env KEY=x --',
      'codex mcp add political -- npx -y',
    ].map((command) => [
      'what installs or adds it',
      `${command} ${command.endsWith('--') ? 'npx ' : ''}@political-comms/mcp`,
      'com.politicalcomms/api',
      'npm package',
    ]),
    ...['pip install', 'python3 -m pip install -U', 'uv add', 'uv tool install'].map((command) => [
      'what installs it',
      `${command} ledger-tools[all]==2.0`,
      'com.example/ledger',
      'pypi package',
    ]),
    ['what installs it', 'docker pull example/imager', 'com.example/imager', 'oci package'],
    [
      'what adds it',
      'claude mcp add --transport http webhook https://mcp.webhook.co/mcp',
      'co.webhook/webhook',
      endpoint,
    ],
    ...[
      '{"mcpServers": {"political": {"command": "npx", "args": ["-y", "@political-comms/mcp"]}}}',
      '"political": {"command": "cmd", "args": ["/c", "npx", "@political-comms/mcp@1.2.0"], "env": {"A": "b"}},',
      'code --add-mcp \'{"name":"political","command":"npx","args":["@political-comms/mcp"]}\'',
    ].map((pasted) => ['a configuration', pasted, 'com.politicalcomms/api', 'npm package']),
    ...[
      '[mcp_servers.political]\ncommand = "npx"\nargs = ["-y", "@political-comms/mcp@1.2.0"]\nenv = { KEY = "x" }',
      'command = "npx"\nargs = ["@political-comms/mcp"]',
      `cursor://anysphere.cursor-deeplink/mcp/install?name=political&config=${btoa('{"command":"npx","args":["-y","@political-comms/mcp"]}')}`,
      `https://cursor.com/en/install-mcp?name=political&config=${encodeURIComponent(btoa('{"command":"npx -y @political-comms/mcp"}'))}`,
      `vscode:mcp/install?${encodeURIComponent('{"name":"political","command":"npx","args":["-y","@political-comms/mcp"]}')}`,
      `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent('{"name":"a b","command":"npx","args":["@political-comms/mcp"]}')}`)}`,
      `https://insiders.vscode.dev/redirect/mcp/install?name=a&config=${encodeURIComponent('{"command":"npx","args":["@political-comms/mcp"]}')}`,
      `https://kiro.dev/launch/mcp/add?name=a&config=${encodeURIComponent('{"command":"npx","args":["@political-comms/mcp"]}')}`,
      `lmstudio://add_mcp?name=a&config=${btoa('{"command":"npx","args":["@political-comms/mcp"]}')}`,
    ].map((pasted) => ['what a README hands to a client', pasted, 'com.politicalcomms/api', 'npm package']),
    ...[
      'https://registry.npmjs.org/@political-comms%2fmcp',
      'https://registry.npmjs.org/@political-comms/mcp/1.2.0',
      'npm error 404 Not Found - GET https://registry.npmjs.org/@political-comms%2fmcp - Not found',
      "npm ERR! 404  '@political-comms/mcp@1.2.0' is not in this registry.",
      `npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/@political-comms%2fmcp - Not found\nnpm error 404\nnpm error 404  The requested resource '@political-comms/mcp@*' could not be found\nnpm error A complete log of this run can be found in: /home/a/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log`,
      'npm warn deprecated @political-comms/mcp@1.2.0: no longer kept up, see https://example.com/why@1.0',
    ].map((text) => ['what npm reads or reports', text, 'com.politicalcomms/api', 'npm package']),
    ...[
      'https://pypi.org/simple/ledger-tools/',
      'https://pypi.org/pypi/ledger-tools/2.0/json',
      'ERROR: No matching distribution found for ledger-tools==2.0',
      'ERROR: Could not find a version that satisfies the requirement ledger-tools (from versions: none)\nERROR: No matching distribution found for ledger-tools',
      'warning: `ledger-tools==2.0` is yanked (reason: "broken")',
      'error: × No solution found: Because ledger-tools was not found in the package registry and you require ledger-tools, we can conclude that your requirements are unsatisfiable.',
    ].map((text) => ['what pip or uv reads or reports', text, 'com.example/ledger', 'pypi package']),
    [
      'what docker reports',
      'docker: Error response from daemon: pull access denied for example/imager, repository does not exist',
      'com.example/imager',
      'oci package',
    ],
    ['a command', 'go run github.com/webhook-co/webhook@latest', 'co.webhook/webhook', repository],
    [
      'a command',
      'go install github.com/webhook-co/webhook/cmd/hook@v1.2.3',
      'co.webhook/webhook',
      repository,
    ],
    [
      'a configuration',
      '{"servers": {"a": {"type": "http", "url": "https://mcp.webhook.co/mcp",}}}',
      'co.webhook/webhook',
      'endpoint',
    ],
    ['an address with a query', 'https://mcp.webhook.co/mcp?api_key=k', 'co.webhook/webhook', endpoint],
    ['one without a scheme', 'mcp.webhook.co/mcp?key=k', 'co.webhook/webhook', endpoint],
    ['a package with an extra', 'ledger-tools[all]', 'com.example/ledger', 'package'],
    ['a package of PyPI', 'pypi:ledger-tools', 'com.example/ledger', 'pypi package'],
    ['one as written', 'Ledger_Tools==2.0', 'com.example/ledger', 'package'],
    ['an image', 'oci:docker.io/example/imager:2', 'com.example/imager', 'oci package'],
    ...[
      `pkg:oci/imager@sha256%3A${'a'.repeat(64)}?repository_url=docker.io/example/imager&tag=2`,
      `pkg:oci/imager@sha256:${'a'.repeat(64)}?repository_url=docker.io%2Fexample%2Fimager`,
      'pkg:docker/example/imager@2?repository_url=https://docker.io/',
    ].map((url) => ['a package URL of an image', url, 'com.example/imager', 'oci package']),
    ['a link of Markdown', '[Hooks](https://mcp.webhook.co/mcp)', 'co.webhook/webhook', 'endpoint'],
    [
      'an image by its digest',
      `docker.io/example/imager@sha256:${'a'.repeat(64)}`,
      'com.example/imager',
      'package',
    ],
  ])('%s: %s', async (_what, handle, expected, kind) => {
    const answer = await call('get_agent', { handle });
    expect(answer).toMatchObject({ handle: expected, found_by: found(kind) });
    // That another name was asked for stands before all that the answer says.
    const members = Object.keys(answer);
    expect(members.indexOf('found_by')).toBeLessThan(members.indexOf('handle'));
  });
  it.each([
    'agent://co.webhook/webhook',
    'agent://co.webhook/webhook/ratings',
    'http://127.0.0.1:3000/agents/co.webhook/webhook',
    'http://127.0.0.1:3000/agents/co.webhook/webhook.md',
    'http://127.0.0.1:3000/agents/co.webhook/webhook/history',
    'https://registry.modelcontextprotocol.io/v0/servers/co.webhook%2Fwebhook/versions/latest',
    'https://registry.modelcontextprotocol.io/v0.1/servers/co.webhook/webhook',
    'https://registry.modelcontextprotocol.io/v0/servers?limit=5&search=co.webhook/webhook',
    'https://github.com/mcp/co.webhook/webhook',
    ' <co.webhook/webhook> ',
  ])('nothing but its handle in %s', async (handle) => {
    const answer = await call('get_agent', { handle });
    expect(answer).toMatchObject({ handle: 'co.webhook/webhook' });
    expect(answer.found_by).toBeUndefined();
  });
  it.each([
    'politicalcomms.com',
    'www.PoliticalComms.com',
    'https://politicalcomms.com/',
    'com.politicalcomms',
  ])('the one in a namespace of the domain %s', async (handle) => {
    expect(await call('get_agent', { handle })).toMatchObject({
      handle: 'com.politicalcomms/api',
      found_by: 'the only listing in a namespace of `politicalcomms.com`',
    });
    expect(await call('resolve_agents', { handles: [handle] })).toMatchObject({
      results: [{ outcome: 'listed', handle: 'com.politicalcomms/api' }],
    });
    const page = await directory.app.request(`/agents?q=${encodeURIComponent(handle)}`);
    expect(await page.text()).toContain('is the only listing in a namespace of');
  });
  it.each(['github.com/alice', 'https://github.com/Alice/', 'io.github.alice', 'alice.github.io'])(
    'those of the account %s',
    async (handle) => {
      const { code, detail, candidates } = await call('get_agent', { handle });
      expect(code).toBe('several_listings');
      expect(detail).toMatch(/^3 listings are in a namespace of `github\.com\/alice`\./);
      expect(candidates).toHaveLength(3);
    },
  );
  it('the listing of a handle with a version behind it', async () => {
    const same = await call('get_agent', { handle: 'co.webhook/webhook@v1.0.0' });
    expect(same).toMatchObject({ handle: 'co.webhook/webhook' });
    expect(same).not.toHaveProperty('version_asked');
    for (const handle of ['co.webhook/webhook@9', 'co.webhook/webhook 9', 'co.webhook/webhook:9'])
      expect(await call('get_agent', { handle })).toMatchObject({
        handle: 'co.webhook/webhook',
        version_asked:
          'You asked about `9`, of which Dossier has read no record of this listing; the other facts are about `1.0.0`, which its registry marks as latest.',
      });
  });
  it('nothing for a configuration of several servers, which are asked about one by one', async () => {
    const handle =
      '{"a": {"command": "npx", "args": ["x"]}, "b": {"url": "https://mcp.webhook.co/mcp?key=k"}}';
    const { code, detail } = await call('get_agent', { handle });
    expect(code).toBe('invalid_handle');
    expect(detail).toMatch(
      /^This text has 2 names: `npm:x@\*`, `https:\/\/mcp\.webhook\.co\/mcp`\. resolve_agents takes them all\. /,
    );
  });
  it.each(['npx x && npx -y y@2', 'npx x; npx y@2', 'npx x\nnpx y@2 | tee out'])(
    'nothing for two commands, which are asked about one by one: %j',
    async (handle) => {
      const { code, detail } = await call('get_agent', { handle });
      expect(code).toBe('invalid_handle');
      expect(detail).toMatch(
        /^This text has 2 names: `npm:x@\*`, `npm:y@2`\. resolve_agents takes them all\. /,
      );
    },
  );
  it('nothing for a domain that only records of others name as their website, which are near', async () => {
    const detail =
      'No listing is in a namespace of this domain or account. To be told of one: http://127.0.0.1:3000/publishers/de.seepost/feed.atom. It is the website in the record of io.github.hobbyist/seepost, which does not show control of it.';
    const handle = 'seepost.de';
    const said = await call('get_agent', { handle });
    expect(said).toMatchObject({ code: 'unknown_handle', near: ['io.github.hobbyist/seepost'] });
    expect(said.detail?.replaceAll('`', '')).toContain(detail);
    expect(await call('resolve_agents', { handles: [handle] })).toMatchObject({
      results: [{ outcome: 'not_listed', near: ['io.github.hobbyist/seepost'] }],
    });
  });
  it('no listing for a domain that others have domains below, and how many of those have a namespace', async () => {
    const { code, detail } = await call('get_agent', { handle: 'vercel.app' });
    expect(code).toBe('unknown_handle');
    expect(detail).toMatch(
      /^Namespaces below `vercel\.app` with listings: 2; each can be another publisher’s\. search_agents lists those of one, as publisher: `app\.vercel\.acme`\. /,
    );
    expect(detail).not.toContain('No listing is in a namespace');
    expect(await call('search_agents', { publisher: 'app.vercel.acme' })).toMatchObject({
      listings: [{ handle: 'app.vercel.acme/mail' }],
    });
  });
  it('a repository by its owner and name, which is no handle of a listing', async () => {
    expect(await call('get_agent', { handle: 'Webhook-co/webhook' })).toMatchObject({
      handle: 'co.webhook/webhook',
      found_by: found(repository),
    });
    expect(await call('get_history', { handle: 'webhook-co/webhook' })).toMatchObject({
      handle: 'co.webhook/webhook',
    });
    expect(await call('get_agent', { handle: 'alice/mono' })).toMatchObject({
      code: 'several_listings',
      candidates: [{}, {}],
    });
    expect(await call('resolve_agents', { handles: ['webhook-co/webhook'] })).toMatchObject({
      results: [{ outcome: 'listed', handle: 'co.webhook/webhook', found_by: found(repository) }],
    });
    const page = await directory.app.request('/agents/webhook-co/webhook');
    expect(page.status).toBe(404);
    expect(await page.text()).toContain('The first in near records this as a repository');
  });
  it('and so do the other tools that read one listing', async () => {
    const handle = 'https://mcp.webhook.co/mcp';
    expect(await call('list_ratings', { handle })).toMatchObject({ handle: 'co.webhook/webhook' });
    expect(await call('check_surface', { handle, digests: {} })).toMatchObject({
      handle: 'co.webhook/webhook',
    });
    expect(await call('search_agents', { similar_to: handle })).toMatchObject({ total: { count: 0 } });
    const handles = [handle, 'npm:@political-comms/mcp', 'co.webhook/webhook'];
    const { listings } = await call('compare_agents', { handles });
    expect(listings?.map((one) => [one.handle, one.problem?.message])).toEqual([
      ['co.webhook/webhook', undefined],
      ['com.politicalcomms/api', undefined],
      ['co.webhook/webhook', 'This name is of the same listing as handles.0.'],
    ]);
  });
  it('an image of another host is not the one with its path', async () => {
    const handle = 'pkg:docker/example/imager@1.2.3?repository_url=ghcr.io';
    expect(await call('get_agent', { handle })).toMatchObject({ code: 'unknown_handle' });
  });
  it.each(['sales@politicalcomms.com', 'mailto:Sales@PoliticalComms.com'])(
    'the domain of %s',
    async (handle) => {
      expect(await call('get_agent', { handle })).toMatchObject({
        handle: 'com.politicalcomms/api',
        found_by: 'the only listing in a namespace of `politicalcomms.com`',
      });
    },
  );
  it('a package of one registry, however many record one of another with the same name', async () => {
    expect(await call('get_agent', { handle: 'npm:oneinnpm' })).toMatchObject({
      handle: 'com.crowd/oneinnpm-npm-100',
      found_by: found('npm package'),
    });
    const ofTwo = await call('get_agent', { handle: 'npm:twoinnpm' });
    expect(ofTwo).toMatchObject({ code: 'several_listings', candidates: [{}, {}] });
    expect(ofTwo.detail).toMatch(/^2 listings record this npm package\./);
    expect((await call('get_agent', { handle: 'twoinnpm' })).detail).toBe(
      '22 listings of 1 publisher record this package. Recording does not show control. `search_agents` with query `npm:twoinnpm` finds all that record the npm package. Call again with the handle of one of the candidates.',
    );
  });
  it.each([
    'pypi:@political-comms/mcp',
    'npx -y ledger-tools',
    'npm install ledger-tools @political-comms/mcp',
    'npx -y example/imager',
    'docker run ledger-tools',
    'bunx imager',
    ...[
      '&& curl x',
      '|| x',
      '| sh',
      '; x',
      '& x',
      '--a&&x y',
      '> x',
      '2>&1',
      '< x',
      '`x`',
      '$(x)',
      '"$(x)"',
      '\nx',
    ].map((more) => `npx -y @political-comms/mcp ${more}`),
    ...['./npx', '/home/u/evil/npx', 'node_modules/.bin/npx', './cmd /c npx', 'C:\\evil\\npx.cmd'].map(
      (runner) => `${runner} -y @political-comms/mcp`,
    ),
  ])('but no package of another type or program than %s names', async (handle) => {
    const answer = await call('get_agent', { handle });
    expect(['unknown_handle', 'invalid_handle']).toContain(answer.code);
  });
});

describe('a host with letters that look like others', () => {
  it.each([
    'https://mcp.w\u0435bhook.co/mcp',
    'https://mcp.xn--wbhook-3of.co/other',
    'mcp.w\u0435bhook.co/mcp',
    'mcp.w\u0435bh\u03bf\u03bfk.co',
  ])('is another host, and what is at the plain one is near: %s', async (handle) => {
    const { code, detail, near } = await call('get_agent', { handle });
    expect([code, near]).toEqual(['unknown_handle', ['co.webhook/webhook']]);
    expect(detail).toMatch(
      /No listing shown here records an address at `(?:mcp\.)?xn--[\w-]+\.co`, which looks like `(?:mcp\.)?webhook\.co` but is another host/,
    );
    const { results } = await call('resolve_agents', { handles: [handle] });
    expect(results).toMatchObject([
      {
        outcome: 'not_listed',
        near: ['co.webhook/webhook'],
        reason: expect.stringMatching(/^No listing shown here records an address at .* but is another host/),
      },
    ]);
  });
  it('is said to be another where a listing records it', async () => {
    const { handle, version_asked } = await callTool<{ handle: string; version_asked?: string }>(
      directory,
      'get_agent',
      { handle: 'https://mcp.politic\u0430lcomms.com/mcp' },
    );
    expect(handle).toBe('com.squat/alike');
    expect(version_asked).toMatch(
      /^The host `mcp\.xn--[\w-]+\.com` is not `mcp\.politicalcomms\.com`, which looks like it\./,
    );
  });
});

describe('a text that has the form of a handle', () => {
  it('is only a handle if a domain can be its namespace, and what records it as something else is near', async () => {
    expect(await call('get_agent', { handle: 'mcp.webhook.co/mcp' })).toMatchObject({
      handle: 'co.webhook/webhook',
      found_by: found(endpoint),
    });
    // Whoever holds dev.squatted.ai could have the namespace.
    expect(await call('get_agent', { handle: 'ai.squatted.dev/mcp' })).toMatchObject({
      code: 'unknown_handle',
      detail: expect.stringContaining(
        'The first in near records this as a repository, an address or a package.',
      ),
      near: ['com.squat/shadow'],
    });
    expect(await call('get_agent', { handle: 'example/imager' })).toMatchObject({
      handle: 'com.example/imager',
    });
  });
  it('comes second to the listing that has it with other capitals', async () => {
    expect(await call('get_agent', { handle: 'com.example/twin' })).toMatchObject({
      detail: expect.stringContaining('with different capitals: it is the first in near.'),
      near: ['com.example/Twin', 'com.squat/twin'],
    });
  });
});

it.each([
  ['an endpoint', 'https://late.example.org/mcp', 'org.example.late/mcp'],
  ['a host', 'late.example.org', 'org.example.late/mcp'],
  ['a repository', 'https://github.com/vendor/server', 'io.github.vendor/server'],
])(
  'what the holder records, and many accounts recorded before: %s: the listing of the holder is the first candidate',
  async (_what, asked, holder) => {
    const answer = await call('get_agent', { handle: asked });
    expect(answer).toMatchObject({
      code: 'several_listings',
      candidates: [{ handle: holder }, {}, {}, {}, {}],
    });
    const { results } = await call('resolve_agents', { handles: [asked] });
    expect(results).toMatchObject([
      { outcome: 'several_listings', candidates: [{ handle: holder }, {}, {}, {}, {}] },
    ]);
  },
);

it('of the listings of one registrable domain, the one whose own domain the address is on is the first candidate', async () => {
  expect(await call('get_agent', { handle: 'https://mcp.vendor.example.net/mcp' })).toMatchObject({
    code: 'several_listings',
    candidates: [{ handle: 'net.example.vendor/real' }, {}, {}, {}, {}],
  });
});

it('what several listings record names them, and what tells them apart', async () => {
  expect(await call('get_agent', { handle: 'https://github.com/alice/mono' })).toMatchObject({
    code: 'several_listings',
    detail:
      '2 listings record this repository. Recording does not show control. Call again with the handle of one of the candidates.',
    candidates: [
      {
        handle: expect.stringMatching(/^io\.github\.alice\/(diary|notes)$/),
        differs: expect.stringMatching(
          /^GitHub account alice, “A plain description”, (`https:\/\/diary\.example\.org\/mcp`|npm `@alice\/notes@1\.2\.3` over stdio), version `1\.0\.0`, updated 2026-10-02$/,
        ),
      },
      {},
    ],
  });
});

it('several listings of a package are told apart by what they record of it, which shows no control of it', async () => {
  const packageOf = (version: string) => ({
    differs: expect.stringContaining(`, npm \`relay-kit@${version}\` over stdio, `),
  });
  const candidates = expect.arrayContaining([
    { handle: 'com.relay/hosted', ...packageOf('1.2.3') },
    { handle: 'com.relay/local', ...packageOf('2.0.0') },
  ]);
  const answer = await call('get_agent', { handle: 'npx -y relay-kit' });
  expect(answer).toMatchObject({ code: 'several_listings', candidates });
  expect(answer.detail).toMatch(/^2 listings record this npm package\. Recording does not show control\. /);
  const { results } = await callTool<{ results: object[] }>(directory, 'resolve_agents', {
    handles: ['npx -y relay-kit'],
  });
  expect(results).toMatchObject([
    { candidates, notes: ['2 listings record this npm package. Recording does not show control.'] },
  ]);
});

it('each of several packages that npm reported is named once, in their order, and at most five are', async () => {
  const warned = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'one'].map(
    (name) => `npm warn deprecated ${name}-left@1.0.0: gone`,
  );
  const { code, detail } = await call('get_agent', { handle: warned.join('\n') });
  expect([code, detail?.match(/^This text .*?more\./)?.[0]]).toEqual([
    'invalid_handle',
    'This text has 7 names: `npm:one-left@1.0.0`, `npm:two-left@1.0.0`, `npm:three-left@1.0.0`, `npm:four-left@1.0.0`, `npm:five-left@1.0.0` and 2 more.',
  ]);
});

it('no address of another host names a listing by its path', async () => {
  const answer = await call('get_agent', { handle: 'https://evil.example/v0/servers/co.webhook%2Fwebhook' });
  expect(answer).toMatchObject({ code: 'unknown_handle' });
});

describe('what no listing records', () => {
  it.each([
    ['two letters exchanged', 'io.github.alice/ntoes', ['io.github.alice/notes']],
    ['a letter missing', 'io.github.alice/diry', ['io.github.alice/diary']],
    ['another namespace', 'com.alice/translation-memory', ['io.github.alice/translation-memory']],
    ['the owner and name of a repository', 'https://github.com/alice/notez', ['io.github.alice/notes']],
    ['the page of a directory', 'https://lists.example/mcp/servers/@alice/notez', ['io.github.alice/notes']],
    ['a name with a letter missing', 'webook', ['co.webhook/webhook']],
    ['a name with letters exchanged', 'wehbook', ['co.webhook/webhook']],
    ['a name three edits away', 'wehboko-x', []],
  ])('is near to what is within two edits: %s', async (_what, handle, near) => {
    expect(await call('get_agent', { handle })).toMatchObject({ code: 'unknown_handle', near });
  });
  it('has others of the namespace, and those with its words, which are not called near', async () => {
    const { near, others } = await call('get_agent', {
      handle: 'io.github.alice/translation-helpers-for-all',
    });
    expect(near).toEqual([]);
    expect(others?.slice(0, 3).toSorted()).toEqual([
      'io.github.alice/diary',
      'io.github.alice/notes',
      'io.github.alice/translation-memory',
    ]);
    expect(others?.slice(3)).toEqual(['org.other/translation-helper']);
    const { near: nearOther, others: withWords } = await call('get_agent', {
      handle: 'net.none/translation',
    });
    expect([nearOther, withWords]).toEqual([[], expect.arrayContaining(['org.other/translation-helper'])]);
  });
  it.each([
    ['an image of the name of a repository', 'https://github.com/acme/tool', 'com.squat/pictures'],
    ['an image of the name of a page', 'agent://acme/tool', 'com.squat/pictures'],
  ])('is not said to be recorded by what records %s', async (_what, handle, other) => {
    const answer = await call('get_agent', { handle });
    expect(answer.code).toBe('unknown_handle');
    expect(answer.detail).toMatch(
      /^(?:No listing shown here records this (?:address as an endpoint, a repository or a package|package)\. )?(?:Handles in others are less similar\. )?The listings are of a saved copy of a registry, whose newest change is of 2026-10-02: what was published later is not in it\. What was withdrawn before may be missing from it\. That a service is not listed says nothing about it; to be listed, its publisher puts a server\.json into the MCP registry or another that is imported here\. Search for it by words: search_agents\.$/,
    );
    expect(answer.near).not.toContain(other);
  });
  it('is not said to be recorded by what records a package of that name in another registry', async () => {
    const { code, detail, near } = await call('get_agent', { handle: 'npx -y ledger-tools' });
    expect([code, near]).toEqual(['unknown_handle', ['com.example/ledger']]);
    expect(detail).toMatch(
      /^No listing shown here records this npm package\. What the first in near records has the same name in another registry \(pypi\), where it is another package\. /,
    );
  });
  it.each([
    ['another path', 'https://diary.example.org/sse'],
    ['another port', 'https://diary.example.org:8443/mcp'],
    ['another port, without a scheme', 'diary.example.org:8443/mcp'],
  ])('names the listing that records, at the same host, an address with %s', async (_what, handle) => {
    expect(await call('get_agent', { handle })).toMatchObject({
      code: 'unknown_handle',
      detail: expect.stringMatching(
        /^No listing shown here records this address as an endpoint, a repository or a package; `io\.github\.alice\/diary` records `https:\/\/diary\.example\.org\/mcp` at its host\. /,
      ),
      near: ['io.github.alice/diary'],
    });
  });
  it('names those that record others at the host', async () => {
    const port = await call('get_agent', { handle: 'https://many.example.net/three' });
    expect(port.detail).toMatch(
      /^No listing shown here records this address as an endpoint, a repository or a package; 2 listings record other addresses at its host: see near\. /,
    );
    expect(port.near?.slice(0, 2).toSorted()).toEqual(['net.example/one', 'net.example/two']);
  });
  it.each(['https://www.website.example/agents', 'www.website.example/agents'])(
    'names the listing whose website it is: %s',
    async (handle) => {
      expect(await call('get_agent', { handle })).toMatchObject({
        code: 'unknown_handle',
        detail: expect.stringMatching(
          /^No listing shown here records this address as an endpoint, a repository or a package; it is the website in the record of `example\.website\/accounts`/,
        ),
        near: ['example.website/accounts'],
      });
    },
  );
  it('has no verb of a command as a word of a name', async () => {
    const { near, others = [] } = await call('get_agent', { handle: 'brew install translation-memory' });
    expect([near, others]).toEqual([['io.github.alice/translation-memory'], []]);
  });
  it('is no listing that was withdrawn', async () => {
    const answer = await call('get_agent', { handle: 'npm:secret-words' });
    expect(answer).toMatchObject({ code: 'unknown_handle', near: [] });
    expect(JSON.stringify(answer)).not.toContain('com.gone');
  });
});
