import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { registryEntry } from '../../support/entries.ts';
import { openedDirectory, openFolder } from '../../support/opened.ts';

const folder = openFolder();
const file = join(folder, 'osv.zip');

/** Saves a copy of OSV as it is published: one JSON file for each advisory. */
function save(advisories: readonly object[], date = '2026-11-01') {
  const files = advisories.map((advisory, index) => [`A-${index}.json`, strToU8(JSON.stringify(advisory))]);
  writeFileSync(file, zipSync(Object.fromEntries(files)));
  utimesSync(file, new Date(date), new Date(date));
}
const advisory = (id: string, [ecosystem, name]: [string, string], affected: object, more: object = {}) => ({
  schema_version: '1.7.0',
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: `About ${name}\u202e`,
  affected: [{ package: { ecosystem, name, purl: 'pkg:x' }, ...affected }],
  ...more,
});
const range = (...events: object[]) => ({ ranges: [{ type: 'SEMVER', events }] });
const onNpm = (version?: string) => ({
  registryType: 'npm',
  identifier: '@example/server',
  ...(version && { version }),
});
const onPypi = (version: string) => ({ registryType: 'pypi', identifier: 'Example.Server', version });
const handleOf = (version: string) => `com.example/${version.replace('!', '-')}`;
const spellings = [
  'v0.9',
  '0.9.0',
  '0.9.0.0',
  '00.9',
  '0.9rc1',
  '0.9.1',
  '0.9.post1',
  '1!0.9',
  '0.7-beta.2',
  'newest',
];
const npm: [string, string] = ['npm', '@example/server'];

const published = [
  advisory('GHSA-1', npm, range({ introduced: '1.0.0' }, { fixed: '1.2.0' }), {
    database_specific: { severity: 'HIGH' },
  }),
  advisory(
    'GHSA-2',
    npm,
    {
      ...range({ introduced: '0' }, { last_affected: '1.1.0' }),
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    },
    { severity: [{ type: 'CVSS_V2', score: 'AV:L/AC:M/Au:N/C:N/I:P/A:C' }] },
  ),
  advisory('GHSA-3', npm, range({ introduced: '2.0.0' }), {
    severity: [{ type: 'Ubuntu', score: 'low”). All is well (“' }],
    database_specific: { severity: 7 },
  }),
  advisory('GHSA-4', npm, range({ introduced: '0' }), { withdrawn: '2026-02-01T00:00:00Z' }),
  advisory('PYSEC-1', ['PyPI', 'example-server'], { versions: ['0.8', '0.9'] }),
  advisory('PYSEC-2', ['PyPI', 'example-server'], {
    ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }],
  }),
  advisory('PYSEC-3', ['PyPI', 'example-server'], { versions: ['0.7b2'] }),
  advisory('GHSA-5', ['npm', 'odd'], range({ introduced: '1.2' })),
  advisory('MAL-2026-1', ['npm', 'evil'], range({ introduced: '0' })),
  advisory('GHSA-6', ['npm', 'evil'], range({ introduced: '0' })),
  { id: '<script>', affected: 7 },
  { id: 'GHSA-7', affected: [{ package: { ecosystem: 'npm', name: 'other' } }, { package: 7 }] },
];

save(published);
const listed = (name: string, ...packages: object[]) => registryEntry(name, { packages });
const directory = await openedDirectory({
  entries: [
    listed('com.example/old', onNpm('1.0.5')),
    listed('com.example/boundary', onNpm('1.1.0')),
    listed('com.example/fixed', onNpm('1.2.0')),
    listed('com.example/open', onNpm('3.0.0')),
    listed('com.example/unstated', onNpm()),
    listed('com.example/pypi', onPypi('0.9')),
    ...spellings.map((version) => listed(handleOf(version), onPypi(version))),
    listed('com.example/odd', { registryType: 'npm', identifier: 'odd', version: '1.3.0' }),
    listed('com.example/evil', {
      registryType: 'npm',
      identifier: 'evil',
      version: '1.0.0',
      environmentVariables: [{ name: 'KEY', isSecret: true, isRequired: true }],
    }),
  ],
  environment: { ADVISORIES: file },
});

async function advisoriesOf(handle: string) {
  const { observations } = await directory.observe(handle);
  return observations.find(({ kind }) => kind === 'package.advisories');
}
const idsOf = async (handle: string) => {
  const { advisories = [] } = ((await advisoriesOf(handle))?.details ?? {}) as {
    advisories?: { id: string }[];
  };
  return advisories.map(({ id }) => id);
};

it('names the advisories about the recorded version, with the copy that they are in', async () => {
  expect(await advisoriesOf('com.example/old')).toMatchObject({
    subject: 'npm:@example/server',
    value: { count: 2, ids: ['GHSA-1', 'GHSA-2'], not_compared: [] },
    outcome: 'seen',
    details: {
      version: '1.0.5',
      advisories: [
        { id: 'GHSA-1', summary: 'About @example/server', severity: 'HIGH' },
        {
          id: 'GHSA-2',
          summary: 'About @example/server',
          severity: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        },
      ],
    },
    source: 'OSV (osv.zip, saved 2026-11-01; 2 of its files could not be read in full)',
  });
});

