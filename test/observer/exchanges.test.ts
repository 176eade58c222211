import { expect, it } from 'vitest';
import {
  type Answer,
  json,
  messageOf,
  passing,
  reply,
  rpcError,
  status,
} from '../support/endpoints/faults.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';
import { operationsOf } from '../support/operations.ts';

const day_s = 86_400;
const alice = '0x1111111111111111111111111111111111111111';
const tool = (name: string) => ({ name, description: 'Sends', inputSchema: { type: 'object' } });
const tools = [tool('send'), tool('read')];
const payments = { x402Version: 2, accepts: [{ scheme: 'exact', network: 'eip155:8453' }] };
const toll: Answer = (_, response) => json(response, payments, 402);
const unknown: Answer = ({ body }, response) => json(response, rpcError(body, -32601, 'Method not found'));
const result =
  (value: unknown): Answer =>
  ({ body }, response) =>
    json(response, reply(body, value));
const discovery = (more: object = {}) =>
  result({ supportedVersions: ['2026-07-28'], capabilities: {}, ...more });
const session = (protocolVersion = '2025-06-18') => result({ protocolVersion, capabilities: {} });

/** Answers each message of MCP by its method; every other one is not known. */
const speaking =
  (methods: Readonly<Record<string, Answer>>): Answer =>
  (sent, response, request) => {
    const { method = '' } = messageOf(sent.body);
    if (method === 'notifications/initialized') return void response.writeHead(202).end();
    (methods[method] ?? unknown)(sent, response, request);
  };

/** The list of tools as only this era sends it. */
const ofEra =
  (era: 'modern' | 'legacy', other: Answer = unknown): Answer =>
  (sent, response, request) => {
    const isModern = request.headers['mcp-protocol-version'] === '2026-07-28';
    (isModern === (era === 'modern') ? result({ tools }) : other)(sent, response, request);
  };

/** How an endpoint may answer both messages that introduce it, and the one that lists its tools. */
const introductions: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  both: { 'server/discover': discovery(), initialize: session(), 'tools/list': result({ tools }) },
  modern: { 'server/discover': discovery(), 'tools/list': result({ tools }) },
  older: { initialize: session(), 'tools/list': result({ tools }) },
  'older-400': { 'server/discover': status(400), initialize: session(), 'tools/list': result({ tools }) },
  'older-404': { 'server/discover': status(404), initialize: session(), 'tools/list': result({ tools }) },
  'gated-newer': { 'server/discover': status(401), initialize: session(), 'tools/list': result({ tools }) },
  gated: { 'server/discover': status(401), initialize: status(401) },
  'gated-modern': { 'server/discover': status(401) },
  'gated-older': { initialize: status(401) },
  'gated-list': { initialize: session(), 'tools/list': status(401) },
  paid: { 'server/discover': discovery(), 'tools/list': toll },
};

const names = [
  ...Object.keys(introductions),
  'deposit',
  'later',
  'elsewhere',
  'ordered',
  'issuer',
  'words',
  'silent-stream',
  'dual',
  'lets-in',
  'list-once',
  'mute',
  'first',
  'one-session',
  'slowed',
  'named',
];
const endpoints = new Map<string, Answer>();
const files = new Map<string, Answer>();

