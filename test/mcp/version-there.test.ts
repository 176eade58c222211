import { expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { osvRecord, startOsvApi } from '../support/endpoints/osv-api.ts';
import { npmPackument, type Stored, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

/** The newest twenty of them are kept. */
const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`1.${at}.0`, {}]));
const released = (version: string) => ({ url: `https://files.example.org/${version}` });
const pypi: Stored = {
  info: { name: 'sql-mcp', version: '1.3' },
  releases: Object.fromEntries(['1.2', '1.3'].map((version) => [version, [released(version)]])),
  urls: [],
};
let isThere = true;
const npm = await opened(
  startPackageRegistry(() => ({
    '/@northgate%2fmcp-server': npmPackument('@northgate/mcp-server', { '1.2.0': {}, '1.3.0': {} }, {}),
    '/worn': npmPackument('worn', { '1.0.0': { deprecated: 'Use 2' }, '2.0.0': {} }, {}),
    '/taken': npmPackument('taken', { '1.9.0': {}, '2.0.0': {} }, {}),
    '/first': npmPackument('first', { '1.0.0': { scripts: { postinstall: 'node setup.js' } } }, {}),
    '/second': npmPackument('second', { '1.0.0': { deprecated: 'Unkept' } }, {}),
    '/sound': npmPackument('sound', { '1.0.0': {} }, {}),
    '/removed': npmPackument('removed', { '2.0.2': {}, ...(isThere && { '2.0.3': {} }) }, {}),
    '/beside': npmPackument('beside', { '1.0.0': {} }, {}),
    '/many': npmPackument('many', many, {}),
    '/pypi/sql-mcp/json': pypi,
    '/api/v1/crates/example-server': {
      crate: { name: 'example-server', max_stable_version: '0.3.0' },
      versions: [{ num: '0.3.0' }, { num: '0.2.0' }],
    },
    '/v3/registration5-gz-semver2/example.server/index.json': {
      items: [
        {
          items: ['1.1.0', '1.2.0.1'].map((version) => ({ catalogEntry: { id: 'Example.Server', version } })),
        },
      ],
    },
  })),
);
const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
let digest = digestOf('a');
const oci = await opened(
  startPackageRegistry(() => ({
    '/v2/example/server/manifests/1.0': {
      status: 200,
      text: '{"schemaVersion":2}',
      headers: { 'docker-content-digest': digest },
    },
  })),
);
const osv = await opened(
  startOsvApi(() => [
    osvRecord('MAL-2026-1', ['npm', '@northgate/mcp-server'], { versions: ['1.2.9'] }),
    osvRecord('MAL-2026-3', ['npm', 'worn'], { versions: ['2.0.0'] }),
    osvRecord('MAL-2026-2', ['npm', 'beside'], { versions: ['1.0.0'] }),
  ]),
);
const listed = (name: string, registryType: string, identifier: string, version?: string) =>
  registryEntry(`com.example/${name}`, {
    packages: [{ registryType, identifier, ...(version && { version }) }],
    remotes: [],
  });
const entries = [
  listed('npm', 'npm', '@northgate/mcp-server', '1.2.0'),
  listed('many', 'npm', 'many'),
  listed('worn', 'npm', 'worn', '2.0.0'),
  listed('ghosty', 'npm', 'ghosty-cal', '1.0.0'),
  listed('taken', 'npm', 'taken', '2.1.0'),
  listed('removed', 'npm', 'removed', '2.0.3'),
  listed('pypi', 'pypi', 'sql-mcp', '1.3'),
  listed('cargo', 'cargo', 'example-server', '0.3.0'),
  listed('nuget', 'nuget', 'Example.Server', '1.2.0.1'),
  listed('image', 'oci', 'docker.io/example/server:1.0'),
  ...[
    ['both', 'first', 'second'],
    ['mixed', 'sound', 'beside'],
  ].map(([name, ...packages]) =>
    registryEntry(`com.example/${name}`, {
      packages: packages.map((identifier) => ({ registryType: 'npm', identifier, version: '1.0.0' })),
      remotes: [],
    }),
  ),
];
const directory = await openedDirectory({
  entries,
  environment: {
    ADVISORIES: osv.url,
    PACKAGE_REGISTRIES: JSON.stringify({
      ...Object.fromEntries(['npm', 'pypi', 'cargo', 'nuget'].map((type) => [type, npm.url])),
      oci: oci.url,
    }),
  },
});
const client = await opened(connect('v2', directory));
for (const name of ['npm', 'worn', 'taken', 'many', 'ghosty', 'pypi', 'cargo', 'nuget', 'both', 'mixed'])
  await directory.observe(`com.example/${name}`);

const saysOf = async (handle: string) => {
  const { structuredContent } = await client.call('get_agent', { handle });
  return String(structuredContent?.version_asked)
    .replace(/\d{4}-\d\d-\d\d/g, '<date>')
    .replace(/ ?You asked about .* about (?:that|the newest) version(?:; as of [^;]* at `[\w.]+`)?\. ?/, '');
};

