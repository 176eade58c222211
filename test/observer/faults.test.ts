import type { RequestListener } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type Facts,
  json,
  messageOf,
  passing,
  reachKind,
  reply,
  rpcError,
  setPatience,
  status,
  wrongCells,
} from '../support/endpoints/faults.ts';
import type { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';
import { type Operations, operationsOf } from '../support/operations.ts';

const tool = (name: string, description = 'Sends') => ({
  name,
  description,
  inputSchema: { type: 'object' },
  _meta: { 'agents-x402/priceUSD': '0.01' },
});
const capabilities = {
  tools: {},
  experimental: { payment: { methods: { tempo: { intents: ['charge'] } } } },
};

/** Everything beside the endpoint that a host may publish. */
const files: Readonly<Record<string, Answer>> = {
  '/openapi.json': (_, response) =>
    json(response, {
      openapi: '3.1.0',
      info: { title: 'x', version: '1', termsOfService: 'https://terms.example/api' },
      paths: {
        '/send': {
          post: {
            'x-payment-info': {
              offers: [{ amount: '100', currency: '0x1', method: 'tempo', intent: 'charge' }],
            },
          },
        },
      },
    }),
  '/.well-known/agent-card.json': (_, response) =>
    json(response, { name: 'Card', version: '1', skills: [{}] }),
  '/.well-known/security.txt': (_, response) =>
    void response.writeHead(200).end('Contact: mailto:a@example.com\nExpires: 2030-01-01T00:00:00Z\n'),
  '/about': (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><a rel="terms-of-service" href="https://terms.example/site">Terms</a></html>'),
};

const modern =
  (tools: readonly object[]): Answer =>
  ({ body }, response) => {
    const { method } = messageOf(body);
    if (method === 'server/discover')
      return json(response, reply(body, { supportedVersions: ['2026-07-28'], capabilities }));
    if (method === 'tools/list') return json(response, reply(body, { tools }));
    return json(response, rpcError(body, -32601, 'Method not found'));
  };

/** A server of the older era with a session, that knows no discovery. */
const legacy =
  (tools: readonly object[]): Answer =>
  ({ body }, response, request) => {
    const { method } = messageOf(body);
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (method === 'initialize')
      return json(response, reply(body, { protocolVersion: '2025-06-18', capabilities }), 200, {
        'mcp-session-id': 'one',
      });
    if (method === 'notifications/initialized') return void response.writeHead(202).end();
    if (request.headers['mcp-session-id'] !== 'one')
      return json(response, rpcError(body, -32000, 'Bad Request: no session'), 400);
    return json(response, reply(body, { tools }));
  };

const gate: Answer = (_, response) => void response.writeHead(401).end();
const oauth: Readonly<Record<string, Answer>> = {
  '/.well-known/oauth-protected-resource/mcp': ({ origin }, response) =>
    json(response, { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['a'] }),
  '/.well-known/oauth-authorization-server': ({ origin }, response) =>
    json(response, { issuer: origin, registration_endpoint: `${origin}/register` }),
};

const offer = (amount: string, payTo: string) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo,
});
const paid =
  (amount: string, payTo: string): Answer =>
  (_, response) =>
    json(response, { x402Version: 2, accepts: [offer(amount, payTo)] }, 402);

type Server = Readonly<Record<string, Answer>>;
const alice = '0x1111111111111111111111111111111111111111';

const baselines: Readonly<Record<string, Server>> = {
  open: { ...files, '/mcp': modern([tool('send'), tool('read')]) },
  session: { ...files, '/mcp': legacy([tool('send')]) },
  signin: { ...files, ...oauth, '/mcp': gate },
  paid: { ...files, '/mcp': paid('10000', alice) },
  refused: {
    ...files,
    '/robots.txt': (_, response) => void response.writeHead(200).end('User-agent: *\nDisallow: /'),
  },
};

/** The same of one message or file only. */
const partial: Readonly<Record<string, (server: Server) => Server>> = {
  'robots-500': (server) => ({ ...server, '/robots.txt': status(500) }),
  'robots-429': (server) => ({ ...server, '/robots.txt': status(429, { 'retry-after': '30' }) }),
  'robots-hang': (server) => ({ ...server, '/robots.txt': (_, response) => void response.destroy() }),
  'files-502': (server) => ({
    ...Object.fromEntries(Object.keys(server).map((path) => [path, status(502)])),
    ...('/mcp' in server && { '/mcp': server['/mcp'] as Answer }),
  }),
  'endpoint-502': (server) => ({ ...server, '/mcp': status(502) }),
};

