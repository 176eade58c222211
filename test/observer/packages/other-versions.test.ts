import { expect, it } from 'vitest';
import { startOsvApi } from '../../support/endpoints/osv-api.ts';
import {
  npmPackument,
  npmVersion,
  pypiRelease,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { packaged } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const by = (name: string) => ({ _npmUser: { name, email: `${name}@example.org` } });
const proven = { attestations: { url: 'https://registry.npmjs.org/-/npm/v1/attestations/x' } };
const released = (yanked_reason?: string) => [
  { filename: 'x.whl', yanked: yanked_reason !== undefined, yanked_reason: yanked_reason ?? null },
];
const calendar = {
  '1.0.0': { ...by('alice'), license: 'GPL-3.0' },
  '1.1.0': { ...by('alice'), license: 'MIT', deprecated: 'Loses events', dist: proven },
  '1.2.0': { ...by('alice'), license: 'MIT', dist: proven },
  '1.3.0': { ...by('mallory'), license: 'MIT', scripts: { postinstall: 'node setup.js' } },
};
const kept: Record<string, Stored> = {
  '/@orbital%2fcalendar-mcp': npmPackument('@orbital/calendar-mcp', calendar, {}),
  // Each of the newest twenty was built from a branch.
  '/branches': {
    ...npmPackument(
      'branches',
      {
        '1.0.0': {},
        '1.1.0': { scripts: { install: 'node build.js' } },
        ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`2.0.0-pr.${at}`, {}])),
      },
      {},
    ),
    'dist-tags': { latest: '1.1.0' },
  },
  '/wordy': npmPackument(
    'wordy',
    Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`1.${at}.0`, { deprecated: `${at} `.repeat(200) }]),
    ),
    {},
  ),
  '/large': { status: 200, text: `{"name":"large","readme":"${'x'.repeat(2_200_000)}"}` },
  '/large/4.0.0': npmVersion('large', '4.0.0', {}),
  '/pypi/pdfminer-mcp/json': {
    ...pypiRelease('pdfminer-mcp', '0.3.2'),
    releases: {
      '0.3.0': released(),
      '0.3.1': released('writes  credentials\nto the log'),
      '0.3.2': released(),
    },
  },
  '/pypi/pdfminer-mcp/0.3.0/json': pypiRelease('pdfminer-mcp', '0.3.0'),
  '/api/v1/crates/example-server': {
    crate: { name: 'example-server', max_stable_version: '0.3.0' },
    versions: [
      { num: '0.3.0', license: 'MIT' },
      { num: '0.2.0', license: 'MIT', yanked: true, yank_message: 'unsound' },
    ],
  },
  '/v3/registration5-gz-semver2/example.server/index.json': {
    items: [
      {
        items: [
          { id: 'Example.Server', version: '1.0.0', listed: false, licenseExpression: 'Apache-2.0' },
          { id: 'Example.Server', version: '1.1.0', licenseExpression: 'MIT' },
        ].map((catalogEntry) => ({ catalogEntry })),
      },
    ],
  },
};
let content = kept;
const registry = await opened(startPackageRegistry(() => content));
const osv = await opened(startOsvApi(() => []));
const directory = await openedDirectory({
  entries: [
    packaged('com.example/npm', 'npm', '@orbital/calendar-mcp', '1.2.0'),
    packaged('com.example/branches', 'npm', 'branches', '1.0.0'),
    packaged('com.example/wordy', 'npm', 'wordy', '1.19.0'),
    packaged('com.example/large', 'npm', 'large', '4.0.0'),
    packaged('com.example/pdfminer', 'pypi', 'pdfminer-mcp', '0.3.0'),
    packaged('com.example/cargo', 'cargo', 'example-server', '0.3.0'),
    packaged('com.example/nuget', 'nuget', 'Example.Server', '1.1.0'),
  ],
  environment: {
    ADVISORIES: osv.url,
    PACKAGE_REGISTRIES: JSON.stringify(
      Object.fromEntries(['npm', 'pypi', 'cargo', 'nuget'].map((type) => [type, registry.url])),
    ),
  },
});
for (const name of ['npm', 'branches', 'wordy', 'large', 'pdfminer', 'cargo', 'nuget'])
  await directory.observe(`com.example/${name}`);
const client = await opened(connect('v2', directory));