const server = await openedEndpoint((body, request, response) => {
  const [, name = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const answer = path === '/mcp' ? endpoints.get(name) : files.get(`${name}${path}`);
  (answer ?? status(404))({ body, path, origin: `https://${name}.example.com` }, response, request);
});
const directory = await openedDirectory({
  entries: names.map((name) =>
    registryEntry(`com.example.${name}/mcp`, {
      remotes: [
        {
          type: name === 'silent-stream' ? 'sse' : 'streamable-http',
          url: `https://${name}.example.com/mcp`,
        },
      ],
    }),
  ),
  hosts: Object.fromEntries(names.map((name) => [`${name}.example.com`, { url: `${server.url}/${name}` }])),
});

/** The facts of one check, a day after the one before, by their kinds. */
async function check(name: string, methods?: Readonly<Record<string, Answer>>) {
  if (methods) endpoints.set(name, speaking(methods));
  directory.wait(day_s);
  const { observations } = await directory.observe(`com.example.${name}/mcp`);
  return Object.fromEntries(observations.toReversed().map((one) => [one.kind, one]));
}

/** Which kinds of facts are said to have changed since the first check, newest first. */
async function changesOf(name: string) {
  const { observations } = (await directory.store.observations.ofListing(`com.example.${name}/mcp`)) ?? {};
  return observations?.filter((one) => one.changed_from).map(({ kind }) => kind);
}

it('a server that knows no discovery any more speaks the older era', async () => {
  const dual = { initialize: session(), 'tools/list': result({ tools }) };
  await check('dual', { ...dual, 'server/discover': discovery() });
  const older = await check('dual', dual);
  expect(older['endpoint.protocol']).toMatchObject({
    value: '2025-06-18',
    changed_from: { value: '2026-07-28' },
  });
});

it.each(Object.keys(introductions))(
  'one message that fails once changes nothing, whichever it is: %s',
  async (name) => {
    const methods = introductions[name] ?? {};
    const essence = (facts: Awaited<ReturnType<typeof check>>) =>
      Object.values(facts)
        .filter(({ kind }) => kind !== 'endpoint.availability')
        .map(({ kind, value, outcome, first_seen_at: since }) => ({
          kind,
          value,
          outcome,
          // That the endpoint answers is true only since the last check that failed.
          ...(kind !== 'endpoint.answers' && { since }),
        }));
    const first = essence(await check(name, methods));
    const at = Object.keys(introductions).indexOf(name);
    const faults = ['s502', 's503', 'reset', 'page-200', 'rpc-500', 'away'];
    for (const method of Object.keys(methods))
      for (const fault of partOf(
        faults.filter((_, n) => n % 2 === at % 2),
        faults,
      )) {
        const failing = { ...methods, [method]: passing[fault] ?? unknown };
        expect([fault, method, essence(await check(name, failing))]).toEqual([fault, method, first]);
        expect([fault, method, essence(await check(name, methods))]).toEqual([fault, method, first]);
        expect(await changesOf(name)).toEqual([]);
      }
  },
);

it('an initialize that fails once asks for no credentials, although a discovery does', async () => {
  const gated = { 'server/discover': status(401), 'tools/list': result({ tools }) };
  await check('lets-in', { ...gated, initialize: session() });
  const failed = await check('lets-in', { ...gated, initialize: status(503) });
  expect(failed['auth.required']).toMatchObject({
    value: false,
    missed: { reason: expect.stringContaining('503') },
  });
  expect(failed['tools.surface']).toMatchObject({ outcome: 'seen' });
  const back = await check('lets-in', { ...gated, initialize: session() });
  expect(back['auth.required']).not.toHaveProperty('missed');
  expect(await changesOf('lets-in')).toEqual([]);
  // A 401 without a challenge may be one of a proxy: a second check decides.
  const once = await check('lets-in', { ...gated, initialize: status(401) });
  expect(once['auth.required']).toMatchObject({ value: false, missed: {} });
  const locked = await check('lets-in');
  expect(locked['auth.required']).toMatchObject({ value: true, changed_from: { value: false } });
});

it('what was seen while initialize failed is replaced without a change by what it says', async () => {
  const gated = { 'server/discover': status(401), 'tools/list': result({ tools }) };
  expect((await check('first', { ...gated, initialize: status(503) }))['auth.required']).toMatchObject({
    value: true,
  });
  const let_in = await check('first', { ...gated, initialize: session() });
  expect(let_in['auth.required']).toMatchObject({ value: false });
  expect(await changesOf('first')).toEqual([]);
});

it('an endpoint that asks for a pause before it lists its tools is not said to ask for no credentials', async () => {
  const older = { initialize: session(), 'tools/list': status(401) };
  expect((await check('slowed', older))['auth.required']).toMatchObject({ value: true });
  const pause = status(429, { 'retry-after': '30' });
  endpoints.set('slowed', (sent, ...rest) =>
    (messageOf(sent.body).method === 'notifications/initialized' ? pause : speaking(older))(sent, ...rest),
  );
  const paused = await check('slowed');
  expect(paused['tools.count']).toMatchObject({ outcome: 'asks', missed: {} });
  expect(paused['auth.required']).toMatchObject({
    value: true,
    missed: { reason: expect.stringContaining('Retry-After') },
  });
  expect(await changesOf('slowed')).toEqual([]);
});

it('of a revision it says that it is spoken once a message in it was answered, and asks in the other era', async () => {
  const once = await check('list-once', {
    'server/discover': discovery(),
    initialize: session(),
    'tools/list': ofEra('legacy', status(400)),
  });
  expect([once['tools.count']?.value, once['endpoint.protocol']?.value]).toEqual([2, '2025-06-18']);
  const mute = await check('mute', { initialize: session(), 'tools/list': status(503) });
  expect(mute['endpoint.protocol']).toMatchObject({ value: null, outcome: 'silent' });
  expect(mute['endpoint.answers']).toMatchObject({ value: 200 });
});

it('a server that keeps an event stream open and says nothing in it is asked in the newer transport', async () => {
  const newer = speaking({ initialize: session(), 'tools/list': result({ tools }) });
  endpoints.set('silent-stream', (sent, response, request) => {
    if (request.method === 'POST') return newer(sent, response, request);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  const { timeouts } = directory.context;
  const { observerFirstTry_ms } = timeouts;
  Object.assign(timeouts, { observerFirstTry_ms: 500 });
  const facts = await check('silent-stream');
  Object.assign(timeouts, { observerFirstTry_ms });
  expect(facts['tools.count']).toMatchObject({ value: 2 });
  expect(facts['endpoint.protocol']).toMatchObject({ value: '2025-06-18' });
});

it('a server with one session for all is said to be that, and is asked for none again within seven days', async () => {
  const asked: string[] = [];
  const refusing =
    (method: string, code: number, message: string): Answer =>
    ({ body }, response) => {
      asked.push(method);
      json(response, rpcError(body, code, message), 400);
    };
  const one = {
    'server/discover': refusing('discover', -32000, 'Bad Request: Mcp-Session-Id header is required'),
    initialize: refusing('initialize', -32600, 'Invalid Request: Server already initialized'),
  };
  const first = await check('one-session', one);
  expect(first['endpoint.answers']?.outcome).toBe('not_asked');
  expect(first['endpoint.answers']?.reason).toBe(
    'The endpoint refused `initialize`, because it is initialized already: it has one session for all clients, which an earlier check of Dossier may have taken.',
  );
  expect(asked.splice(0)).toEqual(['discover', 'initialize']);
  // Restarted, it would give its one session to whoever asks first.
  endpoints.set('one-session', speaking({ ...one, initialize: session() }));
  directory.wait(day_s);
  // Another process knows it too.
  const other = operationsOf(directory.context);
  const { observations } = await other.observe('com.example.one-session/mcp');
  await other.close();
  expect(asked.splice(0)).toEqual(['discover']);
  expect(observations.map(({ kind }) => kind)).not.toContain('endpoint.availability');
  expect(observations.find(({ kind }) => kind === 'endpoint.answers')?.reason).toMatch(
    /^Dossier sent `https:\/\/one-session\.example\.com\/mcp` no `initialize`: on \d{4}-\d\d-\d\d this endpoint had one session for all clients, which a check would take from them\.$/,
  );
  directory.wait(6 * day_s);
  const later = await check('one-session');
  expect(later['endpoint.answers']).toMatchObject({ outcome: 'seen', value: 200 });
});

it('finds the version of a server of 2026-07-28 where that revision has it', async () => {
  const serverInfo = { name: 'named', version: '1.0.0' };
  files.set('named/mcp/server-card', ({ origin }, response) =>
    json(response, {
      name: 'com.example.named/mcp',
      version: '9.9.9',
      ...remotesAt(`${origin}/mcp`),
    }),
  );
  const facts = await check('named', {
    'server/discover': discovery({ _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }),
    'tools/list': result({ tools }),
  });
  expect(facts['card.mcp']).toMatchObject({ value: { version: '9.9.9', differs: ['version'] } });
});

const wellKnown = '/.well-known/oauth-protected-resource/mcp';
const metadata =
  (resource: string): Answer =>
  ({ origin }, response) =>
    json(response, { resource: `${origin}${resource}`, authorization_servers: [`${origin}/auth`] });

it('reads the metadata of an endpoint that introduces itself without credentials: calls may need sign-in', async () => {
  files.set(`later${wellKnown}`, metadata('/mcp'));
  const facts = await check('later', { initialize: session(), 'tools/list': result({ tools }) });
  expect(facts['auth.required']).toMatchObject({ value: false });
  expect(facts['auth.oauth']).toMatchObject({ value: { issuers: ['https://later.example.com/auth'] } });
  expect(facts['auth.oauth']?.details).not.toHaveProperty('differs');
  const answer = await directory.app.request('/agents/com.example.later/mcp.md');
  expect(await answer.text()).toContain(
    'its metadata names `https://later.example.com/auth`, so calls may need sign-in',
  );
  // A page or other JSON in its place may pass; that it is gone is said at the second check.
  for (const fault of [status(503), result({}), status(404)]) {
    files.set(`later${wellKnown}`, fault);
    expect((await check('later'))['auth.oauth']).toMatchObject({ outcome: 'seen', missed: {} });
  }
  expect((await check('later'))['auth.oauth']).toMatchObject({ outcome: 'absent' });
  for (const [stated, said] of [
    [
      { resource: 'https://later.example.com/api' },
      'is for `https://later.example.com/api`, and not for this address.',
    ],
    [{}, 'does not say which address it is for.'],
  ] as const) {
    files.set(`later${wellKnown}`, (_, response) => json(response, { ...stated, authorization_servers: [] }));
    expect((await check('later'))['auth.oauth']).toMatchObject({
      outcome: 'nothing',
      reason: `The endpoint did not ask for credentials; the OAuth metadata of its host ${said}`,
    });
  }
  // Metadata for another path of the host says nothing about this endpoint.
  files.set(`elsewhere${wellKnown}`, metadata('/api'));
  const others = await check('elsewhere', { initialize: session(), 'tools/list': result({ tools }) });
  expect(others).not.toHaveProperty(['auth.oauth']);
});

it('takes the same servers of metadata in another order for no change, and compares those that are not shown', async () => {
  const state = async (...issuers: readonly string[]) => {
    const authorization_servers = issuers.map((name) => `https://${name}.example.com`);
    const stated = { resource: 'https://ordered.example.com/mcp', authorization_servers };
    files.set(`ordered${wellKnown}`, (_, response) => json(response, stated));
    await check('ordered', { initialize: session(), 'tools/list': result({ tools }) });
    return changesOf('ordered');
  };
  await state('a', 'b', 'c', 'd');
  expect(await state('d', 'c', 'b', 'a')).toEqual([]);
  expect(await state('a', 'b', 'c', 'e')).toEqual(['auth.oauth']);
});

it('compares the resource and the issuer of metadata with what it was asked for', async () => {
  files.set(`issuer${wellKnown}`, metadata('/'));
  files.set('issuer/.well-known/oauth-authorization-server/auth', ({ origin }, response) =>
    json(response, { issuer: `${origin}/other`, registration_endpoint: `${origin}/register` }),
  );
  endpoints.set('issuer', status(401));
  const facts = await check('issuer');
  expect(facts['auth.oauth']).toMatchObject({
    value: { resource: 'https://issuer.example.com/' },
    details: { differs: ['resource'] },
    as_seen: {
      authorization_servers: [
        { metadata: 'of_another_issuer', stated_issuer: 'https://issuer.example.com/other' },
      ],
    },
  });
  expect(facts['auth.oauth']?.as_seen).not.toHaveProperty([
    'authorization_servers',
    0,
    'dynamic_registration',
  ]);
  const answer = await (await directory.app.request('/agents/com.example.issuer/mcp.md')).text();
  expect(answer).toContain(
    'OAuth sign-in through `https://issuer.example.com/auth`; the metadata of `https://issuer.example.com/auth` names `https://issuer.example.com/other` as its issuer, so clients must not use it (RFC 8414)',
  );
  expect(answer).toContain('; the metadata is for `https://issuer.example.com/`, and not for this address');
});

it('takes only words about credentials for a request for some', async () => {
  const saying =
    (text: string): Answer =>
    (_, response) =>
      json(response, { error: text }, 400);
  const required = async (text: string) => {
    endpoints.set('words', saying(text));
    const facts = await check('words');
    return facts['auth.required']?.value ?? undefined;
  };
  for (const text of [
    'The CSRF token is missing.',
    'Invalid token at line 1',
    'No token < found',
    'missing token',
  ])
    expect([text, await required(text)]).toEqual([text, undefined]);
  for (const text of [
    'Bearer token is required',
    'Invalid access token',
    'Missing API token',
    'API key missing',
  ])
    expect([text, await required(text)]).toEqual([text, true]);
});

it('a payee that is another one at each request is said to be that, and never to have changed', async () => {
  let requests = 0;
  let payee = () => `0x${String(requests).padStart(40, '0')}`;
  endpoints.set('deposit', (_, response) => {
    requests += 1;
    const offer = { scheme: 'exact', network: 'eip155:8453', amount: '1', asset: alice, payTo: payee() };
    json(response, { x402Version: 2, accepts: [offer] }, 402);
  });
  for (let day = 0; day < 3; day += 1) {
    const facts = await check('deposit');
    expect(facts['price.offers']).toMatchObject({ value: { varies: ['pay_to'], payees: [] } });
  }
  expect(await changesOf('deposit')).toEqual([]);
  payee = () => alice;
  const settled = await check('deposit');
  expect(settled['price.offers']).toMatchObject({
    value: { payees: [{ address: alice }] },
    changed_from: { value: { varies: ['pay_to'] } },
  });
});
