import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const packaged = (registryType: string, identifier: string, version = '1.2.3') =>
  packageAt(registryType, identifier, version);
const at = (url: string) => remotesAt(url);
const entries = [
  ...seedEntries,
  registryEntry('com.example/ledger', packaged('pypi', 'Ledger_Tools', '2.0.0')),
  registryEntry('com.example/imager', packaged('oci', 'docker.io/example/imager:1.2.3')),
  registryEntry('com.stranger/x', packaged('oci', 'com.acme/tool')),
  registryEntry('com.example/one', packaged('npm', 'common-name')),
  registryEntry('com.other/two', packaged('npm', 'common-name')),
  registryEntry('com.example/old', { ...packaged('npm', 'old-one') }, { status: 'deprecated' }),
  registryEntry('com.example/gone', {}, { status: 'deleted' }),
  registryEntry('com.example/parts', {
    ...at('https://parts.example.com/mcp'),
    packages: [
      {
        ...packaged('npm', 'first-part').packages[0],
        environmentVariables: [{ name: 'FIRST_KEY', isSecret: true, isRequired: true }],
      },
      ...packaged('npm', 'second-part').packages,
    ],
  }),
  ...Array.from({ length: 12 }, (_, n) =>
    registryEntry(`com.gateway/s${n}`, at(`https://gateway.example.com/s${n}/mcp`)),
  ),
];

interface Resolved {
  readonly asked: string;
  readonly outcome: string;
  readonly handle?: string;
  readonly found_by?: string;
  readonly version?: string;
  readonly package_version?: string;
  readonly version_asked?: string;
  readonly part_asked?: string;
  readonly reason?: string;
  readonly near?: readonly string[];
  readonly facts?: readonly string[];
  readonly stands_out?: readonly { readonly key: string; readonly text: string }[];
  readonly unknown?: readonly string[];
  readonly candidates?: readonly { readonly handle: string }[];
}
interface Body {
  readonly results: readonly Resolved[];
  readonly untrusted_fields: readonly string[];
  readonly code?: string;
  readonly detail?: string;
}

const directory = await openedDirectory({ entries });

const post = (body: object, asked = directory) => callTool<Body>(asked, 'resolve_agents', body);
const resolve = async (...handles: string[]) => (await post({ handles })).results;

it('answers each server of a pasted configuration, and repeats no key of it', async () => {
  const server = (more: object) => ({ mcpServers: { one: more } });
  const given = { headers: { 'X-Key': 'hush-1' }, url: 'https://mcp.webhook.co/mcp?key=hush-2' };
  const started = { command: 'npx', args: ['-y', '@political-comms/mcp'], env: { KEY: 'hush-3' } };
  const several = JSON.stringify({ mcpServers: { one: started, two: given, three: { command: './own' } } });
  const results = await resolve(several, JSON.stringify(server(given)));
  expect(results).toMatchObject([
    {
      asked: 'npm:@political-comms/mcp@*',
      configured_as: 'one',
      outcome: 'listed',
      handle: 'com.politicalcomms/api',
    },
    {
      asked: 'https://mcp.webhook.co/mcp',
      configured_as: 'two',
      outcome: 'listed',
      handle: 'co.webhook/webhook',
    },
    {
      configured_as: 'three',
      outcome: 'not_known',
      reason: 'Dossier cannot tell what this command runs.',
    },
    {
      asked: 'https://mcp.webhook.co/mcp',
      configured_as: 'one',
      outcome: 'listed',
      handle: 'co.webhook/webhook',
    },
  ]);
  for (const handle of [several, JSON.stringify(server(given))]) {
    const one = await callTool(directory, 'get_agent', { handle });
    const compared = await callTool(directory, 'compare_agents', { handles: [handle, 'com.example/one'] });
    expect(JSON.stringify([one, compared, results])).not.toContain('hush');
  }
  const many = await post({ handles: Array.from({ length: 60 }, () => several) });
  expect(many).toMatchObject({ code: 'invalid_input' });
});