const undated = (said: unknown) =>
  String(said)
    .replace(/ \(Dossier, [\d-]{10}\)/g, '')
    .replace(
      /(?:You asked about|Your request means) .* about (?:that|the newest) version(?:; as of [\d-]+, no version of the record that Dossier has read names the package at `[^`]+`)?\. ?/,
      '',
    );
it('says in a search that the recorded version is deprecated, with the words of its registry', async () => {
  const { structuredContent } = await client.call('search_agents', { query: 'wordy' });
  const [wordy] = (structuredContent?.listings ?? []) as { facts: string[] }[];
  expect(wordy?.facts.at(-1)).toMatch(
    /^npm marks version `1\.19\.0` of `npm:wordy` as deprecated \(Dossier, [\d-]{10}\): “19 /,
  );
});

const saysOf = async (handle: string) =>
  undated((await client.call('get_agent', { handle })).structuredContent?.version_asked).trim();

const script =
  'Version `1.3.0` of `npm:@orbital/calendar-mcp` names `postinstall` “node setup.js”, which npm runs at installation; version `1.2.0` names none.';
const account =
  'Version `1.3.0` of `npm:@orbital/calendar-mcp` was published by `mallory`, and version `1.2.0` by `alice`.';
const unproven = (version: string) =>
  `Version \`${version}\` of \`npm:@orbital/calendar-mcp\` has no provenance, and version \`1.2.0\` has.`;
const none = (version: string, what: string) =>
  `OSV lists no advisory about version \`${version}\` of \`${what}\`.`;
const plain = (version: string) =>
  `Version \`${version}\` of \`npm:@orbital/calendar-mcp\` names no script that npm runs at installation, was published by \`alice\` and has provenance, whose signature Dossier did not check.`;
const yanked =
  'PyPI marks version `0.3.1` of `pypi:pdfminer-mcp` as yanked: “writes credentials to the log”.';

it.each([
  'npx -y @orbital/calendar-mcp@latest',
  'npx -y @orbital/calendar-mcp',
  'npx -y @orbital/calendar-mcp@1.3.0',
  'npm:@orbital/calendar-mcp@^1.2',
])('says of %s what decides of the version that it starts', async (handle) => {
  expect(await saysOf(handle)).toBe(
    `${script} ${account} ${unproven('1.3.0')} ${none('1.3.0', 'npm:@orbital/calendar-mcp')}`,
  );
});

it('says of the recorded version too that it names no script', async () => {
  const { structuredContent } = await client.call('get_agent', {
    handle: 'npx -y @orbital/calendar-mcp@1.2.0',
  });
  expect(structuredContent?.version_asked).toBeUndefined();
  expect(JSON.stringify(structuredContent?.lines)).toMatch(
    /[.;:] ?"?[Tt]he package names no script that npm runs at installation[.;]/,
  );
});

it.each([
  [
    'npx -y @orbital/calendar-mcp@1.1.0',
    `npm marks version \`1.1.0\` of \`npm:@orbital/calendar-mcp\` as deprecated: “Loses events”. ${none('1.1.0', 'npm:@orbital/calendar-mcp')} ${plain('1.1.0')}`,
  ],
  [
    'npx -y @orbital/calendar-mcp@1.0.0',
    `${unproven('1.0.0')} Version \`1.0.0\` of \`npm:@orbital/calendar-mcp\` states the licence \`GPL-3.0\`, and version \`1.2.0\` \`MIT\`. ${none('1.0.0', 'npm:@orbital/calendar-mcp')} ${plain('1.0.0').replace(/,( was.*) and has .*/, ' and$1.')}`,
  ],
  [
    'uvx pdfminer-mcp==0.3.1',
    `${yanked} ${none('0.3.1', 'pypi:pdfminer-mcp')} Not known of version \`0.3.1\`: its provenance, its licence.`,
  ],
  [
    'cargo:example-server@0.2.0',
    `crates.io marks version \`0.2.0\` of \`cargo:example-server\` as yanked: “unsound”. ${none('0.2.0', 'cargo:example-server')}`,
  ],
  [
    'nuget:Example.Server@1.0.0',
    `NuGet marks version \`1.0.0\` of \`nuget:Example.Server\` as unlisted. Version \`1.0.0\` of \`nuget:Example.Server\` states the licence \`Apache-2.0\`, and version \`1.1.0\` \`MIT\`. ${none('1.0.0', 'nuget:Example.Server')}`,
  ],
  // The newest is kept, also if it is not among the twenty highest.
  [
    'npx -y branches',
    `Version \`1.1.0\` of \`npm:branches\` names \`install\` “node build.js”, which npm runs at installation; version \`1.0.0\` names none. ${none('1.1.0', 'npm:branches')} Version \`1.1.0\` of \`npm:branches\` has no provenance.`,
  ],
])('says of %s what its registry states of that version', async (handle, says) => {
  expect(await saysOf(handle)).toBe(says);
});

const unread = (version: string) =>
  `Not known of version \`${version}\`: whether npm marks it as deprecated, its installation scripts, its publisher, its provenance, its licence.`;

it.each([
  ['npx -y large@3.0.0', 'large', '3.0.0', ', and Dossier does not know whether there is such a version'],
  [
    'npx -y branches@0.9.0',
    'branches',
    '0.9.0',
    ', and Dossier does not know whether there is such a version',
  ],
  ['npx -y wordy@1.0.0', 'wordy', '1.0.0', ''],
])('says of %s what it does not know', async (handle, name, version, unsure) => {
  expect(await saysOf(handle)).toBe(
    `${none(version, `npm:${name}`).slice(0, -1)}${unsure}. ${unread(version)}`,
  );
});

it('bounds what it keeps of other versions', async () => {
  const { observations } = await directory.observe('com.example/wordy');
  const { as_seen } = observations.find(({ kind }) => kind === 'package.exists') ?? {};
  expect(Buffer.byteLength(JSON.stringify(as_seen))).toBeLessThan(4608);
  expect(await saysOf('npx -y wordy@1.18.0')).toMatch(
    /^npm marks version `1\.18\.0` of `npm:wordy` as deprecated: “(?:18 )+18/,
  );
});

it('says it in every tool, once in a text, and as what stands out in JSON', async () => {
  const handle = 'uvx pdfminer-mcp==0.3.1';
  const tools = {
    get_agent: { handle },
    resolve_agents: { handles: [handle] },
    compare_agents: { handles: [handle, 'com.example/cargo'] },
    get_history: { handle },
    search_agents: { query: handle },
  };
  const answers: Record<string, unknown> = {};
  for (const [tool, input] of Object.entries(tools)) {
    const { content, structuredContent } = await client.call(tool, input);
    expect(undated(content[0]?.text).split('writes credentials to the log'), tool).toHaveLength(2);
    answers[tool] = structuredContent;
  }
  const marked = expect.stringMatching(/^PyPI marks version `0\.3\.1` of .* as yanked/);
  expect(answers).toMatchObject({
    get_agent: { stands_out: [marked] },
    resolve_agents: { results: [{ stands_out: [{ key: 'package_deprecated', text: marked }] }] },
    compare_agents: { listings: [{ stands_out: [marked] }, {}] },
  });
  const page = await directory.app.request(`/agents?q=${encodeURIComponent(handle)}`);
  expect(await page.text()).toContain('writes credentials to the log');
  const picks = new URLSearchParams([
    ['handle', 'pypi:pdfminer-mcp@0.3.1'],
    ['handle', 'com.example/npm'],
    ['has_endpoint', 'true'],
  ]);
  const compared = await directory.app.request(`/compare?${picks}`);
  expect(await compared.text()).toContain('writes credentials to the log');
});

it('tells no change of the package if only an earlier version was withdrawn', async () => {
  content = {
    ...kept,
    '/@orbital%2fcalendar-mcp': npmPackument(
      '@orbital/calendar-mcp',
      { ...calendar, '1.0.0': { ...calendar['1.0.0'], deprecated: 'Too old' } },
      {},
    ),
  };
  for (let check = 0; check < 2; check++) {
    directory.wait(86_400);
    await directory.observe('com.example/npm');
  }
  expect(await saysOf('npx -y @orbital/calendar-mcp@1.0.0')).toMatch(/as deprecated: “Too old”\. /);
  const { content: history } = await client.call('get_history', { handle: 'com.example/npm' });
  expect(history[0]?.text).toContain('No change was seen in checks since');
});

it('tells the version of a record apart from that of its package, and a day from the day since which it is so', async () => {
  const times = { '1.0.0': '2026-01-05T08:00:00.000Z', '1.1.0': '2026-02-06T08:00:00.000Z' };
  content = { ...kept, '/dated': npmPackument('dated', { '1.0.0': {}, '1.1.0': {} }, times) };
  const today = () => directory.context.clock().toISOString().slice(0, 10);
  const handle = 'com.example/dated';
  const record = async (version: string) => {
    const entry = packaged(handle, 'npm', 'dated', version);
    await directory.importEntries([{ ...entry, server: { ...entry.server, version } }]);
    await directory.observe(handle);
    return today();
  };
  const since = await record('1.0.0');
  directory.wait(86_400);
  const then = await record('1.1.0');
  directory.wait(86_400);
  const until = await record('1.1.0');
  const { structuredContent } = await client.call('get_history', { handle, since, until });
  const differs = (structuredContent?.differs ?? []) as string[];
  expect(differs[0]).toContain(
    'Record, claim and ratings: `version`: `1.1.0` instead of `1.0.0`, `dated` in `packages`: `version`: `1.1.0` instead of `1.0.0` (',
  );
  expect(differs.join('\n')).toContain(
    `Day on which the recorded version was published (\`npm:dated\`): 2026-01-05 until ${since}, since ${then}: 2026-02-06 (`,
  );
});
