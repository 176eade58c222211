import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { program, runDossier, startCommand } from '../support/command.ts';
import { osvRecord, since, startOsvApi } from '../support/endpoints/osv-api.ts';
import { npmPackument, pypiRelease, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { opened, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const recorded = (handle: string, registryType: string, identifier: string, version: string, more = {}) =>
  registryEntry(handle, {
    ...packageAt(registryType, identifier, version),
    ...more,
  });
const entries = [
  recorded('com.example/csv', 'npm', 'fern-csv', '2.0.1'),
  recorded('com.example/cal', 'npm', 'tin-cal', '3.0.0'),
  recorded('com.example/tables', 'pypi', 'pewter-tables', '2.0.0'),
  recorded('com.example/pdf', 'pypi', 'copper-pdf', '1.2.0'),
  recorded('com.example/img', 'npm', 'lark-img', '2.0.0'),
  recorded('com.example/evil', 'npm', 'evil-tool', '1.0.0'),
  recorded('com.example/pair', 'npm', 'paired', '1.0.0'),
  recorded('com.other/pair', 'npm', 'paired', '1.0.0'),
  recorded('com.example/moved', 'npm', 'moved-tool', '1.0.0', onGitHub('example/moved')),
  recorded('com.example/imager', 'oci', 'docker.io/example/imager:1.2.3', '1.2.3'),
];
const stated = { license: 'MIT' };
const npm = await opened(
  startPackageRegistry(() => ({
    '/fern-csv': npmPackument('fern-csv', { '2.0.0': {}, '2.0.1': {}, '2.0.2': {} }, {}),
    '/tin-cal': npmPackument(
      'tin-cal',
      { '2.5.0': { deprecated: 'leaks events' }, '3.0.0': { ...stated } },
      {},
    ),
    '/lark-img': npmPackument(
      'lark-img',
      { '0.9.0': { license: 'MIT' }, '1.0.0': { license: 'ISC' }, '2.0.0': { license: 'ISC' } },
      {},
    ),
    '/evil-tool': npmPackument('evil-tool', { '0.9.0': {}, '1.0.0': {}, '1.1.0': {} }, {}),
    '/moved-tool': npmPackument('moved-tool', { '1.0.0': {} }, {}),
    '/paired': npmPackument('paired', { '0.9.0': {}, '1.0.0': {} }, {}),
  })),
);
const tables = [
  pypiRelease('pewter-tables', '1.9.0', 'overwrites files'),
  pypiRelease('pewter-tables', '2.0.0'),
];
const pdf = [pypiRelease('copper-pdf', '1.1.0'), pypiRelease('copper-pdf', '1.2.0', 'drops pages')];
const pypi = await opened(
  startPackageRegistry(() => ({
    '/pypi/pewter-tables/json': {
      ...tables[1],
      releases: { '1.9.0': tables[0]?.urls, '2.0.0': tables[1]?.urls },
    },
    '/pypi/pewter-tables/2.0.0/json': { ...tables[1] },
    '/pypi/copper-pdf/json': { ...pdf[0], releases: { '1.1.0': pdf[0]?.urls, '1.2.0': pdf[1]?.urls } },
    '/pypi/copper-pdf/1.2.0/json': { ...pdf[1] },
  })),
);
const osv = await opened(
  startOsvApi(() => [
    osvRecord('GHSA-frnh-2q4v-8c3w', ['npm', 'fern-csv'], since('0', '2.0.2')),
    osvRecord('GHSA-lark-5h2j-77pq', ['npm', 'lark-img'], { versions: ['1.0.0'] }),
    osvRecord('MAL-2026-9', ['npm', 'lark-img'], { versions: ['0.9.0'] }),
    osvRecord('MAL-2026-8', ['npm', 'evil-tool'], { versions: ['1.0.0'] }),
    osvRecord('MAL-2026-7', ['npm', 'paired'], { versions: ['1.0.0'] }),
  ]),
);
const directory = await opened(
  openClaimedDirectory({
    entries,
    listening: true,
    environment: {
      ADVISORIES: osv.url,
      PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url, pypi: pypi.url }),
      LIMITS: 'off',
    },
  }),
);
const folder = openFolder();
const file = join(folder, '.mcp.json');
const dump = join(folder, 'evidence.jsonl.gz');
const inventory = (from: string, ...args: string[]) =>
  runDossier(['inventory', file, '--service', from, ...args], { HOME: folder }, folder);