it('repeats of a command what it starts, and of nothing what may be a key', async () => {
  const asked = [
    'npx -y @political-comms/mcp --api-key=hush-1 --token hush-2',
    'docker run -i --rm -e KEY=hush-3 -e OTHER="hush-4 hush-5" docker.io/example/imager:1.2.3',
    'claude mcp add --transport http hook https://mcp.webhook.co/mcp?key=hush-6 --header "X-Key: hush-7"',
    'npx -y common-name --password hush-8',
    'npx -y nobody-has-this --password hush-9',
    'npx --no-such-option hush-10 nobody-has-this',
    'KEY=hush-11 ./start.sh --key hush-12',
    'uvx one-a --key hush-13 && npx -y common-name --key hush-14',
    'https://user:hush-15@mcp.webhook.co/mcp?key=hush-16#hush-17',
    'mcp.nobody.example/mcp?key=hush-18',
    'uvx --from git+https://hush-19@github.com/nobody/nothing nothing --key hush-20',
    'curl -H "Authorization: Bearer hush-21" https://mcp.nobody.example/mcp',
    'my server with --key hush-22',
    'env KEY=hush-23 npx -y old-one',
    `npx -y old-one ${'hush '.repeat(1000)}`,
    `npx -y old-one --key ${'hush-24'.repeat(100)}`,
  ];
  const open = await openedDirectory({ entries, environment: { LIMITS: 'off' } });
  const { results } = await post({ handles: asked.filter((one) => one.length <= 4000) }, open);
  const told = await Promise.all(
    asked.flatMap((handle) => [
      callTool(open, 'get_agent', { handle }),
      callTool(open, 'get_history', { handle }),
      callTool(open, 'list_ratings', { handle }),
      callTool(open, 'compare_agents', { handles: [handle, 'com.example/one'] }),
      callTool(open, 'compare_agents', { handles: [handle, `${handle} `] }),
      callTool(open, 'check_surface', { handle, tools: ['a'] }),
      callTool(open, 'check_offer', { handle, offer: '{}' }),
      callTool(open, 'search_agents', { similar_to: handle }),
      callTool(open, 'resolve_agents', { handles: [handle] }),
    ]),
  );
  for (const one of [...results, ...told]) expect(JSON.stringify(one)).not.toContain('hush');
  expect(results.map((one) => one.asked)).toEqual([
    'npm:@political-comms/mcp@*',
    'oci:docker.io/example/imager:1.2.3',
    'https://mcp.webhook.co/mcp',
    'npm:common-name@*',
    'npm:nobody-has-this@*',
    'npx …',
    'item 7',
    'pypi:one-a@*',
    'npm:common-name@*',
    'https://mcp.webhook.co/mcp',
    'mcp.nobody.example/mcp',
    'https://github.com/nobody/nothing',
    'https://mcp.nobody.example/mcp',
    'my server with …',
    'npm:old-one@*',
    'npm:old-one@*',
  ]);
});

it('names the listing of each, how it was found, and the version that its record names', async () => {
  const [itself, endpoint, older, image] = await resolve(
    'co.webhook/webhook',
    'https://mcp.webhook.co/mcp/',
    'npm:@political-comms/mcp@1.0.0',
    'oci:example/imager:9',
  );
  expect(itself).toMatchObject({ asked: 'co.webhook/webhook', outcome: 'listed', version: '1.0.0' });
  expect(itself?.found_by).toBeUndefined();
  expect(endpoint).toMatchObject({ outcome: 'listed', handle: 'co.webhook/webhook' });
  expect(endpoint?.facts).toContain('domain webhook.co, its endpoint on it');
  expect(older).toMatchObject({
    handle: 'com.politicalcomms/api',
    found_by: 'the only listing that records this npm package; recording does not show control',
    package_version: '1.2.0',
    version_asked:
      'You asked about `1.0.0`; the record names `1.2.0`, and the other facts are about that version; as of 2026-10-02, no version of the record that Dossier has read names the package at `1.0.0`.',
  });
  expect(image).toMatchObject({ handle: 'com.example/imager', package_version: '1.2.3' });
});