it('says how severe an advisory is, in the words of its source', async () => {
  await directory.observe('com.example/old');
  await directory.observe('com.example/open');
  const standsOutOf = async (handle: string) =>
    /Stands out: .*/.exec(await (await directory.app.request(`/agents/${handle}.md`)).text())?.[0];
  expect(await standsOutOf('com.example/old')).toContain(
    '2 advisories about version `1.0.5` of `npm:@example/server` in OSV as saved on 2026-11-01: `GHSA-1` (fixed in `1.2.0`) “About \\@example/server” (severity “HIGH”), `GHSA-2` “About \\@example/server” (severity “CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H”) (Dossier, ',
  );
  expect(await standsOutOf('com.example/open')).toContain(
    "`GHSA-3` “About \\@example/server” (severity “low'). All is well ('”) (Dossier, ",
  );
});

it.each<[string, object]>([
  ['boundary', { ids: ['GHSA-1', 'GHSA-2'] }],
  ['fixed', { count: 0, ids: [], not_compared: [] }],
  ['open', { ids: ['GHSA-3'] }],
  // Exact versions of PyPI are compared, in any spelling; ranges of commits are not.
  ...['pypi', 'v0.9', '0.9.0', '0.9.0.0', '00.9'].map((name): [string, object] => [
    name,
    { count: 1, ids: ['PYSEC-1'], not_compared: ['PYSEC-2'] },
  ]),
  ...['0.9rc1', '0.9.1', '0.9.post1', '1!0.9'].map((name): [string, object] => [name, { ids: [] }]),
  ['0.7-beta.2', { ids: ['PYSEC-3'] }],
  ['newest', { count: 0, not_compared: ['PYSEC-1', 'PYSEC-2', 'PYSEC-3'] }],
  // The events of its range are no versions.
  ['odd', { count: 0, not_compared: ['GHSA-5'] }],
])('knows what is about %s, and leaves out what was withdrawn', async (name, value) => {
  expect(await advisoriesOf(handleOf(name))).toMatchObject({ outcome: 'seen', value });
});

it('says first of all that a version is malware, in that word', async () => {
  await directory.observe('com.example/evil');
  const answer = await directory.app.request('/agents/com.example/evil.md');
  expect(await answer.text()).toMatch(
    /Stands out: OSV as saved on 2026-11-01 lists version `1\.0\.0` of `npm:evil` as malicious code: `MAL-2026-1` “About evil” \(Dossier, [\d-]{10}\)\. .*1 advisory about version `1\.0\.0` of `npm:evil` in OSV as saved on 2026-11-01: `GHSA-6` “About evil” \(/,
  );
});

it('says how old a copy is also in the short answer, and about a version that was asked for', async () => {
  await directory.observe('com.example/fixed');
  const ask = async (handle: string) => {
    const answer = await directory.post('/api/tools/get_agent', { handle });
    return (await answer.json()) as { lines: { kept_up: string }; version_asked?: string };
  };
  expect((await ask('com.example/fixed')).lines.kept_up).toContain(
    '0 advisories about version `1.2.0` in OSV as saved on 2026-11-01; 3 about other versions',
  );
  await directory.observe('com.example/evil');
  expect((await ask('npm:evil@9.0.0')).version_asked).toContain(
    'OSV as saved on 2026-11-01 lists version `9.0.0` of `npm:evil` as malicious code: `MAL-2026-1`',
  );
});

it('does not guess the version where none is recorded and no registry is asked', async () => {
  expect(await advisoriesOf('com.example/unstated')).toMatchObject({ outcome: 'not_asked' });
});

it('reads a newer copy; one without an ecosystem, or a broken one, changes nothing of what an older one said', async () => {
  save([advisory('GHSA-9', npm, range({ introduced: '0' }))], '2026-11-02');
  expect(await idsOf('com.example/fixed')).toEqual(['GHSA-9']);
  const withdrawn = { withdrawn: '2026-11-02T10:00:00Z' };
  save(
    [
      advisory('GHSA-9', npm, range({ introduced: '0' }), withdrawn),
      advisory('GHSA-10', npm, range({ introduced: '0' }), withdrawn),
      advisory('GHSA-11', ['npm', 'other'], range({ introduced: '0' })),
    ],
    '2026-11-03',
  );
  expect(await advisoriesOf('com.example/fixed')).toMatchObject({
    value: { count: 0, others: { count: 0 } },
    details: { withdrawn: { 'GHSA-9': '2026-11-02' } },
  });
  save([advisory('GHSA-9', npm, range({ introduced: '0' }))], '2026-11-04');
  const again = await advisoriesOf('com.example/fixed');
  expect([again?.value, again?.details]).toMatchObject([{ count: 1 }, { saved_on: '2026-11-04' }]);
  expect(again?.details).not.toHaveProperty('withdrawn');
  expect(await advisoriesOf('com.example/pypi')).toMatchObject({
    value: { count: 1 },
    outcome: 'seen',
    missed: { reason: 'The copy of advisories (ADVISORIES) has none about packages on PyPI.' },
  });
  writeFileSync(file, 'no zip');
  expect(await advisoriesOf('com.example/fixed')).toMatchObject({
    value: { count: 1 },
    outcome: 'seen',
    missed: { reason: 'The copy of advisories (ADVISORIES) cannot be read.' },
  });
});

it('is not checked where the operator wants none', async () => {
  const plain = await openedDirectory({
    entries: [registryEntry('com.example/a', { packages: [onNpm('1.0.0')] })],
    environment: { ADVISORIES: 'off' },
  });
  const { observations } = await plain.observe('com.example/a');
  expect(observations.find(({ kind }) => kind === 'package.advisories')).toMatchObject({
    outcome: 'not_asked',
    reason: 'This service is configured not to read advisories (ADVISORIES).',
  });
});