const withFault = (server: Server, fault: string): Server => {
  const answer = passing[fault];
  if (!answer) return partial[fault]?.(server) ?? server;
  const robots = server['/robots.txt'];
  return { '*': answer, ...(robots ? { '/robots.txt': robots } : { '/robots.txt': status(404) }) };
};

const absent = status(404);

/** A server that is reached in an odd way that clients cope with; what differs of its answers. */
const oddly =
  (change: (message: Record<string, unknown>) => unknown, code = 200, headers = {}): Answer =>
  ({ body }, response) => {
    const { method } = messageOf(body);
    const sent = (result: unknown) => {
      const changed = change(reply(body, result));
      const text = typeof changed === 'string' ? changed : JSON.stringify(changed);
      const coding = 'content-encoding' in headers ? headers['content-encoding'] : '';
      response.writeHead(code, { 'content-type': 'application/json', ...headers });
      if (coding === 'gzip') return void response.end(gzipSync(text));
      response.end(coding === 'br' ? brotliCompressSync(text) : text);
    };
    if (method === 'initialize') return sent({ protocolVersion: '2025-06-18', capabilities });
    if (method === 'tools/list') return sent({ tools: [tool('send'), tool('read')] });
    if (method === 'notifications/initialized') return void response.writeHead(202).end();
    return json(response, rpcError(body, -32601, 'Method not found'));
  };
const same = (message: unknown) => message;
/** Of the discovery only another answer; everything else as it should be. */
const discovery =
  (answer: Answer): Answer =>
  (sent, response, request) =>
    messageOf(sent.body).method === 'server/discover'
      ? answer(sent, response, request)
      : oddly(same)(sent, response, request);
const forms: readonly (readonly [name: string, server: Server])[] = [
  ...[307, 308].map((code): [string, Server] => [
    `redirect-${code}`,
    {
      '/mcp': ({ origin }, response) => void response.writeHead(code, { location: `${origin}/mcp/` }).end(),
      '/mcp/': oddly(same),
    },
  ]),
  ['gzip', { '/mcp': oddly(same, 200, { 'content-encoding': 'gzip' }) }],
  ['br', { '/mcp': oddly(same, 200, { 'content-encoding': 'br' }) }],
  ['utf8-coding', { '/mcp': oddly(same, 200, { 'content-encoding': 'utf-8' }) }],
  ['bom', { '/mcp': oddly((message) => `\ufeff${JSON.stringify(message)}`) }],
  ['no-coding', { '/mcp': oddly(same, 200, { 'content-encoding': '' }) }],
  ['text-id', { '/mcp': oddly((message) => ({ ...message, id: String(message.id) })) }],
  ['array', { '/mcp': oddly((message) => [message]) }],
  ['201', { '/mcp': oddly(same, 201) }],
  ['203', { '/mcp': oddly(same, 203) }],
  ['discover-401', { '/mcp': discovery(gate) }],
  ['discover-403', { '/mcp': discovery(status(403)) }],
  ['discover-404', { '/mcp': discovery(absent) }],
  ['discover-reset', { '/mcp': discovery((_, response) => void response.destroy()) }],
  ['discover-hang', { '/mcp': discovery(() => undefined) }],
  ['discover-empty', { '/mcp': discovery(({ body }, response) => json(response, reply(body, {}))) }],
  [
    'discover-error',
    { '/mcp': discovery(({ body }, response) => json(response, reply(body, { error: 'unknown method' }))) },
  ],
  [
    'discover-empty-session',
    {
      '/mcp': (sent, response, request) =>
        messageOf(sent.body).method === 'server/discover'
          ? json(response, reply(sent.body, {}))
          : legacy([tool('send'), tool('read')])(sent, response, request),
    },
  ],
];

const behind = (code: number, answer: Answer): Server => ({
  '/mcp': ({ origin }, response) => void response.writeHead(code, { location: `${origin}/mcp/` }).end(),
  '/mcp/': answer,
});
const notRead = [undefined, undefined, undefined, 'otherwise'];
const waiting = [undefined, undefined, undefined, 'not_asked'];
/**
 * Forms in which something other than two tools is there, or nothing that a client can use: protocol, tools,
 * sign-in, price.
 */
