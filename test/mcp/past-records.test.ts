import { expect, it } from 'vitest';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { openedDirectory } from '../support/opened.ts';

const file = 'https://github.com/box/kit/releases/download/v1.0.0/kit.mcpb';
const [one, other, newest] = ['1a', '2b', '3c'].map((byte) => byte.repeat(32));
const at = (name: string, version: string, hour: number, record: object, isLatest = false) =>
  registryEntry(
    name,
    { version, ...record },
    {
      publishedAt: `2025-10-0${hour}T08:00:00Z`,
      updatedAt: `2025-10-0${hour}T08:00:00Z`,
      isLatest,
    },
  );
const kit = (version: string, day: number, fileSha256 = '', identifier = file, isLatest = false) =>
  at(
    'com.kit/box',
    version,
    day,
    { packages: [{ registryType: 'mcpb', identifier, fileSha256, transport: { type: 'stdio' } }] },
    isLatest,
  );
const remotes = (url: string, name: string) => ({
  remotes: [
    { type: 'sse', url, headers: [{ name, isRequired: true, isSecret: true, value: 'Bearer {key}' }] },
  ],
});
const environmentVariables = [
  { name: 'METRICS_URL', isRequired: true, description: 'Where to ask.' },
  { name: 'METRICS_TOKEN', isSecret: true, description: 'A secret text.' },
];
const npm = (version: string, variables = environmentVariables) =>
  packageAt('npm', 'metrics-mcp', version, { environmentVariables: variables });

const directory = await openedDirectory({
  environment: { LIMITS: 'off' },
  entries: [
    kit('1.0.0', 1, one),
    kit('1.1.0', 2, one),
    kit('1.2.0', 3, other),
    kit('1.3.0', 4, newest, file.replaceAll('1.0.0', '1.3.0'), true),
    at('com.metrics/mcp', '0.9.0', 1, npm('0.9.0')),
    at('com.metrics/mcp', '1.0.0', 2, { packages: [] }),
    at('com.metrics/mcp', '1.1.0', 3, remotes('https://old.metrics.com/sse', 'Authorization')),
    at('com.metrics/mcp', '1.2.0', 4, remotes('https://new.metrics.com/sse', 'X-Key'), true),
  ],
});
const client = await connect('v2', { app: directory.app });
const call = async (tool: string, args: Record<string, unknown>) => {
  const { content, structuredContent = {} } = await client.call(tool, args);
  return { text: (content[0]?.text ?? '').replaceAll('\\', ''), json: structuredContent };
};
const askedOf = async (handle: string) => {
  const { text, json } = await call('get_agent', { handle });
  expect(text.split('\n')[0]).toBe(json.version_asked);
  return json.version_asked;
};

const variables =
  ', which needs an environment variable `METRICS_URL`, and takes a secret environment variable `METRICS_TOKEN`';

it.each([
  ['0.9.0', `recorded the npm package \`metrics-mcp@0.9.0\` over stdio${variables}.`],
  ['1.0.0', 'recorded no endpoint and no package that Dossier reads.'],
  [
    '1.1.0',
    'recorded the endpoint `https://old.metrics.com/sse` over sse, which needs a secret header `Authorization`.',
  ],
])('of version %s of a listing, answers say what it recorded itself', async (version, recorded) => {
  const said = `Version \`${version}\` ${recorded}`;
  expect(await askedOf(`com.metrics/mcp@${version}`)).toContain(
    `latest, published later, 2025-10-04. ${said}`,
  );
  const { json } = await call('get_history', { handle: `com.metrics/mcp@${version}` });
  expect(json.statement).toContain(said);
});

it('of a package and an endpoint that only earlier versions recorded, answers say all that these recorded', async () => {
  expect(await askedOf('npx -y metrics-mcp@0.9.0')).toContain(
    `Version \`0.9.0\` of the listing, published 2025-10-01, recorded the npm package \`metrics-mcp@0.9.0\` over stdio${variables}.`,
  );
  expect(await askedOf('https://old.metrics.com/sse')).toContain(
    'Version `1.1.0` of the listing, published 2025-10-03, recorded the endpoint `https://old.metrics.com/sse` over sse, which needs a secret header `Authorization`.',
  );
});

