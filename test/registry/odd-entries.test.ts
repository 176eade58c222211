import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listing } from '../../src/listings/listing.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';
import { type Importing, openImporting } from '../support/importing.ts';
import { opened } from '../support/opened.ts';

/** A record with one oddity seen in real data, and what the listing says then. */
type Oddity = readonly [what: string, server: Record<string, unknown>, listing: Partial<Listing>];

const remote = (url: string, type = 'streamable-http') => ({ type, url });
const npm = { registryType: 'npm', identifier: '@a/b', version: '1.0.0', transport: { type: 'stdio' } };

const npmRead = { registry_type: 'npm', identifier: '@a/b', version: '1.0.0', transport: 'stdio' };
const unreadFacets: Listing['facets'] = ['is:active', 'state:imported'];

const oddities: readonly Oddity[] = [
  ['an empty repository', { repository: {} }, { repository: undefined, repository_key: undefined }],
  ['a repository of empty strings', { repository: { url: '', source: '' } }, { repository: undefined }],
  [
    'a null repository',
    { repository: null, remotes: null, packages: null },
    { repository: undefined, remotes: [] },
  ],
  [
    'a repository that is no place',
    { repository: { url: 'N/A' } },
    { repository: undefined, repository_key: undefined },
  ],
  [
    'a repository with git+ and .git',
    { repository: { url: 'git+https://github.com/Owner/Repo.git/' } },
    { repository: 'git+https://github.com/Owner/Repo.git/', repository_key: 'github.com/owner/repo' },
  ],
  [
    'an ssh repository',
    { repository: { url: 'git@gitlab.com:Group/Sub/Repo.git' } },
    { repository_key: 'gitlab.com/group/sub/repo' },
  ],
  [
    'a link into a repository',
    { repository: { url: 'https://github.com/Owner/Repo/tree/main/servers/x' } },
    { repository_key: 'github.com/owner/repo' },
  ],
  [
    'a templated remote before a plain one',
    { remotes: [remote('https://{host}/mcp'), remote('https://b.example/mcp', 'sse')] },
    {
      endpoint: 'https://b.example/mcp',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{host}/mcp',
          // The record does not say what it is.
          inputs: [{ name: 'host', kind: 'variable', required: false, secret: false, unmarked: true }],
        },
        { type: 'sse', url: 'https://b.example/mcp' },
      ],
    },
  ],
  ['only a templated remote', { remotes: [remote('https://{host}/mcp')] }, { endpoint: undefined }],
  ['a remote that is no address', { remotes: [remote('javascript:alert(1)')] }, { endpoint: undefined }],
  [
    'a remote with a user',
    { remotes: [remote('https://user:secret@a.example/mcp')] },
    { endpoint: undefined },
  ],
  [
    'remotes and packages twice',
    { remotes: [remote('https://a.example/mcp'), remote('https://a.example/mcp')], packages: [npm, npm] },
    {
      remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }],
      packages: [{ registry_type: 'npm', identifier: '@a/b', version: '1.0.0', transport: 'stdio' }],
    },
  ],
  ['an empty $schema', { $schema: '' }, { version: '1.0.0' }],
  [
    'headers and variables of a remote',
    {
      remotes: [
        {
          ...remote('https://{tenant}.a.example/mcp'),
          headers: [
            {
              name: 'Authorization',
              value: 'Bearer {key}',
              variables: { key: { isSecret: true, isRequired: true } },
            },
            { name: 'X-Kind', value: 'fixed' },
            { name: 'X-Kind', value: 'fixed' },
            { name: 'X-\u202eHid\u200bden\n' },
          ],
          variables: { tenant: { isRequired: true }, nothing: null },
        },
      ],
    },
    {
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.a.example/mcp',
          inputs: [
            { name: 'Authorization', kind: 'header', required: true, secret: true, value: 'Bearer {key}' },
            { name: 'X-Kind', kind: 'header', required: false, secret: false, value: 'fixed' },
            { name: 'X-Hidden', kind: 'header', required: false, secret: false },
            { name: 'tenant', kind: 'variable', required: true, secret: false },
          ],
        },
      ],
    },
  ],
  [
    'what a package asks',
    {
      packages: [
        {
          ...npm,
          transport: {
            type: 'streamable-http',
            url: 'http://127.0.0.1/mcp',
            headers: [{ name: 'X-Key', isSecret: true }],
          },
          environmentVariables: [
            { name: 'API_KEY', isRequired: true, isSecret: true },
            { name: 'MODE', value: 'fixed' },
          ],
          runtimeArguments: [
            { type: 'named', name: '-e', value: 'TOKEN={token}', variables: { token: { isSecret: true } } },
          ],
          packageArguments: [
            { type: 'positional', value: 'start' },
            { type: 'positional', valueHint: 'folder', isRequired: true },
            { type: 'named', name: '--port', default: '1' },
          ],
        },
      ],
    },
    {
      packages: [
        {
          registry_type: 'npm',
          identifier: '@a/b',
          version: '1.0.0',
          transport: 'streamable-http',
          transport_url: 'http://127.0.0.1/mcp',
          runtime_arguments: ['-e', 'TOKEN'],
          arguments: ['start', '{folder}', '--port', '1'],
          environment: { MODE: 'fixed' },
          inputs: [
            { name: 'API_KEY', kind: 'environment', required: true, secret: true },
            { name: 'token', kind: 'variable', required: false, secret: true, value: '-e TOKEN={token}' },
            { name: 'folder', kind: 'argument', required: true, secret: false },
            { name: '--port', kind: 'argument', required: false, secret: false },
            { name: 'X-Key', kind: 'header', required: false, secret: true },
          ],
        },
      ],
    },
  ],
  [
    'headers that are none',
    { remotes: [{ ...remote('https://a.example/mcp'), headers: 'none', variables: [7] }] },
    {
      remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp', unread: ['headers', 'variables'] }],
    },
  ],
  ['remotes that are a text', { remotes: 'none' }, { remotes: [], facets: unreadFacets }],
  [
    'a nested transport, and a remote without a type',
    {
      remotes: [
        { transport: remote('https://a.example/mcp') },
        { transportType: 'sse', url: 'https://b.example' },
      ],
    },
    {
      endpoint: 'https://b.example',
      remotes: [{ type: '', url: 'https://b.example', unread: ['transportType', 'type'] }],
    },
  ],
  [
    'a remote that names what it asks for in a member of its own',
    { remotes: [{ ...remote('https://a.example/mcp'), authentication: { type: 'bearer' } }] },
    {
      facets: ['tag:remote', 'transport:streamable-http', 'has:endpoint', 'is:active', 'state:imported'],
      remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp', unread: ['authentication'] }],
    },
  ],
  [
    'an address that is too long',
    { remotes: [remote(`https://a.example/${'x'.repeat(500)}`), remote('https://b.example/mcp')] },
    { remotes: [remote('https://b.example/mcp')] },
  ],
  [
    'a package without a name',
    { packages: [npm, { registryType: 'npm', version: '1.0.0' }] },
    {
      packages: [npmRead],
      facets: ['tag:stdio', 'tag:npm', 'transport:stdio', 'package:npm', 'is:active', 'state:imported'],
    },
  ],
  ...(
    [
      [{ runtimeArguments: ['-v', '/:/data'] }, 'runtimeArguments'],
      [{ packageArguments: ['mcp'] }, 'packageArguments'],
      [
        { packageArguments: [{ type: 'positional', isRequired: true, description: 'A folder' }] },
        'packageArguments',
      ],
      [
        { packageArguments: [{ type: 'positional', value: { of: 'x' }, description: 'y' }] },
        'packageArguments',
      ],
      [{ packageArguments: { '--port': 1 } }, 'packageArguments'],
      [{ arguments: ['mcp'] }, 'arguments'],
      [{ environmentVariables: ['KEY'] }, 'environmentVariables'],
      [{ transport: 'stdio' }, 'transport'],
      [{ requiredSecrets: ['KEY'] }, 'requiredSecrets'],
      [{ runtimeHint: ['npx'] }, 'runtimeHint'],
    ] as [object, string][]
  ).map(([members, unread]): Oddity => {
    const { transport, ...read } = npmRead;
    const isTransport = unread === 'transport';
    const ofTransport = ['tag:stdio', 'tag:npm', 'transport:stdio'];
    const facets = [
      ...(isTransport ? ['tag:npm'] : ofTransport),
      'package:npm',
      'is:active',
      'state:imported',
    ];
    return [
      `a package with ${inspect(members)}`,
      { packages: [{ ...npm, ...members }] },
      {
        facets: facets as Listing['facets'],
        packages: [{ ...read, ...(isTransport ? {} : { transport }), unread: [unread] }],
      },
    ];
  }),
  [
    'an environment variable that is empty',
    { packages: [{ ...npm, environmentVariables: [{ name: '' }] }] },
    { packages: [npmRead] },
  ],
  ['a repository that is a text', { repository: 'https://github.com/a/b' }, { repository: undefined }],
  ['a description that is a number', { description: 7 }, { endpoint: undefined }],
  ['a version that is not semantic', { version: '2025-final (2)' }, { version: '2025-final (2)' }],
  ['no description', { description: undefined }, { description: '' }],
  [
    'a description that hides and turns text',
    { description: 'Sa\u202efe\u200b\n\n\u0000tool\u{e0041}', title: ' A\ttitle ' },
    { description: 'Safe tool', title: 'A title' },
  ],
  [
    'a transport that would be several facets',
    { remotes: [remote('https://a.example/mcp', 'sse state:claimed')] },
    { facets: ['tag:remote', 'has:endpoint', 'is:active', 'is:without_secret', 'state:imported'] },
  ],
  ['a website that is no address', { websiteUrl: 'javascript:alert(1)' }, { website: undefined }],
];