const otherForms: readonly (readonly [name: string, server: Server, described: readonly unknown[]])[] = [
  [
    'list-gated',
    {
      '/mcp': (sent, response, request) =>
        messageOf(sent.body).method === 'tools/list'
          ? json(response, rpcError(sent.body, -32001, 'Unauthorized'))
          : modern([])(sent, response, request),
    },
    ['2026-07-28', undefined, true, 'asks'],
  ],
  ['redirect-307-gated', behind(307, gate), [undefined, undefined, true, 'asks']],
  ['redirect-308-paid', behind(308, paid('10000', alice)), [undefined, undefined, false, 'seen']],
  [
    'list-620',
    { '/mcp': legacy(Array.from({ length: 620 }, (_, at) => tool(`tool_${at}`))) },
    ['2025-06-18', 620, false, 'nothing'],
  ],
  ['discover-429', { '/mcp': discovery(status(429, { 'retry-after': '1' })) }, waiting],
  ['no-type', { '/mcp': oddly(same, 200, { 'content-type': '' }) }, notRead],
  ['plain-text', { '/mcp': oddly(same, 200, { 'content-type': 'text/plain' }) }, notRead],
  ['no-jsonrpc', { '/mcp': oddly(({ jsonrpc: _, ...message }) => message) }, notRead],
  ['error-null', { '/mcp': oddly((message) => ({ ...message, error: null })) }, notRead],
];

const wellKnown = '/.well-known';
const protectedResource =
  (issuer: string): Answer =>
  ({ origin }, response) =>
    json(response, { resource: `${origin}/mcp`, authorization_servers: [`${origin}${issuer}`] });
const registering =
  (issuer: string): Answer =>
  ({ origin }, response) =>
    json(response, { issuer: `${origin}${issuer}`, registration_endpoint: `${origin}/register` });
/** Where clients find OAuth metadata: the place of the endpoint's own, and of its authorization server's. */
const places: readonly (readonly [name: string, server: Server])[] = [
  ...['/mcp', ''].map((suffix): [string, Server] => [
    suffix === '' ? 'resource-root' : 'resource-path',
    {
      '/mcp': gate,
      [`${wellKnown}/oauth-protected-resource${suffix}`]: protectedResource(''),
      [`${wellKnown}/oauth-authorization-server`]: registering(''),
    },
  ]),
  ...['resource_metadata="http://<host>/meta"', 'resource_metadata=https://<host>/meta'].map(
    (parameter, at): [string, Server] => [
      at === 0 ? 'header-http' : 'header-unquoted',
      {
        '/mcp': ({ origin }, response) =>
          void response
            .writeHead(401, {
              'www-authenticate': `Bearer ${parameter.replace('<host>', new URL(origin).host)}`,
            })
            .end(),
        '/meta': protectedResource(''),
        [`${wellKnown}/oauth-authorization-server`]: registering(''),
      },
    ],
  ),
  ...[
    ['server-path', '/tenant', `${wellKnown}/oauth-authorization-server/tenant`],
    ['openid-root', '', `${wellKnown}/openid-configuration`],
    ['openid-inserted', '/tenant', `${wellKnown}/openid-configuration/tenant`],
    ['openid-appended', '/tenant', `/tenant${wellKnown}/openid-configuration`],
  ].map(([name = '', issuer = '', at = '']): [string, Server] => [
    name,
    {
      '/mcp': gate,
      [`${wellKnown}/oauth-protected-resource/mcp`]: protectedResource(issuer),
      [at]: registering(issuer),
    },
  ]),
];

/** What each case answers now. */
const cases = new Map<string, Server>();

const handleOf = (name: string) => `com.example.fault/${name}`;
/** Faults of each baseline; by default a third of them, another one for each, so that every fault is met. */
const table = Object.keys(baselines).flatMap((baseline, at) => {
  const faults = [...Object.keys(passing), ...Object.keys(partial)];
  const some = faults.filter((_, n) => n % 3 === at % 3);
  return partOf(some, faults).map((fault) => ({ baseline, fault, name: `${baseline}-${fault}` }));
});

