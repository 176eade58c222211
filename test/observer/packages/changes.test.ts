import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../../support/directory.ts';
import type { Endpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { npmVersion, type Stored, startPackageRegistry } from '../../support/endpoints/package-registry.ts';
import { registryEntry } from '../../support/entries.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';

const handle = 'com.example/server';
const folder = mkdtempSync(join(tmpdir(), 'dossier-osv-'));
const file = join(folder, 'osv.zip');
let saved = 0;

/** Saves a copy of OSV whose advisories name every version of the package. */
function save(ids: readonly string[], unread: readonly string[] = []) {
  const advisory = (id: string, type: string) => ({
    id,
    modified: '2026-01-01T00:00:00Z',
    summary: `Copy ${saved}`,
    affected: [
      { package: { ecosystem: 'npm', name: 'server' }, ranges: [{ type, events: [{ introduced: '0' }] }] },
    ],
  });
  const all = [...ids.map((id) => advisory(id, 'SEMVER')), ...unread.map((id) => advisory(id, 'GIT'))];
  const files = all.map((one, at) => [`${at}.json`, strToU8(JSON.stringify(one))]);
  writeFileSync(file, zipSync(Object.fromEntries(files)));
  saved += 1;
  utimesSync(file, new Date(2026, 0, saved), new Date(2026, 0, saved));
}

/** What npm states of the package, whose newest version is the last one. */
const stated = {
  versions: { '1.0.0': {} } as Record<string, object>,
  maintainers: ['bob', 'alice'],
};
const packument = (): Stored => ({
  _id: 'server',
  name: 'server',
  'dist-tags': { latest: Object.keys(stated.versions).at(-1) },
  versions: Object.fromEntries(
    Object.entries(stated.versions).map(([version, more]) => [version, npmVersion('server', version, more)]),
  ),
  time: Object.fromEntries(
    Object.keys(stated.versions).map((version, at) => [version, `2026-0${at + 1}-01T10:00:00.000Z`]),
  ),
  maintainers: stated.maintainers.map((name) => ({ name, email: `${name}@example.org` })),
});

let npm: Endpoint;
let directory: Directory;

beforeAll(async () => {
  save(['GHSA-1', 'GHSA-2']);
  npm = await startPackageRegistry(() => ({ '/server': packument() }));
  directory = await openDirectory({
    entries: [
      registryEntry(handle, {
        packages: [{ registryType: 'npm', identifier: 'server' }],
        remotes: [],
      }),
    ],
    environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }), ADVISORIES: file },
  });
  await directory.observe(handle);
});
afterAll(async () => {
  await directory.close();
  await npm.close();
  rmSync(folder, { recursive: true });
});

const changesOf = (title: string) => changesOfNextCheck(directory, handle, title);

it('changes nothing but the version if the newest one states the same', async () => {
  stated.versions = { '1.0.0': {}, '1.1.0': {} };
  expect(await changesOf('Published package')).toEqual(['version `1.0.0` until then version `1.1.0`']);
  const { observations } = await directory.observe(handle);
  const ofRegistry = [
    'package.deprecated',
    'package.maintainers',
    'package.provenance',
    'package.advisories',
  ];
  for (const kind of [...ofRegistry, 'package.install_scripts']) {
    const one = observations.find((fact) => fact.kind === kind);
    expect([kind, one?.outcome, one?.changed_from]).toEqual([kind, 'seen', undefined]);
  }
});

it('names the words of a mark before and after they changed', async () => {
  stated.versions = { '1.0.0': {}, '1.1.0': { deprecated: 'use another' } };
  expect(await changesOf('Version marked as deprecated or yanked')).toEqual([
    'no until then yes: “use another”',
  ]);
  stated.versions = { '1.0.0': {}, '1.1.0': { deprecated: 'malware' } };
  expect(await changesOf('Version marked as deprecated or yanked')).toEqual([
    'yes: “use another” until then yes: “malware”',
  ]);
  // The record names no version.
  const text = await (await directory.app.request(`/agents/${handle}.md`)).text();
  expect(text).toContain('npm marks version `1.1.0` of `npm:server` as deprecated');
  expect(text).toContain('2 advisories about version `1.1.0`');
});

