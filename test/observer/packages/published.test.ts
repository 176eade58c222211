import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../../support/directory.ts';
import type { Endpoint } from '../../support/endpoints/mcp-endpoint.ts';
import {
  npmPackument,
  npmVersion,
  pypiRelease,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { registryEntry } from '../../support/entries.ts';

const digest = `sha256:${'1f'.repeat(32)}`;
const npmContent: Record<string, Stored> = {
  '/@example%2fserver': npmPackument(
    '@example/server',
    { '1.2.0': {}, '1.3.0': { deprecated: 'use \u202e@example/other' } },
    { '1.2.0': '2026-02-01T10:00:00.000Z', '1.3.0': '2026-03-01T10:00:00.000Z' },
  ),
  '/large': { status: 200, text: `{"name":"large","readme":"${'x'.repeat(2_200_000)}"}` },
  '/large/4.0.0': npmVersion('large', '4.0.0'),
  '/withdrawn': {
    _id: 'withdrawn',
    name: 'withdrawn',
    time: { unpublished: { time: '2026-01-01T00:00:00Z' } },
  },
  '/older-form': {
    ...npmPackument('older-form', { '1.0.0': {} }, { '1.0.0': '2026-01-01T00:00:00.000Z' }),
    maintainers: ['bob <bob@example.org>', 'alice (https://example.org)'],
  },
  '/unknown-form': {
    ...npmPackument('unknown-form', { '1.0.0': {} }, {}),
    maintainers: [{ id: 7 }],
    time: undefined,
  },
  '/untagged': {
    ...npmPackument('untagged', { '1.0.0': {} }, { '1.0.0': '2026-01-01T00:00:00.000Z' }),
    'dist-tags': {},
  },
  '/many-values': {
    ...npmPackument('many-values', { '2.0.0': {} }, { '2.0.0': '2026-01-01T00:00:00.000Z' }),
    users: Array.from({ length: 100_000 }, () => 1),
  },
  '/many-values/2.0.0': npmVersion('many-values', '2.0.0'),
  '/tagged-back': {
    ...npmPackument(
      'tagged-back',
      { '1.9.0': {}, '2.0.0': {} },
      { '1.9.0': '2026-01-01T00:00:00.000Z', '2.0.0': '2026-02-01T00:00:00.000Z' },
    ),
    'dist-tags': { latest: '1.9.0' },
  },
  '/broken': { status: 500, text: 'oops' },
};
let npm: Endpoint;
let pypi: Endpoint;
let oci: Endpoint;
let directory: Directory;

const listed = (name: string, ...packages: object[]) => registryEntry(name, { packages, remotes: [] });
const onNpm = (identifier: string, version?: string) => ({
  registryType: 'npm',
  identifier,
  ...(version && { version }),
});

beforeAll(async () => {
  npm = await startPackageRegistry(() => npmContent);
  pypi = await startPackageRegistry(() => ({
    '/pypi/example-server/json': pypiRelease('example-server', '1.0'),
    '/pypi/example-server/0.9/json': pypiRelease('example-server', '0.9', 'broken metadata'),
  }));
  oci = await startPackageRegistry(() => ({
    '/v2/example/server/manifests/1.0': {
      status: 200,
      text: '{"schemaVersion":2}',
      headers: { 'docker-content-digest': digest },
    },
  }));
  directory = await openDirectory({
    entries: [
      listed('com.example/npm', onNpm('@example/server', '1.3.0')),
      listed('com.example/with-v', onNpm('@example/server', 'v1.3.0')),
      listed('com.example/unseen', onNpm('@example/server', '1.3.0')),
      listed('com.example/newest', onNpm('@example/server')),
      listed(
        'com.example/absent',
        onNpm('@example/server', '9.9.9'),
        onNpm('nowhere', '1.0.0'),
        onNpm('withdrawn', '1.0.0'),
      ),
      listed('com.example/unnamed', onNpm('untagged'), onNpm('withdrawn')),
      listed('com.example/values', onNpm('many-values', '2.0.0')),
      listed('com.example/ahead', onNpm('tagged-back', '2.0.0')),
      listed('com.example/behind', onNpm('tagged-back', '1.2.0-beta.1'), onNpm('@example/server', '1.2.0')),
      listed('com.example/large', onNpm('large', '4.0.0')),
      listed('com.example/forms', onNpm('older-form', '1.0.0'), onNpm('unknown-form', '1.0.0')),
      listed('com.example/broken', onNpm('broken', '1.0.0')),
      listed('com.example/odd', onNpm('../../-/whoami', '1.0.0'), onNpm('large', '../../-/whoami'), {
        registryType: 'pypi',
        identifier: 'example-server',
        version: '..',
      }),
      listed('com.example/pypi', { registryType: 'pypi', identifier: 'example-server', version: '0.9' }),
      listed('com.example/image', { registryType: 'oci', identifier: 'docker.io/example/server:1.0' }),
      listed(
        'com.example/oci',
        { registryType: 'oci', identifier: 'docker.io/example/server:1.0' },
        { registryType: 'oci', identifier: 'docker.io/example/gone:1.0' },
      ),
    ],
    environment: {
      PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url, pypi: pypi.url, oci: oci.url }),
    },
  });
});
afterAll(async () => {
  await directory.close();
  await Promise.all([npm, pypi, oci].map((endpoint) => endpoint.close()));
});

/** What is observed of the packages of a listing. */
async function observe(handle: string) {
  const { observations } = await directory.observe(handle);
  return observations.filter(({ kind }) =>
    /^package\.(exists|version_age|deprecated|maintainers)$/.test(kind),
  );
}
const inShort = async (handle: string) =>
  Object.fromEntries(
    (await observe(handle)).map(({ kind, outcome, value, details }) => [kind, [outcome, value, details]]),
  );