const serve: Parameters<typeof startEndpoint>[0] = (body, request, response) => {
  const [, name = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const server = cases.get(name) ?? {};
  const answer = server[path] ?? server['*'] ?? status(404);
  answer({ body, path, origin: `https://${name}.example.com` }, response, request);
};

const endpoint = await openedEndpoint(
  serve as (body: string, ...exchange: Parameters<RequestListener>) => void,
);
const names = [
  ...table.map(({ name }) => name),
  ...[...forms, ...otherForms].map(([name]) => `form-${name}`),
  ...places.map(([name]) => `oauth-${name}`),
  'counted',
  'seen',
  'unseen',
];
const directory = await openedDirectory({
  entries: names.map((name) =>
    registryEntry(handleOf(name), {
      websiteUrl: `https://${name}.example.com/about`,
      ...remotesAt(`https://${name}.example.com/mcp`),
    }),
  ),
  hosts: Object.fromEntries(names.map((name) => [`${name}.example.com`, { url: `${endpoint.url}/${name}` }])),
  environment: { LIMITS: 'off' },
});

const hangs = (name: string) =>
  name.includes('hang') || Object.values(cases.get(name) ?? {}).some((answer) => answer === passing.hang);

async function look(name: string, by: Operations = directory): Promise<Facts> {
  setPatience(directory.context, hangs(name), 400);
  const { observations } = await by.observe(handleOf(name));
  return new Map(observations.map((one) => [`${one.kind} ${one.subject ?? ''}`, one]));
}

const answering = (name: string, server: Server) => void cases.set(name, server);

/**
 * Cases whose hosts differ, side by side: first without the fault, then twice with it, then without it again.
 */
async function expectNoChange(cases: readonly (typeof table)[number][]): Promise<void> {
  const lookAtAll = () => Promise.all(cases.map(({ name }) => look(name)));
  const serverOf = ({ baseline }: (typeof table)[number]) => baselines[baseline] as Server;
  for (const one of cases) answering(one.name, serverOf(one));
  const first = await lookAtAll();
  for (const { size } of first) expect(size).toBeGreaterThan(8);
  const wrongNow = async (mayBeUnreachable: boolean) => {
    directory.wait(86_400);
    const now = await lookAtAll();
    return first.map((before, at) => wrongCells(before, now[at] as Facts, mayBeUnreachable));
  };
  for (const one of cases) answering(one.name, withFault(serverOf(one), one.fault));
  const once = await wrongNow(false);
  const twice = await wrongNow(true);
  for (const one of cases) answering(one.name, serverOf(one));
  const after = await wrongNow(false);
  const none = cases.map(() => []);
  expect({ once, twice, after }).toEqual({ once: none, twice: none, after: none });
  for (const { name } of cases) {
    const history = await directory.store.observations.history(handleOf(name), { limit: 9 });
    const later = history.slice(0, -1).flatMap(({ changes }) => changes.map(({ kind }) => kind));
    expect(new Set(later).size === 0 || [...new Set(later)].join() === reachKind).toBe(true);
  }
}

describe.each(Object.keys(baselines))('%s', (baseline) => {
  it.each(table.filter((one) => one.baseline === baseline && one.fault !== 'hang'))(
    '$fault makes no fact false, drops none, dates none anew and refuses none, once and twice',
    (one) => expectNoChange([one]),
  );
});

it('an endpoint that hangs makes no fact false, drops none, dates none anew and refuses none, once and twice', () =>
  expectNoChange(table.filter(({ fault }) => fault === 'hang')));

it('counts the checks that were answered, of 30 and of 90 days, and those that Dossier could make', async () => {
  const open = baselines.open as Server;
  const handle = handleOf('counted');
  const check = async (server: Server, wait_s: number) => {
    answering('counted', server);
    await look('counted');
    directory.wait(wait_s);
  };
  // From the beginning of a day on, so that the last hours are of one.
  directory.wait(86_400 - ((directory.context.clock().getTime() / 1000) % 86_400));
  await check({ ...open, '*': status(503), '/robots.txt': status(503) }, 3600);
  const before = await directory.app.request(`/agents/${handle}.json`);
  expect(await before.text()).toContain('"server_error":1');
  const day_s = 86_400;
  for (const answer of [status(502), paid('1', alice), gate]) await check({ '/mcp': answer }, day_s);
  for (let day = 3; day < 60; day += 1) await check(open, day_s);
  for (const name of ['s503', 's429', 'hang', 'page-200', 'retry-429'])
    await check(withFault(open, name), name === 'retry-429' ? 1 : day_s);
  // Asked to wait: nothing is asked.
  await check(open, 3600);
  await check(withFault(open, 'reset'), 700);
  await check({}, 0);
  const facts = await directory.app.request(`/agents/${handle}.json`);
  const { observations } = (await facts.json()) as { observations: Record<string, unknown>[] };
  const [counted, ...more] = observations.filter(({ kind }) => kind === 'endpoint.availability');
  expect(more).toEqual([]);
  expect(counted).toMatchObject({
    question: 'reach',
    subject: 'https://counted.example.com/mcp',
    outcome: 'seen',
    value: {
      days_30: {
        made: 30,
        answered: 25,
        others: {
          server_error: 1,
          no_answer_in_time: 1,
          other_answer: 1,
          broken_off: 1,
          not_there: 1,
        },
      },
      days_90: { made: 66, answered: 59, others: { server_error: 3 } },
      first_check: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    },
  });
  expect(counted).not.toHaveProperty('tally');
  expect(await (await directory.app.request(`/agents/${handle}.md`)).text()).toMatch(
    /Answered checks: 25 of 30 \(the others: no answer in time 1 time, [^)]+\) in 30 days, 59 of 66 \([^)]+\) in 90 days; the first of these checks was on \d{4}-\d\d-\d\d at /,
  );
  for (const face of [`/agents/${handle}`, `/agents/${handle}.md`])
    expect(await (await directory.app.request(face)).text()).toContain('25 of 30');
  const history = await directory.store.observations.history(handle, { limit: 99 });
  const changed = history.flatMap(({ changes: all }) => all.map(({ kind }) => kind));
  expect(changed).not.toContain('endpoint.availability');
});

