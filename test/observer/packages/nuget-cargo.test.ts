import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  packageFactsOf,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { registryEntry } from '../../support/entries.ts';
import { opened, openedDirectory, openedEndpoint } from '../../support/opened.ts';
import { onGitHub } from '../../support/registry-entries.ts';

// Documents as api.nuget.org and crates.io send them, without members that are not read.
const entry = (version: string, more: object = {}) => ({
  '@type': 'Package',
  commitTimeStamp: '2026-03-04T05:06:07.8900000Z',
  catalogEntry: {
    '@type': 'PackageDetails',
    id: 'Example.Mcp',
    version,
    listed: true,
    published: '2026-03-04T05:06:07.89+00:00',
    licenseExpression: 'MIT',
    projectUrl: 'https://github.com/bob/example',
    ...more,
  },
  packageContent: `https://api.nuget.org/v3-flatcontainer/example.mcp/${version}/example.mcp.${version}.nupkg`,
});
const hive = '/v3/registration5-gz-semver2';
const nugetContent: Record<string, object | string> = {
  [`${hive}/example.mcp/index.json`]: {
    count: 1,
    items: [
      {
        count: 3,
        lower: '1.0.0',
        upper: '2.0.0-beta.1',
        items: [
          entry('1.0.0', {
            deprecation: {
              reasons: ['Legacy'],
              message: 'Use \u202eExample.Other',
              alternatePackage: { id: 'Example.Other', range: '*' },
            },
          }),
          entry('1.1.0', { published: '2026-05-01T00:00:00+00:00' }),
          entry('2.0.0-beta.1', { published: '2026-06-01T00:00:00+00:00' }),
        ],
      },
    ],
  },
  '/v3-flatcontainer/example.mcp/1.0.0/readme': '# Example\n\n<!-- mcp-name: io.github.alice/example -->\n',
  [`${hive}/unlisted.mcp/index.json`]: { items: [{ items: [entry('1.0.0', { listed: false })] }] },
  [`${hive}/large.mcp/index.json`]: {
    count: 2,
    items: [
      { '@id': 'https://api.nuget.org/x', count: 64, lower: '0.1.0', upper: '0.64.0' },
      { '@id': 'https://elsewhere.example/y', count: 64, lower: '0.65.0', upper: '1.20.0' },
    ],
  },
  [`${hive}/large.mcp/page/0.1.0/0.64.0.json`]: {
    items: [entry('0.9.0', { listed: false, published: '1900-01-01T00:00:00+00:00' }), entry('0.64.0')],
  },
  [`${hive}/large.mcp/page/0.65.0/1.20.0.json`]: { items: [entry('1.20.0')] },
  ...Object.fromEntries(
    ['nightly', 'endless'].map((name) => [
      `${hive}/${name}.mcp/index.json`,
      {
        items: [1, 2, 3, 4].map((at) => ({
          '@id': 'https://api.nuget.org/x',
          lower: `${at}.0.0-a`,
          upper: `${at}.0.0-z`,
        })),
      },
    ]),
  ),
  ...Object.fromEntries(
    [1, 2, 3, 4].flatMap((at) => [
      [
        `${hive}/nightly.mcp/page/${at}.0.0-a/${at}.0.0-z.json`,
        { items: [entry(at === 3 ? '3.0.0' : `${at}.0.0-m`)] },
      ],
      [`${hive}/endless.mcp/page/${at}.0.0-a/${at}.0.0-z.json`, { items: [entry(`${at}.0.0-m`)] }],
    ]),
  ),
  [`${hive}/daily.mcp/index.json`]: {
    items: [1, 2, 3, 4].map((at) => ({ lower: `1.0.0-${at}.1`, upper: `1.0.0-${at}.9` })),
  },
  ...Object.fromEntries(
    [1, 2, 3, 4].map((at) => [
      `${hive}/daily.mcp/page/1.0.0-${at}.1/1.0.0-${at}.9.json`,
      { items: [entry(`1.0.0-${at}.5`)] },
    ]),
  ),
  '/v3-flatcontainer/large.mcp/0.9.0/readme': 'mcp-name: io.github.bob/large',
};
const crate = (num: string, more: object = {}) => ({
  crate: 'example_mcp',
  num,
  yanked: false,
  license: 'MIT OR Apache-2.0',
  created_at: '2026-03-04T05:06:07.890123Z',
  yank_message: null,
  ...more,
});
const cargoContent: Record<string, Stored> = {
  '/api/v1/crates/example-mcp': {
    crate: {
      id: 'example_mcp',
      name: 'example_mcp',
      repository: 'https://github.com/alice/example_mcp.git',
      max_version: '0.4.0-rc.1',
      max_stable_version: '0.3.0',
      newest_version: '0.2.9',
    },
    versions: [
      crate('0.4.0-rc.1'),
      crate('0.3.0', { created_at: '2026-06-01T00:00:00.000000Z' }),
      crate('0.2.0', { yanked: true, yank_message: 'leaks its key' }),
    ],
  },
  '/api/v1/crates/other': { crate: { name: 'another' }, versions: [crate('1.0.0')] },
};

