import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createObserver } from '../../src/observations/observer.ts';
import { comparedOf } from '../support/compared.ts';
import { documentOf } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { npmPackument, type Stored, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { startSigstore } from '../support/endpoints/sigstore.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const handle = 'com.example.flips/mail';
const folder = openFolder();
const criteria = [
  { criterion: 'tools_unchanged_for', value: 30 },
  { criterion: 'no_payment_seen' },
  { criterion: 'package_not_deprecated' },
  { criterion: 'package_built_from_repository' },
];
const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
const dist = {
  integrity,
  attestations: { url: 'https://registry.npmjs.org/x', provenance: { predicateType: 'x' } },
};
const packument = (name: string) =>
  npmPackument(
    name,
    { '1.0.0': { dist }, '1.0.1': {} },
    { '1.0.0': '2026-01-01T00:00:00Z', '1.0.1': '2026-02-01T00:00:00Z' },
  );

let published = 0;
/** The next version of the listing. */
function next(record: object) {
  published += 1;
  const time = new Date(Date.UTC(2026, 9, 2, 8, published)).toISOString();
  return registryEntry(
    handle,
    { version: `1.0.${published}`, ...record },
    { publishedAt: time, updatedAt: time },
  );
}
const at = (host: string) => ({ type: 'streamable-http', url: `https://${host}.example.com/mcp` });
const onNpm = (identifier: string, version = '1.0.0') => ({
  registryType: 'npm',
  identifier,
  version,
  transport: { type: 'stdio' },
});
const repository = { url: 'https://github.com/Example/server', source: 'github' };
const good = { remotes: [at('good')], packages: [onNpm('good-package')], repository };

const views = { safe: { title: 'What we may use', criteria } };
writeFileSync(join(folder, 'views.json'), JSON.stringify(views));
const sigstore = await opened(startSigstore());
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'pkg:npm/good-package@1.0.0', digest: { sha512: '07'.repeat(64) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {},
};
const bundle = await sigstore.sign(statement, 'example/server');
const content: Record<string, Stored> = {
  '/good-package': packument('good-package'),
  '/evil-package': packument('evil-package'),
  '/-/npm/v1/attestations/good-package@1.0.0': {
    attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle }],
  },
};
const registry = await opened(startPackageRegistry(() => content));
const endpoint = await opened(startModernServer(() => [{ name: 'send_mail', description: 'Sends mail' }]));
const directory = await openedDirectory({
  entries: [],
  hosts: { 'good.example.com': endpoint },
  environment: {
    VIEWS: join(folder, 'views.json'),
    PACKAGE_REGISTRIES: JSON.stringify({ npm: registry.url }),
    SIGSTORE_ROOT: sigstore.rootFile,
    REPOSITORY_HOSTS: JSON.stringify({
      'git.invalid': { git: 'http://127.0.0.1:9', raw: 'http://127.0.0.1:9' },
    }),
  },
});
const client = await opened(connect('v1', { app: directory.app }));

async function look() {
  return directory.observe(handle);
}
/** Checks every 20 days, the last time today. */
async function observeFor60Days() {
  for (const days of [0, 20, 20, 20]) {
    directory.wait(days * 86_400);
    await look();
  }
  await directory.judgeViews();
}
const json = async (path: string) => (await directory.app.request(path)).json();
const text = async (path: string) => (await directory.app.request(path)).text();

async function judged() {
  const answer = await client.call('compare_agents', { handles: [handle, 'com.example.other/x'], criteria });
  const { results = {} } = comparedOf(answer.structuredContent)[0] ?? {};
  return Object.fromEntries(Object.entries(results).map(([asked, result]) => [asked.split(':')[0], result]));
}
const inView = async () => ({
  allowed: (await json('/views/safe/managed-settings.json')) as unknown,
  servers: (await json('/views/safe/.mcp.json')) as unknown,
});
const nobody = { allowed: { allowedMcpServers: [] }, servers: { mcpServers: {} } };
const met = {
  tools_unchanged_for: 'met',
  no_payment_seen: 'met',
  package_not_deprecated: 'met',
  package_built_from_repository: 'met',
};
const unknown = {
  tools_unchanged_for: 'unknown',
  no_payment_seen: 'unknown',
  package_not_deprecated: 'unknown',
  package_built_from_repository: 'unknown',
};

/** An answer without the fact that its record moved, and without the sentence about it. */
const withoutMoves = (answer: string) =>
  (answer.startsWith('{')
    ? JSON.stringify(JSON.parse(answer, (name, value) => (name === 'moves' ? undefined : value)))
    : answer
  ).replaceAll(/[^.;:*]*(?:moved|replace[sd]) the (?:endpoint|package)[^;*]*/g, '');

