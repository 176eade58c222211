import { expect, it } from 'vitest';
import { callTool, openDirectory } from '../support/directory.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';

const handle = 'io.github.tarn/mailer';

const version = (number: string, day: string, identifier: string, repository: string, more: object = {}) =>
  registryEntry(
    handle,
    {
      version: number,
      repository: { url: `https://github.com/${repository}`, source: 'github' },
      packages: [{ registryType: 'npm', identifier, version: number, transport: { type: 'stdio' } }],
    },
    {
      publishedAt: `2026-11-${day}T08:00:00Z`,
      updatedAt: `2026-11-${day}T08:00:00Z`,
      isLatest: true,
      ...more,
    },
  );
const first = (more: object = {}) => version('0.9.0', '03', 'tarn-mailer', 'tarn/mailer', more);
/** So that the registry is known to have older versions. */
const others = ['1.0.0', '1.1.0'].map((number, at) =>
  registryEntry(
    'com.other/mail',
    { version: number },
    { publishedAt: `2026-10-0${at + 1}T08:00:00Z`, isLatest: at === 1 },
  ),
);
const gone = first({ status: 'deleted', updatedAt: '2026-11-13T08:00:00Z' });

async function answersAfter(next: RegistryEntry, ...imports: RegistryEntry[][]) {
  const directory = await openDirectory({ entries: [...others, first()], environment: { LIMITS: 'off' } });
  for (const entries of imports) await directory.importEntries([...others, ...entries]);
  await directory.importEntries([...others, gone, next]);
  const ask = async (tool: string, input: object) =>
    JSON.stringify(await callTool(directory, tool, { ...input }));
  const said = {
    agent: await ask('get_agent', { handle }),
    history: await ask('get_history', { handle }),
    compared: await ask('compare_agents', { handles: [handle], criteria: ['record_unmoved_for:60'] }),
  };
  await directory.close();
  return said;
}

it('does not take a version that followed a deletion for one that was compared', async () => {
  const said = await answersAfter(version('1.0.0', '20', 'tarn-mailer-next', 'zed/mailer'), [gone]);
  expect(said.agent).toContain('2 versions, which were not compared with each other');
  expect(said.agent).toMatch(
    /until it was back on [\d-]+; it names the repository `github\.com\/zed\/mailer` and the package `tarn-mailer-next`, which no version that Dossier had read before named \(record\)/,
  );
  expect(said.history).not.toContain('the records are compared');
  expect(said.history).toContain(
    'version `1.0.0` (published 2026-11-20) was not compared with the version before it, which the registry had deleted; it names an endpoint, package or repository that the deleted one did not',
  );
  expect(said.compared).toContain('"record_unmoved_for:60":"unknown"');
  expect(JSON.stringify(said)).not.toContain('none changed');
});

it('compares a version with the one before it that the same import reads as deleted', async () => {
  const said = await answersAfter(version('1.0.0', '20', 'tarn-mailer-next', 'zed/mailer'));
  const moved =
    'replaced the package `npm:tarn-mailer` with `npm:tarn-mailer-next` and changed the repository';
  expect(said.agent).toContain(`Version \`1.0.0\` (published 2026-11-20) ${moved}`);
  expect(said.history).toContain(moved);
  expect(said.compared).toContain('"record_unmoved_for:60":"not_met"');
});

it('says of a version that names what the deleted one named only that it was not compared', async () => {
  const said = await answersAfter(version('1.0.0', '20', 'tarn-mailer', 'tarn/mailer'), [gone]);
  expect(said.history).toContain('not compared with the version before it, which the registry had deleted');
  expect(said.history).not.toContain('it names an endpoint, package or repository');
  expect(said.agent).not.toContain('had read before named');
});

it('is not said to name for the first time what a version before the last deleted one named', async () => {
  const said = await answersAfter(
    version('1.1.0', '20', 'tarn-mailer', 'tarn/mailer'),
    [version('1.0.0', '10', 'tarn-mailer-next', 'zed/mailer'), first({ isLatest: false })],
    [
      version('1.0.0', '10', 'tarn-mailer-next', 'zed/mailer', {
        status: 'deleted',
        updatedAt: '2026-11-13T08:00:00Z',
      }),
      gone,
    ],
  );
  expect(said.agent).toContain('until it was back on');
  expect(said.agent).not.toContain('it names');
  expect(said.history).not.toContain('it names an endpoint, package or repository');
});

it('a record that moved within its owner only is unmoved, and the criterion says what it leaves out', async () => {
  const at = (number: string, day: string, host: string, isLatest: boolean) =>
    registryEntry(
      'com.vendor/fleet',
      { version: number, remotes: [{ type: 'sse', url: `https://${host}.vendor.com/mcp` }] },
      { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, isLatest },
    );
  const now = new Date().toISOString();
  const newest = registryEntry('com.other/new', {}, { publishedAt: now, updatedAt: now, isLatest: true });
  const entries = [newest, at('1.0.0', '2026-01-01', 'a', false), at('1.1.0', '2026-11-20', 'b', true)];
  const directory = await openDirectory({ entries });
  const { listings } = await callTool<{ listings: { imported: object; reasons: { reason: string }[] }[] }>(
    directory,
    'compare_agents',
    { handles: ['com.vendor/fleet'], criteria: ['record_unmoved_for:300'] },
  );
  await directory.close();
  const reason = 'what moved on 2026-11-20 leads to no other owner and sends no secret elsewhere';
  expect(listings[0]).toMatchObject({
    imported: { 'record_unmoved_for:300': 'met' },
    reasons: [expect.objectContaining({ reason })],
  });
});
