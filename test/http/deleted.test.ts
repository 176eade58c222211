import { describe, expect, it } from 'vitest';
import { osvRecord, startOsvApi } from '../support/endpoints/osv-api.ts';
import { npmPackument, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { packageAt, registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const npm = await opened(
  startPackageRegistry(() => ({ '/vanish-pkg': npmPackument('vanish-pkg', { '1.0.0': {} }, {}) })),
);
const osv = await opened(
  startOsvApi(() => [osvRecord('MAL-2026-2', ['npm', 'vanish-pkg'], { versions: ['1.0.0'] })]),
);
const at = (url: string) => remotesAt(url);
const packaged = {
  ...packageAt('npm', 'vanish-pkg'),
  remotes: [],
};
const records = {
  'com.vanish/notes': { ...at('https://mcp.vanish.com/mcp'), ...onGitHub('vanish/notes') },
  'io.github.vanish2/pkg': packaged,
  'com.taken/notes': at('https://mcp.taken.com/mcp'),
};
const how = ' for a stated reason, which is not kept here (ask its publisher or the registry)';
const deleted = { status: 'deleted', statusMessage: 'Its key leaked', updatedAt: '2026-11-26T08:00:00Z' };
const entriesWith = (official: Parameters<typeof registryEntry>[2]) =>
  Object.entries(records).map(([name, record]) => registryEntry(name, record, official));

const directory = await openedDirectory({
  entries: entriesWith({}),
  environment: { ADVISORIES: osv.url, PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
});
for (const name of Object.keys(records)) await directory.observe(name).catch(() => undefined);
await directory.importEntries([
  ...entriesWith(deleted),
  registryEntry('com.taker/notes', at('https://mcp.taken.com/mcp')),
]);
const client = await opened(connect('v2', directory));
const dated = (text: string) =>
  text.replaceAll(/(?<=import to )[\d-]+|as Dossier read on [\d-]+|\(Dossier, [\d-]+\)/g, '<date>');
const answerOf = async (tool: string, input: Record<string, unknown>) => {
  const { content } = await client.call(tool, input);
  return dated(content.map((part) => part.text ?? '').join('\n')).replaceAll('\\', '');
};

const listed = 'It was listed here from the first import to <date>; what was known of it then is not shown.';
const until = (what: string, day = '2026-11-26') => `${what}, until ${day}; no listing records it now`;
const malware = 'OSV lists version `1.0.0` of `npm:vanish-pkg` as malicious code: `MAL-2026-2`';
const inNamespace = 'until 2026-11-26; no listing is in it now';

it.each([
  ['https://mcp.vanish.com/mcp', 'com.vanish/notes', until('this endpoint'), ''],
  ['mcp.vanish.com', 'com.vanish/notes', 'until 2026-11-26; no listing', ''],
  ['https://github.com/vanish/notes', 'com.vanish/notes', until('this repository'), ''],
  ['vanish.com', 'com.vanish/notes', `a namespace of \`vanish.com\`, ${inNamespace}`, ''],
  ['npx -y vanish-pkg@1.0.0', 'io.github.vanish2/pkg', until('this npm package'), malware],
  ['npm:vanish-pkg', 'io.github.vanish2/pkg', until('this npm package'), malware],
])('says of %s who recorded it until the registry deleted the listing', async (name, handle, words, said) => {
  const calls = [
    ['get_agent', { handle: name }],
    ['get_history', { handle: name }],
    ['check_surface', { handle: name, tools: [] }],
    ['compare_agents', { handles: [name, 'com.taker/notes'] }],
    ['resolve_agents', { handles: [name] }],
  ] as const;
  for (const [tool, input] of calls) {
    const answer = await answerOf(tool, input);
    for (const part of [
      handle,
      words,
      `The registry has deleted it${how}, <date>. ${listed} This is not a verdict`,
      said,
    ])
      expect([tool, answer]).toEqual([tool, expect.stringContaining(part)]);
    expect(answer).not.toMatch(/Its key leaked|not listed/);
  }
});

it('a search for its handle says what get_agent says of it, and of no part that it is in no listing', async () => {
  const answer = await answerOf('search_agents', { query: 'com.vanish/notes' });
  expect(answer).toContain(
    `The listing \`com.vanish/notes\` was withdrawn. The registry has deleted it${how}, <date>. ${listed} This is not a verdict about it.`,
  );
  expect(answer).not.toContain('No name, title, tag or description has the word');
});

it('whoever records it now comes first', async () => {
  expect(await answerOf('get_agent', { handle: 'https://mcp.taken.com/mcp' })).toMatch(
    /^Found as the only listing that records this endpoint; recording does not show control; `com.taken\/notes` recorded it until 2026-11-26\./,
  );
});

it('a listing that comes back is found again', async () => {
  await directory.importEntries(entriesWith({ updatedAt: '2026-11-27T08:00:00Z' }));
  expect(await answerOf('get_agent', { handle: 'https://mcp.vanish.com/mcp' })).toMatch(
    /^Found as the only listing that records this endpoint;/,
  );
  expect(await answerOf('get_agent', { handle: 'vanish.com' })).toMatch(
    /^Found as the only listing in a namespace of `vanish\.com`\./,
  );
});

describe('a version that the registry deleted after Dossier had read it', () => {
  const name = 'com.yarrow/tasks';
  const version = (number: string, day: string, url: string, official: object = {}) =>
    registryEntry(
      name,
      { version: number, ...at(url) },
      { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, ...official },
    );
  const old = version('1.4.0', '2025-08-02', 'https://mcp.yarrow.com/mcp');
  const other = version('2.0.0', '2026-01-14', 'https://v2.yarrow.net/mcp');
  const gone = version('2.0.0', '2026-01-14', 'https://v2.yarrow.net/mcp', {
    status: 'deleted',
    statusMessage: 'Bad build',
    updatedAt: '2026-11-22T08:00:00Z',
    isLatest: false,
  });
  const told = '2026-01-14, deleted in the registry on 2026-11-22) moved the endpoint from';
  const said = 'deleted in the registry on 2026-11-22; its publisher says “Bad build”';

  it('stays history at every door, with the day of its deletion and what its publisher says', async () => {
    await directory.importEntries([old]);
    await directory.importEntries([old, other]);
    await directory.importEntries([old, gone]);
    const left = 'from `mcp.yarrow.com` to `v2.yarrow.net`';
    const agent = await answerOf('get_agent', { handle: name });
    expect(agent).toContain(`Version \`2.0.0\` (published ${told} \`mcp.yarrow.com\` to \`v2.yarrow.net\``);
    expect(agent).toContain('; the record shown names nothing of that place');
    expect(agent).toContain(`\`2.0.0\`, published later, 2026-01-14, was ${said}`);
    const history = await answerOf('get_history', { handle: name });
    expect(history).toContain(`, \`2.0.0\` before, ${said}`);
    expect(history).toContain(left);
    expect(await (await directory.app.request(`/agents/${name}/feed.atom`)).text()).toContain('Bad build');
    expect(await answerOf('resolve_agents', { handles: [name] })).toContain(said);
    expect(
      await answerOf('compare_agents', {
        handles: [name, 'com.taker/notes'],
        criteria: [{ criterion: 'record_unmoved_for', value: 200 }],
      }),
    ).toMatch(/record_unmoved_for:200.*not_met/s);
  });

  it.each(['get_agent', 'get_history', 'check_surface', 'resolve_agents'])(
    'is found by the place that only it recorded, with %s',
    async (tool) => {
      const url = 'https://v2.yarrow.net/mcp';
      const isOne = tool !== 'resolve_agents';
      const input = isOne ? { handle: url } : { handles: [url] };
      const answer = await answerOf(tool, { ...input, ...(tool === 'check_surface' && { tools: [] }) });
      expect(answer).toContain('You asked about the endpoint `v2.yarrow.net/mcp`; the facts are about what');
      if (!/history|surface/.test(tool))
        expect(answer).toContain(until('the only listing that recorded this endpoint', '2026-11-22'));
    },
  );

  it('is told so beside the version that follows it, and once the listing is withdrawn no more', async () => {
    const next = version('2.0.1', '2026-11-23', 'https://mcp.yarrow.com/mcp');
    await directory.importEntries([{ ...old }, gone, next]);
    expect(await answerOf('get_agent', { handle: name })).toContain(told);
    expect(await answerOf('get_agent', { handle: 'v2.yarrow.net' })).toContain('until 2026-11-22');
    await directory.importEntries(
      [old, gone, next].map(({ server }) => registryEntry(name, server, deleted)),
    );
    for (const tool of ['get_agent', 'get_history'])
      expect(await answerOf(tool, { handle: name })).not.toMatch(/Bad build|Its key/);
    expect(
      JSON.stringify(
        await directory.context.store.listings.newestVersions(name, { withDeleted: true, limit: 9 }),
      ),
    ).not.toContain('Bad build');
  });
});