beforeAll(async () => {
  for (const { server } of entries)
    if (server.name !== 'com.other/pair') await directory.observe(String(server.name));
  directory.wait(40 * 86_400);
  for (const { server } of entries)
    if (server.name !== 'com.other/pair') await directory.observe(String(server.name));
  const manifest = await fetch(`${directory.url}/export/manifest.json`);
  const { files } = (await manifest.json()) as { files: { path: string }[] };
  const evidence = await fetch(`${directory.url}${files[1]?.path}`);
  writeFileSync(dump, Buffer.from(await evidence.arrayBuffer()));
});

/** What is configured, what is found of it, and what is said first. */
const configured: readonly (readonly [command: string, findings: readonly string[], said: RegExp])[] = [
  ['npx -y fern-csv@2.0.0', ['advisories'], /1 advisory about version `2\.0\.0`.*fixed in `2\.0\.2`/],
  ['npx -y fern-csv@2.0.1', ['advisories'], /1 advisory about version `2\.0\.1`/],
  ['npx -y fern-csv@2.0.2', [], /You asked about `2\.0\.2`; the record names `2\.0\.1`/],
  ['npx -y fern-csv', ['unpinned'], /Your request means the newest version, which was `2\.0\.2`/],
  ['npx -y fern-csv@latest', ['unpinned'], /Your request means the newest version, which was `2\.0\.2`/],
  ['npx -y fern-csv@~2.0.0', ['unpinned'], /You asked about `~2\.0\.0`, which means `2\.0\.2`/],
  ['npx -y fern-csv@^3', ['unpinned'], /You asked about “\^3”; which version fits, the registry decides/],
  ['npx -y lark-img@next', ['malware', 'unpinned'], /You asked about `next`, which is not a version/],
  [
    'npx -y lark-img@>=1',
    ['unpinned'],
    /You asked about `>=1`, which means `2\.0\.0`.*it is the recorded one/,
  ],
  ['npx -y fern-csv@9.9.9', ['not-there'], /npm has no version `9\.9\.9` of `npm:fern-csv`/],
  ['npx -y fern-csv@1.0.0-sk-proj1Abcdefgh0123456789', [], /You asked about `not-sent`, which is not/],
  ['npx -y tin-cal@2.5.0', ['deprecated'], /npm marks version `2\.5\.0` of `npm:tin-cal` as deprecated/],
  ['npx -y tin-cal@3.0.0', [], /com\.example\/cal/],
  [
    'uvx pewter-tables==1.9.0',
    ['deprecated'],
    /PyPI marks version `1\.9\.0` of `pypi:pewter-tables` as yanked/,
  ],
  ['uvx pewter-tables==2.0.0', [], /com\.example\/tables/],
  ['uvx copper-pdf', ['unpinned'], /Your request means the newest version, which was `1\.1\.0`/],
  ['uvx copper-pdf==1.1.0', [], /You asked about `1\.1\.0`; the record names `1\.2\.0`/],
  ['uvx --from copper-pdf==1.2.0 pdf', ['deprecated'], /PyPI marks version `1\.2\.0`/],
  ['npx lark-img@0.9.0', ['malware'], /OSV lists version `0\.9\.0` of `npm:lark-img` as malicious code/],
  ['npx lark-img@1.0.0', ['advisories'], /1 advisory about version `1\.0\.0`/],
  ['npx lark-img@2.0.0', [], /some versions of `npm:lark-img`, but not version `2\.0\.0`, as malicious/],
  ['bunx lark-img', ['unpinned'], /some versions of `npm:lark-img`, but not version `2\.0\.0`, as malicious/],
  ['npx evil-tool@1.0.0', ['malware'], /OSV lists version `1\.0\.0` of `npm:evil-tool` as malicious code/],
  ['npx evil-tool@0.9.0', [], /OSV lists no advisory about version `0\.9\.0` of `npm:evil-tool`/],
  ['npx evil-tool', ['unpinned'], /Your request means the newest version, which was `1\.1\.0`/],
  ['npx paired@1.0.0', ['malware'], /OSV lists version `1\.0\.0` of `npm:paired` as malicious code/],
  ['npx paired@0.9.0', [], /com\.other\/pair/],
  ['npx moved-tool@1.0.0', ['not-there'], /`github\.com` shows no public repository at `example\/moved`/],
  ['docker run -i --rm -e KEY example/imager:1.2.3', [], /com\.example\/imager/],
  ['docker run -i --rm example/imager:2.0.0', [], /You asked about `2\.0\.0`; the record names `1\.2\.3`/],
];
const toServer = (line: string) => {
  const [command, ...args] = line.split(' ');
  return { command, args };
};
const servers = Object.fromEntries(configured.map(([line], at) => [`s${at}`, toServer(line)]));

