import { expect, it } from 'vitest';
import { openDirectory } from '../../support/directory.ts';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { type OsvRecord, osvRecord, since, startOsvApi } from '../../support/endpoints/osv-api.ts';
import { npmPackument, startPackageRegistry } from '../../support/endpoints/package-registry.ts';
import { packaged } from '../../support/entries.ts';
import { partOf } from '../../support/long.ts';
import { connect } from '../../support/mcp-clients.ts';
import { variantsOf } from '../../support/odd-values.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const faults = (name: string, many: number) =>
  Array.from({ length: many }, (_, at) =>
    osvRecord(`GHSA-${at}`, ['npm', name], { versions: [at === 0 ? '1.0.0' : '0.9.0'] }),
  );
const records: OsvRecord[] = [
  osvRecord('MAL-2025-1', ['npm', 'evil'], { ...since('0'), versions: ['1.0.0'] }),
  osvRecord('MAL-2026-7001', ['npm', 'swapped'], { versions: ['2.4.0'] }),
  osvRecord('GHSA-old', ['npm', 'swapped'], since('1.0.0', '2.0.0')),
  osvRecord('GHSA-gone', ['npm', 'swapped'], since('0'), { withdrawn: '2026-02-01T00:00:00Z' }),
  osvRecord('MAL-2026-9', ['PyPI', 'bad-name'], {
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0rc1' }, { fixed: '1.1.post1' }] }],
  }),
  osvRecord('MAL-2026-10', ['NuGet', 'Example.Mcp'], { versions: ['1.0.0'] }),
  osvRecord('MAL-2026-11', ['crates.io', 'example_mcp'], { versions: ['1.0.0'] }),
  ...faults('many', 5),
  ...faults('endless', 9),
];
let status = 200;

const osv = await opened(startOsvApi(() => records, { pageSize: 2, status: () => status }));
const npm = await opened(
  startPackageRegistry(() => ({
    '/evil': npmPackument('evil', { '1.0.0': {} }, { '1.0.0': '2026-01-01T00:00:00.000Z' }),
  })),
);
const pypi = await opened(startPackageRegistry(() => ({})));
const nuget = await opened(
  startPackageRegistry(() => ({
    '/v3/registration5-gz-semver2/example.mcp/index.json': {
      items: [{ items: [{ catalogEntry: { id: 'Example.Mcp', version: '1.0.0', listed: true } }] }],
    },
  })),
);
const crates = await opened(
  startPackageRegistry(() => ({
    '/api/v1/crates/Example-Mcp': { crate: { name: 'example_mcp' }, versions: [{ num: '1.0.0' }] },
  })),
);
const directory = await openedDirectory({
  entries: [
    packaged('com.example/evil', 'npm', 'evil', '1.0.0'),
    packaged('com.example/newest', 'npm', 'evil'),
    packaged('com.example/swapped', 'npm', 'swapped', '2.3.1'),
    packaged('com.example/clean', 'npm', 'clean', '1.0.0'),
    packaged('com.example/many', 'npm', 'many', '1.0.0'),
    packaged('com.example/endless', 'npm', 'endless', '1.0.0'),
    packaged('com.example/before', 'pypi', 'Bad_Name', '1.0b2'),
    packaged('com.example/within', 'pypi', 'bad.name', '1.1'),
    packaged('com.example/fixed', 'pypi', 'bad-name', '1.1.post1'),
    packaged('com.example/nuget', 'nuget', 'example.mcp', '1.0.0'),
    packaged('com.example/crate', 'cargo', 'Example-Mcp', '1.0.0'),
    packaged('com.example/elsewhere', 'npm', 'evil', '1.0.0', {
      registryBaseUrl: 'https://npm.example.com',
    }),
  ],
  hosts: {
    'api.osv.dev': osv,
    'registry.npmjs.org': npm,
    'pypi.org': pypi,
    'api.nuget.org': nuget,
    'crates.io': crates,
  },
  environment: {
    // The addresses are the default ones.
    PACKAGE_REGISTRIES: '',
  },
});

async function advisoriesOf(handle: string) {
  const { observations } = await directory.observe(handle);
  return observations.find(({ kind }) => kind === 'package.advisories');
}
const asked = () => osv.sent.map(({ body }) => JSON.parse(body) as object);