it('names the maintainers before and after one became another, whatever their order', async () => {
  stated.maintainers = ['alice', 'bob'];
  expect(await changesOf('Maintainers of the package')).toEqual([]);
  stated.maintainers = ['mallory', 'alice'];
  expect(await changesOf('Maintainers of the package')).toEqual([
    '2: `alice`, `bob` until then 2: `alice`, `mallory`',
  ]);
});

it('tells long lists of maintainers apart that begin alike', async () => {
  stated.maintainers = [...'abcdefghijklmnopqrstuvwxyz', 'zoe'];
  await directory.observe(handle);
  stated.maintainers = [...'abcdefghijklmnopqrstuvwxyz', 'zack'];
  expect(await changesOf('Maintainers of the package')).toEqual([
    expect.stringMatching(/^`names`: `zack` is new, `zoe` is gone; the other was last seen on 2026-/),
  ]);
  const many = Array.from({ length: 200 }, (_, at) => `account-${String(at).padStart(3, '0')}`);
  stated.maintainers = [...many, 'zoe'];
  await directory.observe(handle);
  stated.maintainers = [...many, 'zack'];
  const [said = '', ...others] = await changesOf('Maintainers of the package');
  expect(others).toEqual([]);
  const [, was, is] = /^SHA-256 ([0-9a-f]{12}) until then SHA-256 ([0-9a-f]{12})$/.exec(said) ?? [];
  expect([said, was]).not.toEqual([said, is]);
  expect(was).toBeDefined();
});

it('names the advisories before and after one became another, whatever their order and summaries', async () => {
  save(['GHSA-2', 'GHSA-1']);
  expect(await changesOf('Advisories about the package')).toEqual([]);
  save(['GHSA-1', 'GHSA-3']);
  expect(await changesOf('Advisories about the package')).toEqual([
    '2: `GHSA-1` “Copy 1” (severity not stated); `GHSA-2` “Copy 1” (severity not stated) until then 2: `GHSA-1` “Copy 2” (severity not stated); `GHSA-3` “Copy 2” (severity not stated)',
  ]);
  save(['GHSA-1', 'GHSA-3'], ['GHSA-9']);
  expect(await changesOf('Advisories about the package')).toEqual([
    '2: `GHSA-1` “Copy 2” (severity not stated); `GHSA-3` “Copy 2” (severity not stated) until then 2: `GHSA-1` “Copy 3” (severity not stated); `GHSA-3` “Copy 3” (severity not stated); Dossier could not decide whether this is about version `1.1.0`: `GHSA-9`',
  ]);
});

it('names the scripts, dependencies and account of a version and of another one after it', async () => {
  stated.versions = {
    '1.0.0': { _npmUser: { name: 'alice' }, dependencies: { zod: '4', ajv: '8' } },
    '1.1.0': { _npmUser: { name: 'alice' }, dependencies: { zod: '4', ajv: '8', hono: '4' } },
  };
  await directory.observe(handle);
  stated.versions = {
    '1.0.0': { _npmUser: { name: 'alice' }, dependencies: { ajv: '8', zod: '4' } },
    '1.1.0': { _npmUser: { name: 'alice' }, dependencies: { hono: '4', ajv: '8', zod: '4' } },
  };
  expect(await changesOf('Dependencies that an earlier version did not have')).toEqual([]);
  stated.versions = {
    '1.0.0': { _npmUser: { name: 'alice' }, dependencies: { zod: '4' } },
    '1.2.0': {
      _npmUser: { name: 'mallory' },
      dependencies: { zod: '4', koa: '3' },
      scripts: { postinstall: 'node setup.js', test: 'vitest' },
    },
  };
  expect(await changesOf('Dependencies that an earlier version did not have')).toEqual([
    '1: `hono` until then 1: `koa`',
  ]);
  stated.versions['1.2.0'] = {
    _npmUser: { name: 'bob' },
    scripts: { postinstall: 'node other.js', test: 'x' },
  };
  expect(await changesOf('Scripts that run when the package is installed')).toEqual([
    '`postinstall` “node setup.js” until then `postinstall` “node other.js”',
  ]);
  stated.versions['1.2.0'] = { _npmUser: { name: 'zoe' } };
  expect(await changesOf('Account that published the version')).toEqual(['`bob` until then `zoe`']);
});