it.each(forms)('an endpoint of the odd form %s is described as clients see it', async (name, server) => {
  answering(`form-${name}`, server);
  const facts = await look(`form-${name}`);
  const of = (kind: string) => [...facts.values()].find((fact) => fact.kind === kind);
  expect([
    of('endpoint.protocol')?.value,
    of('tools.count')?.value,
    of('auth.required')?.value,
    of('price.offers')?.outcome,
  ]).toEqual(['2025-06-18', 2, false, 'nothing']);
});

it.each(otherForms)(
  'an endpoint of the form %s is described as clients see it',
  async (name, server, described) => {
    answering(`form-${name}`, server);
    const facts = await look(`form-${name}`);
    const of = (kind: string) => [...facts.values()].find((fact) => fact.kind === kind);
    const [protocol, count, required, price] = described;
    expect([
      of('endpoint.protocol')?.value ?? undefined,
      of('tools.count')?.value ?? undefined,
      of('auth.required')?.value ?? undefined,
      of('price.offers')?.outcome,
    ]).toEqual([protocol, count, required, price]);
    if (count === undefined) expect(of('tools.count')?.reason).toMatch(/./);
  },
);

it.each(places)('finds OAuth metadata where clients do: %s', async (name, server) => {
  answering(`oauth-${name}`, server);
  const oauth = [...(await look(`oauth-${name}`)).values()].find(({ kind }) => kind === 'auth.oauth');
  expect(oauth).toMatchObject({
    outcome: 'seen',
    as_seen: { authorization_servers: [{ metadata: 'found', dynamic_registration: true }] },
  });
});

it('a network of ours that has no way to a host says nothing about the service, however long', async () => {
  answering('seen', baselines.open as Server);
  const first = await look('seen');
  // Linux has no route to this address for a connection; nothing is sent.
  const hostOverrides = Object.fromEntries(
    ['seen', 'unseen'].map((name) => [`${name}.example.com`, 'http://255.255.255.255']),
  );
  const { context } = directory;
  const cutOff = operationsOf({ ...context, config: { ...context.config, hostOverrides } });
  for (let day = 0; day < 3; day += 1) {
    directory.wait(86_400);
    const facts = await look('seen', cutOff);
    const states = (of: Facts) => [...of.values()].map(({ kind, outcome }) => [kind, outcome]);
    expect(states(facts)).toEqual(states(first));
    expect(facts.get('endpoint.answers https://seen.example.com/mcp')).toMatchObject({
      value: 200,
      missed: {
        reason:
          'No request was sent to `seen.example.com`: Dossier’s own network or DNS resolver could not reach it.',
      },
    });
  }
  for (const { kind, outcome } of (await look('unseen', cutOff)).values())
    expect([kind, outcome]).toEqual([kind, 'not_asked']);
  await cutOff.close();
  answering('unseen', baselines.open as Server);
  directory.wait(86_400);
  const seen = await look('unseen');
  expect(seen.get('endpoint.answers https://unseen.example.com/mcp')).toMatchObject({ value: 200 });
});
