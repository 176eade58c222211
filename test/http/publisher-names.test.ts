import { expect, it } from 'vitest';
import { callTool, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'labs/g'].map((name) =>
  name.includes('/') ? `ai.waystation.${name}` : `ai.waystation/${name}`,
);
const sharing = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `net.example.${name}/one`);
const directory = await opened(
  openDirectory({
    entries: [
      ...names.map((name) => registryEntry(name, { description: 'Stops' })),
      registryEntry('io.github.Alice/notes', { description: 'Notes' }),
      ...sharing.map((name) =>
        registryEntry(name, {
          repository: { url: 'https://github.com/alice/mono', source: 'github' },
          remotes: [{ type: 'streamable-http', url: 'https://shared.example.net/mcp' }],
          packages: [
            { registryType: 'npm', identifier: 'monokit', version: '1.0.0', transport: { type: 'stdio' } },
          ],
        }),
      ),
    ],
    environment: { LIMITS: 'off' },
  }),
);

const find = async (input: object) => {
  const { listings } = await callTool<{ listings: { handle: string }[] }>(directory, 'search_agents', input);
  return listings.map(({ handle }) => handle).toSorted();
};

it('an answer that names five of more listings says what finds all of them', async () => {
  expect(await callTool(directory, 'get_agent', { handle: 'waystation.ai' })).toMatchObject({
    detail:
      'More than 5 listings are in a namespace of `waystation.ai`. `search_agents` with publisher `waystation.ai` finds all. Call again with the handle of one of the candidates.',
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
    expect(detail).toContain(
      `More than 5 listings record ${what}. \`search_agents\` with query \`${query}\` finds up to 200 of them.`,
    );
    expect(await find({ query })).toEqual(sharing);
    const page = { query, limit: 4 };
    const first = await callTool<{ next_cursor: string; total: object }>(directory, 'search_agents', page);
    expect(first.total).toEqual({ count: 7, capped: false });
    expect(await find({ ...page, cursor: first.next_cursor })).toHaveLength(3);
  },
);

it('a publisher is a namespace, a domain or an account', async () => {
  expect(await find({ publisher: 'ai.waystation' })).toEqual(names.slice(0, 6));
  expect(await find({ publisher: 'ai.waystation.labs' })).toEqual(['ai.waystation.labs/g']);
  for (const publisher of ['io.github.alice', 'github.com/alice'])
    expect(await find({ publisher })).toEqual(['io.github.Alice/notes']);
  expect(await find({ publisher: 'waystation.ai', query: 'ai.waystation/a' })).toContain('ai.waystation/a');
  expect(await find({ publisher: 'waystation.ai', query: 'io.github.Alice/notes' })).toEqual([]);
  const page = await directory.app.request('/agents?publisher=waystation.ai');
  expect(await page.text()).toContain('href="/agents/ai.waystation.labs/g"');
});

it('the closing of a search names only what its text shows', async () => {
  const client = await connect('v2', { app: directory.app });
  const { content, structuredContent } = await client.call('search_agents', { publisher: 'com.nobody' });
  await client.close();
  expect(content[0]?.text).not.toContain('no_match');
  expect(structuredContent).toMatchObject({ untrusted_fields: [] });
  expect(
    await callTool(directory, 'search_agents', { publisher: 'waystation.ai', tags: ['none'] }),
  ).toMatchObject({
    untrusted_fields: ['no_match'],
    no_match: { leave_out: [{ facet: 'tags:none', count: 7 }] },
  });
});