it.each([
  [
    'npx -y @northgate/mcp-server@9.9.9',
    'npm has no version `9.9.9` of `npm:@northgate/mcp-server` (Dossier, <date>).',
  ],
  [
    'npx -y @northgate/mcp-server@1.2.5',
    'npm has no version `1.2.5` of `npm:@northgate/mcp-server` (Dossier, <date>).',
  ],
  [
    'npx -y @northgate/mcp-server@0.5.0',
    'npm has no version `0.5.0` of `npm:@northgate/mcp-server` (Dossier, <date>).',
  ],
  ['uvx sql-mcp==0.1.0', 'PyPI has no version `0.1.0` of `pypi:sql-mcp` (Dossier, <date>).'],
  [
    'npx -y ghosty-cal@2.0.0',
    'npm has no package `ghosty-cal`; a name that is free can be registered by others (Dossier, <date>).',
  ],
  ['many@2.0.0', 'npm has no version `2.0.0` of `npm:many` (Dossier, <date>).'],
  ['taken@9.9.9', 'npm has no version `9.9.9` of `npm:taken` (Dossier, <date>).'],
  ['uvx sql-mcp==9.0', 'PyPI has no version `9.0` of `pypi:sql-mcp` (Dossier, <date>).'],
  [
    'cargo:example-server@0.4.0',
    'crates.io has no version `0.4.0` of `cargo:example-server` (Dossier, <date>).',
  ],
  ['nuget:Example.Server@3.0.0', 'NuGet has no version `3.0.0` of `nuget:Example.Server` (Dossier, <date>).'],
])(
  'says first that the registry does not have the version of %s, and no word about advisories',
  async (handle, says) => {
    expect(await saysOf(handle)).toBe(says);
  },
);

it.each([
  [
    '@northgate/mcp-server@1.3.0',
    'OSV lists no advisory about version `1.3.0` of `npm:@northgate/mcp-server` (Dossier, <date>). Version `1.3.0` of `npm:@northgate/mcp-server` names no script that npm runs at installation and has no provenance (Dossier, <date>).',
  ],
  ['@northgate/mcp-server@v1.3.0', /^OSV lists no advisory/],
  ['uvx sql-mcp==1.2.0', /^OSV lists no advisory/],
  [
    'many@1.0.5',
    'OSV lists no advisory about version `1.0.5` of `npm:many`, and Dossier does not know whether there is such a version (Dossier, <date>). Not known of version `1.0.5`: whether npm marks it as deprecated, its installation scripts, its publisher, its provenance, its licence.',
  ],
])('does not say it of %s', async (handle, says) => {
  const said = await saysOf(handle);
  if (says instanceof RegExp) expect(said).toMatch(says);
  else expect(said).toBe(says);
});

it.each([
  ['sql-mcp<1.3', '1.2', 'the record names `1.3`'],
  ['sql-mcp~=1.2', '1.3', 'it is the recorded one'],
  ['sql-mcp==1.2.*', '1.2', 'the record names `1.3`'],
  ['sql-mcp>=1.0,!=1.3', '1.2', 'the record names `1.3`'],
  ['npm:many@>=1.12.0 <1.15', '1.14.0', 'the record names no version'],
])('of the range %s it names the version that fits', async (handle, version, record) => {
  const { structuredContent } = await client.call('get_agent', { handle });
  expect(structuredContent?.version_asked).toMatch(
    new RegExp(
      `which means \`${version}\`, the version that fits of those that \\w+ had on [\\d-]+; ${record}`,
      'i',
    ),
  );
});

it('leaves a range below all versions that it knows to the registry', async () => {
  const { structuredContent } = await client.call('get_agent', { handle: 'npm:many@~1.2.0' });
  expect(structuredContent?.version_asked).toContain(
    'which version fits, the registry decides when it is installed',
  );
});

it('keeps a report about a version that the registry took away', async () => {
  expect(await saysOf('npx -y @northgate/mcp-server@1.2.9')).toBe(
    'OSV lists version `1.2.9` of `npm:@northgate/mcp-server` as malicious code: `MAL-2026-1` “Malicious code in @northgate/mcp-server (npm)” (Dossier, <date>). npm has no version `1.2.9` of `npm:@northgate/mcp-server` (Dossier, <date>).',
  );
});

it.each([
  ['npm:first', ['first']],
  ['npx -y second', ['second']],
  ['com.example/both', ['second', 'first']],
])('says of %s what is of the package that was asked for', async (handle, order) => {
  const inOrder = (text: unknown) =>
    [...JSON.stringify(text).matchAll(/`1\.0\.0` of `npm:(\w+)`/g)].map(([, name]) => name);
  const { content, structuredContent } = await client.call('get_agent', { handle });
  expect(inOrder(structuredContent?.stands_out)).toEqual(order);
  expect(inOrder(content[0]?.text?.replace(/\n\* .*/gs, ''))).toEqual(order);
  const { structuredContent: resolved } = await client.call('resolve_agents', { handles: [handle] });
  expect(inOrder(resolved)).toEqual(order);
});

it('does not call the newest version of a package unknown that npm does not have', async () => {
  const { structuredContent } = await client.call('get_agent', { handle: 'npx -y ghosty-cal' });
  expect(structuredContent?.version_asked).toMatch(
    /^Your request means the newest version of a package that npm did not have on [\d-]{10}; the record names `1\.0\.0`, and the other facts are about that version\.$/,
  );
});

