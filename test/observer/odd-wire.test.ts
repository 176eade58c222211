import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { atEnd, openedDirectory } from '../support/opened.ts';

/** What a host sends for a message of MCP, byte by byte; `id` is that of the message. */
type Reply = (
  message: { readonly id: number; readonly method: string },
  socket: Socket,
) => string | undefined;

const tools = [{ name: 'send', description: 'Sends', inputSchema: { type: 'object' } }];
const resultOf = (method: string): object => {
  if (method === 'initialize') return { protocolVersion: '2025-06-18', capabilities: {} };
  return method === 'tools/list' ? { tools } : {};
};
const message = (id: unknown, method: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) });
const head = (status: string, ...headers: readonly string[]) =>
  [`HTTP/1.1 ${status}`, 'connection: close', ...headers, '', ''].join('\r\n');
const whole = (text: string, type = 'application/json', status = '200 OK') =>
  `${head(status, `content-type: ${type}`, `content-length: ${Buffer.byteLength(text)}`)}${text}`;
const stream = 'content-type: text/event-stream';
const refused = (id: number) =>
  whole(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
/** The era without initialize is not known. */
const older =
  (reply: Reply): Reply =>
  (sent, socket) =>
    sent.method === 'server/discover' ? refused(sent.id) : reply(sent, socket);
const changed = (change: (text: string) => string): Reply =>
  older(({ id, method }) => whole(change(message(id, method))));

/** Answers that a client can read: one tool. */
const readable: Readonly<Record<string, Reply>> = {
  plain: older(({ id, method }) => whole(message(id, method))),
  'early hints': older(
    ({ id, method }) =>
      `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${whole(message(id, method))}`,
  ),
  'charset and case': older(({ id, method }) =>
    whole(message(id, method), 'Application/JSON; charset="utf-8"'),
  ),
  'events without ids': older(({ id, method }) =>
    whole(`: hello\n\nretry: 1\n\ndata:${message(id, method)}\n\n`, 'text/event-stream'),
  ),
  'events in pieces': older(({ id, method }) =>
    whole(
      `event: message\r\n${message(id, method)
        .split(',')
        .map((text, at) => `data: ${at === 0 ? '' : ','}${text}\r\n`)
        .join('')}\r\n`,
      'text/event-stream',
    ),
  ),
  'other messages first': older(({ id, method }) =>
    whole(
      `${[
        { jsonrpc: '2.0', method: 'notifications/message', params: {} },
        { jsonrpc: '2.0', id, method: 'ping' },
        { jsonrpc: '2.0', id, method: 'sampling/createMessage', params: {} },
        { jsonrpc: '2.0', id: id + 1000, result: { tools: [] } },
      ]
        .map((one) => `data: ${JSON.stringify(one)}\n\n`)
        .join('')}data: ${message(id, method)}\n\n`,
      'text/event-stream',
    ),
  ),
  'keys twice': changed((text) => text.replace('"result"', '"result":{"tools":[]},"result"')),
  'members of every object': changed((text) =>
    text.replace('"result":{', '"result":{"__proto__":{"tools":[]},"constructor":1,"toString":2,'),
  ),
  'lone surrogates': changed((text) => text.replace('Sends', 'Sends \\ud800')),
  'numbers beyond 2^53': changed((text) =>
    text.replace('"type":"object"', '"type":"object","maximum":123456789012345678901234567890'),
  ),
  'cursor that is no text': changed((text) => text.replace('"tools"', '"nextCursor":7,"tools"')),
  'tools that are none': changed((text) => text.replace('[{', '[null,7,"a",[],{')),
};

/** Answers that no client can use, with the outcome and what is said of it. */
const unusable: readonly (readonly [string, Reply, string, RegExp])[] = [
  [
    'another revision',
    changed((text) => text.replace('2025-06-18', '9999-99-99')),
    'otherwise',
    /returned no introduction in a revision of MCP that Dossier speaks/,
  ],
  ['an older HTTP', () => 'HTTP/0.9 200 OK\r\n\r\nhello', 'otherwise', /without a content type \(HTTP 200\)/],
  [
    'a continuation that nobody asked for',
    ({ id, method }) => `HTTP/1.1 100 Continue\r\n\r\n${whole(message(id, method))}`,
    'silent',
    /not HTTP within Dossier’s limits/,
  ],
  ['no HTTP', () => 'SSH-2.0-OpenSSH_9.9\r\n', 'silent', /not HTTP within Dossier’s limits/],
  [
    'both framings',
    ({ id, method }) => whole(message(id, method)).replace('connection: close', 'transfer-encoding: chunked'),
    'silent',
    /not HTTP within Dossier’s limits/,
  ],
  [
    'less than announced',
    ({ id, method }) => whole(message(id, method)).replace(/content-length: \d+/, 'content-length: 100000'),
    'silent',
    /a connection that broke off/,
  ],
  [
    'a coding that the body does not have',
    ({ id, method }) => whole(message(id, method)).replace('connection: close', 'content-encoding: br'),
    'silent',
    /not HTTP within Dossier’s limits/,
  ],
  [
    'a redirect in a circle',
    () => head('307 Temporary Redirect', 'location: /mcp', 'content-length: 0'),
    'otherwise',
    /returned HTTP 307 instead of MCP/,
  ],
  [
    'switching protocols',
    () => head('101 Switching Protocols', 'upgrade: h2c'),
    'silent',
    /not HTTP within Dossier’s limits/,
  ],
  [
    'a message for another',
    ({ id, method }) => whole(message(id + 1, method)),
    'otherwise',
    /instead of MCP|JSON-RPC/,
  ],
  [
    'two media types',
    ({ id, method }) => whole(message(id, method), 'text/html, application/json'),
    'otherwise',
    /returned a web page \(HTTP 200\) instead of MCP/,
  ],
  [
    'events of another type',
    ({ id, method }) => whole(`event: ping\ndata: ${id}${method}\n\n`, 'text/event-stream'),
    'otherwise',
    /returned `text\/event-stream` \(HTTP 200\) instead of MCP/,
  ],
  ['a number', () => whole('7'), 'otherwise', /returned `application\/json` \(HTTP 200\) instead of MCP/],
  [
    'an error without a code',
    ({ id }) => whole(JSON.stringify({ jsonrpc: '2.0', id, error: { message: 'x' } })),
    'otherwise',
    /returned HTTP 200 and a JSON-RPC error without a code\.$/,
  ],
  [
    'result and error',
    changed((text) => text.replace('"result"', '"error":{"code":1,"message":"x"},"result"')),
    'otherwise',
    /instead of MCP/,
  ],
];

/** Answers that never end. */
const endless: Readonly<Record<string, Reply>> = {
  'comments without end': (_, socket) => {
    const timer = setInterval(() => socket.write(': still here\n\n'), 5);
    socket.on('close', () => clearInterval(timer));
    return head('200 OK', stream);
  },
  'notifications without end': (_, socket) => {
    const timer = setInterval(
      () => socket.write('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'),
      5,
    );
    socket.on('close', () => clearInterval(timer));
    return head('200 OK', stream);
  },
  'hints without end': (_, socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), 5);
    socket.on('close', () => clearInterval(timer));
    return undefined;
  },
  'a head without end': (_, socket) => {
    const timer = setInterval(() => socket.write('x'.repeat(100)), 5);
    socket.on('close', () => clearInterval(timer));
    return 'HTTP/1.1 200 OK\r\nx: ';
  },
};

