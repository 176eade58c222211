import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'labs/g'].map((name) =>
  name.includes('/') ? `ai.waystation.${name}` : `ai.waystation/${name}`,
);
const sharing = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `net.example.${name}/one`);
const atHub = [...Array.from({ length: 202 }, (_, at) => `org.example/s${at}`), 'com.other/one'];
const directory = await openedDirectory({
  entries: [
    ...names.map((name) => registryEntry(name, { description: 'Stops' })),
    registryEntry('io.github.Alice/notes', { description: 'Notes' }),
    ...atHub.map((name, at) => registryEntry(name, remotesAt(`https://hub.example.org/${at}`))),
    ...sharing.map((name) =>
      registryEntry(name, {
        ...onGitHub('alice/mono'),
        ...remotesAt('https://shared.example.net/mcp'),
        ...packageAt('npm', 'monokit'),
      }),
    ),
  ],
  environment: { LIMITS: 'off' },
});

const find = async (input: object) => {
  const { listings } = await callTool<{ listings: { handle: string }[] }>(directory, 'search_agents', input);
  return listings.map(({ handle }) => handle).toSorted();
};

it('an answer that names five of more listings says what finds all of them', async () => {
  expect(await callTool(directory, 'get_agent', { handle: 'waystation.ai' })).toMatchObject({
    detail:
      '7 listings of 1 publisher are in a namespace of `waystation.ai`. `search_agents` with publisher `waystation.ai` finds all. Call again with the handle of one of the candidates.',
  });
  expect(await find({ publisher: 'waystation.ai' })).toEqual(names.toSorted());
  const page = await (await directory.app.request('/agents?q=waystation.ai')).text();
  const [, named = ''] = /<div class="named">(.*?)<ul/s.exec(page) ?? [];
  expect(named).toContain('<a class="handle" href="/agents?publisher=waystation.ai">waystation.ai</a>');
  expect(named).not.toContain('`');
});

it.each([
  ['https://github.com/alice/mono/', 'this repository', 'https://github.com/alice/mono'],
  ['npx -y monokit', 'this npm package', 'npm:monokit'],
  ['monokit', 'this package', 'npm:monokit'],
  ['https://shared.example.net/mcp', 'this endpoint', 'https://shared.example.net/mcp'],
  ['shared.example.net', 'an endpoint at this host', 'shared.example.net'],
])(
  'of more than five listings that have %s, the search that an answer names finds all',
  async (handle, what, query) => {
    const { detail } = await callTool<{ detail: string }>(directory, 'get_agent', { handle });
    const all = what === 'this package' ? 'all that record the npm package' : 'all';
    expect(detail).toContain(`7 listings of 1 publisher record ${what}. Recording does not show control.`);
    expect(detail).toContain(` \`search_agents\` with query \`${query}\` finds ${all}.`);
    expect(await find({ query })).toEqual(sharing);
    const page = { query, limit: 4 };
    const first = await callTool<{ next_cursor: string; total: object }>(directory, 'search_agents', page);
    expect(first.total).toEqual({ count: 7, capped: false });
    expect(await find({ ...page, cursor: first.next_cursor })).toHaveLength(3);
  },
);

it('of a host that many record, all and their publishers are counted, and search lists all', async () => {
  const counted =
    '203 listings of 2 publishers record an endpoint at this host. Recording does not show control.';
  const answer = await callTool(directory, 'get_agent', { handle: 'hub.example.org' });
  expect(answer).toMatchObject({
    detail: expect.stringContaining(`${counted} \`search_agents\` with query \`hub.example.org\` finds all.`),
    candidates: [{ handle: 'org.example/s0' }, {}, {}, {}, {}],
    untrusted_fields: ['detail', 'candidates'],
  });
  const found: string[] = [];
  for (let cursor: string | undefined, at = 0; at < 5; at++) {
    const page = await callTool<{
      listings: { handle: string }[];
      next_cursor?: string;
      advice: string;
      total: object;
    }>(directory, 'search_agents', { query: 'hub.example.org', limit: 50, ...(cursor && { cursor }) });
    expect(page).toMatchObject({ advice: counted, total: { count: 203, capped: false } });
    found.push(...page.listings.map(({ handle }) => handle));
    cursor = page.next_cursor;
  }
  expect(new Set(found).size).toBe(203);
  expect(found.at(-1)).toBe('com.other/one');
  const { results } = await callTool<{ results: { notes: string[] }[] }>(directory, 'resolve_agents', {
    handles: ['hub.example.org'],
  });
  expect(results[0]?.notes[0]).toContain(counted);
});

it('a publisher is a namespace, a domain or an account', async () => {
  expect(await find({ publisher: 'ai.waystation' })).toEqual(names.slice(0, 6));
  expect(await find({ publisher: 'ai.waystation.labs' })).toEqual(['ai.waystation.labs/g']);
  for (const publisher of ['io.github.alice', 'github.com/alice'])
    expect(await find({ publisher })).toEqual(['io.github.Alice/notes']);
  expect(await find({ publisher: 'waystation' })).toEqual(names.toSorted());
  expect(await find({ publisher: 'Alice' })).toEqual(['io.github.Alice/notes']);
  expect(await find({ publisher: 'waystation.ai', query: 'ai.waystation/a' })).toContain('ai.waystation/a');
  expect(await find({ publisher: 'waystation.ai', query: 'io.github.Alice/notes' })).toEqual([]);
  const page = await directory.app.request('/agents?publisher=waystation.ai');
  expect(await page.text()).toContain('href="/agents/ai.waystation.labs/g"');
});

it('the closing of a search names only what its text shows', async () => {
  const client = await opened(connect('v2', { app: directory.app }));
  const { content, structuredContent } = await client.call('search_agents', { publisher: 'com.nobody' });
  expect(content[0]?.text).toContain('No listing passes the filter `publisher:com.nobody`.');
  expect(structuredContent).toMatchObject({ untrusted_fields: ['no_match'] });
  expect(
    await callTool(directory, 'search_agents', { publisher: 'waystation.ai', tags: ['none'] }),
  ).toMatchObject({
    untrusted_fields: ['no_match'],
    no_match: { leave_out: [{ facet: 'tags:none', count: 7 }] },
  });
});

it.each([
  [{ publisher: 'waystatoin' }, 'publisher:waystatoin', ['publisher:waystation']],
  [{ publisher: 'waystation.io' }, 'publisher:waystation.io', ['publisher:waystation']],
  [{ package: 'nuget' }, 'package:nuget', []],
])('a filter that no listing passes is said to be so, with near ones: %o', async (input, filter, near) => {
  const { no_match } = await callTool<{
    no_match: { unknown_filters: { filter: string; near: string[] }[] };
  }>(directory, 'search_agents', input);
  expect(no_match.unknown_filters[0]?.filter).toBe(filter);
  expect(no_match.unknown_filters[0]?.near).toEqual(expect.arrayContaining(near));
  const page = await directory.app.request(`/agents?${new URLSearchParams(input)}`);
  expect(await page.text()).toContain('No listing passes the filter “');
});

it('the page of a name that is no namespace leads to the listings of publishers with this name', async () => {
  const { status, headers } = await directory.app.request('/publishers/waystation');
  expect([status, headers.get('location')]).toEqual([302, '/agents?publisher=waystation']);
  const none = await (await directory.app.request('/publishers/nobody')).text();
  expect(none).not.toContain('showed control');
});