it('states what npm says of the recorded version', async () => {
  expect(await inShort('com.example/npm')).toEqual({
    'package.exists': ['seen', { version: '1.3.0' }, undefined],
    'package.version_age': ['seen', '2026-03-01T10:00:00.000Z', { version: '1.3.0' }],
    'package.deprecated': ['seen', { deprecated: true, message: 'use @example/other' }, { version: '1.3.0' }],
    'package.maintainers': ['seen', { count: 2, names: ['alice', 'bob'] }, undefined],
  });
  expect((await observe('com.example/npm'))[0]).toMatchObject({
    subject: 'npm:@example/server',
    source: new URL(npm.url).host,
    source_url: `${npm.url}/@example%2fserver`,
  });
});

it('reads older forms, and says of a form that it does not know neither none nor no', async () => {
  const found = (await observe('com.example/forms')).filter(({ kind }) =>
    /maintainers|version_age/.test(kind),
  );
  expect(found.map(({ kind, subject, outcome, value }) => [kind, subject, outcome, value])).toEqual([
    ['package.maintainers', 'npm:older-form', 'seen', { count: 2, names: ['alice', 'bob'] }],
    ['package.maintainers', 'npm:unknown-form', 'nothing', null],
    ['package.version_age', 'npm:older-form', 'seen', expect.any(String)],
    ['package.version_age', 'npm:unknown-form', 'nothing', null],
  ]);
});

it('looks at the newest version where none is recorded', async () => {
  expect(await inShort('com.example/newest')).toMatchObject({
    'package.exists': ['seen', { version: '1.3.0' }, undefined],
  });
});

it('finds the version that npm installs where the record writes a v before it', async () => {
  expect(await inShort('com.example/with-v')).toMatchObject({
    'package.exists': ['seen', { version: '1.3.0' }, undefined],
  });
});

it('tells an absent version, an absent package and an unpublished one apart', async () => {
  const found = (await observe('com.example/absent')).filter(({ kind }) => kind === 'package.exists');
  expect(found.map(({ subject, outcome, reason }) => [subject, outcome, reason])).toEqual([
    ['npm:@example/server', 'absent', 'npm has no version `9.9.9` of `@example/server`.'],
    [
      'npm:nowhere',
      'absent',
      'npm has no package `nowhere`; a name that is free can be registered by others.',
    ],
    ['npm:withdrawn', 'absent', 'npm says that `withdrawn` was unpublished.'],
  ]);
});

it('reads the version alone where the document of the package is over 2 MiB, and says what it did not read', async () => {
  const found = await observe('com.example/large');
  const reason = 'The npm document of `large` that states this is larger than Dossier reads.';
  expect(found.map(({ kind, outcome, value, reason }) => [kind, outcome, value, reason])).toEqual([
    ['package.maintainers', 'not_asked', null, reason],
    ['package.exists', 'seen', { version: '4.0.0' }, undefined],
    ['package.version_age', 'not_asked', null, reason],
    ['package.deprecated', 'seen', { deprecated: false }, undefined],
  ]);
});

it('takes a package whose newest version is not stated for none that is gone', async () => {
  const found = (await observe('com.example/unnamed')).filter(({ kind }) => kind === 'package.exists');
  expect(found.map(({ subject, outcome, reason }) => [subject, outcome, reason])).toEqual([
    ['npm:untagged', 'nothing', 'npm does not state which version is the newest.'],
    ['npm:withdrawn', 'absent', 'npm says that `withdrawn` was unpublished.'],
  ]);
});

it('reads the version alone too where the document of the package has more values than are read', async () => {
  expect(await inShort('com.example/values')).toMatchObject({
    'package.exists': ['seen', { version: '2.0.0' }, undefined],
    'package.deprecated': ['seen', { deprecated: false }, { version: '2.0.0' }],
  });
});

it('puts nothing into a path that is not a name or a version', async () => {
  const before = npm.sent.length;
  const beforePypi = pypi.sent.length;
  expect((await observe('com.example/odd')).map(({ subject }) => subject)).not.toContain(
    'npm:../../-/whoami',
  );
  expect(npm.sent.slice(before).map(({ path }) => path)).toEqual(['/large', '/large/latest']);
  expect(pypi.sent.slice(beforePypi).map(({ path }) => path)).toEqual([
    '/pypi/example-server/json',
    '/integrity/example-server/1.0/example-server-1.0-py3-none-any.whl/provenance',
  ]);
});

it('states what PyPI says of the recorded release', async () => {
  expect(await inShort('com.example/pypi')).toEqual({
    'package.exists': ['seen', { version: '0.9' }, undefined],
    'package.version_age': ['seen', '2026-03-04T05:06:07.890Z', { version: '0.9' }],
    'package.deprecated': ['seen', { deprecated: true, message: 'broken metadata' }, { version: '0.9' }],
  });
});

it('states the digest of an image', async () => {
  expect(await observe('com.example/oci')).toMatchObject([
    { subject: 'oci:docker.io/example/server:1.0', value: { reference: '1.0', digest } },
    { subject: 'oci:docker.io/example/gone:1.0', outcome: 'absent' },
  ]);
});

it('asks each document once a look, and sends no credential and no cookie', async () => {
  const before = npm.sent.length;
  await observe('com.example/npm');
  expect(npm.sent.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /@example%2fserver',
  ]);
  const all = [npm, pypi, oci].flatMap(({ sent }) => sent);
  expect(all.filter(({ headers }) => headers.authorization ?? headers.cookie)).toEqual([]);
});