it('an inventory finds what is known of the configured version, also in a dump', async () => {
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  for (const from of [directory.url, dump]) {
    const { stdout } = await inventory(from, '--json');
    const found = (JSON.parse(stdout) as { servers: { findings: string[] }[] }).servers;
    expect(found.map(({ findings }, at) => [configured[at]?.[0], findings])).toEqual(
      configured.map(([line, findings]) => [line, findings]),
    );
  }
});

it('what is said of the recorded version is not called another version than the one configured', async () => {
  writeFileSync(file, JSON.stringify({ mcpServers: { one: toServer('npx lark-img@0.9.0') } }));
  expect((await inventory(directory.url)).stdout).toMatch(
    /About the recorded version: OSV lists some versions of `npm:lark-img`, but not version `2\.0\.0`, as malicious code/,
  );
});

it('a lock of an inventory holds what was asked, and check asks it again of what is configured now', async () => {
  const out = join(folder, 'configured.lock.json');
  const configure = (...lines: string[]) =>
    writeFileSync(file, JSON.stringify({ mcpServers: lines.map(toServer) }));
  const ran = (...args: string[]) => runDossier([...args, '--out', out], { HOME: folder }, folder);
  const lock = () => ran('lock', '--from', directory.url, '--inventory', file);
  configure('npx lark-img@0.9.0');
  expect(await lock()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^com\.example\/img: OSV lists version `0\.9\.0` [^\n]+\n$/),
    stderr: expect.stringMatching(
      /\n1 listing with a package that is reported as malicious code; nothing was written\n$/,
    ),
  });
  configure('npx lark-img@1.0.0', 'npx nobody-has@1.0.0');
  const told = /1 advisory about version `1\.0\.0`.*You asked about `1\.0\.0`; the record names `2\.0\.0`/;
  expect(await lock()).toMatchObject({ code: 0, stderr: expect.stringMatching(told) });
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
    asked: ['npm:lark-img@1.0.0', 'npm:nobody-has@1.0.0'],
    inventory: ['.mcp.json'],
  });
  expect(await ran('check')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(told) });
  expect(await ran('check', '--fail-on', 'advisories,not-listed')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /npm lark-img, version 1\.0\.0: with an advisory\. 1 advisory about [^\n]+\n[^\n]+npm nobody-has, version 1\.0\.0: not listed\.\n[^\n]+npm nobody-has, version 1\.0\.0: not known: malware, advisories\n$/,
    ),
    stderr: expect.stringMatching(/\nfound what --fail-on names: advisories,not-listed\n$/),
  });
  expect(await ran('check', '--fail-on', 'moved')).toMatchObject({
    code: 65,
    stderr: expect.stringMatching(
      /\nnot all is known of 2 servers, so they may have what --fail-on names\n$/,
    ),
  });
  configure('npx lark-img@0.9.0', 'npx nobody-has@1.0.0');
  const other = 'npm:lark-img@0.9.0: configuration changed from `unlocked` to `configured`, as of ';
  expect(await ran('check')).toMatchObject({ code: 1, stdout: expect.stringContaining('`0.9.0`') });
  expect(await ran('check', '--ignore-malware')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(other),
  });
  configure('npx lark-img@2.0.0');
  expect((await ran('check')).stdout).toMatch(/^npm:lark-img@2\.0\.0: configuration changed/);
  expect(await ran('lock', '--update')).toMatchObject({ code: 0 });
  expect(await ran('check')).toMatchObject({ code: 0, stdout: '' });
  writeFileSync(file, '{');
  expect(await ran('check')).toMatchObject({ code: 65, stderr: expect.stringContaining('not JSON') });
});