/** An entry that cannot be read, and the reason it is kept with. */
type Broken = readonly [what: string, entry: RegistryEntry, name: string, reason: string];

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
const manyRemotes = Array.from({ length: 10_000 }, (_, at) => remote(`https://n${at}.example/mcp`));
const noName = 'name or version missing or malformed';
const noMeta = 'registry status or dates malformed';

/** An entry whose record has this size as JSON without white space. */
function sized(size_bytes: number, updatedAt = '2026-10-02T08:00:00Z') {
  const padded = (padding: string) => registryEntry('b.m/x', { padding }, { updatedAt });
  return padded('x'.repeat(size_bytes - JSON.stringify(padded('').server).length));
}

const broken: readonly Broken[] = [
  ['an entry of 64 KiB and a byte', sized(65_537), 'b.m/x', 'record larger than 64 KiB'],
  [
    'ten thousand remotes',
    registryEntry('b.a/remotes', { remotes: manyRemotes }),
    'b.a/remotes',
    'record larger than 64 KiB',
  ],
  ['a name with two slashes', registryEntry('b.e/x/y'), '(unreadable', noName],
  ['a name whose first part is dots', registryEntry('../healthz'), '(unreadable', noName],
  ['a name whose last part is dots', registryEntry('b.e/..'), '(unreadable', noName],
  ['a name in full width', registryEntry('b.f/\uff58'), '(unreadable', noName],
  ['a name of 201 characters', registryEntry(`b/${'x'.repeat(199)}`), '(unreadable', noName],
  ['a version that is a number', registryEntry('b.g/x', { version: 1 }), '(unreadable 1a6096bc0c53)', noName],
  [
    'a version with a hidden character',
    registryEntry('b.h/x', { version: '1.0\u200b' }),
    'b.h/x',
    'version has characters that cannot be shown',
  ],
  ['an unknown status', registryEntry('b.i/x', {}, { status: 'verified' }), 'b.i/x', noMeta],
  [
    'a publication time of another form',
    registryEntry('b.k/x', {}, { publishedAt: 'yesterday' }),
    'b.k/x',
    'publication time is not an RFC 3339 time since 1970',
  ],
  [
    'a record nested too deeply',
    registryEntry('b.l/x', { icons: nested(40), title: 'non-ASCII \u00e9' }),
    'b.l/x',
    'nested too deeply',
  ],
];

