import { expect, it } from 'vitest';
import { callTool, type openDirectory } from '../support/directory.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const handle = 'com.vendor/store';

const named = (...names: string[]) => names.map((name) => ({ name, description: `Says ${name}.` }));

/** As a record that asks for these environment variables; the first version is of 1 October 2026. */
const version = (at: number, inputs: object[], isLatest = false, more: object = {}) =>
  registryEntry(
    handle,
    {
      version: `1.${at}.0`,
      ...packageAt('npm', '@vendor/store', `1.${at}.0`, { environmentVariables: inputs }),
      ...more,
    },
    {
      publishedAt: `2026-10-0${at + 1}T08:00:00Z`,
      updatedAt: `2026-10-0${at + 1}T08:00:00Z`,
      isLatest,
    },
  );

const before = named('STORE_URL', 'NO_CHECKS');
const after = named('STORE_URL', 'DRY_RUN', 'TRANSPORT');

const changesOf = async (directory: Awaited<ReturnType<typeof openDirectory>>, input: object = {}) =>
  (await callTool<{ changes: string[] }>(directory, 'get_history', { handle, ...input })).changes;

it('names the inputs that a version changed, and puts only versions together that changed the same', async () => {
  const directory = await openedDirectory({
    entries: [
      version(0, before),
      version(1, after),
      version(2, after),
      version(3, after.toReversed()),
      version(4, [...named('TRANSPORT', 'STORE_URL'), { name: 'DRY_RUN', description: 'Tries.' }], true),
    ],
  });
  const inputs =
    '2026-10-02 version `1.1.0` (published 2026-10-02) changed package version from `1.0.0` to `1.1.0`, inputs (new, not called secret: `DRY_RUN` and `TRANSPORT`; gone: `NO_CHECKS`)';
  expect(await changesOf(directory)).toEqual([
    '2026-10-05 version `1.4.0` (published 2026-10-05) changed package version from `1.3.0` to `1.4.0`, wording or place of inputs',
    '2026-10-04 2 versions, `1.2.0` to `1.3.0` (published from 2026-10-03 to 2026-10-04), changed package version from `1.1.0` to `1.3.0`, and no endpoint, transport, package name, argument value, repository or secret',
    inputs,
    '2026-10-01 version `1.0.0` (published 2026-10-01) was not compared, because no version before it was read; it recorded the npm package `@vendor/store@1.0.0` over stdio, which takes environment variables `STORE_URL`, `NO_CHECKS`',
  ]);
  expect(await changesOf(directory, { kind: 'access' })).toEqual([
    '2026-10-05 version `1.4.0` (published 2026-10-05) changed package version from `1.3.0` to `1.4.0`, wording or place of inputs',
    inputs,
  ]);
  const page = await (await directory.app.request(`/agents/${handle}/versions`)).text();
  expect(page).toContain(
    'changed package version from <code class="foreign">1.0.0</code> to <code class="foreign">1.1.0</code>, inputs (new, not called secret: <code class="foreign">DRY_RUN</code> and <code class="foreign">TRANSPORT</code>; gone: <code class="foreign">NO_CHECKS</code>)',
  );
});

it('names them beside a secret that a version newly asks for', async () => {
  const secret = { name: 'STORE_KEY', isSecret: true, isRequired: true };
  const directory = await openedDirectory({
    entries: [version(0, before), version(1, [...after, secret], true)],
  });
  const [change] = await changesOf(directory, { kind: 'access' });
  expect(change).toContain('newly asks for the secret `STORE_KEY`');
  expect(change).toContain(
    'inputs (new, not called secret: `DRY_RUN` and `TRANSPORT`; gone: `NO_CHECKS`) besides',
  );
});

it('names those that a version newly requires or requires no longer, also beside a secret', async () => {
  const required = (...names: string[]) => named(...names).map((one) => ({ ...one, isRequired: true }));
  const more = Array.from({ length: 12 }, (_, at) => `MORE_${String.fromCharCode(65 + at)}`);
  const secret = { name: 'STORE_KEY', isSecret: true };
  const directory = await openedDirectory({
    entries: [
      version(0, [...named('STORE_URL'), ...required('REGION')]),
      version(1, [...required('STORE_URL', 'TENANT'), ...named('REGION', 'ZONE'), secret]),
      version(2, [...required('STORE_URL', 'TENANT'), ...named('REGION', ...more), secret], true),
    ],
  });
  expect(await changesOf(directory, { kind: 'access' })).toEqual([
    '2026-10-03 version `1.2.0` (published 2026-10-03) changed package version from `1.1.0` to `1.2.0`, inputs (new, not called secret: `MORE_A`, `MORE_B`, `MORE_C`, `MORE_D`, `MORE_E`, `MORE_F`, `MORE_G`, `MORE_H`, `MORE_I` and 3 more; gone: `ZONE`)',
    '2026-10-02 version `1.1.0` (published 2026-10-02) newly names the optional secret `STORE_KEY`, sent to the package `npm:@vendor/store` that you start; changed package version from `1.0.0` to `1.1.0`, inputs (new and required, not called secret: `TENANT`; new, not called secret: `ZONE`; now required: `STORE_URL`; no longer required: `REGION`) besides; package name as before',
  ]);
});

it('names them if an import brought the version, also in a feed', async () => {
  const directory = await openedDirectory({ entries: [version(0, before, true)] });
  await directory.importEntries([version(0, before), version(1, after, true)]);
  const told =
    'record changed (version, package version from `1.0.0` to `1.1.0`, inputs (new, not called secret: `DRY_RUN` and `TRANSPORT`; gone: `NO_CHECKS`)); version `1.1.0`';
  expect((await changesOf(directory, { kind: 'access' }))[0]).toContain(told);
  const feed = await directory.app.request(`/agents/${handle}/feed.json`);
  const { items } = (await feed.json()) as { items: { content_html: string }[] };
  expect(items[0]?.content_html.replaceAll(/<\/?code[^>]*>/g, '`')).toContain(told);
});