it('asks OSV about the name of a public package, without its version, and says what it lists', async () => {
  osv.sent.length = 0;
  expect(await advisoriesOf('com.example/evil')).toMatchObject({
    subject: 'npm:evil',
    value: { count: 1, ids: ['MAL-2025-1'], not_compared: [], others: { count: 0, ids: [] } },
    outcome: 'seen',
    details: {
      version: '1.0.0',
      advisories: [{ id: 'MAL-2025-1', summary: 'Malicious code in evil (npm)' }],
    },
    source: 'api.osv.dev',
  });
  expect(asked()).toEqual([{ package: { name: 'evil', ecosystem: 'npm' } }]);
  expect(osv.sent[0]).toMatchObject({ method: 'POST', path: '/v1/query' });
});

it('is about the newest version where the record names none', async () => {
  expect(await advisoriesOf('com.example/newest')).toMatchObject({
    value: { count: 1 },
    details: { version: '1.0.0' },
  });
});

it('knows advisories about other versions, and counts none that was withdrawn', async () => {
  expect(await advisoriesOf('com.example/swapped')).toMatchObject({
    value: { count: 0, ids: [], not_compared: [], others: { count: 2, ids: ['MAL-2026-7001', 'GHSA-old'] } },
  });
  expect(await advisoriesOf('com.example/clean')).toMatchObject({
    value: { count: 0, others: { count: 0 } },
    outcome: 'seen',
  });
});

it('does not call it a good sign that nothing is reported about what its registry does not have', async () => {
  await directory.observe('com.example/clean');
  await directory.observe('com.example/swapped');
  await directory.observe('com.example/nuget');
  const client = await opened(connect('v2', directory));
  const ask = async (tool: string, input: Record<string, unknown>) => {
    const { content, structuredContent } = await client.call(tool, input);
    return `${content[0]?.text} ${JSON.stringify(structuredContent)}`;
  };
  const short = await ask('get_agent', { handle: 'com.example/clean' });
  expect(short).toContain('npm has no package `clean`');
  expect(short).toContain(
    ' Malware reports and advisories: not known, because its registry does not have version `1.0.0`.',
  );
  expect(short).not.toContain('0 advisor');
  const full = await ask('get_agent', { handle: 'com.example/clean', detail: 'full' });
  expect(full).toMatch(
    /Advisories about the package: none at [^.]* \(api\.osv\.dev, [\d-]{10}\)\. npm has no package `clean`/,
  );
  expect(full).not.toContain('0 advisories');
  const compared = await ask('compare_agents', {
    handles: ['com.example/clean', 'com.example/nuget'],
    criteria: ['no_malware_report'],
  });
  expect(compared).toContain(
    'What Dossier checks: no_malware_report: unknown (npm has no package `clean`; a name that is free can be registered by others)\n',
  );
  expect(compared).toContain('which is not there');
  expect(compared).toContain('What Dossier checks: no_malware_report: not_met\n');
});

it('orders versions of PyPI by PEP 440, and names of it by PEP 503', async () => {
  expect(await advisoriesOf('com.example/before')).toMatchObject({ value: { count: 0, not_compared: [] } });
  expect(await advisoriesOf('com.example/within')).toMatchObject({ value: { ids: ['MAL-2026-9'] } });
  expect(await advisoriesOf('com.example/fixed')).toMatchObject({ value: { count: 0, not_compared: [] } });
});

it('asks about a package by the spelling that its registry has of its name', async () => {
  expect(await advisoriesOf('com.example/nuget')).toMatchObject({ value: { ids: ['MAL-2026-10'] } });
  expect(await advisoriesOf('com.example/crate')).toMatchObject({ value: { ids: ['MAL-2026-11'] } });
});

it('reads three pages at most, and asks about the version alone if there are more', async () => {
  osv.sent.length = 0;
  expect(await advisoriesOf('com.example/many')).toMatchObject({ value: { count: 1, others: { count: 4 } } });
  expect(osv.sent).toHaveLength(3);
  osv.sent.length = 0;
  const { value } = (await advisoriesOf('com.example/endless')) ?? {};
  expect(value).toEqual({ count: 1, ids: ['GHSA-0'], not_compared: [] });
  expect(asked().at(-1)).toEqual({ package: { name: 'endless', ecosystem: 'npm' }, version: '1.0.0' });
  expect(osv.sent).toHaveLength(4);
});

it('sends no name of a package that is in another registry', async () => {
  osv.sent.length = 0;
  expect(await advisoriesOf('com.example/elsewhere')).toBeUndefined();
  expect(osv.sent).toEqual([]);
});

