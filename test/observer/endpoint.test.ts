import { expect, it } from 'vitest';
import {
  type Endpoint,
  startLegacyServer,
  startModernServer,
  startStreamServer,
} from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';

const offered = [
  { name: 'send', description: 'Sends a message', readOnlyHint: false },
  { name: 'look_up', description: 'Looks up' },
];
/** How a server that speaks only the older transport refuses a POST to its address. */
const refusals = [400, 405, 406, 500, 501];

const listed = (name: string, url: string, type = 'streamable-http') =>
  registryEntry(name, { remotes: [{ type, url }] });

const modern = await opened(startModernServer(() => offered));
const legacy = await opened(startLegacyServer(() => offered));
const discovered = await opened(startLegacyServer(() => offered, ['2025-11-25', '2025-06-18']));
const future = await openedEndpoint((body, { url }, response) => {
  if (url !== '/mcp') return void response.writeHead(404).end();
  const { id, method } = JSON.parse(body);
  const answer =
    method === 'server/discover'
      ? { result: { supportedVersions: ['2099-01-01'], capabilities: {} } }
      : { error: { code: -32601, message: 'Method not found' } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
const stream = await opened(startStreamServer(() => offered));
const locked = await openedEndpoint((_, { url = '' }, response) => {
  if (url === '/.well-known/oauth-protected-resource/mcp') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        resource: 'https://locked.example.com/mcp',
        authorization_servers: ['https://locked.example.com'],
        scopes_supported: ['send'],
      }),
    );
  } else if (url === '/.well-known/oauth-authorization-server') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        issuer: 'https://locked.example.com',
        registration_endpoint: 'https://locked.example.com/register',
      }),
    );
  } else if (url === '/mcp') {
    response.writeHead(401, {
      'www-authenticate':
        'Bearer resource_metadata="https://locked.example.com/.well-known/oauth-protected-resource/mcp"',
    });
    response.end();
  } else response.writeHead(404).end();
});
const streams: Record<string, Endpoint> = {};
for (const refusal of refusals)
  streams[`stream${refusal}.example.com`] = await opened(startStreamServer(() => offered, refusal));
const directory = await openedDirectory({
  entries: [
    listed('com.example.modern/a', 'https://modern.example.com/mcp'),
    listed('com.example.legacy/a', 'https://legacy.example.com/mcp'),
    listed('com.example.discovered/a', 'https://discovered.example.com/mcp'),
    listed('com.example.future/a', 'https://future.example.com/mcp'),
    listed('com.example.locked/a', 'https://locked.example.com/mcp'),
    listed('com.example.gone/a', 'https://gone.example.com/mcp'),
    listed('com.example.stream/a', 'https://stream.example.com/sse', 'sse'),
    listed('com.example.stream/recorded', 'https://stream.example.com/sse'),
    ...refusals.map((refusal) =>
      listed(`com.example.stream/recorded${refusal}`, `https://stream${refusal}.example.com/sse`),
    ),
    listed('com.example.stream/locked', 'https://locked.example.com/mcp', 'sse'),
    listed('com.example.stream/newer', 'https://modern.example.com/mcp', 'sse'),
    listed('com.example.stream/nobody', 'https://gone.example.com/mcp', 'sse'),
  ],
  hosts: {
    'modern.example.com': modern,
    'legacy.example.com': legacy,
    'discovered.example.com': discovered,
    'future.example.com': future,
    'gone.example.com': { url: 'http://127.0.0.1:9' },
    'locked.example.com': locked,
    'stream.example.com': stream,
    ...streams,
  },
});

async function observe(handle: string) {
  const { observations } = await directory.observe(handle);
  return Object.fromEntries(observations.map(({ kind, outcome, value }) => [kind, [outcome, value]]));
}

it('asks a server of 2026-07-28 what it is and which tools it has, and nothing else', async () => {
  expect(await observe('com.example.modern/a')).toMatchObject({
    'endpoint.answers': ['seen', 200],
    'endpoint.protocol': ['seen', '2026-07-28'],
    'tools.count': ['seen', 2],
    'auth.required': ['seen', false],
  });
  expect(modern.methods()).toEqual(['server/discover', 'tools/list']);
});