const replies = new Map<string, Reply>([
  [
    'a result under 401',
    ({ id, method }) => whole(message(id, method), 'application/json', '401 Unauthorized'),
  ],
  ...Object.entries(readable),
  ...unusable.map(([name, reply]) => [name, reply] as const),
  ...Object.entries(endless),
]);
/**
 * A server of HTTP with SSE that asks for something itself, with the id of the request, before each reply.
 */
const asking = 'a stream that asks';
let openStream: Socket | undefined;
const names = [...replies.keys(), asking];
const hostOf = (name: string) => `odd-${names.indexOf(name)}.example.com`;
const handleOf = (name: string) => `com.example.odd-${names.indexOf(name)}/mcp`;

/** Answers a whole request: files as they should be, messages of MCP as the case says. */
function answer(socket: Socket, text: string): void {
  const [, name = '', path = ''] = /^\w+ \/(\d+)(\S*) /.exec(text) ?? [];
  const [, body = ''] = text.split('\r\n\r\n');
  if (path === '/.well-known/security.txt')
    return void socket.end(
      whole('Contact: mailto:a@example.com\nExpires: 2090-01-01T00:00:00Z\n', 'text/plain'),
    );
  if (names[Number(name)] === asking && path === '/mcp' && text.startsWith('GET')) {
    openStream = socket;
    return void socket.write(`${head('200 OK', stream)}event: endpoint\ndata: /mcp\n\n`);
  }
  if (!text.startsWith('POST') || path !== '/mcp')
    return void socket.end(whole('', 'text/plain', '404 Not Found'));
  const sent = JSON.parse(body) as { id?: number; method: string };
  if (sent.id === undefined) return void socket.end(head('202 Accepted', 'content-length: 0'));
  const key = names[Number(name)] ?? '';
  if (key === asking) {
    openStream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: sent.id, method: 'ping' })}\n\n`);
    openStream?.write(`data: ${message(sent.id, sent.method)}\n\n`);
    return void socket.end(head('202 Accepted', 'content-length: 0'));
  }
  const bytes = replies.get(key)?.({ id: sent.id, method: sent.method }, socket);
  if (bytes === undefined || key in endless) return void socket.write(bytes ?? '');
  socket.end(bytes);
}

const server = createServer((socket) => {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    const end = text.indexOf('\r\n\r\n');
    if (end >= 0 && text.length >= end + 4 + length) answer(socket, text);
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
atEnd(() => server.close());
const { port } = server.address() as AddressInfo;
const directory = await openedDirectory({
  entries: names.map((name) =>
    registryEntry(handleOf(name), {
      remotes: [{ type: name === asking ? 'sse' : 'streamable-http', url: `https://${hostOf(name)}/mcp` }],
    }),
  ),
  hosts: Object.fromEntries(
    names.map((name, at) => [hostOf(name), { url: `http://127.0.0.1:${port}/${at}` }]),
  ),
  environment: { LIMITS: 'off' },
});

