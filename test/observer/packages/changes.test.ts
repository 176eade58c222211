import { expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import {
  npmPackument,
  npmVersion,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { packaged } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const handle = 'com.example/server';
/** What npm states of the package, whose newest version is the last one. */
const stated = { versions: { '1.0.0': {} } as Record<string, object>, maintainers: ['bob', 'alice'] };
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

let drift = npmPackument('drift', { '1.3.0': {}, '1.4.0': { scripts: { postinstall: 'x' } } }, {});
let fixed = npmPackument('fixed', {}, {});
const npm = await opened(
  startPackageRegistry(() => ({ '/server': packument(), '/drift': drift, '/fixed': fixed })),
);
const directory = await openedDirectory({
  entries: [packaged(handle, 'npm', 'server')],
  environment: { PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
});
await directory.observe(handle);

const changesOf = (title: string) => changesOfNextCheck(directory, handle, title);

it('changes nothing but the version if the newest one states the same', async () => {
  stated.versions = { '1.0.0': {}, '1.1.0': {} };
  expect(await changesOf('Published package')).toEqual(['version `1.0.0` until then version `1.1.0`']);
  const { observations } = await directory.observe(handle);
  const ofRegistry = ['package.deprecated', 'package.maintainers', 'package.provenance'];
  for (const kind of [...ofRegistry, 'package.install_scripts']) {
    const one = observations.find((fact) => fact.kind === kind);
    expect([kind, one?.outcome, one?.changed_from]).toEqual([kind, 'seen', undefined]);
  }
});

it('names the maintainers before and after one became another, whatever their order', async () => {
  stated.maintainers = ['alice', 'bob'];
  expect(await changesOf('Maintainers of the package')).toEqual([]);
  stated.maintainers = ['mallory', 'alice'];
  expect(await changesOf('Maintainers of the package')).toEqual([
    '2: `alice`, `bob` until then 2: `alice`, `mallory`',
  ]);
  const standsOut = async () => {
    const { stands_out = [] } = await callTool<{ stands_out?: string[] }>(directory, 'get_agent', {
      handle,
    });
    return stands_out.map((text) => text.replaceAll(/\d{4}-\d\d-\d\d/g, '<date>'));
  };
  expect(await standsOut()).toEqual([]);
  stated.maintainers = ['zed'];
  await changesOf('Maintainers of the package');
  expect(await standsOut()).toEqual([
    'All maintainers of the npm package were replaced: `zed` instead of `alice`, `mallory` (between <date> and <date>).',
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

it('a version that its registry no longer has is one change, which names what went with it; the package is still there', async () => {
  const drifting = 'com.example/drift';
  await directory.importEntries([packaged(drifting, 'npm', 'drift', '1.4.0')]);
  await directory.observe(drifting);
  drift = npmPackument('drift', { '1.3.0': {} }, {});
  const missed: string[] = [];
  for (const _ of [1, 2]) {
    directory.wait(86_400);
    missed.push(directory.context.clock().toISOString().slice(0, 10));
    await directory.observe(drifting);
  }
  const { changes } = await callTool<{ changes: string[] }>(directory, 'get_history', { handle: drifting });
  expect(changes.slice(0, 3)).toEqual([
    expect.stringMatching(
      /^[\d-]{10} Published package \(`npm:drift`\): version `1\.4\.0` until [\d-]{10}, since [\d-]{10} looked for, not found \(confirmed on [\d-]{10}\); no longer seen either: (?!.*maintainers).*scripts that run when the package is installed.* \(log index \d+\)$/,
    ),
    expect.stringMatching(
      /^[\d-]{10} Version that the registry names as newest \(`npm:drift`\): `1\.4\.0` until [\d-]{10}, then `1\.3\.0`; the record names `1\.4\.0` \(log index \d+\)$/,
    ),
    expect.stringMatching(/^[\d-]{10} first check: \d+ facts \(log index \d+\)$/),
  ]);
  const [first, second] = missed;
  expect(changes[0]).toMatch(
    new RegExp(`^${second} .*, since ${first} looked.* \\(confirmed on ${second}\\);`),
  );
});

it('names in the title of a feed first what may stand out of a release', async () => {
  const released = 'com.example/released';
  drift = npmPackument('drift', { '1.2.0': {}, '1.3.0': {} }, {});
  await directory.importEntries([packaged(released, 'npm', 'drift', '1.3.0')]);
  await directory.observe(released);
  drift = npmPackument('drift', { '1.3.0': {}, '1.4.0': { scripts: { postinstall: 'x' } } }, {});
  await directory.importEntries([packaged(released, 'npm', 'drift', '1.4.0')]);
  directory.wait(86_400);
  await directory.observe(released);
  const feed = await directory.app.request(`/agents/${released}/feed.json`);
  const { items } = (await feed.json()) as { items: { title: string }[] };
  expect(items[0]?.title).toMatch(
    /^com\.example\/released: Scripts that run when the package is installed \(`npm:drift`\): none until [\d-]{10}, then `postinstall` “x”; /,
  );
});

it('tells at the arrival of a newest version that the record does not name what decides of it', async () => {
  const by = (name: string) => ({ _npmUser: { name, email: `${name}@example.org` } });
  const pinned = 'com.example/pinned';
  const versions = { '1.3.0': by('tern'), '1.4.0': by('tern') };
  fixed = npmPackument('fixed', versions, {});
  await directory.importEntries([packaged(pinned, 'npm', 'fixed', '1.4.0')]);
  await directory.observe(pinned);
  const scripts = { postinstall: 'node setup.js' };
  fixed = npmPackument('fixed', { ...versions, '1.4.1': { ...by('fixbot77'), scripts } }, {});
  directory.wait(86_400);
  await directory.observe(pinned);
  const script =
    'Version `1.4.1` of `npm:fixed` names `postinstall` “node setup.js”, which npm runs at installation; version `1.4.0` names none';
  const account = 'Version `1.4.1` of `npm:fixed` was published by `fixbot77`, and version `1.4.0` by `tern`';
  const { items } = (await (await directory.app.request(`/agents/${pinned}/feed.json`)).json()) as {
    items: { title: string }[];
  };
  const told = new RegExp(
    `Version that the registry names as newest \\(\`npm:fixed\`\\): \`1\\.4\\.0\` until [\\d-]{10}, then \`1\\.4\\.1\`; the record names \`1\\.4\\.0\`\\. ${script}\\. ${account}`,
  );
  expect(items[0]?.title).toMatch(told);
  const client = await opened(connect('v2', directory));
  for (const kind of ['code', 'publisher', 'upkeep']) {
    const { content } = await client.call('get_history', { handle: pinned, kind });
    expect(content[0]?.text).toMatch(told);
  }
  const dated = (text: string) => expect.stringContaining(text);
  const { stands_out } = await callTool<{ stands_out: string[] }>(directory, 'get_agent', { handle: pinned });
  expect(stands_out).toEqual(expect.arrayContaining([dated(script), dated(account)]));
  const asked = await callTool<{ stands_out: string[] }>(directory, 'get_agent', {
    handle: 'npx -y fixed',
  });
  expect(asked.stands_out.filter((one) => one.startsWith(script))).toHaveLength(1);
  // As soon as the record names it, its own facts tell it.
  await directory.importEntries([packaged(pinned, 'npm', 'fixed', '1.4.1')]);
  await directory.observe(pinned);
  const { stands_out: own } = await callTool<{ stands_out: string[] }>(directory, 'get_agent', {
    handle: pinned,
  });
  expect(own.filter((one) => one.startsWith('Version `1.4.1` of `npm:fixed` names'))).toHaveLength(1);
});
