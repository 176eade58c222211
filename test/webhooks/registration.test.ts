import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';

let service: Directory;
let endpoint: Endpoint;
let answer: (challenge: string, response: ServerResponse) => void;
const repeat = (challenge: string, response: ServerResponse) => response.end(JSON.stringify({ challenge }));

beforeAll(async () => {
  endpoint = await startEndpoint((body, _request, response) => {
    answer((JSON.parse(body) as { challenge: string }).challenge, response);
  });
  service = await openDirectory({
    environment: {
      HOST_OVERRIDES: JSON.stringify({ 'hook.example': endpoint.url, 'full.example': endpoint.url }),
      LIMIT_OVERRIDES: 'webhook=1000/1h',
    },
    timeouts: { webhook_ms: 300 },
  });
});
afterAll(async () => {
  await service.close();
  await endpoint.close();
});

const register = (body: object) =>
  service.app.request('/api/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const refused = async (body: object) => {
  const response = await register(body);
  const { code, detail } = (await response.json()) as Record<string, string>;
  return [response.status, code, detail];
};
const hook = 'https://hook.example/in';

it('asks the address first, with a challenge that a secret of the caller signs', async () => {
  answer = repeat;
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const response = await register({ url: hook, secret });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await response.json()).toMatchObject({ url: hook, state: 'active', about: 'all', secret });
  const [sent] = endpoint.sent;
  expect([sent?.method, sent?.path]).toEqual(['POST', '/in']);
  const message = new Webhook(secret).verify(sent?.body ?? '', sent?.headers as Record<string, string>);
  expect(message).toEqual({
    type: 'webhook.challenge',
    timestamp: expect.stringMatching(/^20/),
    challenge: expect.stringMatching(/^[\w-]{32}$/),
  });
});

it('subscribes no address that does not answer the challenge', async () => {
  const wrong: [string, typeof answer][] = [
    ['answered with status 500', (_challenge, response) => response.writeHead(500).end()],
    ['answered with status 302', (_challenge, response) => response.writeHead(302, { location: '/' }).end()],
    ['does not have the challenge', (_challenge, response) => response.end('{"challenge": "other"}')],
    ['does not have the challenge', (_challenge, response) => response.end('ok')],
    [
      'no answer (too_large)',
      (challenge, response) => response.end(`{"challenge": "${challenge}", "x": "${'x'.repeat(20_000)}"}`),
    ],
    ['no answer (host_timeout)', () => undefined],
  ];
  const before = (await service.store.webhooks.list()).length;
  for (const [detail, given] of wrong) {
    answer = given;
    expect(await refused({ url: hook })).toEqual([
      422,
      'address_not_proven',
      expect.stringContaining(detail),
    ]);
  }
  expect(await service.store.webhooks.list()).toHaveLength(before);
});

it.each([
  'http://hook.example.com/in',
  'https://127.0.0.1/in',
  'https://[::1]/in',
  'https://169.254.169.254/latest',
  'https://user:password@hook.example.com/in',
  'file:///etc/passwd',
  'nonsense',
])('refuses the address %s unasked', async (url) => {
  const asked = endpoint.sent.length;
  expect(await refused({ url })).toEqual([422, 'invalid_input', expect.stringContaining('url must be')]);
  expect(endpoint.sent).toHaveLength(asked);
});

it('reaches no private address through a name', async () => {
  expect(await refused({ url: 'https://localhost/in' })).toEqual([
    422,
    'address_not_proven',
    expect.stringContaining('host_unreachable'),
  ]);
});

it('refuses what it could not be about', async () => {
  answer = repeat;
  const of = async (body: object) => (await refused({ url: hook, ...body })).slice(0, 2);
  expect(await of({ handle: 'com.example/none' })).toEqual([404, 'unknown_handle']);
  expect(await of({ publisher: 'com.none' })).toEqual([404, 'not_found']);
  expect(await of({ view: 'none' })).toEqual([404, 'not_found']);
  expect(await of({ handle: 'co.webhook/webhook', tag: 'webhooks' })).toEqual([422, 'invalid_input']);
  expect(await of({ secret: 'whsec_short' })).toEqual([422, 'invalid_input']);
  expect(await of({ listing: 'co.webhook/webhook' })).toEqual([422, 'invalid_input']);
});

it('is seen and ended by whoever has its secret, and by nobody else', async () => {
  answer = repeat;
  const { id, secret } = (await (await register({ url: hook, tag: 'webhooks' })).json()) as Record<
    string,
    string
  >;
  const ask = async (method: string, bearer?: string) => {
    const response = await service.app.request(`/api/webhooks/${id}`, {
      method,
      headers: bearer ? { authorization: `Bearer ${bearer}` } : {},
    });
    return [response.status, await response.json()] as const;
  };
  const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  for (const bearer of [undefined, other, 'whsec_'])
    expect([(await ask('GET', bearer))[0], (await ask('DELETE', bearer))[0]]).toEqual([404, 404]);
  const [status, shown] = await ask('GET', secret);
  expect([status, shown]).toEqual([
    200,
    expect.objectContaining({ id, about: 'tag:webhooks', state: 'active' }),
  ]);
  expect(JSON.stringify(shown)).not.toContain(String(secret));
  expect(await ask('DELETE', secret)).toEqual([200, { id, state: 'removed' }]);
  expect((await ask('GET', secret))[0]).toBe(404);
});

it('sends one host at most ten challenges an hour', async () => {
  answer = (_challenge, response) => response.writeHead(404).end();
  const codes = [];
  for (let n = 0; n < 11; n += 1) codes.push((await refused({ url: `https://full.example/${n}` }))[1]);
  expect(codes).toEqual([...Array.from({ length: 10 }, () => 'address_not_proven'), 'rate_limited']);
});

it('takes at most ten addresses of one host', async () => {
  answer = repeat;
  const store = service.store;
  const [known] = await store.webhooks.list();
  if (!known) throw new Error('none is registered');
  const { ofHost } = await store.webhooks.counts('hook.example');
  await store.write(async (tx) => {
    for (let n = ofHost; n < 10; n += 1) await tx.webhooks.put({ ...known, id: `another-${n}` });
  });
  const asked = endpoint.sent.length;
  expect(await refused({ url: hook })).toEqual([
    429,
    'rate_limited',
    expect.stringContaining('There are 10 webhooks of this host'),
  ]);
  expect(endpoint.sent).toHaveLength(asked);
});

it('says how to register', async () => {
  const text = await (await service.app.request('/api/webhooks')).text();
  expect(text).toContain('{"challenge": "<the same text>"}');
});