const listed = (name: string, registryType: string, identifier: string, version?: string) =>
  registryEntry(name, {
    remotes: [],
    packages: [{ registryType, identifier, ...(version && { version }) }],
    ...onGitHub('bob/example'),
  });

// NuGet compresses what it serves of this hive, whatever is asked for.
const nuget = await openedEndpoint((_, { url = '' }, response) => {
  const stored = nugetContent[url];
  if (stored === undefined) return void response.writeHead(404).end();
  if (typeof stored === 'string')
    return void response.writeHead(200, { 'content-type': 'text/markdown' }).end(stored);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, headers).end(gzipSync(JSON.stringify(stored)));
});
const cargo = await opened(startPackageRegistry(() => cargoContent));
const directory = await openedDirectory({
  entries: [
    listed('io.github.bob/example', 'nuget', 'Example.Mcp', '1.0'),
    listed('io.github.bob/newest', 'nuget', 'Example.Mcp'),
    listed('io.github.bob/current', 'nuget', 'Example.Mcp', '1.1.0'),
    listed('io.github.bob/unlisted', 'nuget', 'Unlisted.Mcp'),
    listed('io.github.bob/large', 'nuget', 'Large.Mcp', '0.9.0'),
    listed('io.github.bob/nightly', 'nuget', 'Nightly.Mcp', '1.0.0-m'),
    listed('io.github.bob/endless', 'nuget', 'Endless.Mcp', '1.0.0-m'),
    listed('io.github.bob/unrecorded', 'nuget', 'Nightly.Mcp'),
    listed('io.github.bob/daily', 'nuget', 'Daily.Mcp', '1.0.0-3.5'),
    listed('io.github.bob/absent', 'nuget', 'Example.Mcp', '3.0.0'),
    listed('io.github.bob/nowhere', 'nuget', 'Nowhere.Mcp', '1.0.0'),
    listed('io.github.bob/crate', 'cargo', 'example-mcp', '0.2.0'),
    listed('io.github.bob/gone', 'cargo', 'gone', '0.2.0'),
    listed('io.github.bob/other', 'cargo', 'other', '1.0.0'),
    listed('io.github.bob/odd', 'cargo', '../../me', '1.0.0'),
  ],
  environment: { PACKAGE_REGISTRIES: JSON.stringify({ nuget: nuget.url, cargo: cargo.url }) },
});

const factsOf = (handle: string) => packageFactsOf(directory, handle);
const reasonOf = async (handle: string) =>
  (await directory.observe(handle)).observations.find(({ kind }) => kind === 'package.exists')?.reason;

it('states what NuGet says of the recorded version, in any spelling, with two requests', async () => {
  const before = nuget.sent.length;
  expect(await factsOf('io.github.bob/example')).toEqual({
    exists: { version: '1.0.0' },
    advisories: 'not_asked',
    version_age: '2026-03-04T05:06:07.890Z',
    newest_version: { version: '1.1.0', published_at: '2026-05-01T00:00:00.000Z' },
    names: { names: ['io.github.alice/example'], names_this: false },
    repository: { result: 'match', repository: 'github.com/bob/example' },
    deprecated: { deprecated: true, message: 'Use Example.Other' },
    licence: 'MIT',
  });
  expect(nuget.sent.slice(before).map(({ path }) => path)).toEqual([
    '/v3/registration5-gz-semver2/example.mcp/index.json',
    '/v3-flatcontainer/example.mcp/1.0.0/readme',
  ]);
});