const handleOf = (at: number) => `com.example.o${at}/server`;

describe('records as registries send them', () => {
  let importing: Importing;
  beforeAll(async () => {
    importing = await openImporting([
      ...oddities.map(([, server], at) => registryEntry(handleOf(at), server)),
      ...broken.map(([, entry]) => entry),
    ]);
    expect(await importing.run()).toMatchObject({
      state: 'done',
      counts: {
        rows_seen: oddities.length + broken.length,
        rows_new: oddities.length,
        rows_quarantined: broken.length,
        listings_new: oddities.length,
      },
    });
  });
  afterAll(() => importing.close());

  it.each(oddities.map((oddity, at) => [...oddity, at] as const))(
    '%s is imported',
    async (_, __, listing, at) => {
      const imported = await importing.store.listings.byHandle(handleOf(at));
      expect(imported).toEqual({ ...imported, ...listing });
    },
  );

  it.each(broken)('%s is quarantined with a reason of ours', async (_, __, name, reason) => {
    const rows = await importing.store.imports.quarantined(100);
    expect(rows.filter((row) => row.name.startsWith(name)).map((row) => row.reason)).toContain(reason);
  });

  it('counts a record that cannot be read once, however often it comes', async () => {
    const before = await importing.store.imports.quarantined(100);
    await importing.run();
    const after = await importing.store.imports.quarantined(100);
    expect(after.map(({ name, version }) => [name, version])).toEqual(
      expect.arrayContaining(before.map(({ name, version }) => [name, version])),
    );
    expect(after.length).toBe(before.length);
  });

  it('takes a record out of quarantine once it can be read', async () => {
    const updatedAt = '2026-10-31T00:00:00Z';
    importing.registry.serve([sized(65_536, updatedAt)]);
    expect((await importing.run()).counts.rows_new).toBe(1);
    const names = (await importing.store.imports.quarantined(100)).map(({ name }) => name);
    expect(names).not.toContain('b.m/x');
    expect(names).toContain('b.a/remotes');
  });
});

