import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const published = (name: string, version: string, day: string, isLatest: boolean) =>
  registryEntry(
    name,
    { version, remotes: [], packages: [] },
    { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, isLatest },
  );
const name = 'io.github.containers/server';
const packaged = 'com.example/packaged';
const behind = 'io.github.p1va/symbols';
const ofPackage = (version: string, installs: string, day: string, more: object) =>
  registryEntry(
    behind,
    { version, packages: [{ registryType: 'npm', identifier: '@p1va/symbols', version: installs }], ...more },
    { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, isLatest: version === '1.0.0' },
  );
const plain = 'io.github.containers/plain';
const moving = 'com.cloud/mcp';
const at = (version: string, hour: string, url: string, isLatest: boolean) =>
  registryEntry(
    moving,
    { version, remotes: [{ type: 'streamable-http', url }] },
    { publishedAt: `2026-10-24T${hour}:00:00Z`, updatedAt: `2026-10-24T${hour}:00:00Z`, isLatest },
  );
const traces = 'io.github.example/traces';
const image = 'ghcr.io/example/traces';
const shadowed = 'com.shadow/a';
const shadow = (version: string, day: number, identifier: string, inputs: readonly string[] = []) =>
  registryEntry(
    shadowed,
    {
      version,
      packages: [
        {
          registryType: 'npm',
          identifier,
          version: '1.0.0',
          environmentVariables: inputs.map((name) => ({ name, isSecret: true })),
        },
      ],
    },
    {
      publishedAt: `2026-01-0${day}T08:00:00Z`,
      updatedAt: `2026-01-0${day}T08:00:00Z`,
      isLatest: version === '2.0.0',
    },
  );
const images = [
  ['1.1.0', [`${image}:v1.1.0`, 'ghcr.io/example/left:v7']],
  ['1.2.0', [`${image}:v1.2.0`]],
  ['1.3.0', [`${image}:1.3.0`]],
  ['1.4.0', [`${image}:release-1.4`]],
  ['1.5.0', [`${image}:1.5.0`]],
] as const;
const directory = await openedDirectory({
  entries: [
    shadow('1.0.0', 1, 'shadow-bad', ['STEAL_KEY']),
    shadow('v1.0.0', 2, 'shadow-fine'),
    shadow('release-1.0.0', 3, 'shadow-finest'),
    shadow('2.0.0', 4, 'shadow-fine'),
    ...images.map(([version, identifiers], at) =>
      registryEntry(
        traces,
        {
          version,
          packages: identifiers.map((identifier) => ({
            registryType: 'oci',
            identifier,
            transport: { type: 'stdio' },
          })),
        },
        {
          publishedAt: `2025-10-1${at}T08:00:00Z`,
          updatedAt: `2025-10-1${at}T08:00:00Z`,
          isLatest: version === '1.5.0',
        },
      ),
    ),
    published(name, '0.0.50', '2025-09-16', false),
    published(name, '1.0.0', '2025-09-16', true),
    published(name, '0.0.51', '2025-12-05', false),
    ofPackage('1.0.0', '0.0.10', '2025-09-12', {}),
    ofPackage('0.0.17', '0.0.17', '2025-10-20', { websiteUrl: 'https://behind.example/' }),
    ofPackage('0.0.18', '0.0.18', '2025-10-21', { websiteUrl: 'https://behind.example/' }),
    published(plain, '1.0.0', '2025-09-16', false),
    published(plain, '1.1.0', '2025-12-05', true),
    at('1.0.0', '10', 'https://mcp.cloud.com/mcp', true),
    at('1.0.1-a', '11', 'https://cloud.com/mcp', false),
    registryEntry('com.example/remote', {
      remotes: [{ type: 'sse', url: 'https://remote.example.com/sse' }],
    }),
    ...[
      ['1.0.1', '1.0.25'],
      ['1.0.2', '1.0.2'],
    ].map(([listed, version]) =>
      registryEntry(
        packaged,
        { version: listed, packages: [{ registryType: 'npm', identifier: 'packaged', version }] },
        {
          publishedAt: '2025-09-16T08:00:00Z',
          updatedAt: '2025-09-16T08:00:00Z',
          isLatest: version === '1.0.2',
        },
      ),
    ),
  ],
  environment: { LIMITS: 'off' },
});

const later = '`0.0.51`, not the version shown, was published later, 2025-12-05';

