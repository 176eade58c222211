import { beforeAll, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { startFetchServer } from '../support/endpoints/paid-endpoint.ts';
import { opened } from '../support/opened.ts';

let isDown = false;
const behind = await opened(startModernServer(() => [{ name: 'waves' }]));
const surf = startFetchServer(async (request) => {
  if (new URL(request.url).pathname !== '/mcp') return new Response('', { status: 404 });
  if (isDown) return new Response('', { status: 502 });
  const skipped = ['host', 'content-length', 'connection'];
  const headers = Object.fromEntries([...request.headers].filter(([name]) => !skipped.includes(name)));
  const body = request.method === 'POST' ? { body: await request.text() } : {};
  return fetch(`${behind.url}/mcp`, { method: request.method, headers, ...body });
});
const { directory } = await openObserved({ surf, other: startModernServer(() => [{ name: 'tides' }]) });
const handle = handleAt('surf');
const other = handleAt('other');

const today = () => directory.context.clock().toISOString().slice(0, 10);
async function look(down: boolean): Promise<string> {
  directory.wait(86_400);
  isDown = down;
  await directory.observe(handle);
  await directory.observe(other);
  return today();
}
const differing = async (since: string, until: string) =>
  (await callTool<{ differs: readonly string[] }>(directory, 'get_history', { handle, since, until }))
    .differs;

const days: string[] = [];
beforeAll(async () => {
  for (const down of [false, false, true]) days.push(await look(down));
});

it('an endpoint whose newest check failed is neither called alive nor found by a search for those that answer', async () => {
  const criteria = [{ criterion: 'endpoint_observed_alive' }];
  const { listings } = await callTool<{ listings: readonly object[] }>(directory, 'compare_agents', {
    handles: [handle, other],
    criteria,
  });
  expect(listings).toMatchObject([
    { handle, observed: { endpoint_observed_alive: 'not_met' } },
    { handle: other, observed: { endpoint_observed_alive: 'met' } },
  ]);
  const found = await callTool<{ listings: readonly object[]; left_out: { best: readonly object[] } }>(
    directory,
    'search_agents',
    { query: 'com.example', answered: true },
  );
  expect(found.listings).toMatchObject([{ handle: other }]);
  expect(found.left_out.best).toMatchObject([{ handle, why: expect.stringContaining('HTTP 502') }]);
});

it('a first failed check is what was known at the end of its day, and what came back differs from it', async () => {
  const [first = '', second = '', third = ''] = days;
  const ends = (since: string, until: string) =>
    `(between what was known at the ends of ${since} and ${until})`;
  expect(await differing(first, second)).toEqual([
    `Nothing differs between what was known at the ends of ${first} and ${second}.`,
  ]);
  expect(await differing(second, third)).toEqual([
    `Endpoint (\`https://surf.example.com/mcp\`): answered (HTTP status 200) until ${second}, then the endpoint returned HTTP 502 ${ends(second, third)}`,
  ]);
  const fourth = await look(true);
  expect(await differing(third, fourth)).toEqual([
    `Nothing differs between what was known at the ends of ${third} and ${fourth}.`,
  ]);
  expect(await differing(second, fourth)).toEqual([
    expect.stringContaining(
      `answered (HTTP status 200) until ${second}, since ${third} the endpoint returned HTTP 502`,
    ),
  ]);
  const fifth = await look(false);
  expect(await differing(fourth, fifth)).toEqual([
    expect.stringContaining(`HTTP 502 until ${fourth}, then answered`),
  ]);
  expect(await differing(second, fifth)).toEqual([
    `Nothing differs between what was known at the ends of ${second} and ${fifth}.`,
  ]);
  const sixth = await look(true);
  const seventh = await look(false);
  expect(await differing(fifth, sixth)).toEqual([expect.stringContaining('HTTP 502')]);
  expect(await differing(sixth, seventh)).toEqual([
    expect.stringContaining(`HTTP 502 until ${sixth}, then answered`),
  ]);
  expect(await differing(fifth, seventh)).toEqual([
    `Nothing differs between what was known at the ends of ${fifth} and ${seventh}.`,
  ]);
});