it('asks a server of the older era in a session, which it ends', async () => {
  expect(await observe('com.example.legacy/a')).toMatchObject({
    'endpoint.protocol': ['seen', '2025-11-25'],
    'tools.count': ['seen', 2],
  });
  expect(legacy.methods()).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/list',
  ]);
  expect(legacy.sent.filter(({ path }) => path === '/mcp').at(-1)?.method).toBe('DELETE');
});

it('speaks the older era with a server whose discovery does not offer 2026-07-28', async () => {
  expect(await observe('com.example.discovered/a')).toMatchObject({
    'endpoint.protocol': ['seen', '2025-11-25'],
    'tools.count': ['seen', 2],
  });
  expect(discovered.methods()).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/list',
  ]);
});

it('says of a server that offers only a revision that Dossier does not speak why nothing was learned, and not that nothing is there', async () => {
  const { observations } = await directory.observe('com.example.future/a');
  const about = observations.filter(
    ({ kind }) => kind === 'endpoint.protocol' || kind === 'endpoint.answers',
  );
  expect(about).toMatchObject(
    [null, null].map((value) => ({
      value,
      outcome: 'otherwise',
      reason: 'The endpoint returned no introduction in a revision of MCP that Dossier speaks.',
    })),
  );
  expect(future.methods()).toEqual(['server/discover', 'initialize']);
});

it('reports a 401 as an answer and reads the metadata that it names', async () => {
  expect(await observe('com.example.locked/a')).toMatchObject({
    'endpoint.answers': ['seen', 401],
    'tools.surface': ['asks', null],
    'auth.required': ['seen', true],
    'auth.oauth': [
      'seen',
      { issuers: ['https://locked.example.com'], scopes: ['send'], resource: expect.anything() },
    ],
  });
  expect(await (await directory.app.request('/agents/com.example.locked/a.md')).text()).toContain(
    '`https://locked.example.com`; scopes `send`',
  );
});

it('asks a server of the older transport over its event stream', async () => {
  expect(await observe('com.example.stream/a')).toMatchObject({
    'endpoint.answers': ['seen', 200],
    'endpoint.protocol': ['seen', '2025-11-25'],
    'tools.count': ['seen', 2],
    'auth.required': ['seen', false],
  });
  expect(stream.methods()).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
});

it('says of the older transport, too, that credentials are asked for, or that nobody answers', async () => {
  expect(await observe('com.example.stream/locked')).toMatchObject({
    'auth.required': ['seen', true],
    'tools.count': ['asks', null],
  });
  expect(await observe('com.example.stream/nobody')).toMatchObject({ 'tools.count': ['silent', null] });
});

it('asks an endpoint that is recorded as sse and speaks streamable HTTP only in that transport', async () => {
  const { observations } = await directory.observe('com.example.stream/newer');
  expect(observations.find(({ kind }) => kind === 'tools.count')).toMatchObject({ value: 2 });
  const answers = observations.find(({ kind }) => kind === 'endpoint.answers');
  expect(answers).toMatchObject({
    value: 200,
    reason: 'The record names the endpoint as sse; it answers as streamable-http.',
    as_seen: { transport: 'streamable-http' },
  });
  expect(await (await directory.app.request('/agents/com.example.stream/newer.md')).text()).toMatch(
    /\* Where: `[^`]+` over sse answered over `streamable-http` \(not as recorded\)(?: since [\d-]+)?, \d of/,
  );
});

it('never sends a credential, a cookie or a call of a tool', () => {
  const all = [modern, legacy, locked, stream].flatMap(({ sent }) => sent);
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter(({ headers }) => headers.authorization ?? headers.cookie)).toEqual([]);
  expect(all.filter(({ body }) => body.includes('tools/call'))).toEqual([]);
});

const once = { answered: 1, made: 1, others: {} };

it.each(['recorded', ...refusals.map((refusal) => `recorded${refusal}`)])(
  'asks an endpoint that is recorded as streamable-http and speaks only the older transport as clients do: %s',
  async (name) => {
    expect(await observe(`com.example.stream/${name}`)).toMatchObject({
      'endpoint.answers': ['seen', 200],
      'endpoint.protocol': ['seen', '2025-11-25'],
      'tools.count': ['seen', 2],
      'auth.required': ['seen', false],
      'endpoint.availability': ['seen', expect.objectContaining({ days_30: once })],
    });
  },
);