it('says once, in what stands out, that a version was published after the shown one, with other packages', async () => {
  const answerOf = async (handle: string) =>
    JSON.stringify(await callTool(directory, 'get_agent', { handle }));
  expect(await answerOf(name)).toMatch(
    /"stands_out":\["`0\.0\.51`, not the version shown, was published later, 2025-12-05; its registry marks the version shown as latest \(record/,
  );
  expect((await answerOf(name)).split('published later')).toHaveLength(2);
  expect(await answerOf(plain)).not.toContain('later');
  const packages = await answerOf(behind);
  expect(packages).toContain(
    '`0.0.18`, not the version shown, was published later, 2025-10-21, and names the package version `0.0.18` instead of `0.0.10`; its registry marks the version shown as latest (record',
  );
  const { changes } = await callTool<{ changes: readonly string[] }>(directory, 'get_history', {
    handle: behind,
  });
  expect(changes).toEqual([
    '2025-10-21 version `0.0.18` (published 2025-10-21, not the version shown) changed package version from `0.0.17` to `0.0.18`',
    '2025-10-20 version `0.0.17` (published 2025-10-20, not the version shown) changed package version from `0.0.10` to `0.0.17`, website from none to `https://behind.example/`',
    expect.stringContaining('`1.0.0`'),
  ]);
});

it('says it in a hit and for a name, and that nothing is recorded to reach the listing by', async () => {
  interface Found {
    readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
  }
  const { listings } = await callTool<Found>(directory, 'search_agents', {
    publisher: 'io.github.containers',
  });
  const factsOf = (handle: string) => listings.find((one) => one.handle === handle)?.facts;
  const nothing = 'no endpoint or package recorded that Dossier reads';
  expect(factsOf(name)).toEqual(['GitHub account containers', nothing, 'updated 2025-09-16', later]);
  expect(factsOf(plain)).toEqual(['GitHub account containers', nothing, 'updated 2025-12-05']);
  const { results } = await callTool<{ results: readonly { readonly facts: readonly string[] }[] }>(
    directory,
    'resolve_agents',
    { handles: [name, plain] },
  );
  // What stands out says it.
  expect(results.map(({ facts }) => facts)).toEqual([factsOf(name)?.slice(0, -1), factsOf(plain)]);
});

it('says nothing of what is not recorded where the copy records no endpoint of any listing', async () => {
  const lacking = await openedDirectory({
    entries: [
      published(plain, '1.1.0', '2025-12-05', true),
      registryEntry('com.example/packaged', {
        packages: [{ registryType: 'npm', identifier: 'packaged', version: '1.0.0' }],
      }),
    ],
  });
  const { listings } = await callTool<{ listings: readonly { readonly facts: readonly string[] }[] }>(
    lacking,
    'search_agents',
    { publisher: 'io.github.containers' },
  );
  expect(listings[0]?.facts).toEqual(['GitHub account containers', 'updated 2025-12-05']);
});

it.each([
  [
    `${name}@0.0.51`,
    'You asked about `0.0.51`, which the record has, published 2025-12-05; the other facts are about `1.0.0`, which its registry marks as latest, published before it, 2025-09-16.',
  ],
  [
    `${plain}@1.0.0`,
    'You asked about `1.0.0`, which the record has, published 2025-09-16; the other facts are about `1.1.0`, which its registry marks as latest, published later, 2025-12-05.',
  ],
  [
    `${plain}@v1.0.0`,
    'You asked about `v1.0.0`, which the record has as `1.0.0`, published 2025-09-16; the other facts are about `1.1.0`',
  ],
  // The version that is written so comes first, whatever was published later.
  ...(['1.0.0', '=1.0.0'] as const).map((version): [string, string] => [
    `${shadowed}@${version}`,
    'You asked about `1.0.0`, which the record has, published 2026-01-01; the other facts are about `2.0.0`, which its registry marks as latest, published later, 2026-01-04. Version `1.0.0` recorded the npm package `shadow-bad@1.0.0`, which ',
  ]),
  [
    `${shadowed}@v1.0.0`,
    'You asked about `v1.0.0`, which the record has, published 2026-01-02; the other facts are about `2.0.0`, which its registry marks as latest, published later, 2026-01-04. Version `v1.0.0` recorded the npm package `shadow-fine@1.0.0`, for which it names no inputs.',
  ],
  [
    `${shadowed}@version-1.0.0`,
    'You asked about `version-1.0.0`, which fits `release-1.0.0` (published 2026-01-03), `v1.0.0` (published 2026-01-02) and `1.0.0` (published 2026-01-01); the other facts are about `2.0.0`, which its registry marks as latest.',
  ],
  [
    `${plain}@3`,
    'You asked about `3`, of which Dossier has read no record of this listing; the other facts are about `1.1.0`, which its registry marks as latest.',
  ],
  [
    `${plain} v1.0`,
    'You asked about `v1.0`, which fits `1.0.0` (published 2025-09-16); the other facts are about `1.1.0`, which its registry marks as latest.',
  ],
  [
    `${name}@0.0.x`,
    'You asked about `0.0.x`, which fits `0.0.51` (published 2025-12-05) and `0.0.50` (published 2025-09-16); the other facts are about `1.0.0`, which its registry marks as latest.',
  ],
  [
    `${name} >=0.0.51,<1`,
    'You asked about “>=0.0.51,<1”, which fits `0.0.51` (published 2025-12-05); the other facts are about `1.0.0`',
  ],
  [
    `${moving} (version 1.0.1)`,
    'You asked about `1.0.1`, of which Dossier has read no record of this listing; the other facts are about `1.0.0`',
  ],
  // The listing has a version of the number 1.0.1, which recorded another one of the package.
  [
    'npm:packaged v1.0.1',
    /about that version; as of [\d-]{10}, no version of the record that Dossier has read names the package at `v1\.0\.1`\. Version `1\.0\.1` of the listing, published 2025-09-16, recorded the npm package `packaged@1\.0\.25`, for which it names no inputs\./,
  ],
  [
    'npx packaged@9.9.9',
    /; as of [\d-]{10}, no version of the record that Dossier has read names the package at `9\.9\.9`\./,
  ],
  // Records may write a tag otherwise.
  ...(
    [
      ['1.2.0', '1.2.0', 'v1.2.0'],
      ['1.2', '1.2.0', 'v1.2.0'],
      ['release-1.2.0', '1.2.0', 'v1.2.0'],
      ['v1.4', '1.4.0', 'release-1.4'],
      ['1.4.0', '1.4.0', 'release-1.4'],
      ['v1.3.0', '1.3.0', '1.3.0'],
    ] as const
  ).map(([tag, version, recorded]): [string, RegExp] => [
    `docker run -i --rm ${image}:${tag}`,
    new RegExp(
      `^You asked about \`${tag}\`; the record names \`1.5.0\`, and the other facts are about that version; as of [\\d-]{10}, no version of the record that Dossier has read names the package at \`${tag}\`\\. Version \`${version}\` of the listing, published 2025-10-1\\d, recorded the oci package \`${image}:${recorded}\` over stdio, for which it names no inputs\\.`,
    ),
  ]),
  [
    `${image}:v1.5.0`,
    /about that version; as of [\d-]{10}, no version of the record that Dossier has read names the package at `v1\.5\.0`\./,
  ],
  [
    `${traces}@1.2.0`,
    'You asked about `1.2.0`, which the record has, published 2025-10-11; the other facts are about `1.5.0`, which its registry marks as latest, published later, 2025-10-14. Version `1.2.0` recorded the oci package `ghcr.io/example/traces:v1.2.0` over stdio, for which it names no inputs.',
  ],
  [
    `${traces}@1.3.0`,
    'You asked about `1.3.0`, which the record has, published 2025-10-12; the other facts are about `1.5.0`',
  ],
  [
    'docker run -i --rm ghcr.io/example/left',
    /\. Your request names no tag, which means `latest`; version `1\.1\.0` of the listing, published 2025-10-10, recorded the oci package `ghcr\.io\/example\/left:v7` over stdio, for which it names no inputs; the oci package `ghcr\.io\/example\/traces:v1\.1\.0` over stdio, /,
  ],
  [
    'docker run -i --rm ghcr.io/example/left:v7',
    /\. Version `1\.1\.0` of the listing, published 2025-10-10, recorded the oci package `ghcr\.io\/example\/left:v7` over stdio, for which it names no inputs; /,
  ],
  [
    'npx packaged@1.0.25',
    /^You asked about `1\.0\.25`; the record names `1\.0\.2`, and the other facts are about that version\. Version `1\.0\.1` of the listing, published 2025-09-16, recorded the npm package `packaged@1\.0\.25`, for which it names no inputs\./,
  ],
])('says of %s whether the record has it, and of what day, in all answers', async (asked, said) => {
  const of =
    typeof said === 'string' ? (text: string) => text.startsWith(said) : (text: string) => said.test(text);
  const holds = (text: string | undefined) => expect(of(text ?? ''), text).toBe(true);
  holds(
    (await callTool<{ version_asked?: string }>(directory, 'get_agent', { handle: asked })).version_asked,
  );
  const { results } = await callTool<{ results: readonly { version_asked?: string }[] }>(
    directory,
    'resolve_agents',
    { handles: [asked] },
  );
  holds(results[0]?.version_asked);
  const { statement } = await callTool<{ statement: string }>(directory, 'get_history', { handle: asked });
  holds(statement);
  const [compared] = (
    await callTool<{ listings: readonly { version_asked?: string }[] }>(directory, 'compare_agents', {
      handles: [asked, moving],
    })
  ).listings;
  holds(compared?.version_asked);
});

it.each<[string, RegExp]>([
  ...[`${plain} v1`, `${plain}@^1.0.0`, `${plain}@1.x`, `${plain} >= 1.0`].map((asked): [string, RegExp] => [
    asked,
    /^You asked about [`“][^`]+[`”], which fits the version shown, `1\.1\.0`\.$/,
  ]),
  [
    'npx -y packaged',
    /^Your request means the version that is the newest when it starts, which Dossier does not know; the record names `1\.0\.2`, and the other facts are about that version\.$/,
  ],
])('says of %s which version the facts are about, and sets nothing apart for it', async (handle, asked) => {
  expect(await callTool(directory, 'get_agent', { handle })).toMatchObject({
    version_asked: expect.stringMatching(asked),
  });
  const { results } = await callTool<{ results: readonly object[] }>(directory, 'resolve_agents', {
    handles: [handle],
  });
  expect(results).toMatchObject([
    { outcome: 'listed', notes: [expect.stringMatching(asked), expect.any(String)] },
  ]);
});

describe('a later version that leads callers to another host', () => {
  const moved =
    'Version `1.0.1-a` (published 2026-10-24, not the version shown) moved the endpoint from `mcp.cloud.com` to `cloud.com`';

  it('is told in what stands out and among the moves, as in the history', async () => {
    const { markdown } = await callTool<{ markdown: string }>(directory, 'get_agent', {
      handle: moving,
      detail: 'full',
    });
    expect(markdown).toContain(`Stands out: ${moved}`);
    expect(markdown).toContain(`* Moves between versions of the record: ${moved}`);
    const { statement, changes } = await callTool<{ statement: string; changes: readonly string[] }>(
      directory,
      'get_history',
      { handle: moving },
    );
    expect(statement).toContain('Of 2 versions, 1 made a move');
    const told = moved.replace('Version', 'version');
    expect(changes[0]).toContain(`2026-10-24 ${told}`);
    const page = await (await directory.app.request(`/agents/${moving}/history`)).text();
    expect(page).toContain(', not the version shown) moved the endpoint from');
  });

  it('is found by the address that only it records', async () => {
    const { found_by } = await callTool<{ found_by?: string }>(directory, 'get_agent', {
      handle: 'https://cloud.com/mcp',
    });
    expect(found_by).toBe(
      'the only listing that records this endpoint, in another version, not the shown one, published 2026-10-24',
    );
    const { found_by: shown } = await callTool<{ found_by?: string }>(directory, 'get_agent', {
      handle: 'https://mcp.cloud.com/mcp',
    });
    expect(shown).toBe('the only listing that records this endpoint; recording does not show control');
  });

  it('is one of the versions that are counted as compared', async () => {
    const { markdown } = await callTool<{ markdown: string }>(directory, 'get_agent', {
      handle: name,
      detail: 'full',
    });
    expect(markdown).toContain('none; 3 versions were compared, the oldest published on 2025-09-16');
  });
});

it('judges a listing by the day that it tells, which a deprecation does not renew', async () => {
  const old = 'com.old/mcp';
  const of = (name: string, status: 'active' | 'deprecated') =>
    registryEntry(
      name,
      { version: '0.1.10' },
      { publishedAt: '2025-03-13T08:00:00Z', updatedAt: '2026-11-13T08:00:00Z', status },
    );
  const opened = await openedDirectory({ entries: [of(old, 'deprecated'), of('com.older/mcp', 'active')] });
  const { post } = opened;
  const get = (path: string) => opened.app.request(path);
  const call = async (tool: string, input: object) => (await post(`/api/tools/${tool}`, input)).text();
  const dates = (separator: string) =>
    `published 2025-03-13${separator}entry changed 2026-11-13 (status: deprecated)`;
  expect(await call('get_agent', { handle: old })).toContain(dates('; '));
  expect(await call('search_agents', { publisher: 'com.old' })).toContain(dates('","'));
  const compared = await call('compare_agents', {
    handles: [old, 'com.older/mcp'],
    criteria: [{ criterion: 'updated_within_days', value: 210 }],
  });
  expect(compared.match(/"updated_within_days:210":"\w+"/g)).toEqual([
    '"updated_within_days:210":"unknown"',
    '"updated_within_days:210":"met"',
  ]);
  expect(await call('get_agent', { handle: 'com.older/mcp' })).toContain('entry changed 2026-11-13');
  const { listings } = await callTool<{ listings: { handle: string }[] }>(opened, 'search_agents', {
    sort: 'updated',
  });
  expect(listings.map(({ handle }) => handle).filter((handle) => handle.startsWith('com.old'))).toEqual([
    'com.older/mcp',
    old,
  ]);
  expect(await (await get('/sitemap.xml')).text()).toContain(
    '/agents/com.old/mcp</loc><lastmod>2025-03-13T08:00:00.000Z</lastmod>',
  );
  expect(await (await post('/ard/search', { query: { text: 'com.old/mcp' } })).text()).toContain(
    '"updatedAt":"2025-03-13T08:00:00.000Z"',
  );
});

it('finds the version of a package, however many came after it', async () => {
  const many = 'com.example/many';
  const entries = Array.from({ length: 103 }, (_, at) => {
    const day = new Date(Date.UTC(2026, 1, 1 + at)).toISOString();
    const packages = [{ registryType: 'npm', identifier: 'many', version: `1.0.${at + 500}` }];
    const dates = { publishedAt: day, updatedAt: day, isLatest: at === 102 };
    return registryEntry(many, { version: `1.0.${at}`, packages }, dates);
  });
  const { post } = await openedDirectory({ entries });
  const said = async (version: string) =>
    (await post('/api/tools/get_agent', { handle: `npm:many@${version}` })).text();
  expect(await said('1.0.550')).toContain('Version `1.0.50` of the listing');
  expect(await said('1.0.550')).toContain('recorded the npm package `many@1.0.550`');
  expect(await said('1.0.501')).toContain(
    'Version `1.0.1` of the listing, published 2026-02-02, recorded the npm package `many@1.0.501`, ',
  );
  expect(await said('1.0.501')).not.toContain('no version of the record');
  expect(await said('9.9.9')).toContain(
    'no version of the record that Dossier has read names the package at `9.9.9`',
  );
});

describe('a package that older versions named', () => {
  const dated = (version: string, at: number, identifier: string, more: object = {}) => {
    const day = new Date(Date.UTC(2026, 1, 1 + at)).toISOString();
    const { inputs = [], ...rest } = more as { inputs?: readonly string[] };
    const environmentVariables = inputs.map((name) => ({ name, isSecret: true }));
    const packages = [{ registryType: 'npm', identifier, version, environmentVariables }];
    const official = { publishedAt: day, updatedAt: day, isLatest: identifier.endsWith('-now') };
    return (handle: string) => registryEntry(handle, { version, packages, ...rest }, official);
  };
  const told = async (entries: ReturnType<typeof registryEntry>[], handle: string) => {
    const opened = await openedDirectory({ entries });
    const { version_asked = '' } = await callTool<{ version_asked?: string }>(opened, 'get_agent', {
      handle,
    });
    return version_asked;
  };

  it('is counted in no more versions than were looked at', async () => {
    const versions = Array.from({ length: 14 }, (_, at) => dated(`1.${at}.0`, at, 'twelve-old'));
    const entries = [...versions, dated('2.0.0', 30, 'twelve-now')].map((of) => of('com.harbour/twelve'));
    expect(await told(entries, 'npm:twelve-old')).toMatch(
      / Version `1\.13\.0` of the listing, .*; version `1\.11\.0` of the listing, [^;]*; of older versions, inputs and other parts are left out here; at least 7 more versions named it too\.$/,
    );
    const few = [...versions.slice(0, 5), dated('2.0.0', 30, 'twelve-now')].map((of) =>
      of('com.harbour/five'),
    );
    expect(await told(few, 'npm:twelve-old')).toMatch(/; 2 more versions named it too\.$/);
  });

  it('is found by what a version named, not by what newer ones say', async () => {
    const handle = 'com.evil/hide';
    const says = { description: 'We no longer use hide-old at all' };
    const entries = [
      dated('1.0.0', 0, 'hide-old', { inputs: ['STEAL_KEY'] })(handle),
      ...Array.from({ length: 11 }, (_, at) => dated(`2.${at}.0`, 1 + at, 'hide-newer', says)(handle)),
      dated('3.0.0', 30, 'hide-now', says)(handle),
    ];
    const later = Array.from({ length: 11 }, (_, at) => {
      const description = 'Better than hide-old 1.0.0';
      return dated(`1.${at}.1`, 1 + at, 'hide-old', { description })(handle);
    });
    expect(
      await told([...entries.slice(0, 1), ...later, ...entries.slice(-1)], 'npm:hide-old@v1.0.0'),
    ).toMatch(
      /ersion `1\.0\.0` of the listing, published 2026-02-01, recorded the npm package `hide-old@1\.0\.0`, which .*`STEAL_KEY`/,
    );
    for (const asked of ['npm:hide-old', 'npm:hide-old@1.0.0'])
      expect(await told(entries, asked)).toMatch(
        /ersion `1\.0\.0` of the listing, published 2026-02-01, recorded the npm package `hide-old@1\.0\.0`, which .*`STEAL_KEY`/,
      );
  });
});

it('lists what came after the earliest of the versions that named what was asked for, and says what is left out', async () => {
  const of = (version: string, day: string, tag: string, inputs: readonly string[], isLatest = false) => {
    const transport = { type: 'stdio' };
    const environmentVariables = inputs.map((name) => ({ name, isSecret: true }));
    const identifier = `docker.io/schema/crawler:${tag}`;
    const packages = [{ registryType: 'oci', identifier, transport, environmentVariables }];
    const official = { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, isLatest };
    return registryEntry('com.schema/crawler', { version, packages }, official);
  };
  const opened = await openedDirectory({
    entries: [
      of('1.0.0', '2025-10-01', 'v0', []),
      of('1.0.1', '2025-10-07', 'v1', ['FIRST_KEY']),
      of('1.0.2', '2025-11-02', 'v1', ['FIRST_KEY', 'OTHER_KEY']),
      of('2.0.0', '2025-11-09', 'v2', ['FIRST_KEY', 'OTHER_KEY'], true),
    ],
  });
  const { statement, changes } = await callTool<{ statement: string; changes: readonly string[] }>(
    opened,
    'get_history',
    { handle: 'docker.io/schema/crawler:v1' },
  );
  expect(statement).toContain('Listed is what came after version `1.0.1`, published 2025-10-07.');
  expect(statement).toContain(
    'version `1.0.1` of the listing, published 2025-10-07, recorded the oci package `docker.io/schema/crawler:v1` over stdio; of older versions, inputs and other parts are left out here.',
  );
  expect(changes).toEqual([
    expect.stringContaining('version `2.0.0`'),
    expect.stringMatching(/version `1\.0\.2`.*`OTHER_KEY`/),
  ]);
});

it.each<[asked: string, begins: string, changes: readonly string[]]>([
  [
    `${behind}@0.0.17`,
    'Listed is what came after version `0.0.17`, published 2025-10-20. Of versions, the records are compared, not the code: what changed in it, the publisher may say.',
    [
      '2025-10-21 version `0.0.18` (published 2025-10-21, not the version shown) changed package version from `0.0.17` to `0.0.18`',
    ],
  ],
  [
    'npx @p1va/symbols@0.0.17',
    'Listed is what came after version `0.0.17`, published 2025-10-20.',
    [
      '2025-10-21 version `0.0.18` (published 2025-10-21, not the version shown) changed package version from `0.0.17` to `0.0.18`',
    ],
  ],
  // Published at the same time.
  [
    'npx packaged@1.0.25',
    'Listed is what came after version `1.0.1`, published 2025-09-16.',
    ['2025-09-16 version `1.0.2` (published 2025-09-16) changed package version from `1.0.25` to `1.0.2`'],
  ],
])('lists what came after the version of %s', async (asked, begins, told) => {
  const { statement, changes } = await callTool<{ statement: string; changes: readonly string[] }>(
    directory,
    'get_history',
    { handle: asked },
  );
  expect(statement).toContain(begins);
  expect(changes).toEqual(told);
});