async function check(name: string) {
  const { observations } = await directory.observe(handleOf(name));
  const facts = Object.fromEntries(observations.map((one) => [one.kind, one]));
  // Whatever the endpoint sent, the rest of the check is there.
  expect(facts['security.contact']).toMatchObject({ outcome: 'seen' });
  const openapi = observations.find(({ subject = '' }) => subject.endsWith(' in openapi.json'));
  expect(openapi).toMatchObject({ kind: 'price.offers', outcome: 'absent' });
  expect(observations.filter(({ reason = '' }) => reason.includes('failed on our side'))).toEqual([]);
  return facts;
}

it.each(Object.keys(readable))('reads what clients read: %s', async (name) => {
  const facts = await check(name);
  expect(facts['endpoint.answers']).toMatchObject({ outcome: 'seen', value: 200 });
  expect(facts['tools.count']).toMatchObject({ outcome: 'seen', value: 1 });
  expect(facts['auth.required']).toMatchObject({ value: false });
});

it('takes a result under 401 for a request for credentials, as clients do', async () => {
  const facts = await check('a result under 401');
  expect(facts['endpoint.answers']).toMatchObject({ outcome: 'seen', value: 401 });
  expect(facts['auth.required']).toMatchObject({ value: true });
  expect(facts['tools.count']).toMatchObject({ outcome: 'asks' });
});

it('takes no request of a server for a reply over an event stream either', async () => {
  const facts = await check(asking);
  expect(facts['endpoint.answers']).toMatchObject({ outcome: 'seen', value: 200 });
  expect(facts['tools.count']).toMatchObject({ value: 1 });
});

it.each(unusable)('says what came: %s', async (name, _reply, outcome, reason) => {
  const facts = await check(name);
  expect(facts['endpoint.answers']).toMatchObject({ outcome, reason: expect.stringMatching(reason) });
  expect(facts['tools.count']?.outcome).toBe(outcome);
});

it.each(Object.keys(endless))('waits for no end: %s', async (name) => {
  // The messages of MCP have no end; the files beside them are there in any time.
  const times = ['observerFirstTry_ms', 'observerSecondTry_ms'] as const;
  const { timeouts } = directory.context;
  const before = { ...timeouts };
  Object.assign(timeouts, Object.fromEntries(times.map((time) => [time, 150])));
  const { observations } = await directory.observe(handleOf(name));
  Object.assign(timeouts, before);
  const found = observations.find(({ kind }) => kind === 'endpoint.answers');
  expect(['silent', 'otherwise']).toContain(found?.outcome);
});