it('keeps what was known while OSV has no answer, and says so', async () => {
  status = 500;
  try {
    expect(await advisoriesOf('com.example/evil')).toMatchObject({
      value: { count: 1 },
      outcome: 'seen',
      missed: { reason: '`api.osv.dev` returned HTTP 500.', outcome: 'silent' },
    });
    status = 410;
    expect(await advisoriesOf('com.example/evil')).toMatchObject({
      missed: { reason: '`api.osv.dev` returned HTTP 410 for a request for advisories.' },
    });
  } finally {
    status = 200;
  }
});

it.each(['https://api.osv.dev', 'https://API.osv.dev:443/', 'http://api.osv.dev', 'https://api.osv.dev.'])(
  'sends no name of packages that are looked up in a registry of the operator to %s',
  async (address) => {
    const own = await openedDirectory({
      entries: [packaged('com.example/own', 'npm', 'secret-name', '1.0.0')],
      hosts: { 'api.osv.dev': osv },
      environment: { ADVISORIES: address, PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
    });
    osv.sent.length = 0;
    const { observations } = await own.observe('com.example/own');
    expect(observations.find(({ kind }) => kind === 'package.advisories')).toMatchObject({
      outcome: 'not_asked',
      reason:
        'This service does not look up packages of npm in the public registry (PACKAGE_REGISTRIES), so their names are not sent to api.osv.dev.',
    });
    expect(osv.sent).toEqual([]);
  },
);

it('asks an API of the operator about all packages', async () => {
  const own = await openedDirectory({
    entries: [packaged('com.example/own', 'npm', 'evil', '1.0.0')],
    environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }), ADVISORIES: `${osv.url}/` },
  });
  const { observations } = await own.observe('com.example/own');
  expect(observations.find(({ kind }) => kind === 'package.advisories')).toMatchObject({
    value: { ids: ['MAL-2025-1'] },
    source: new URL(osv.url).host,
  });
});

it('takes no answer of another form for none, and loses no advisory for a part of it that it cannot read', async () => {
  const document = osvRecord('MAL-2026-1', ['npm', 'odd'], since('0'));
  const commits = {
    ranges: [{ type: 'GIT', repo: 'https://github.com/a/odd', events: [{ introduced: '0' }] }],
  };
  let sent = '';
  const api = await startEndpoint((_, __, response) => void response.writeHead(200).end(sent));
  const own = await openDirectory({
    entries: [packaged('com.example/odd', 'npm', 'odd', '1.0.0')],
    environment: { ADVISORIES: api.url },
  });
  const isReported = async (text: string) => {
    sent = text;
    own.wait(86_400);
    const { observations } = await own.observe('com.example/odd');
    const { value, missed, details } = observations.find(({ kind }) => kind === 'package.advisories') ?? {};
    const { ids = [], not_compared = [] } = (value ?? {}) as { ids?: string[]; not_compared?: string[] };
    if (missed === undefined) expect(details).toMatchObject({ version: '1.0.0' });
    return [...ids, ...not_compared].includes('MAL-2026-1');
  };
  expect(await isReported(JSON.stringify({ vulns: [document] }))).toBe(true);
  for (const text of ['<html>Back soon</html>', '', '[]', '"none"', '{"status":"ok"}', '{"vulns":[null]}'])
    expect([text, await isReported(text)]).toEqual([text, true]);
  const beside = { ...document, affected: [...document.affected, commits, { package: null }, 7] };
  expect(await isReported(JSON.stringify({ vulns: [beside] }))).toBe(true);
  const faults: unknown[] = [];
  const variants = [...(variantsOf(document) as Iterable<typeof document>)];
  for (const variant of variants.filter((_, n) => partOf(n % 4 === 0, true))) {
    const { package: named } = (Array.isArray(variant.affected) ? variant.affected[0] : undefined) ?? {};
    const isOther = [named?.ecosystem ?? 'npm', named?.name ?? 'odd'].some(
      (text) => typeof text === 'string' && !['npm', 'odd'].includes(text),
    );
    if (isOther || variant.id !== document.id) continue;
    if (!(await isReported(JSON.stringify({ vulns: [variant] })))) faults.push(variant);
  }
  expect(faults).toEqual([]);
  expect(await isReported('{}')).toBe(false);
  await own.close();
  await api.close();
});
