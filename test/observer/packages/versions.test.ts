import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../../support/directory.ts';
import type { Endpoint } from '../../support/endpoints/mcp-endpoint.ts';
import {
  npmPackument,
  npmVersion,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { registryEntry } from '../../support/entries.ts';

const by = (name: string) => ({ _npmUser: { name, email: `${name}@example.org` } });
const content: Record<string, Stored> = {
  // npm lists versions as they were published, whatever their numbers.
  '/taken': npmPackument(
    'taken',
    {
      '1.0.0': { ...by('alice'), dependencies: { zod: '^4.0.0' } },
      '1.0.1': {
        ...by('mallory'),
        scripts: { postinstall: 'node \u202esetup.js', test: 'x' },
        dependencies: { zod: '^4.0.0', 'plain-crypto': '*' },
      },
      '0.9.9': by('alice'),
    },
    {
      '1.0.0': '2026-01-01T00:00:00.000Z',
      '1.0.1': '2026-02-01T00:00:00.000Z',
      '0.9.9': '2026-01-15T00:00:00.000Z',
    },
  ),
  '/built': npmPackument(
    'built',
    {
      '1.0.0': { ...by('alice'), scripts: { install: 'node-gyp rebuild' } },
      '1.1.0': { ...by('GitHub Actions'), scripts: { install: 'node-gyp rebuild' } },
    },
    { '1.0.0': '2026-01-01T00:00:00.000Z', '1.1.0': '2026-02-01T00:00:00.000Z' },
  ),
  '/first': npmPackument(
    'first',
    { '1.0.0': { scripts: { postinstall: 7 } } },
    { '1.0.0': '2026-01-01T00:00:00.000Z' },
  ),
  '/large': { status: 200, text: `{"name":"large","readme":"${'x'.repeat(2_200_000)}"}` },
  '/large/4.0.0': npmVersion('large', '4.0.0', { ...by('alice'), scripts: { preinstall: 'x' } }),
};

let npm: Endpoint;
let directory: Directory;
const onNpm = (identifier: string, version: string) =>
  registryEntry(`com.example/${identifier}`, {
    packages: [{ registryType: 'npm', identifier, version }],
    remotes: [],
  });

beforeAll(async () => {
  npm = await startPackageRegistry(() => content);
  directory = await openDirectory({
    entries: [
      onNpm('taken', '1.0.1'),
      onNpm('built', '1.1.0'),
      onNpm('first', '1.0.0'),
      onNpm('large', '4.0.0'),
      onNpm('free', '1.0.0'),
    ],
    environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
  });
});
afterAll(async () => {
  await directory.close();
  await npm.close();
});

const kinds = /^package\.(install_scripts|published_by|new_dependencies)$/;
async function observe(name: string) {
  const { observations } = await directory.observe(`com.example/${name}`);
  const found = observations.filter(({ kind }) => kinds.test(kind));
  return Object.fromEntries(
    found.map(({ kind, state, value, details }) => [kind, { state, value, details }]),
  );
}
const read = async (name: string) => (await directory.app.request(`/agents/com.example/${name}.md`)).text();

describe('the recorded version of an npm package, beside the one published before it', () => {
  it('is published by another account, runs a script and needs more: all of it stands out or is listed', async () => {
    expect(await observe('taken')).toEqual({
      'package.published_by': {
        ...{ state: 'observed', value: 'mallory' },
        details: { version: '1.0.1', before: { version: '0.9.9', value: 'alice' } },
      },
      'package.install_scripts': {
        ...{ state: 'observed', value: 'postinstall' },
        details: {
          version: '1.0.1',
          scripts: { postinstall: 'node setup.js' },
          before: { version: '0.9.9', value: 'none' },
        },
      },
      'package.new_dependencies': {
        ...{ state: 'observed', value: 2 },
        details: { version: '1.0.1', before: '0.9.9', added: ['zod', 'plain-crypto'] },
      },
    });
    const text = await read('taken');
    expect(text).toMatch(
      /Of `npm:taken`, version `1\.0\.1` runs `postinstall` when it is installed; version `0\.9\.9` before it runs nothing \(Dossier, \d{4}-\d\d-\d\d\)\./,
    );
    expect(text).toMatch(
      /Of `npm:taken`, version `1\.0\.1` was published by `mallory`, version `0\.9\.9` before it by `alice` \(Dossier, \d{4}-\d\d-\d\d\)\./,
    );
    expect(text).toContain('Dependencies that the version before did not have: 2: `zod`, `plain-crypto`');
  });

  it('is published by a build for the first time: a fact that does not stand out', async () => {
    expect(await observe('built')).toMatchObject({
      'package.published_by': {
        value: 'GitHub Actions',
        details: { before: { version: '1.0.0', value: 'alice' } },
      },
      'package.install_scripts': {
        value: 'install',
        details: { version: '1.1.0', scripts: { install: 'node-gyp rebuild' } },
      },
      'package.new_dependencies': { value: 0 },
    });
    const text = await read('built');
    expect(text).not.toContain('was published by');
    expect(text).not.toContain('when it is installed; version');
    expect(text).toContain(
      'Account that published the version: “GitHub Actions”; of version `1.0.0` before it: `alice`',
    );
  });

  it('is the first one, and states no account', async () => {
    expect(await observe('first')).toMatchObject({
      'package.published_by': { state: 'not_checked', value: null },
      'package.install_scripts': {
        state: 'observed',
        value: 'none',
        details: { version: '1.0.0', scripts: {} },
      },
      'package.new_dependencies': { state: 'not_checked', value: null },
    });
  });

  it('is read alone if the document of the package is over 2 MiB', async () => {
    expect(await observe('large')).toMatchObject({
      'package.published_by': { state: 'observed', value: 'alice', details: { version: '4.0.0' } },
      'package.install_scripts': { state: 'observed', value: 'preinstall' },
      'package.new_dependencies': { state: 'not_checked' },
    });
  });

  it('is of a package that npm does not have, whose name others can register', async () => {
    await observe('free');
    expect(await read('free')).toContain(
      'npm has no package free; a name that is free can be registered by others',
    );
  });
});