it('tells of the package that was asked for, not of another part of its record', async () => {
  const [first, second, endpoint] = await resolve(
    'npm:first-part',
    'npx -y second-part',
    'https://parts.example.com/mcp',
  );
  expect(first?.facts?.slice(0, 3)).toEqual([
    'domain example.com',
    'npm `first-part@1.2.3` over stdio',
    'asks for secret `FIRST_KEY`',
  ]);
  expect(second?.facts?.slice(0, 2)).toEqual(['domain example.com', 'npm `second-part@1.2.3` over stdio']);
  expect(second?.facts?.join()).not.toMatch(/first-part|FIRST_KEY|parts\.example\.com/);
  expect(endpoint?.facts?.slice(0, 2)).toEqual([
    'domain example.com, its endpoint on it',
    '`https://parts.example.com/mcp`',
  ]);
  expect(endpoint?.facts?.join()).not.toMatch(/first-part|FIRST_KEY|second-part/);
  expect([first, second, endpoint].map((one) => one?.part_asked)).toEqual([
    'About npm `first-part`; the record also names `https://parts.example.com/mcp` and npm `second-part`.',
    'About npm `second-part`; the record also names `https://parts.example.com/mcp` and npm `first-part`.',
    'About `https://parts.example.com/mcp`; the record also names npm `first-part` and npm `second-part`.',
  ]);
});

it('takes the page of a package at its registry for the package, with the version that the page is about', async () => {
  const results = await resolve(
    'https://www.npmjs.com/package/@political-comms/mcp',
    'https://npmjs.com/package/@political-comms/mcp/v/1.0.0?activeTab=versions#readme',
    'https://pypi.org/project/Ledger_Tools/1.9/',
    'https://hub.docker.com/r/example/imager',
    'https://www.npmjs.com/package/no-such-package',
  );
  expect(results.map(({ outcome, handle, version_asked }) => [outcome, handle, version_asked])).toEqual([
    ['listed', 'com.politicalcomms/api', undefined],
    [
      'listed',
      'com.politicalcomms/api',
      'You asked about `1.0.0`; the record names `1.2.0`, and the other facts are about that version; as of 2026-10-02, no version of the record that Dossier has read names the package at `1.0.0`.',
    ],
    [
      'listed',
      'com.example/ledger',
      'You asked about `1.9`; the record names `2.0.0`, and the other facts are about that version; as of 2026-10-02, no version of the record that Dossier has read names the package at `1.9`.',
    ],
    ['listed', 'com.example/imager', undefined],
    ['not_listed', undefined, undefined],
  ]);
});

it.each([
  ['https://registry.npmjs.org/@political-comms/mcp/-/mcp-1.0.0.tgz', 'com.politicalcomms/api', '1.0.0'],
  [
    'https://registry.npmjs.org/@political-comms%2fmcp/-/mcp-1.0.0-rc.1.tgz#sha',
    'com.politicalcomms/api',
    '1.0.0-rc.1',
  ],
  [
    'https://files.pythonhosted.org/packages/a1/b2/c3/ledger_tools-1.9-py3-none-any.whl',
    'com.example/ledger',
    '1.9',
  ],
  [
    'https://files.pythonhosted.org/packages/a1/b2/c3/Ledger-Tools-1.9.tar.gz#sha256=1',
    'com.example/ledger',
    '1.9',
  ],
])(
  'takes the file of a package, as a lock file names it, for that version: %s',
  async (file, handle, version) => {
    const [result] = await resolve(file);
    expect(result).toMatchObject({ outcome: 'listed', handle });
    expect(result?.version_asked).toContain(`You asked about \`${version}\``);
  },
);

it('reads the tag in the address of a package page of npm', async () => {
  const [result] = await resolve('https://www.npmjs.com/package/@political-comms/mcp/v/latest');
  expect(result?.version_asked).toContain('You asked about `latest`');
});

it('a name of the form of a handle is no package of somebody else', async () => {
  const [asked] = await resolve('com.acme/tool');
  expect([asked?.outcome, asked?.handle]).toEqual(['not_listed', undefined]);
});

it('names all that record the same, and why a withdrawn one is not shown', async () => {
  const [several, gone] = await resolve('npm:common-name', 'com.example/gone');
  expect([several?.outcome, several?.candidates?.map(({ handle }) => handle)]).toEqual([
    'several_listings',
    ['com.example/one', 'com.other/two'],
  ]);
  expect(gone).toEqual({
    asked: 'com.example/gone',
    outcome: 'withdrawn',
    handle: 'com.example/gone',
    reason: expect.stringMatching(
      /^The registry has deleted it, as Dossier read on \d{4}-\d\d-\d\d\. This is not a verdict about it\.$/,
    ),
  });
});