it('records that are large because of what their publisher adds are kept without it, in pages of a size that can be read', async () => {
  const _meta = { 'com.example.tools': 'x'.repeat(300_000) };
  const importing = await opened(
    openImporting(
      Array.from({ length: 40 }, (_, at) =>
        registryEntry(handleOf(at), { _meta, remotes: [remote('https://a.example/mcp')] }),
      ),
    ),
  );
  expect(await importing.run()).toMatchObject({
    state: 'done',
    counts: { rows_new: 40, rows_quarantined: 0 },
  });
  expect(importing.registry.requests.map(({ query }) => query.get('limit'))).toEqual([
    '100',
    '50',
    '25',
    '50',
  ]);
  const version = await importing.store.listings.version(handleOf(39), '1.0.0');
  expect(version?.record.length).toBeLessThan(1000);
});

describe('names and versions', () => {
  const names = async ({ store }: Importing) => {
    const page = await store.listings.page('', 10);
    const rows = await Promise.all(page.map(({ handle }) => store.listings.byHandle(handle)));
    return rows.filter((row) => row !== undefined);
  };

  it('keeps names that differ by case apart', async () => {
    const importing = await opened(
      openImporting([registryEntry('io.github.A/Tool'), registryEntry('io.github.a/tool')]),
    );
    await importing.run();
    expect((await names(importing)).map(({ handle }) => handle)).toEqual([
      'io.github.A/Tool',
      'io.github.a/tool',
    ]);
  });

  const version = (
    name: string,
    official: Record<string, unknown> = {},
    server: Record<string, unknown> = {},
  ) => registryEntry('com.example/v', { version: name, ...server }, { isLatest: false, ...official });

  it.each<[string, RegistryEntry[], string]>([
    ['the registry', [version('1.0.0', { isLatest: true }), version('0.0.9'), version('0.1.0')], '1.0.0'],
    ['semantic order', [version('1.9.0'), version('1.10.0'), version('1.10.0-beta.1')], '1.10.0'],
    [
      'publication where a version is not semantic',
      [version('latest', { publishedAt: '2026-10-02T08:00:00Z' }), version('9.0.0')],
      'latest',
    ],
    [
      'the newest of two marks',
      [
        version('1.0.0', { isLatest: true }),
        version('0.9.0', { isLatest: true, publishedAt: '2026-10-03T08:00:00Z' }),
      ],
      '0.9.0',
    ],
    [
      'what is not deleted',
      [version('2.0.0', { isLatest: true, status: 'deleted' }), version('1.0.0')],
      '1.0.0',
    ],
  ])('shows the version by %s', async (_, entries, shown) => {
    const importing = await opened(openImporting(entries));
    await importing.run();
    expect(await names(importing)).toMatchObject([{ version: shown }]);
    const versions = await importing.store.listings.versionSummaries(['com.example/v']);
    expect(versions).toHaveLength(entries.length);
  });
});
