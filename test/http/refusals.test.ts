import { Client } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { createNodes, get, type Nodes } from '../support/nodes.ts';

let nodes: Nodes;
beforeEach(async () => {
  nodes = await createNodes();
});
afterEach(() => nodes.close());

const json = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' };
const search = (query: string) =>
  ({
    method: 'POST',
    path: '/api/tools/search_agents',
    headers: json,
    body: JSON.stringify({ query }),
  }) as const;

/** A client that sends everything over one connection, and how often it had to open one. */
function openConnection(url: string) {
  const client = new Client(url, { pipelining: 1 });
  let opened = 0;
  client.on('connect', () => (opened += 1));
  const ask = async (request: Parameters<Client['request']>[0]) => {
    const { statusCode: status, headers, body } = await client.request(request);
    const { 'retry-after': retryAfter, ratelimit } = headers;
    return { status, retryAfter, ratelimit, text: await body.text() };
  };
  return { ask, opened: () => opened, close: () => client.close() };
}

/** Counts the refusals that the app did not make itself. */
function countAtTheSocket() {
  let count = 0;
  const stop = onMeasured(({ labels: { memory, result } }) => {
    if (memory === 'refusals' && result === 'hit') count += 1;
  });
  return { count: () => count, stop };
}

it('a refused network keeps its connection, whose unread bodies are no requests, and others notice nothing', async () => {
  const { context } = await nodes.open({ LIMIT_OVERRIDES: 'mcp=2/10s' });
  const url = context.config.publicUrl;
  const { ask, opened, close } = openConnection(url);
  const counted = countAtTheSocket();
  const statuses: number[] = [];
  for (let sent = 0; sent < 6; sent++) statuses.push((await ask(search(`word${sent}`))).status);
  expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
  expect(counted.count()).toBe(4);
  // A body that reads like a request, longer than one packet.
  const smuggled = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000);
  expect(await ask({ ...search(''), body: smuggled })).toEqual({
    status: 429,
    retryAfter: '5',
    ratelimit: '"mcp";r=0;t=5',
    text: JSON.stringify({
      type: `${url}/tools#rate_limited`,
      title: 'Too many requests',
      status: 429,
      detail: 'Wait for the seconds in Retry-After, then send it again.',
      code: 'rate_limited',
      retry_after_s: 5,
    }),
  });
  expect((await get(`${url}/tags`)()).status).toBe(200);
  const other = { ...search('word'), headers: { ...json, 'x-forwarded-for': '198.51.100.1' } };
  expect((await ask(other)).status).toBe(200);
  nodes.wait(5);
  expect((await ask(search('word9'))).status).toBe(200);
  expect((await ask(search('word9'))).status).toBe(429);
  expect([counted.count(), opened()]).toEqual([6, 1]);
  counted.stop();
  await close();
});

it('a long or chunked body of a refused request is left to the app', async () => {
  const { context } = await nodes.open({ LIMIT_OVERRIDES: 'mcp=1/10s' });
  const { ask, close } = openConnection(context.config.publicUrl);
  const counted = countAtTheSocket();
  expect((await ask(search('word'))).status).toBe(200);
  expect((await ask(search('word'))).status).toBe(429);
  expect((await ask({ ...search(''), body: 'x'.repeat(70_000) })).status).toBe(429);
  expect(counted.count()).toBe(1);
  expect((await ask(search('word'))).status).toBe(429);
  expect(counted.count()).toBe(2);
  counted.stop();
  await close();
});
