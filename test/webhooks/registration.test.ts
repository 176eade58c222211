import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import type { Webhook as Subscription } from '../../src/webhooks/webhook.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';

let answer: (challenge: string, response: ServerResponse) => void;
const repeat = (challenge: string, response: ServerResponse) => response.end(JSON.stringify({ challenge }));

const endpoint = await openedEndpoint((body, _request, response) => {
  answer((JSON.parse(body) as { challenge: string }).challenge, response);
});
const service = await openedDirectory({
  environment: {
    WEBHOOK_OVERRIDES: JSON.stringify(
      Object.fromEntries(
        ['hook.example', 'full.example', 'free.example', 'hooks.zapier.com', 'hook.eu1.make.com'].map(
          (host) => [host, endpoint.url],
        ),
      ),
    ),
    HOST_OVERRIDES: JSON.stringify({ 'mcp.internal.example': endpoint.url }),
    LIMIT_OVERRIDES: 'webhook=1000/1h',
  },
});

/** Registers a webhook as a caller from this network address. */
const register = (body: object, { from = '192.0.2.1', app = service.app } = {}) =>
  app.request(
    '/api/webhooks',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    { incoming: { socket: { remoteAddress: from } } },
  );
const refused = async (body: object, as?: { from?: string; app?: typeof service.app }) => {
  const response = await register(body, as);
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

const notProven = [
  422,
  'address_not_proven',
  'Answer the POST of the type webhook.challenge with status 200 and {"challenge": "<its challenge>"}, then register again.',
];

it('subscribes no address that does not answer the challenge, and does not tell what it answered', async () => {
  const wrong: (typeof answer)[] = [
    (_challenge, response) => response.writeHead(500).end(),
    (_challenge, response) => response.writeHead(302, { location: '/' }).end(),
    (_challenge, response) => response.end('{"challenge": "other"}'),
    (_challenge, response) => response.end('ok'),
    (challenge, response) => response.end(`{"challenge": "${challenge}", "x": "${'x'.repeat(20_000)}"}`),
  ];
  const before = (await service.store.webhooks.list()).length;
  for (const given of wrong) {
    answer = given;
    expect(await refused({ url: hook })).toEqual(notProven);
  }
  answer = () => undefined;
  const timeouts = { ...service.context.timeouts, webhook_ms: 100 };
  const impatient = createApp({ ...service.context, timeouts });
  expect(await refused({ url: hook }, { app: impatient })).toEqual(notProven);
  await impatient.close();
  expect(await service.store.webhooks.list()).toHaveLength(before);
});

it.each([
  'http://hook.example.com/in',
  'http://hook.example/in',
  'https://user:password@hook.example/in',
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

it('reaches no private address through a name, and no host of HOST_OVERRIDES', async () => {
  const asked = endpoint.sent.length;
  answer = repeat;
  expect(await refused({ url: 'https://localhost/in' })).toEqual(notProven);
  expect(await refused({ url: 'https://mcp.internal.example/admin/reload' })).toEqual(notProven);
  expect(endpoint.sent).toHaveLength(asked);
});

it('refuses what it could not be about', async () => {
  answer = repeat;
  const of = async (body: object) => (await refused({ url: hook, ...body })).slice(0, 2);
  expect(await of({ handle: 'co.webhook/webhook', tag: 'webhooks' })).toEqual([422, 'invalid_input']);
  expect(await of({ secret: 'whsec_short' })).toEqual([422, 'invalid_input']);
  expect(await of({ listing: 'co.webhook/webhook' })).toEqual([422, 'invalid_input']);
});

it('takes what a feed is about, and refuses what no feed is about, with the same words', async () => {
  answer = repeat;
  const withdrawn = 'com.politicalcomms/api';
  await service.act('withdraw', withdrawn, 'malicious');
  const subjects: readonly [path: string, body: object, refusal?: readonly unknown[]][] = [
    ['/agents/co.webhook/webhook', { handle: 'co.webhook/webhook' }],
    [`/agents/${withdrawn}`, { handle: withdrawn }],
    ['/publishers/co.webhook', { publisher: 'co.webhook' }],
    ['/tags/webhooks', { tag: 'webhooks' }],
    ['/agents/com.example/none', { handle: 'com.example/none' }, ['unknown_handle', []]],
    // A listing may come.
    ['/publishers/com.none', { publisher: 'com.none' }],
    ['/publishers/com_none', { publisher: 'com_none' }, ['not_found', undefined]],
    ['/tags/webhook', { tag: 'webhook' }, ['not_found', ['webhooks']]],
    ['/views/none', { view: 'none' }, ['not_found', undefined]],
  ];
  for (const [path, body, refusal] of subjects) {
    const answers = [
      await service.app.request(`${path}/feed.json`),
      await register({ url: 'https://free.example/in', ...body }),
    ];
    const read = answers.map(async (one) => (await one.json()) as Record<string, unknown>);
    const [feed, webhook] = await Promise.all(read);
    expect([path, ...answers.map(({ status }) => status)]).toEqual([
      path,
      ...(refusal ? [404, 404] : [200, 200]),
    ]);
    if (!refusal) continue;
    expect([feed?.code, feed?.near]).toEqual(refusal);
    expect(webhook).toEqual(feed);
  }
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

it('sends one domain at most ten challenges an hour for one network, whatever the subdomain and port', async () => {
  answer = (_challenge, response) => response.writeHead(404).end();
  const codes = [];
  for (let n = 0; n < 10; n += 1)
    codes.push((await refused({ url: `https://full.example:${8000 + n}/` }))[1]);
  codes.push((await refused({ url: 'https://other.full.example/' }))[1]);
  expect(codes).toEqual([...Array.from({ length: 10 }, () => 'address_not_proven'), 'rate_limited']);
  // A network that did not fail is asked whether its address answers.
  expect(await refused({ url: 'https://full.example/' }, { from: '198.51.100.7' })).toEqual(notProven);
});

it('counts each account of an automation platform for itself', async () => {
  const catching = (account: string, host = 'hooks.zapier.com') =>
    refused({ url: `https://${host}/hooks/catch/${account}/` }, { from: '198.51.100.8' });
  answer = (_challenge, response) => response.writeHead(404).end();
  for (let n = 0; n < 10; n += 1) expect((await catching('1'))[1]).toBe('address_not_proven');
  expect((await catching('1'))[1]).toBe('rate_limited');
  expect((await catching('2'))[1]).toBe('address_not_proven');
  answer = repeat;
  const hookOf = (name: string) =>
    register({ url: `https://hook.eu1.make.com/${name}` }, { from: '198.51.100.9' });
  for (let n = 0; n < 12; n += 1) expect((await hookOf(`hook-${n}`)).status).toBe(200);
  const mine = (await service.store.webhooks.list()).filter(({ url }) => url.includes('make.com'));
  expect(new Set(mine.map(({ domain }) => domain)).size).toBe(12);
  for (const { id } of mine) await service.store.write((tx) => tx.webhooks.remove(id));
});

/** Puts more active webhooks into the store, which differ from one that is registered as `toChange` says. */
async function put(count: number, toChange: (n: number) => Partial<Subscription>): Promise<void> {
  const [known] = await service.store.webhooks.list();
  if (!known) throw new Error('none is registered');
  await service.store.write(async (tx) => {
    for (let n = 0; n < count; n += 1)
      await tx.webhooks.put({ ...known, network: undefined, id: `another-${n}`, ...toChange(n) });
  });
}
const empty = async () => {
  for (const { id } of await service.store.webhooks.list())
    if (id.startsWith('another-')) await service.store.write((tx) => tx.webhooks.remove(id));
};

it('takes at most ten addresses of one domain, and 20 of one network in a day', async () => {
  answer = repeat;
  const asked = endpoint.sent.length;
  await put(10, () => ({ domain: 'hook.example' }));
  expect(await refused({ url: 'https://third.hook.example:8443/in' })).toEqual([
    429,
    'rate_limited',
    'There are 10 webhooks of this domain or account, and no more are accepted. Wait for the seconds in Retry-After, then send it again.',
  ]);
  const [known] = await service.store.webhooks.list();
  await put(20, (n) => ({ domain: `d${n}.example`, network: String(known?.network) }));
  expect(await refused({ url: 'https://free.example/in' })).toEqual([
    429,
    'rate_limited',
    'There are 20 webhooks registered by this network today, and no more are accepted. Wait for the seconds in Retry-After, then send it again.',
  ]);
  expect(endpoint.sent).toHaveLength(asked);
  await empty();
});

it('takes one more when all 1,000 places are taken: that of an ended webhook, or of whoever has the most', async () => {
  answer = repeat;
  const ids = async () => (await service.store.webhooks.list()).map(({ id }) => id);
  const taken = (await ids()).length;
  await put(1000 - taken, (n) => ({
    domain: `d${Math.floor(n / 9)}.example`,
    state: n === 5 ? 'gone' : 'active',
  }));
  const before = new Set(await ids());
  const add = async () => {
    const response = await register({ url: 'https://free.example/in' });
    expect(response.status).toBe(200);
    const left = await ids();
    return [...before].filter((id) => !left.includes(id));
  };
  expect(await add()).toEqual(['another-5']);
  const gone = await add();
  expect([gone.length, gone.every((id) => id.startsWith('another-'))]).toEqual([2, true]);
  await put(1000 - taken - 1, (n) => ({ domain: `single${n}.example` }));
  expect(await refused({ url: 'https://one.more.example/in' })).toEqual([
    429,
    'rate_limited',
    'There are 1000 webhooks in all, and no more are accepted. Wait for the seconds in Retry-After, then send it again.',
  ]);
  await empty();
});
