import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const handle = 'com.vendor/store';
const key = { name: 'STORE_KEY', description: 'The key.', isSecret: true };
const npm = (version: string, more: object = {}) => ({
  registryType: 'npm',
  identifier: '@vendor/store',
  version,
  transport: { type: 'stdio' },
  ...more,
});
const nuget = (version: string, more: object = {}) => ({
  ...npm(version, more),
  registryType: 'nuget',
  identifier: 'Vendor.Store',
});
const image = (tag: string) => ({
  registryType: 'oci',
  identifier: `ghcr.io/vendor/store:${tag}`,
  transport: { type: 'stdio' },
});
const file = (version: string, sha256 = '1a', more: object = {}) => ({
  registryType: 'mcpb',
  identifier: `https://github.com/vendor/store/releases/download/v${version}/store-${version}.mcpb`,
  fileSha256: sha256.repeat(32),
  transport: { type: 'stdio' },
  ...more,
});

/** What get_history says of the second of two versions with these packages. */
async function toldOf(before: object[], after: object[], more: object = {}) {
  const entries = [before, after].map((packages, at) =>
    registryEntry(
      handle,
      { version: `1.${at}.0`, packages, ...(at === 1 && more) },
      {
        publishedAt: `2026-10-0${at + 1}T08:00:00Z`,
        updatedAt: `2026-10-0${at + 1}T08:00:00Z`,
        isLatest: at === 1,
      },
    ),
  );
  const directory = await openedDirectory({ entries });
  const { changes } = await callTool<{ changes: string[] }>(directory, 'get_history', { handle });
  return changes[0]?.replace('2026-10-02 version `1.1.0` (published 2026-10-02) ', '');
}

it.each<[what: string, before: object[], after: object[], said: string]>([
  [
    'adds one and leaves the other as it was',
    [nuget('2.0.0')],
    [nuget('2.0.0'), npm('2.0.0')],
    'added the package `npm:@vendor/store`',
  ],
  [
    'adds one and has another version of the other',
    [nuget('2.0.0', { environmentVariables: [key] })],
    [nuget('2.1.0', { environmentVariables: [key] }), npm('2.1.0', { environmentVariables: [key] })],
    'added the package `npm:@vendor/store` and now asks callers to send the secret `STORE_KEY`, named before, to `npm:@vendor/store`; changed package version of `nuget:vendor.store` from `2.0.0` to `2.1.0` besides',
  ],
  [
    'has another version of one of two',
    [nuget('2.0.0'), npm('1.0.0')],
    [nuget('2.0.0'), npm('1.1.0')],
    'changed package version of `npm:@vendor/store` from `1.0.0` to `1.1.0`',
  ],
  [
    'has the same new version of all',
    [nuget('2.0.0'), npm('2.0.0'), image('2.0.0')],
    [nuget('2.1.0'), npm('2.1.0'), image('2.1.0')],
    'changed package version from `2.0.0` to `2.1.0`',
  ],
  [
    'has other versions of each',
    [nuget('2.0.0'), npm('1.0.0'), image('2.0.0')],
    [nuget('2.1.0'), npm('1.1.0'), image('2.1.0')],
    'changed package version of `nuget:vendor.store` and `oci:ghcr.io/vendor/store` from `2.0.0` to `2.1.0`, package version of `npm:@vendor/store` from `1.0.0` to `1.1.0`',
  ],
  [
    'names the same in another order',
    [nuget('2.0.0'), npm('1.0.0')],
    [npm('1.0.0'), nuget('2.0.0')],
    'changed only the version of the record; all else that is compared, package versions too, is as before',
  ],
  [
    'names the file of another release',
    [file('2.0.0'), npm('2.0.0')],
    [file('2.1.0', '2b'), npm('2.1.0')],
    'changed package version of `npm:@vendor/store` from `2.0.0` to `2.1.0`, version in address of `mcpb:github.com/vendor/store/store.mcpb` from `2.0.0` to `2.1.0`, file SHA-256 of `mcpb:github.com/vendor/store/store.mcpb` from `1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a` to `2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b`',
  ],
  [
    'names a file whose recorded version is in its address',
    [file('2.0.0', '1a', { version: '2.0.0' })],
    [file('2.1.0', '1a', { version: '2.1.0' })],
    'changed package version from `2.0.0` to `2.1.0`',
  ],
  [
    'names a file at another address',
    [file('2.0.0')],
    [file('2.1.0', '1a', { identifier: 'https://github.com/vendor/store/raw/v2.1.0/store.mcpb' })],
    'changed version in address from `2.0.0` to `2.1.0`, package address from `https://github.com/vendor/store/releases/download/{version}/store-{version}.mcpb` to `https://github.com/vendor/store/raw/{version}/store.mcpb`',
  ],
  [
    'sets another variable beside an argument that starts the package',
    [npm('1.0.0', { packageArguments: [{ type: 'positional', value: 'serve' }] })],
    [
      npm('1.0.0', {
        packageArguments: [{ type: 'positional', value: 'start' }],
        environmentVariables: [{ name: 'MODE', value: 'quiet' }],
      }),
    ],
    'starts `npm:@vendor/store` with `start` instead of `serve`; changed package environment besides; package name as before',
  ],
])('tells what a version changed of its packages, if it %s', async (_what, before, after, said) => {
  expect(await toldOf(before, after)).toBe(said);
});

it('tells nothing of the inputs of a package that a version added, but what they are newly', async () => {
  const plain = [{ name: 'REGION', description: 'The region.' }];
  expect(await toldOf([npm('1.0.0')], [npm('1.0.0'), nuget('1.0.0', { environmentVariables: plain })])).toBe(
    'added the package `nuget:vendor.store`; changed inputs (new, not called secret: `REGION`) besides',
  );
  const [one] = plain;
  const both = { environmentVariables: plain };
  const other = { environmentVariables: [{ ...one, description: 'The part of the world.' }] };
  expect(await toldOf([npm('1.0.0', both)], [npm('1.0.0', both), nuget('1.0.0', other)])).toBe(
    'added the package `nuget:vendor.store`',
  );
  expect(await toldOf([npm('1.0.0', both)], [npm('1.0.0', other), nuget('1.0.0', both)])).toBe(
    'added the package `nuget:vendor.store`; changed wording or place of inputs besides',
  );
});

it('shortens a name that nobody would read to its end', async () => {
  const long = (version: string) => npm(version, { identifier: `@vendor/${'a'.repeat(400)}` });
  expect(await toldOf([npm('1.0.0'), long('1.0.0')], [npm('1.0.0'), long('1.1.0')])).toBe(
    `changed package version of “npm:@vendor/${'a'.repeat(128)}…${'a'.repeat(90)}” from \`1.0.0\` to \`1.1.0\``,
  );
});
