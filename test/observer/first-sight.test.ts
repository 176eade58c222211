import { expect, it } from 'vitest';
import { json, reply } from '../support/endpoints/faults.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';

const handle = 'com.example.modern/a';

/** An endpoint that answers, with one more tool or not, asks for credentials first, or fails. */
type Day = 'up' | 'more' | 'gated' | 'down';

async function toldOf(days: readonly Day[]) {
  let today: Day = 'up';
  const server = await openedEndpoint((body, { url }, response) => {
    if (url !== '/mcp') return void response.writeHead(404).end();
    if (today === 'gated' || today === 'down')
      return void response.writeHead(today === 'down' ? 500 : 401).end();
    if (body === '') return void response.writeHead(405).end();
    const names = today === 'more' ? ['send', 'charge'] : ['send'];
    const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
    json(response, reply(body, { ...introduction, tools }));
  });
  const directory = await openedDirectory({
    entries: [registryEntry(handle, remotesAt('https://modern.example.com/mcp'))],
    hosts: { 'modern.example.com': server },
  });
  const told: string[][] = [];
  let since = 0;
  for (today of days) {
    await directory.observe(handle);
    const text = await (await directory.app.request('/changes?since=0')).text();
    const kinds = text.split('\n').flatMap((line) => {
      const { type, data } = line ? (JSON.parse(line) as { type: string; data: { kinds: string[] } }) : {};
      return type === 'observation.changed' ? [data?.kinds ?? []] : [];
    });
    told.push(kinds.slice(since).flat());
    since = kinds.length;
    directory.wait(86_400);
  }
  const answer = await directory.post('/api/tools/get_history', { handle });
  const feed = await directory.app.request(`/agents/${handle}/feed.json`);
  return { told, history: await answer.text(), feed: await feed.text() };
}

it.each([
  [
    'has one more tool at its second check',
    ['up', 'more'],
    [[], ['tools.count', 'tools.surface', 'tools.hints']],
  ],
  ['answers only at its second check', ['down', 'up'], [[], []]],
  ['fails at one check', ['up', 'down', 'up'], [[], [], []]],
  [
    'answers again after days',
    ['up', 'down', 'down', 'up', 'up'],
    [[], [], ['endpoint.answers'], ['endpoint.answers'], []],
  ],
] as const)(
  'tells no fact that is seen for the first time, but what differs, and the return of what was told as lost: an endpoint that %s',
  async (_, days, told) => {
    expect((await toldOf(days)).told).toEqual(told);
  },
);

it('the feed ends with the return of an endpoint that it said did not answer', async () => {
  const { feed } = await toldOf(['up', 'down', 'down', 'up']);
  const titles = (JSON.parse(feed) as { items: { title: string }[] }).items.map(({ title }) => title);
  expect(titles).toEqual([
    expect.stringContaining('returned HTTP 500 until'),
    expect.stringContaining('answered (HTTP status 200) until'),
  ]);
});

it('tells that an endpoint asks for credentials, and not that the same tools are back', async () => {
  const { told, history } = await toldOf(['up', 'gated', 'gated', 'up']);
  const [first, , gated, back] = told;
  expect(history).toMatch(
    /known for the first time: OAuth sign-in [^:]*\(`?https:[^)]+\): looked for, not found/,
  );
  expect(first).toEqual([]);
  expect(gated).toEqual(expect.arrayContaining(['tools.count', 'tools.surface']));
  expect(back?.filter((kind) => kind.startsWith('tools.'))).toEqual([]);
});