it('tells of malicious code in another package of the record, whichever is asked for', async () => {
  const reported = /lists version `1\.0\.0` of `npm:beside` as malicious code/g;
  for (const handle of ['npm:sound', 'npm:beside', 'com.example/mixed']) {
    const { content, structuredContent } = await client.call('get_agent', { handle });
    const { structuredContent: resolved } = await client.call('resolve_agents', { handles: [handle] });
    for (const answer of [content[0]?.text, JSON.stringify(structuredContent), JSON.stringify(resolved)])
      expect(answer?.match(reported)).toHaveLength(1);
  }
});

it('compares a digest that was asked for with those of the recorded tag that were seen', async () => {
  const named = (digit: string, which: string) =>
    `You asked about \`${digestOf(digit)}\`; the record names \`1.0\`${which}, and the other facts are about that version${which === '' ? unnamed(digit) : ''}.`;
  const unnamed = (digit: string) =>
    `; as of <date>, no version of the record that Dossier has read names the package at \`${digestOf(digit)}\``;
  const other = (now: string) => `, which was another image, \`${digestOf(now)}\` (Dossier, <date>)`;
  const isThis = ', which was this image (Dossier, <date>)';
  const expectAll = async (all: Readonly<Record<string, string>>) => {
    for (const [digit, which] of Object.entries(all)) {
      const handle = `docker run --rm example/server@${digestOf(digit)}`;
      const { content, structuredContent } = await client.call('get_agent', { handle });
      for (const said of [structuredContent?.version_asked, content[0]?.text?.split('\n')[0]])
        expect(String(said).replace(/\d{4}-\d\d-\d\d/g, '<date>')).toBe(named(digit, which));
    }
  };
  await expectAll({ a: '' });
  await directory.observe('com.example/image');
  await expectAll({ a: isThis, b: other('a') });
  digest = digestOf('b');
  for (let check = 0; check < 2; check++) {
    directory.wait(86_400);
    await directory.observe('com.example/image');
  }
  await expectAll({
    a: `${other('b')}; until <date> it was the one that you asked about`,
    b: isThis,
    c: other('b'),
  });
});

it.each([
  [
    'npx -y taken',
    'Your request means the newest version, which was `2.0.0` in npm on <date>; the record names `2.1.0`',
  ],
  ['npx -y taken@^1.0.0', 'lists no advisory about version `1.9.0` of `npm:taken`'],
])('says what %s installs while npm lacks the recorded version', async (command, says) => {
  expect(await saysOf(command)).toContain(says);
  expect(await saysOf(command)).not.toContain('has no version');
});

it.each([
  ['@northgate/mcp-server@1.3.0', 'met', 'met', 'met', 'unknown'],
  ['@northgate/mcp-server@1.2.9', 'not_met', 'not_met', 'unknown', 'unknown'],
  ['@northgate/mcp-server@9.9.9', 'unknown', 'unknown', 'unknown', 'unknown'],
  ['worn', 'not_met', 'not_met', 'met', 'not_met'],
  ['worn@1.0.0', 'met', 'met', 'not_met', 'unknown'],
  ['worn@3.0.0', 'unknown', 'unknown', 'unknown', 'unknown'],
  ['many@1.0.5', 'unknown', 'unknown', 'unknown', 'unknown'],
])(
  'judges %s by what is known of the version asked for',
  async (name, malware, advisory, deprecated, built) => {
    const criteria = [
      'no_malware_report',
      'no_advisory',
      'package_not_deprecated',
      'package_built_from_repository',
    ];
    const handles = [`npm:${name}`, 'com.example/cargo'];
    const { structuredContent } = await client.call('compare_agents', { handles, criteria });
    expect(comparedOf(structuredContent)[0]?.results).toEqual({
      no_malware_report: malware,
      no_advisory: advisory,
      package_not_deprecated: deprecated,
      package_built_from_repository: built,
    });
  },
);

it('says since when the recorded version is gone from its registry, and which is the newest there', async () => {
  await directory.observe('com.example/removed');
  isThere = false;
  for (const _ of ['seen', 'confirmed']) {
    directory.wait(86_400);
    await directory.observe('com.example/removed');
  }
  const day = (ago: number) =>
    new Date(directory.context.clock().getTime() - ago * 86_400_000).toISOString().slice(0, 10);
  for (const handle of ['com.example/removed', 'npx -y removed@2.0.3']) {
    const { content, structuredContent } = await client.call('get_agent', { handle });
    for (const answer of [content[0]?.text, JSON.stringify(structuredContent)]) {
      expect(answer).toContain(
        `npm has no version \`2.0.3\` of \`removed\`; it was last there on ${day(2)}, and not since ${day(1)}`,
      );
      expect(answer).toContain('npm names `2.0.2` as the newest version');
    }
  }
  const { structuredContent } = await client.call('resolve_agents', { names: ['npx -y removed'] });
  expect(JSON.stringify(structuredContent)).toContain(`package version not there ${day(0)}`);
});