it('check --fail-on asks about listings that were locked by their names', async () => {
  const out = ['--out', join(folder, 'named.lock.json')];
  const ran = (...args: string[]) => runDossier([...args, ...out], {}, folder);
  expect((await ran('lock', '--from', directory.url, 'com.example/csv')).code).toBe(0);
  expect((await ran('check')).code).toBe(0);
  expect(await ran('check', '--fail-on', 'advisories')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/com\.example\/csv: with an advisory\. 1 advisory about version `2\.0\.1`/),
  });
  expect((await ran('check', '--fail-on', 'luck')).code).toBe(64);
});

/** Of these it is not known which version starts, or nothing was learned about it. */
const undecided = [
  'npx -y fern-csv@^3',
  'npx -y fern-csv@1.0.0-sk-proj1Abcdefgh0123456789',
  'docker run -i --rm -e KEY example/imager:1.2.3',
  'docker run -i --rm example/imager:2.0.0',
];

it('each version is told, and ends --fail-on only for what starts', async () => {
  for (const [line, findings, said] of configured) {
    writeFileSync(file, JSON.stringify({ mcpServers: { one: toServer(line) } }));
    const { code, stdout } = await inventory(
      directory.url,
      '--fail-on',
      'malware,advisories,deprecated,not-there',
    );
    expect([line, code, stdout]).toEqual([
      line,
      findings.some((one) => one !== 'unpinned') ? 1 : undecided.includes(line) ? 65 : 0,
      expect.stringMatching(said),
    ]);
  }
});

it('a criterion asks for each of these findings, of the version that was asked for', async () => {
  const compare = async (...criteria: string[]) => {
    const handles = ['npm:fern-csv@2.0.1', 'npm:lark-img@0.9.0', 'com.example/imager'];
    const answer = await directory.post('/api/tools/compare_agents', { handles, criteria });
    return (await answer.json()) as { detail: string; listings: { observed: object }[] };
  };
  const asked = ['malware', 'advisories', 'scripts', 'unreachable'].map((name) => `no_finding:${name}`);
  const { listings } = await compare(...asked);
  expect(listings.map(({ observed }) => Object.values(observed).join(' '))).toEqual([
    'met not_met met unknown',
    'not_met not_met met unknown',
    'unknown unknown unknown unknown',
  ]);
  writeFileSync(file, JSON.stringify({ mcpServers: { one: toServer('npx lark-img@0.9.0') } }));
  expect((await inventory(directory.url, '--fail-on', 'advisories')).code).toBe(1);
  const { code, stdout } = await inventory(directory.url, '--fail-on', 'scripts');
  expect([code, stdout]).toEqual([0, expect.stringContaining('states the licence `MIT`')]);
  expect(stdout).not.toContain('with an install script');
  expect((await compare('no_finding:luck')).detail).toContain(
    'no_finding takes one of malware, advisories, ',
  );
});

it('the hook asks before what starts, and not because a repository is gone', async () => {
  const hook = async (command: string) => {
    const started = startCommand(
      ['node', program, 'hook', 'run', '--service', directory.url, '--wait', '10'],
      {
        HOME: folder,
      },
    );
    const tool = { tool_name: 'Bash', tool_input: { command }, session_id: command };
    started.child.stdin?.end(JSON.stringify(tool));
    return (await started.ended).stdout;
  };
  expect(await hook('npx -y moved-tool@1.0.0')).toBe('');
  expect(await hook('npm i lark-img@>=1')).toBe('');
  expect(await hook('npx -y lark-img@1.0.0')).toContain('1 advisory about version `1.0.0` of `npm:lark-img`');
  expect(await hook('npx -y fern-csv@9.9.9')).toContain('npm has no version `9.9.9` of `npm:fern-csv`');
});

it('check says that the licence of a package is another one', async () => {
  const ran = (...args: string[]) =>
    runDossier([...args, '--out', join(folder, 'licence.lock.json')], {}, folder);
  expect((await ran('lock', '--from', directory.url, 'com.example/cal')).code).toBe(0);
  stated.license = 'BUSL-1.1';
  directory.wait(86_400);
  await directory.observe('com.example/cal');
  const { code, stdout } = await ran('check');
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /^com\.example\/cal: package\.licence `npm:tin-cal`: the package’s licence changed from `MIT` to `BUSL-1\.1` [^\n]+\n$/,
    ),
  ]);
});