it('says what is not listed, with up to five listings at the same host, or handles like it', async () => {
  const [misspelt, other, unknown, words, crowded] = await resolve(
    'co.webhook/webhok',
    'https://mcp.webhook.co/other',
    'pypi:no-such-package',
    '!!!',
    'https://gateway.example.com/s99/mcp',
  );
  expect(misspelt).toEqual({
    asked: 'co.webhook/webhok',
    outcome: 'not_listed',
    near: ['co.webhook/webhook'],
  });
  expect(other).toMatchObject({ outcome: 'not_listed', near: ['co.webhook/webhook'] });
  expect(unknown).toEqual({
    asked: 'pypi:no-such-package',
    outcome: 'not_listed',
    reason:
      'Dossier asks nobody about a package that no listing records; ask PyPI and OSV: `https://pypi.org/project/no-such-package/`, `https://osv.dev/list?ecosystem=PyPI&q=no-such-package`.',
  });
  expect(words).toEqual({
    asked: '!!!',
    outcome: 'not_known',
    reason:
      'Dossier reads no name in this text: ask about the package, image, address or handle in it, or give its words to search_agents.',
  });
  expect(crowded?.near).toEqual([0, 1, 10, 11, 2].map((n) => `com.gateway/s${n}`));
});

it('answers a hundred names in their order, and searches for names like the first ten that are not listed', async () => {
  const handles = Array.from({ length: 100 }, (_, n) =>
    n % 2 === 0 ? 'https://mcp.webhook.co/mcp' : 'co.webhook/webhok',
  );
  const results = await resolve(...handles);
  expect(results.map(({ asked }) => asked)).toEqual(handles);
  expect(results.filter(({ outcome }) => outcome === 'listed')).toHaveLength(50);
  expect(results.filter(({ near }) => near !== undefined)).toHaveLength(10);
});

it('refuses no names, a hundred and one, too long ones, other members and a capability', async () => {
  for (const sent of [
    { handles: [] },
    { handles: Array.from({ length: 101 }, (_, n) => `com.example/n${n}`) },
    { handles: ['a'.repeat(4001)] },
    { handles: [1] },
    {},
    { handles: ['a/b'], detail: 'full' },
  ])
    expect((await post(sent)).code, JSON.stringify(sent).slice(0, 60)).toBe('invalid_input');
});

it('takes other words for its list, and a text with commas', async () => {
  for (const sent of [
    { servers: 'co.webhook/webhook, npm:old-one' },
    { names: ['co.webhook/webhook', 'npm:old-one'] },
  ])
    expect((await post(sent)).results.map(({ handle }) => handle)).toEqual([
      'co.webhook/webhook',
      'com.example/old',
    ]);
});

it('says that a copy which records no endpoints cannot tell', async () => {
  const copy = await openedDirectory({
    entries: [registryEntry('com.example/ledger', packaged('npm', 'ledger'))],
  });
  const { results } = await post({ handles: ['https://mcp.example.com/mcp', 'npm:no-such'] }, copy);
  expect(results[0]).toMatchObject({
    outcome: 'not_known',
    reason: expect.stringContaining('records no endpoint'),
  });
  expect(results[1]?.outcome).toBe('not_listed');
});

it('names what third parties wrote, and counts as a search', async () => {
  const { untrusted_fields } = await post({ handles: ['npm:common-name', 'co.webhook/webhook'] });
  expect(untrusted_fields).toEqual([
    'results.description',
    'results.version',
    'results.facts',
    'results.stands_out',
    'results.candidates',
  ]);
  const limited = await openedDirectory({ environment: { LIMIT_OVERRIDES: 'search=1/1h' } });
  await post({ handles: ['co.webhook/webhook'] }, limited);
  expect((await post({ handles: ['co.webhook/webhook'] }, limited)).code).toBe('rate_limited');
});

it('whether the registry marks a listing as deprecated is always known, and of its package it is said if not', async () => {
  const [active, old] = await resolve('com.example/ledger', 'com.example/old');
  const noEndpoint = ['malware', 'advisories', 'package-deprecated', 'not-there'];
  expect(active?.unknown?.slice(0, 4)).toEqual(noEndpoint);
  expect(old?.stands_out?.map(({ key }) => key)).toContain('deprecated');
  expect(old?.unknown?.slice(0, 4)).toEqual(noEndpoint);
});
