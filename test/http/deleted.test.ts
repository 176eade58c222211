import { expect, it } from 'vitest';
import { osvRecord, startOsvApi } from '../support/endpoints/osv-api.ts';
import { npmPackument, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const npm = await opened(
  startPackageRegistry(() => ({ '/vanish-pkg': npmPackument('vanish-pkg', { '1.0.0': {} }, {}) })),
);
const osv = await opened(
  startOsvApi(() => [osvRecord('MAL-2026-2', ['npm', 'vanish-pkg'], { versions: ['1.0.0'] })]),
);
const at = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
const packaged = {
  packages: [
    { registryType: 'npm', identifier: 'vanish-pkg', version: '1.0.0', transport: { type: 'stdio' } },
  ],
  remotes: [],
};
const records = {
  'com.vanish/notes': { ...at('https://mcp.vanish.com/mcp'), ...onGitHub('vanish/notes') },
  'io.github.vanish2/pkg': packaged,
  'com.taken/notes': at('https://mcp.taken.com/mcp'),
};
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
const dated = (text: string) => text.replaceAll(/as Dossier read on [\d-]+|\(Dossier, [\d-]+\)/g, '<date>');
const answerOf = async (tool: string, input: Record<string, unknown>) => {
  const { content } = await client.call(tool, input);
  return dated(content.map((part) => part.text ?? '').join('\n')).replaceAll('\\', '');
};

const until = (what: string) => `${what}, until 2026-11-26; no listing records it now`;
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
    for (const part of [handle, words, 'The registry has deleted it, <date>. This is not a verdict', said])
      expect([tool, answer]).toEqual([tool, expect.stringContaining(part)]);
    expect(answer).not.toMatch(/Its key leaked|not listed/);
  }
});

it('a search for its handle says what get_agent says of it, and of no part that it is in no listing', async () => {
  const answer = await answerOf('search_agents', { query: 'com.vanish/notes' });
  expect(answer).toContain(
    'The listing `com.vanish/notes` was withdrawn. The registry has deleted it, <date>. This is not a verdict about it.',
  );
  expect(answer).not.toContain('No listing has the word');
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
