import { expect, it } from 'vitest';
import { readName } from '../../src/listings/references/name.ts';
import { callTool } from '../support/directory.ts';
import { osvRecord, since, startOsvApi } from '../support/endpoints/osv-api.ts';
import { npmPackument, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const records = [
  osvRecord('MAL-2026-7001', ['npm', '@brambly/sql-mcp'], { versions: ['2.4.0'] }),
  osvRecord('GHSA-old', ['npm', '@brambly/sql-mcp'], since('1.0.0', '2.0.0')),
  osvRecord('MAL-2026-7004', ['npm', '@oxbow/etl'], { versions: ['4.2.0'] }),
  osvRecord('MAL-2026-7002', ['npm', 'packrat-files'], { versions: ['1.0.9'] }),
  osvRecord('GHSA-nuget', ['NuGet', 'Example.Server'], {
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2.0.1' }] }],
  }),
  osvRecord('RUSTSEC-1', ['crates.io', 'example-server'], since('0.0.0-0', '0.3.0')),
  ...Array.from({ length: 60 }, (_, at) =>
    osvRecord(`GHSA-many-${at}`, ['npm', 'many'], since('1.0.0', '2.0.0'), { summary: 'Words '.repeat(25) }),
  ),
  osvRecord('MAL-2026-7003', ['npm', 'unread'], {
    ranges: [{ type: 'SEMVER', events: [{ introduced: 'first' }] }],
  }),
  osvRecord('GHSA-git', ['npm', 'undecided'], { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }),
];
const listed = (name: string, registryType: string, identifier: string, version?: string) =>
  registryEntry(name, { packages: [{ registryType, identifier, ...(version && { version }) }], remotes: [] });
const handles = {
  brambly: 'com.brambly/sql',
  packrat: 'com.packrat/files',
  undecided: 'com.undecided/one',
  pypi: 'com.example/pypi',
  image: 'com.example/image',
  newest: 'com.example/newest',
  many: 'com.example/many',
  unread: 'com.example/unread',
  both: 'com.example/both',
  nuget: 'com.example/nuget',
  cargo: 'com.example/cargo',
};

const osv = await opened(startOsvApi(() => records));
const directory = await openedDirectory({
  entries: [
    listed(handles.brambly, 'npm', '@brambly/sql-mcp', '2.3.1'),
    listed(handles.packrat, 'npm', 'packrat-files', '1.0.9'),
    listed(handles.undecided, 'npm', 'undecided', '1.0.0'),
    listed(handles.pypi, 'pypi', 'sql-mcp', '1.2'),
    listed(handles.image, 'oci', 'ghcr.io/example/server:1.2.0'),
    listed(handles.nuget, 'nuget', 'Example.Server', '1.2.0.1'),
    listed(handles.cargo, 'cargo', 'example-server', '0.3.0'),
    listed(handles.newest, 'npm', 'unpinned'),
    listed(handles.many, 'npm', 'many', '3.0.0'),
    listed(handles.unread, 'npm', 'unread', '3.0.0'),
    listed(handles.both, 'oci', `ghcr.io/example/both:1.2.0@sha256:${'ab'.repeat(32)}`),
  ],
  environment: { ADVISORIES: osv.url },
});
const client = await opened(connect('v2', directory));
for (const handle of Object.values(handles)) await directory.observe(handle);

async function call(tool: string, input: Record<string, unknown>) {
  const { content, structuredContent = {} } = await client.call(tool, input);
  return { text: content.map(({ text = '' }) => text).join('\n'), json: structuredContent };
}
const withoutDates = (text: unknown) => String(text).replace(/ \(Dossier, [\d-]{10}\)/g, '');
const askedOf = async (handle: string) => {
  const { text, json } = await call('get_agent', { handle });
  const { version_asked } = json;
  if (version_asked !== undefined) expect(text.replaceAll('\\', '').split('\n')[0]).toBe(version_asked);
  return version_asked === undefined ? undefined : withoutDates(version_asked);
};

const unnamed = (asked: string) =>
  `; as of 2026-10-02, no version of the record that Dossier has read names the package at \`${asked}\`.`;
const differs = `You asked about \`2.4.0\`; the record names \`2.3.1\`, and the other facts are about that version${unnamed('2.4.0')}`;
const unread = (version: string) =>
  `Not known of version \`${version}\`: whether npm marks it as deprecated, its installation scripts, its publisher, its provenance, its licence.`;
const unreadOnPypi = (version: string) =>
  `Not known of version \`${version}\`: whether PyPI marks it as yanked, its provenance, its licence.`;
const malicious =
  'OSV lists version `2.4.0` of `npm:@brambly/sql-mcp` as malicious code: `MAL-2026-7001` “Malicious code in @brambly/sql-mcp (npm)”.';

it.each([
  'npx -y @brambly/sql-mcp@2.4.0',
  'npx -y @brambly/sql-mcp@2.4.0',
  'npm:@brambly/sql-mcp@2.4.0',
  'pkg:npm/@brambly/sql-mcp@2.4.0',
  'pkg:npm/%40brambly/sql-mcp@2.4.0?x=y#z',
  '@brambly/sql-mcp@2.4.0',
  ' <@brambly/sql-mcp@v2.4.0> ',
])('answers first about the version that %j asks for', async (handle) => {
  expect((await askedOf(handle))?.replaceAll('`v2', '`2')).toBe(`${malicious} ${differs} ${unread('2.4.0')}`);
});

it.each([
  '@brambly/sql-mcp@=2.3.1',
  '@brambly/sql-mcp=2.3.1',
  `ghcr.io/example/both@sha256:${'ab'.repeat(32)}`,
  'npx -y @brambly/sql-mcp@2.3.1',
  '@brambly/sql-mcp@v2.3.1',
  '@brambly/sql-mcp',
  handles.brambly,
  `${handles.brambly}@latest`,
])('says nothing of versions where the record names the one of %j', async (handle) => {
  expect(await askedOf(handle)).toBeUndefined();
});

const beside = 'the record names `2.3.1`, and the other facts are about that version.';
const reported =
  'OSV lists versions of `npm:@brambly/sql-mcp` as malicious code (`2.4.0`: `MAL-2026-7001`, malicious code).';

it.each(['latest', 'next'])('says that %s is not a version', async (version) => {
  expect(await askedOf(`npm:@brambly/sql-mcp@${version}`)).toBe(
    `You asked about \`${version}\`, which is not a version; ${beside}`,
  );
});

it.each(['^2', '2', '2.x', '>=2'])(
  'leaves %s to a registry that was not asked, reports first',
  async (range) => {
    expect(await askedOf(`npm:@brambly/sql-mcp@${range}`)).toBe(
      `${reported} You asked about ${range === '^2' ? '“^2”' : `\`${range}\``}; which version fits, the registry decides when it is installed; ${beside}`,
    );
  },
);

const next = (asked: string, named: string) =>
  `You asked about \`${asked}\`; the record names \`${named}\`, and the other facts are about that version${unnamed(asked)}`;
const none = (asked: string, what: string) =>
  `OSV lists no advisory about version \`${asked}\` of \`${what}\`, and Dossier does not know whether there is such a version.`;
const untold = (asked: string, what: string) =>
  `Dossier cannot tell whether OSV lists an advisory about version \`${asked}\` of \`${what}\`, and Dossier does not know whether there is such a version.`;
const digest = `sha256:${'ab'.repeat(32)}`;
const unlike = (asked: string, rest = '.') =>
  `${asked}; the record names \`1.2.0@${digest}\`, which is not known to be the same image, because a tag can be moved, and the other facts are about that version${rest}`;

it.each<[asked: string, says: string | RegExp | undefined]>([
  [
    '@brambly/sql-mcp@1.5.0',
    `1 advisory about version \`1.5.0\` of \`npm:@brambly/sql-mcp\`: \`GHSA-old\` (fixed in \`2.0.0\`) “A fault of @brambly/sql-mcp” (severity not stated). ${next('1.5.0', '2.3.1')} ${unread('1.5.0')}`,
  ],
  [
    'packrat-files@1.0.8',
    `${next('1.0.8', '1.0.9')} ${none('1.0.8', 'npm:packrat-files')} ${unread('1.0.8')}`,
  ],
  ['undecided@2.0.0', `${next('2.0.0', '1.0.0')} ${untold('2.0.0', 'npm:undecided')} ${unread('2.0.0')}`],
  // It counts no more advisories than it knows of.
  ['many@1.5.0', /^At least \d+ advisories about version `1\.5\.0` of `npm:many`: /],
  [
    'unread@1.5.0',
    `OSV lists versions of \`npm:unread\` as malicious code in \`MAL-2026-7003\`; Dossier could not decide whether version \`1.5.0\` is one of them. ${next('1.5.0', '3.0.0')} ${untold('1.5.0', 'npm:unread')} ${unread('1.5.0')}`,
  ],
  ['ghcr.io/example/both:1.3.0', unlike('You asked about `1.3.0`', unnamed('1.3.0'))],
  ['docker pull ghcr.io/example/both:1.2.0', unlike('You asked about `1.2.0`')],
  ['docker pull ghcr.io/example/both:v1.2.0', unlike('You asked about `v1.2.0`', unnamed('v1.2.0'))],
  ['docker run -i --rm ghcr.io/example/both', unlike('Your request names no tag, which means `latest`')],
  [`ghcr.io/example/both:1.2.0@${digest}`, undefined],
  [
    `ghcr.io/example/both@sha256:${'cd'.repeat(32)}`,
    `You asked about \`sha256:${'cd'.repeat(32)}\`; the record names \`1.2.0@${digest}\`, another image, and the other facts are about that version.`,
  ],
  // Versions are compared as their registry does, and tags of images as texts.
  ['sql-mcp==1.2.0', undefined],
  ['uvx sql-mcp==1.3', `${next('1.3', '1.2')} ${none('1.3', 'pypi:sql-mcp')} ${unreadOnPypi('1.3')}`],
  [
    "uvx --from 'sql-mcp>=1.0' sql",
    'You asked about `>=1.0`; which version fits, the registry decides when it is installed; the record names `1.2`, and the other facts are about that version.',
  ],
  [
    'sql-mcp>=1.0,<2',
    /^You asked about “>=1\.0,<2”; which version fits, the registry decides when it is installed; the record names `1\.2`, /,
  ],
  ['ghcr.io/example/server:1.2.0', undefined],
  ['oci:ghcr.io/example/server:1.3.0-alpine', next('1.3.0-alpine', '1.2.0')],
  ['oci:ghcr.io/example/server:latest', /which is not a version/],
  [`oci:ghcr.io/example/server:1.2.0@${digest}`, next(digest, '1.2.0')],
  [
    'nuget:example.server@1.2.0',
    /^1 advisory about version `1\.2\.0` of `nuget:Example\.Server`: `GHSA-nuget`/,
  ],
  ['nuget:Example.Server@1.2.0.1', undefined],
  ['cargo:example-server@0.2.9', /`RUSTSEC-1`/],
  [
    'unpinned@1.0.0',
    `You asked about \`1.0.0\`; the record names no version of the package, and the other facts are about the newest version${unnamed('1.0.0')} ${unread('1.0.0')}`,
  ],
])('of %s it says first %s', async (handle, says) => {
  const said = await askedOf(handle);
  if (says instanceof RegExp) expect(said).toMatch(says);
  else expect(said).toBe(says);
});

it('does not keep back what is known of the recorded version', async () => {
  const { json } = await call('get_agent', { handle: 'packrat-files@1.0.8' });
  expect((json.stands_out as string[])[0]).toContain(
    'OSV lists version `1.0.9` of `npm:packrat-files` as malicious code',
  );
});

it('says it in every tool that takes the name of a package, in text and JSON', async () => {
  const name = '@brambly/sql-mcp@2.4.0';
  const compared = await call('compare_agents', { handles: [name, handles.packrat] });
  const [first, second] = compared.json.listings as { version_asked?: string }[];
  expect(withoutDates(first?.version_asked)).toBe(`${malicious} ${differs} ${unread('2.4.0')}`);
  expect(second).not.toHaveProperty('version_asked');
  const criteria = ['no_malware_report'];
  const judged = await call('compare_agents', { handles: [name, handles.pypi], criteria });
  expect(judged.text).toContain('no_malware_report: not_met');
  const history = await call('get_history', { handle: name });
  expect(withoutDates(history.json.statement)).toContain(
    `${malicious} ${differs} ${unread('2.4.0')} The last check was on `,
  );
  const resolved = await call('resolve_agents', { handles: [name] });
  expect(resolved.json.results).toMatchObject([{ version_asked: expect.stringContaining(differs) }]);
  const found = await call('search_agents', { query: name });
  const [hit] = found.json.listings as { facts: string[] }[];
  expect(hit?.facts[0]).toContain(differs);
  for (const { text } of [compared, history, resolved, found]) {
    expect(text).toContain('You asked about `2.4.0`; the record names `2.3.1`');
    expect(text).toContain('as malicious code: `MAL-2026-7001`');
  }
  const page = await (await directory.app.request(`/agents?q=${encodeURIComponent(name)}`)).text();
  expect(page).toContain('You asked about');
});

it('reads no version in a text of more than 500 characters, however long it is', async () => {
  const asked = (length: number) => '@brambly/sql-mcp@2.4.0'.padEnd(length, '0');
  expect(readName(asked(500), '').version).toMatchObject({ isExact: true });
  for (const length of [501, 10_000]) expect(readName(asked(length), '').version).toBeUndefined();
  const factsOf = async (query: string) => JSON.stringify((await call('search_agents', { query })).json);
  expect(await factsOf('@brambly/sql-mcp@2.4.0')).toContain('You asked about `2.4.0`');
  const long = await factsOf(`brambly sql ${asked(488).replaceAll('00', '@@')}`.padEnd(10_000, '@'));
  expect(long).toContain(`"${handles.brambly}"`);
  expect(long).not.toContain('You asked about');
});

it('takes a command without a version, or with latest, for the newest that the registry had', async () => {
  const packument = npmPackument('@oxbow/etl', { '4.1.0': {}, '4.2.0': {} }, {});
  const npm = await opened(startPackageRegistry(() => ({ '/@oxbow%2fetl': packument })));
  const moved = await openedDirectory({
    entries: [listed('com.oxbow/etl', 'npm', '@oxbow/etl', '4.1.0')],
    environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }), ADVISORIES: osv.url },
  });
  await moved.observe('com.oxbow/etl');
  const day = moved.context.clock().toISOString().slice(0, 10);
  const about = async (handle: string) => (await callTool(moved, 'get_agent', { handle })).version_asked;
  for (const [range, version, other] of [
    ['^4.1.0', '4.2.0', 'the record names `4.1.0`'],
    ['~4.1.0', '4.1.0', 'it is the recorded one.'],
    ['>=4.1.0 <4.2.0', '4.1.0', 'it is the recorded one.'],
    ['4', '4.2.0', 'the record names `4.1.0`'],
  ] as const)
    expect(await about(`npm:@oxbow/etl@${range}`)).toMatch(
      new RegExp(
        `which means \`${version}\`, the version that fits of those that npm had on ${day}; ${other}`,
      ),
    );
  expect(await about('npx -y @oxbow/etl@^4.1.0')).toMatch(
    /^OSV lists version `4\.2\.0` of `npm:@oxbow\/etl` as malicious code: `MAL-2026-7004`/,
  );
  for (const handle of ['npx -y @oxbow/etl', 'npm:@oxbow/etl@latest'])
    expect(await about(handle)).toContain(
      `Your request means the newest version, which was \`4.2.0\` in npm on ${day}; the record names \`4.1.0\``,
    );
  expect(await about('@oxbow/etl')).toBeUndefined();
});

it('does not give the licence of the recorded version for that of another one', async () => {
  const packument = npmPackument(
    '@oxbow/etl',
    { '1.2.0': { license: 'MIT' }, '2.0.0': { license: 'BUSL-1.1' } },
    {},
  );
  const npm = await opened(startPackageRegistry(() => ({ '/@oxbow%2fetl': packument })));
  const relicensed = await openedDirectory({
    entries: [listed('com.oxbow/etl', 'npm', '@oxbow/etl', '2.0.0')],
    environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
  });
  await relicensed.observe('com.oxbow/etl');
  const about = async (handle: string) => (await callTool(relicensed, 'get_agent', { handle })).version_asked;
  expect(await about('npx -y @oxbow/etl@1.2.0')).toContain(
    'Version `1.2.0` of `npm:@oxbow/etl` states the licence `MIT`, and version `2.0.0` `BUSL-1.1`',
  );
  expect(await about('npx -y @oxbow/etl@2.0.0')).toBeUndefined();
});