const recorded = (sha256 = '') => `recorded the file \`${file}\` with the SHA-256 \`${sha256}\` over stdio`;

it('of an address that versions recorded with two digests, answers say which version recorded which', async () => {
  expect(await askedOf(file)).toContain(
    `. Version \`1.2.0\` of the listing, published 2025-10-03, ${recorded(other)}, for which it names no inputs; versions \`1.0.0\` and \`1.1.0\` of the listing, published from 2025-10-01 to 2025-10-02, ${recorded(one)}; of older versions, inputs and other parts are left out here.`,
  );
  expect(await askedOf(one ?? '')).toContain(
    `. Versions \`1.0.0\` and \`1.1.0\` of the listing, published from 2025-10-01 to 2025-10-02, ${recorded(one)}, for which it names no inputs.`,
  );
});

it('compares a digest beside an address with what earlier versions recorded there', async () => {
  const said = `You also sent a SHA-256 that begins with \`2b2b2b2b\`, which no record shown here has now. \`com.kit/box\`: Version \`1.2.0\` of the listing, published 2025-10-03, ${recorded(other)}, for which it names no inputs.`;
  expect(await askedOf(`${file}#sha256=${other}`)).toContain(said);
  const { json } = await call('resolve_agents', { handles: [`${file} sha256:${other}`] });
  expect(JSON.stringify(json.results).replaceAll('\\', '')).toContain(said);
});

it('of the first version, with which none was compared, the history says what it recorded', async () => {
  const { json } = await call('get_history', { handle: 'com.metrics/mcp' });
  expect((json.changes as string[]).at(-1)).toBe(
    `2025-10-01 version \`0.9.0\` (published 2025-10-01) was not compared, because no version before it was read; it recorded the npm package \`metrics-mcp@0.9.0\` over stdio${variables}`,
  );
});

it('of the version that was listed first here, and of one that its registry deleted, answers say it as well', async () => {
  const name = 'com.later/mcp';
  const first = at(name, '1.0.0', 5, npm('1.0.0'), true);
  await directory.importEntries([first]);
  expect((await call('get_history', { handle: name })).json.changes).toEqual([
    expect.stringMatching(/listed for the first time here; version `1\.0\.0` \([^()]*\)$/),
  ]);
  await directory.importEntries([first, at(name, '1.1.0', 6, npm('1.1.0', []), true)]);
  expect((await call('get_history', { handle: name })).json.changes).toContainEqual(
    expect.stringContaining(`; it recorded the npm package \`metrics-mcp@1.0.0\` over stdio${variables}`),
  );
  const deleted = registryEntry(name, { version: '1.0.0' }, { status: 'deleted', isLatest: false });
  await directory.importEntries([deleted, at(name, '1.1.0', 6, npm('1.1.0', []), true)]);
  expect(await askedOf(`${name}@1.0.0`)).toMatch(
    / Version `1\.0\.0` was deleted in its registry, and what it recorded is not kept\.$/,
  );
});

it('of a version with which a listing came back, the history says it as well', async () => {
  const name = 'com.again/mcp';
  const gone = registryEntry(name, { version: '1.0.0' }, { status: 'deleted', isLatest: false });
  const second = (isLatest: boolean) => at(name, '1.1.0', 6, npm('1.1.0'), isLatest);
  await directory.importEntries([at(name, '1.0.0', 5, npm('1.0.0'), true)]);
  await directory.importEntries([gone]);
  await directory.importEntries([gone, second(true)]);
  await directory.importEntries([gone, second(false), at(name, '1.2.0', 7, npm('1.2.0'), true)]);
  const { json } = await call('get_history', { handle: name });
  expect(json.changes).toContainEqual(
    expect.stringMatching(
      /listed again; version `1\.1\.0` \([^()]*\); it recorded the npm package `metrics-mcp@1\.1\.0` over stdio, which needs /,
    ),
  );
});