it('a version that names another endpoint and package starts without what was seen of the old ones', async () => {
  await directory.importEntries([next(good), registryEntry('com.example.other/x')]);
  await observeFor60Days();
  expect(await judged()).toEqual(met);
  expect((await inView()).allowed).toEqual({
    allowedMcpServers: [
      { serverUrl: 'https://good.example.com/mcp' },
      { serverCommand: ['npx', '-y', 'good-package'] },
      { serverCommand: ['npx', '-y', 'good-package@1.0.0'] },
    ],
  });
  const [seen] = await directory.store.observations.values({
    handle,
    kind: 'tools.surface',
    subject: 'https://good.example.com/mcp',
  });
  const digest = String(seen?.digest);

  await directory.importEntries([
    next({ remotes: [at('evil')], packages: [onNpm('evil-package')], repository }),
  ]);
  expect(await judged()).toEqual(unknown);
  expect(await inView()).toEqual(nobody);
  expect(await text('/views/safe/feed.json')).toContain(
    'left the view (safe: tools_unchanged_for 30 unknown, no_payment_seen unknown, package_not_deprecated unknown, package_built_from_repository unknown)',
  );
  const path = `/agents/${handle}`;
  const short = (await client.call('get_agent', { handle })).structuredContent;
  const full = JSON.parse(await text(`${path}.json`));
  const answers = [
    JSON.stringify(short),
    JSON.stringify(full),
    await text(path),
    await text(`${path}.md`),
    JSON.stringify((await client.call('get_agent', { handle, detail: 'full' })).structuredContent),
    await text(`${path}/tools.json`),
    await text(`/v0.1/servers/${encodeURIComponent(handle)}/versions/latest`),
    JSON.stringify(await client.call('check_surface', { handle, digests: {} })),
  ];
  for (const answer of answers) {
    expect(answer).not.toContain(digest);
    // The old places are named where the answer says that the record moved, and nowhere else.
    const rest = withoutMoves(answer);
    expect(rest).not.toMatch(/good-package|good\.example\.com/);
  }
  expect(await documentOf(directory, handle)).toMatchObject({
    observations: expect.arrayContaining([
      expect.objectContaining({
        kind: 'tools.surface',
        subject: 'https://evil.example.com/mcp',
        outcome: 'not_asked',
        value: null,
      }),
      expect.objectContaining({ kind: 'package.exists', subject: 'npm:evil-package', outcome: 'not_asked' }),
    ]),
  });
  expect(await text(`${path}/history.json`)).toContain('https://good.example.com/mcp');
  expect(await text(`${path}/history`)).toMatch(/first check: \d+ facts/);
});

it('is due for a check at once, which finds nothing at the new address', async () => {
  expect(await directory.observeDue()).toMatchObject({ observed: 2, failed: 0 });
  const asked = registry.sent.filter(({ path }) => path === '/evil-package');
  expect(asked).toHaveLength(1);
  expect(await directory.observeDue()).toMatchObject({ observed: 0 });
  expect(await judged()).toEqual({
    ...unknown,
    package_not_deprecated: 'met',
    package_built_from_repository: 'not_met',
  });
});

it('a record that changes while it is looked at stays due', async () => {
  const listing = await directory.store.listings.byHandle(handle);
  if (!listing) throw new Error('not listed');
  await directory.importEntries([next(good)]);
  const observer = createObserver(directory.context);
  await observer.observe(listing);
  await observer.close();
  expect(await directory.observeDue()).toMatchObject({ observed: 1 });
  expect(await directory.observeDue()).toMatchObject({ observed: 0 });
});

it.each([
  ['another repository', { ...good, ...onGitHub('Evil/server') }, ['package_built_from_repository']],
  [
    'one more endpoint',
    { ...good, remotes: [at('good'), at('evil')] },
    ['tools_unchanged_for', 'no_payment_seen'],
  ],
  [
    'one more version of a package',
    { ...good, packages: [onNpm('good-package'), onNpm('good-package', '1.0.1')] },
    ['package_not_deprecated', 'package_built_from_repository'],
  ],
  [
    'a package that Dossier does not check',
    {
      ...good,
      packages: [onNpm('good-package'), { registryType: 'mcpb', identifier: 'https://evil.example/x.mcpb' }],
    },
    ['package_not_deprecated', 'package_built_from_repository'],
  ],
])('%s makes unknown what was seen without it', async (_, record, changed) => {
  await directory.importEntries([next(good)]);
  await observeFor60Days();
  expect(await judged()).toEqual(met);
  await directory.importEntries([next(record)]);
  const expected = Object.fromEntries(changed.map((criterion) => [criterion, 'unknown']));
  expect(await judged()).toEqual({ ...met, ...expected });
  expect(await inView()).toEqual(nobody);
});