it('reads of a large NuGet package the page of the recorded version and the last one, from NuGet only', async () => {
  expect(await factsOf('io.github.bob/large')).toMatchObject({
    exists: { version: '0.9.0' },
    version_age: 'nothing',
    newest_version: { version: '1.20.0' },
    names: { names: ['io.github.bob/large'], names_this: true },
    deprecated: { deprecated: false, unlisted: true },
  });
});

it('says whether the registry names a newer version than the record', async () => {
  const keptUp = async (handle: string) => {
    await directory.observe(handle);
    const answer = await directory.app.request(`/agents/${handle}.md`);
    return /\* Kept up: .*/.exec(await answer.text())?.[0];
  };
  expect(await keptUp('io.github.bob/example')).toContain(
    'NuGet names `1.1.0` as the newest version, published 2026-05-01',
  );
  expect(await keptUp('io.github.bob/crate')).toContain(
    'crates.io names `0.3.0` as the newest version, published 2026-06-01',
  );
  expect(await keptUp('io.github.bob/current')).toContain('; NuGet names no newer version');
  expect(await keptUp('io.github.bob/newest')).not.toContain('newe');
});

it('looks for a newest version before pages of pre-releases, in three pages at most', async () => {
  expect(await factsOf('io.github.bob/nightly')).toMatchObject({
    exists: { version: '1.0.0-m' },
    newest_version: { version: '3.0.0' },
  });
  expect(await factsOf('io.github.bob/unrecorded')).toMatchObject({ exists: { version: '3.0.0' } });
  const { newest_version, exists } = await factsOf('io.github.bob/endless');
  expect(exists).toMatchObject({ version: '1.0.0-m' });
  expect(newest_version).toBe('not_asked');
  const { observations } = await directory.observe('io.github.bob/endless');
  expect(observations.find(({ kind }) => kind === 'package.newest_version')?.reason).toBe(
    'The last pages of versions of this package on NuGet have only pre-releases and unlisted versions; Dossier reads no further.',
  );
});

it('finds a pre-release on the one page whose bounds enclose it', async () => {
  expect(await factsOf('io.github.bob/daily')).toMatchObject({ exists: { version: '1.0.0-3.5' } });
});

it('takes the newest version that is no pre-release where none is recorded', async () => {
  expect(await factsOf('io.github.bob/newest')).toMatchObject({ exists: { version: '1.1.0' } });
});

it('states what crates.io says of the recorded version, with one request', async () => {
  const before = cargo.sent.length;
  expect(await factsOf('io.github.bob/crate')).toEqual({
    exists: { version: '0.2.0' },
    advisories: 'not_asked',
    version_age: '2026-03-04T05:06:07.890Z',
    newest_version: { version: '0.3.0', published_at: '2026-06-01T00:00:00.000Z' },
    repository: { result: 'other', repository: 'github.com/alice/example_mcp' },
    deprecated: { deprecated: true, message: 'leaks its key' },
    licence: 'MIT OR Apache-2.0',
  });
  expect(cargo.sent.slice(before).map(({ path }) => path)).toEqual(['/api/v1/crates/example-mcp']);
});

it('tells an absent version and an absent package apart, and takes no other crate for the recorded one', async () => {
  expect(await reasonOf('io.github.bob/absent')).toBe('NuGet has no version `3.0.0` of `Example.Mcp`.');
  expect(await reasonOf('io.github.bob/nowhere')).toBe(
    'NuGet has no package `Nowhere.Mcp`; a name that is free can be registered by others.',
  );
  expect(await factsOf('io.github.bob/unlisted')).toMatchObject({ exists: 'nothing' });
  expect(await reasonOf('io.github.bob/unlisted')).toBe('NuGet does not state a version that is listed.');
  expect(await reasonOf('io.github.bob/gone')).toBe(
    'crates.io has no crate `gone`; a name that is free can be registered by others.',
  );
  expect(await factsOf('io.github.bob/other')).toMatchObject({ exists: 'otherwise' });
  expect(await factsOf('io.github.bob/odd')).toEqual({});
});
