import { parseJsonFeed } from 'feedsmith';
import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { startX402Server } from '../support/endpoints/paid-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';

const payees = [`0x${'d7'.repeat(20)}`, `0x${'e5'.repeat(20)}`] as const;
const made = { isLater: false };
const { directory, look } = await openObserved({
  paid: startX402Server(() => ({
    dollars: made.isLater ? '$0.02' : '$0.01',
    payTo: payees[made.isLater ? 1 : 0],
  })),
  ships: startModernServer(() => [
    { name: 'find_ship', ...(!made.isLater && { readOnlyHint: true }) },
    ...(made.isLater ? [{ name: 'cancel_booking' }] : []),
  ]),
});
await look('paid', 'price.offers');
await look('ships', 'tools.surface');
directory.wait(86_400);
made.isLater = true;
await look('paid', 'price.offers');
await look('ships', 'tools.surface');
const [before, after] = [-1, 0].map((days) =>
  new Date(directory.context.clock().getTime() + days * 86_400_000).toISOString().slice(0, 10),
);

const get = async (path: string, accept = '*/*') =>
  (await directory.app.request(path, { headers: { accept } })).text();
const plain = (html = '') =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s+/g, ' ');
async function itemsOf(name: string) {
  const { items = [] } = parseJsonFeed(JSON.parse(await get(`/agents/${handleAt(name)}/feed.json`)));
  return items.map(({ title = '', content_html }) => ({ title, content: plain(content_html) }));
}
async function historyOf(name: string): Promise<string[]> {
  return (await callTool<{ changes: string[] }>(directory, 'get_history', { handle: handleAt(name) }))
    .changes;
}

it.each([
  [
    'paid',
    `Prices and payees (https://paid.example.com/mcp): in the quoted price: payee changed from ${payees[0]} to ${payees[1]} on Base. Price raised from 0.01 USDC to 0.02 USDC on Base (the other was last seen on ${before})`,
  ],
  [
    'ships',
    `Tools it lists (https://ships.example.com/mcp): changed hints of find_ship: readOnlyHint: true -> absent; added cancel_booking: requires text; last seen without these changes on ${before}`,
  ],
])('an entry of the feed of %s says what changed as its history does', async (name, said) => {
  const [{ title = '', content = '' } = {}] = await itemsOf(name);
  expect(title.replaceAll('`', '')).toMatch(/^com\.example\.\w+\/a: (?:Prices|Tools it lists)/);
  expect(title.replaceAll('`', '')).toContain(said);
  expect(content).toContain(`${after}, ${handleAt(name)}: ${said}.`);
  expect(content).toMatch(/Seen by a check from [\w.:]+\. Entry \d+ of the log\.$/);
  expect((await historyOf(name)).map((one) => one.replaceAll('`', ''))).toContainEqual(
    expect.stringContaining(`${after} ${said}`),
  );
  for (const path of ['/', '/log']) expect(plain(await get(path, 'text/html')), path).toContain(said);
});

it('an entry leads to its event in the history, and each of its links is a whole address', async () => {
  const [{ content_html = '' } = {}] =
    parseJsonFeed(JSON.parse(await get(`/agents/${handleAt('paid')}/feed.json`))).items ?? [];
  const links = [...content_html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
  expect(links.every((href) => URL.canParse(href))).toBe(true);
  const { pathname, search, hash } = new URL(links.find((href) => href.includes('/history')) ?? '');
  expect(await get(pathname + search, 'text/html')).toContain(`id="${hash.slice(1)}"`);
});

it('says nothing of what was seen at a listing that was withdrawn since', async () => {
  await directory.importEntries([
    registryEntry(handleAt('ships'), remotesAt('https://ships.example.com/mcp'), {
      status: 'deleted',
      updatedAt: new Date(directory.context.clock()).toISOString(),
    }),
  ]);
  directory.wait(120);
  const titles = (await itemsOf('ships')).map(({ title }) => title);
  expect(titles).toEqual([
    'com.example.ships/a: no longer listed (the registry deleted it without a stated reason)',
    'com.example.ships/a: a check saw new or changed facts',
  ]);
  for (const path of ['/', '/log', '/feed.atom'])
    expect(await get(path, 'text/html'), path).not.toContain('cancel_booking');
});

it.each([
  [
    `/agents/${handleAt('paid')}/feed.atom?kind=price`,
    'takes no parameters: of all listings, /changes takes since and until as days; of one, /agents/<handle>/history.json takes a kind too',
  ],
  [
    '/feed.json?since=2026-11-01',
    'takes no parameters: of all listings, /changes takes since and until as days; of one, /agents/<handle>/history.json takes a kind too',
  ],
  [
    '/tags/mcp/feed.json?x',
    'takes no parameters: of all listings, /changes takes since and until as days; of one, /agents/<handle>/history.json takes a kind too',
  ],
  [
    '/changes?kind=nonsense',
    'takes only since, until: of all listings, /changes takes since and until as days; of one, /agents/<handle>/history.json takes a kind too',
  ],
  [`/agents/${handleAt('paid')}/history.json?limit=5`, 'takes only kind, since, until, cursor'],
])('refuses at %s a parameter that is not there, and says what is', async (path, takes) => {
  // The second time, an answer without the parameter is in the cache.
  await get(path.split('?')[0] ?? '');
  const answer = await directory.app.request(path, { headers: { accept: '*/*' } });
  expect([answer.status, await answer.json()]).toEqual([
    422,
    expect.objectContaining({
      code: 'invalid_input',
      detail: expect.stringContaining(`query must have no others, because this address ${takes}.`),
    }),
  ]);
});

it('refuses a kind that there is not, with those that there are', async () => {
  for (const path of ['history', 'history.json']) {
    const answer = await directory.app.request(`/agents/${handleAt('paid')}/${path}?kind=nonsense`);
    expect([answer.status, await answer.text()], path).toEqual([422, expect.stringContaining('upkeep')]);
  }
});
