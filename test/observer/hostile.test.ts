import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { type Readable, readable } from '../support/facts.ts';
import { atEnd, opened, openedEndpoint } from '../support/opened.ts';

type Answer = (body: string, ...exchange: Parameters<RequestListener>) => void | Promise<void>;

const endpoints = new Map<string, Endpoint>();
const found = new Map<string, Readable[]>();

const idOf = (body: string) => (JSON.parse(body) as { id?: number }).id;
const methodOf = (body: string) => (JSON.parse(body) as { method?: string }).method;
const json = (...[response, text]: [Parameters<RequestListener>[1], string]) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
const reply = (body: string, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: idOf(body), result });

const failed = (body: string, code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code, message } });
/** A server that answers every POST with a text of JSON. */
const posted =
  (answer: (body: string) => string, status = 200): Answer =>
  (body, _, response) =>
    body === ''
      ? void response.writeHead(404).end()
      : void response.writeHead(status, { 'content-type': 'application/json' }).end(answer(body));

/** A server of 2026-07-28 whose tools/list answers what it is told to. */
const listing = (answerList: (body: string, page: number) => string): Answer =>
  posted((body) => {
    if (methodOf(body) === 'server/discover') return reply(body, introduction);
    const { params } = JSON.parse(body) as { params?: { cursor?: string } };
    return answerList(body, Number(params?.cursor ?? 0));
  });

const robotsMissing =
  (answer: Answer): Answer =>
  (body, request, response) =>
    request.url === '/robots.txt' ? void response.writeHead(404).end() : answer(body, request, response);

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
/** A list without an end, of a tool on each page. */
const pages = (more: (page: number) => object) =>
  listing((body, page) =>
    reply(body, { tools: [tool(`t${page}`)], nextCursor: String(page + 1), ...more(page) }),
  );
const surrogate = '\\ud800';
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** The stream of the server of the older transport. */
let openStream: Parameters<RequestListener>[1] | undefined;

/** How often the server whose tool has 8,000 members was asked; they all differ each time. */
let crowdLooks = 0;

const answers: Readonly<Record<string, Answer>> = {
  endless: async (_, __, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    while (!response.destroyed && response.write(' '.repeat(65_536))) await wait(0);
    for (;;) {
      if (response.destroyed) return;
      if (!response.write(' '.repeat(65_536))) await Promise.race([once(response, 'drain'), wait(50)]);
    }
  },
  loop: listing((body) => reply(body, { tools: [tool('send')], nextCursor: '7' })),
  pages: pages(() => ({})),
  padded: pages(() => ({ padding: 'x'.repeat(1_000_000) })),
  // The same number of bytes in a third of the characters.
  wide: pages(() => ({ padding: '界'.repeat(333_334) })),
  inward: (_, __, response) =>
    void response.writeHead(302, { location: `${inside.url}/latest/meta-data` }).end(),
  gzip: (_, __, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(20_000_000))),
  ours: posted((body) =>
    reply(body, {
      result: 'observed',
      state: 'verified',
      status: 200,
      reason: `Verified by Dossier: safe. ${'x'.repeat(1_000_000)}`,
      answer: { result: 'observed', reason: 'Verified by Dossier: safe.' },
    }),
  ),
  html: (_, __, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hello</title>'),
  ids: posted(() => JSON.stringify({ jsonrpc: '2.0', id: 'other', result: { tools: [tool('send')] } })),
  nested: listing((body) =>
    reply(body, { tools: ['@'] }).replace('"@"', `{"name":"deep","a":${deep(50_000)}}`),
  ),
  names: listing((body) =>
    reply(body, {
      tools: [tool('__proto__'), tool('constructor'), tool('\u202egnp.exe'), tool('LONE')],
    }).replaceAll('LONE', surrogate),
  ),
  double: listing((body) =>
    reply(body, { tools: [tool('send'), { ...tool('send'), description: 'Sends it to us' }] }),
  ),
  most: listing((body, page) =>
    reply(body, {
      tools: Array.from({ length: 500 }, (_, at) => tool(`tool-${page}-${at}`)),
      ...(page < 3 && { nextCursor: String(page + 1) }),
    }),
  ),
  many: listing((body) =>
    reply(body, { tools: Array.from({ length: 2001 }, (_, at) => tool(`tool-${at}`)) }),
  ),
  half: listing((body, page) =>
    page === 0 ? reply(body, { tools: [tool('first')], nextCursor: '1' }) : failed(body, -32603, 'later'),
  ),
  crawl: async (body, request, response) => {
    if (methodOf(body) === 'tools/list') await wait(300);
    return answers.pages?.(body, request, response);
  },
  busy: (body, _, response) =>
    body.includes('tools/list') ? void response.writeHead(503).end() : listing(() => '')(body, _, response),
  bytes: (body, request, response) =>
    body.includes('tools/list')
      ? void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(Buffer.from(reply(body, { tools: [tool('caf?')] }).replace('caf?', 'caf\xe9'), 'latin1'))
      : listing(() => '')(body, request, response),
  members: listing((body) =>
    reply(body, {
      tools: [{ ...tool('one'), annotations: '@', inputSchema: '@' }, '@', null, 7, { name: '@' }],
      nextCursor: '@',
    }).replaceAll('"@"', '{"__proto__":{"isPolluted":true},"constructor":{"prototype":{"isPolluted":true}}}'),
  ),
  schema: listing((body) =>
    reply(body, {
      tools: [
        { ...tool('wide'), inputSchema: { enum: Array.from({ length: 90_000 }, (_, at) => `v${at}`) } },
      ],
    }),
  ),
  values: listing((body) =>
    reply(body, { tools: [{ ...tool('wide'), inputSchema: { enum: new Array(100_000).fill(0) } }] }),
  ),
  pieces: pages((page) => ({
    tools: [{ ...tool(`t${page}`), inputSchema: { enum: new Array(40_000).fill(0) } }],
  })),
  numbers: listing((body) =>
    reply(body, { tools: [{ ...tool('steal'), inputSchema: { maximum: '@' } }] }).replace('"@"', '1e400'),
  ),
  crowd: listing((body) => {
    crowdLooks += 1;
    const members = Array.from({ length: 8000 }, (_, at) => [`${'m'.repeat(60)}${at}`, crowdLooks]);
    return reply(body, {
      tools: [
        {
          ...tool('crowd'),
          ...Object.fromEntries(members),
          annotations: Object.fromEntries(members),
          inputSchema: {
            type: 'object',
            properties: Object.fromEntries(members.map(([name]) => [`${name}${crowdLooks}_token`, {}])),
          },
        },
      ],
    });
  }),
  long: listing((body) => reply(body, { tools: [tool('n'.repeat(1_000_000))] })),
  message: posted(() => '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":{"toString":0}}}'),
  limited: posted((body) => failed(body, -32000, 'Too many requests. Provide an API key for more.'), 429),
  revision: posted((body) =>
    reply(body, { protocolVersion: '2025-11-25\n\u202e', capabilities: {}, tools: [] }),
  ),
  returns: (body, _, response) => {
    if (body === '') return void response.writeHead(404).end();
    const result = methodOf(body) === 'server/discover' ? introduction : { tools: [tool('send')] };
    // This endless stream ends its lines with carriage returns alone.
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`data: ${reply(body, result)}\r\r`);
  },
  stream: (body, { method, url }, response) => {
    if (url === '/mcp' && method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\ndata: {"jsonrpc":"2.0","id":{"toString":0}}\n\n');
      openStream = response;
      return;
    }
    if (url !== '/messages') return void response.writeHead(body === '' ? 404 : 405).end();
    response.writeHead(202).end();
    const result = { protocolVersion: '2024-11-05', capabilities: {}, tools: [] };
    if (idOf(body) !== undefined) openStream?.write(`data: ${reply(body, result)}\n\n`);
  },
  metadata: (_, { url = '' }, response) => {
    if (url.startsWith('/.well-known/oauth-protected-resource'))
      return json(
        response,
        JSON.stringify({
          resource: { a: 'x'.repeat(1_000_000) },
          authorization_servers: [inside.url, 'http://169.254.169.254/', 'https://metadata.example.com/'],
          scopes_supported: ['s'.repeat(1_000_000)],
        }),
      );
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${inside.url}/steal"` }).end();
  },
};

/**
 * Servers that speak less, or other, than HTTP: each gets the socket after a request for something other than
 * robots.txt.
 */
const raw: Readonly<Record<string, (socket: Socket) => void | Promise<void>>> = {
  drip: async (socket) => {
    for (const letter of 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n'.padEnd(5000, ' ')) {
      if (socket.destroyed) return;
      socket.write(letter);
      await wait(50);
    }
  },
  header: (socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(10_000_000)}\r\ncontent-length: 0\r\n\r\n`),
  reset: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"jsonrpc"');
    setTimeout(() => socket.resetAndDestroy(), 20);
  },
  'http-1-0': (socket) => void socket.end('HTTP/1.0 404 Not Found\r\n\r\n'),
  crumbs: (socket) => {
    // An event stream of 300,000 pieces of one byte that never ends a line.
    socket.write(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n1\r\n:\r\n',
    );
    socket.write('1\r\nx\r\n'.repeat(300_000));
  },
};

async function startRaw(answer: (socket: Socket) => void | Promise<void>): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) =>
      data.toString('latin1').startsWith('GET /robots.txt')
        ? void socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
        : void answer(socket),
    );
  });
  atEnd(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const names = [...Object.keys(answers), ...Object.keys(raw)];
/** Those that never end are looked at with short time-outs. */
const slow = ['drip', 'crumbs', 'crawl'];
const shown = names.filter((name) => !slow.includes(name));
const hostOf = (name: string) => `${name}.example.com`;

async function lookAtAll(opened: Directory) {
  const counts = await opened.observeDue();
  expect(counts.failed).toBe(0);
  for (const name of names) {
    const known = await opened.store.observations.ofListing(`com.example.${name}/x`);
    if (known) found.set(name, known.observations.map(readable));
  }
}

/** What nobody but this machine may reach; no endpoint can make the observer go there. */
const inside = await openedEndpoint((_, __, response) => void response.writeHead(200).end('secret'));
const overrides: Record<string, string> = {};
for (const [name, answer] of Object.entries(answers)) {
  const endpoint = await openedEndpoint(robotsMissing(answer));
  endpoints.set(name, endpoint);
  overrides[hostOf(name)] = endpoint.url;
}
for (const [name, answer] of Object.entries(raw)) overrides[hostOf(name)] = await startRaw(answer);
const open = (listed: readonly string[], timeouts: Parameters<typeof openDirectory>[0]) =>
  openDirectory({
    entries: listed.map((name) =>
      registryEntry(`com.example.${name}/x`, remotesAt(`https://${hostOf(name)}/mcp`)),
    ),
    environment: { HOST_OVERRIDES: JSON.stringify(overrides), LIMITS: 'off' },
    ...timeouts,
  });
const directory = await opened(open(shown, {}));
await lookAtAll(directory);
const tries = { observerFirstTry_ms: 300, observerSecondTry_ms: 300 };
for (const [listed, timeouts] of [
  [['drip', 'crumbs'], { ...tries, observerHost_ms: 900 }],
  [['crawl'], { observerHost_ms: 1500 }],
] as const) {
  const impatient = await open(listed, { timeouts });
  await lookAtAll(impatient);
  await impatient.close();
}

const fact = (name: string, kind: string) => found.get(name)?.find((one) => one.kind === kind);

it.each([
  ['drip', 'silent', 'A request to `drip.example.com` ended with no answer in time.'],
  [
    'header',
    'silent',
    'A request to `header.example.com` ended with an answer that is not HTTP within Dossier’s limits.',
  ],
  ['endless', 'otherwise', 'A request to `endless.example.com` ended with an answer of more than 2 MiB.'],
  ['gzip', 'otherwise', 'A request to `gzip.example.com` ended with an answer of more than 2 MiB.'],
  ['reset', 'silent', 'A request to `reset.example.com` ended with a connection that broke off.'],
  ['crumbs', 'silent', 'A request to `crumbs.example.com` ended with no answer in time.'],
])('%s: %s, with the reason', (name, outcome, reason) => {
  expect(fact(name, 'endpoint.answers')).toMatchObject({ value: null, outcome, reason });
});

it.each([
  [
    'inward',
    'otherwise',
    /^The endpoint returned a redirect to another host, `[\w.:]+` \(HTTP 302; Dossier did not follow it\) instead of MCP\.$/,
  ],
  ['html', 'otherwise', /^The endpoint returned a web page \(HTTP 200\) instead of MCP\.$/],
  ['ids', 'otherwise', /^The endpoint returned `application\/json` \(HTTP 200\) instead of MCP\.$/],
  ['http-1-0', 'absent', /^The endpoint returned HTTP 404\.$/],
])('%s: %s, and spoke no protocol that is known', (name, outcome, reason) => {
  expect(fact(name, 'endpoint.answers')).toMatchObject({ value: null, outcome });
  expect(fact(name, 'auth.required')).toMatchObject({ value: null, outcome });
  expect(fact(name, 'endpoint.protocol')).toMatchObject({
    outcome,
    reason: expect.stringMatching(reason) as string,
  });
});

it('reads members of any type as data: a message that is no text, an id that is no number', () => {
  expect(fact('message', 'endpoint.answers')).toMatchObject({ value: null, outcome: 'otherwise' });
  expect(endpoints.get('message')?.methods()).toEqual(['server/discover', 'initialize']);
  expect(fact('stream', 'endpoint.answers')).toMatchObject({ value: 200, outcome: 'seen' });
});

it('speaks no revision whose name cannot be sent back in a header, and says so', () => {
  for (const kind of ['endpoint.answers', 'endpoint.protocol', 'tools.count'])
    expect(fact('revision', kind)).toMatchObject({
      value: null,
      outcome: 'otherwise',
      reason: 'The endpoint returned no introduction in a revision of MCP that Dossier speaks.',
    });
  expect(endpoints.get('revision')?.methods()).toEqual(['server/discover', 'initialize']);
});

it('reads event streams whatever ends their lines, and does not wait for their end', () => {
  expect(fact('returns', 'endpoint.answers')).toMatchObject({ value: 200, outcome: 'seen' });
  expect(fact('returns', 'tools.count')).toMatchObject({ value: 1, outcome: 'seen' });
});

it('does not take the words of a host that is asked too often for a request for credentials', () => {
  expect(fact('limited', 'endpoint.answers')).toMatchObject({ value: null, outcome: 'not_asked' });
});

it('takes nothing that an endpoint sends for an outcome or a sentence of its own', () => {
  const sent = JSON.stringify(found.get('ours'));
  expect(sent).not.toMatch(/Verified by Dossier|"verified"/);
  expect(sent.length).toBeLessThan(30_000);
});

it('keeps 200,000 values of the lists of one check, and no introduction of more than 10,000', async () => {
  const values = Array.from({ length: 80_000 }, () => 0);
  const heavy = await startEndpoint(
    robotsMissing((body, request, response) => {
      const isLarge = request.url === '/introduced' && methodOf(body) === 'server/discover';
      const capabilities = { experimental: { all: values.slice(0, 10_000) } };
      if (isLarge) return json(response, reply(body, { supportedVersions: ['2026-07-28'], capabilities }));
      const inputSchema = { type: 'object', enum: values };
      return listing(() => reply(body, { tools: [{ name: 'send', inputSchema }] }))(body, request, response);
    }),
  );
  const paths = ['introduced', '1', '2', '3', '4'];
  const opened = await openDirectory({
    entries: [
      registryEntry('com.example.heavy/x', {
        remotes: paths.map((path) => ({
          type: 'streamable-http',
          url: `https://heavy.example.com/${path}`,
        })),
      }),
    ],
    hosts: { 'heavy.example.com': heavy },
  });
  const { observations } = await opened.observe('com.example.heavy/x');
  const listed = observations.filter(({ kind }) => kind === 'tools.count');
  expect(listed.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    [
      'otherwise',
      'The endpoint introduced itself with more than 10,000 values of JSON, which Dossier does not read.',
    ],
    ['seen', undefined],
    ['seen', undefined],
    ...Array.from({ length: 2 }, () => [
      'not_asked',
      'Dossier keeps at most 200,000 values of lists in one check, and the other lists of this listing’s endpoints left no room for this list of tools.',
    ]),
  ]);
  await opened.close();
  await heavy.close();
});

it('reaches hosts that are named as members of every object where they are', async () => {
  const opened = await openDirectory({
    entries: ['constructor', 'valueof'].map((host) =>
      registryEntry(`com.example.named/${host}`, remotesAt(`http://${host}/mcp`)),
    ),
  });
  const { observations } = await opened.observe('com.example.named/constructor');
  await opened.close();
  expect(observations.find(({ kind }) => kind === 'endpoint.answers')).toMatchObject({
    outcome: 'absent',
    reason: expect.stringContaining('constructor') as string,
  });
});

it.each([
  ['loop', 'The endpoint’s list of tools has no end: a page names an earlier page as the next one.'],
  [
    'double',
    'The endpoint’s list of tools has the same name twice, so Dossier cannot tell these two tools apart.',
  ],
  [
    'pages',
    'The endpoint sent 100 pages of lists, but not the end of its list of tools; Dossier reads no further.',
  ],
  ['many', 'The endpoint lists more than Dossier reads: 2,000 tools, 2 MiB or 100,000 values.'],
  [
    'padded',
    'The endpoint sent more than 4 MiB in this check before the end of its list of tools; Dossier reads no further.',
  ],
  [
    'wide',
    'The endpoint sent more than 4 MiB in this check before the end of its list of tools; Dossier reads no further.',
  ],
  ['pieces', 'The endpoint lists more than Dossier reads: 2,000 tools, 2 MiB or 100,000 values.'],
])('%s: has no list of tools where the list repeats, has no end or is too long', (name, reason) => {
  expect(fact(name, 'endpoint.answers')).toMatchObject({ value: 200, outcome: 'seen' });
  for (const kind of ['tools.surface', 'tools.count', 'tools.hints', 'tools.hidden_text', 'price.offers'])
    expect(fact(name, kind)?.value ?? null).toBe(null);
  expect(fact(name, 'tools.surface')).toMatchObject({ outcome: 'otherwise', reason });
});

it('asks for no more pages than a list of tools may have', () => {
  const asked = (name: string) => endpoints.get(name)?.methods().length;
  expect([asked('loop'), asked('pages'), asked('pieces')]).toEqual([4, 102, 5]);
  expect(asked('padded')).toBeLessThan(7);
  expect(asked('wide')).toBeLessThan(7);
});

it('reads a list of 2,000 tools to its end', () => {
  expect(fact('most', 'tools.count')).toMatchObject({ value: 2000, outcome: 'seen' });
  const { tools } = (fact('most', 'tools.surface')?.details ?? {}) as { tools?: object[] };
  expect(tools).toHaveLength(2000);
  expect(fact('most', 'tools.surface')).not.toHaveProperty('reason');
});

it('has no list of tools where it did not get all pages, because a part of it is another one', () => {
  expect(fact('half', 'tools.surface')).toMatchObject({
    value: null,
    outcome: 'otherwise',
    reason:
      'The endpoint sent 1 page of its list of tools, but not the next page. The endpoint returned HTTP 200 and the JSON-RPC error `-32603`.',
  });
  expect(fact('busy', 'tools.count')).toMatchObject({
    outcome: 'silent',
    reason: 'The endpoint returned HTTP 503.',
  });
});

it('gives one host so much time in one check and no more', () => {
  expect(endpoints.get('crawl')?.methods().length).toBeLessThan(12);
  expect(fact('crawl', 'endpoint.answers')).toMatchObject({ value: 200, outcome: 'seen' });
  expect(fact('crawl', 'tools.count')).toMatchObject({
    outcome: expect.stringMatching(/^(?:silent|not_asked)$/) as string,
    reason: expect.stringMatching(
      /(?:`crawl.example.com` used up the time that Dossier gives one host in one check\.|A request to `crawl.example.com` ended with no answer in time\.)$/,
    ),
  });
  expect(fact('crawl', 'security.contact')).toMatchObject({
    outcome: 'not_asked',
    reason: '`crawl.example.com` used up the time that Dossier gives one host in one check.',
  });
});

it('reads bytes that are no UTF-8, and members named as those of every object, as data', () => {
  expect(fact('bytes', 'tools.surface')).toMatchObject({ details: { tools: [{ name: 'caf\ufffd' }] } });
  expect(fact('members', 'tools.count')).toMatchObject({ outcome: 'seen', value: 3 });
  expect(({} as { isPolluted?: boolean }).isPolluted).toBeUndefined();
});

it('stores a schema of 90,000 values once, and shows its digest', () => {
  expect(fact('schema', 'tools.count')).toMatchObject({ value: 1 });
  expect(JSON.stringify(found.get('schema')).length).toBeLessThan(30_000);
});

it('writes no more of a change into the log because a tool has many annotations and arguments', async () => {
  const handle = 'com.example.crowd/x';
  await directory.observe(handle);
  const [newest] = await directory.store.observations.history(handle, { limit: 1 });
  const change = newest?.changes.find(({ kind }) => kind === 'tools.surface');
  const [item] = (change?.items ?? []) as { arguments: string[]; annotations?: string[] }[];
  expect(item).toMatchObject({ tool: 'crowd', class: 'secret', members: ['inputSchema'] });
  // No client reads annotations that MCP does not define.
  expect([item?.arguments.length, item?.annotations]).toEqual([20, undefined]);
  expect(JSON.stringify(newest).length).toBeLessThan(10_000);
});

it.each([
  ['nested', 'more than 100 levels'],
  ['values', 'more than 100,000 values'],
  ['numbers', 'a number beyond the range of a double'],
])('%s: does not read JSON with %s, and says that the endpoint sent it', (name, what) => {
  const reason = `The endpoint sent JSON with ${what}, which Dossier does not read.`;
  expect(fact(name, 'endpoint.answers')).toMatchObject({ value: 200, outcome: 'seen' });
  for (const kind of ['tools.surface', 'tools.count'])
    expect(fact(name, kind)).toMatchObject({ value: null, outcome: 'otherwise', reason });
});

it('digests tools of any name; lone surrogates become U+FFFD', () => {
  expect(fact('names', 'tools.count')).toMatchObject({ value: 4 });
  const { tools = [] } = (fact('names', 'tools.surface')?.details ?? {}) as {
    tools?: { name: string; sha256: string }[];
  };
  expect(tools.map(({ name }) => name)).toEqual(['__proto__', 'constructor', '‹U+202E›gnp.exe', '\ufffd']);
  for (const { sha256 } of tools) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

it('keeps what metadata says within bounds', () => {
  expect(fact('metadata', 'auth.oauth')).toMatchObject({ outcome: 'seen' });
  expect(JSON.stringify(found.get('metadata')).length).toBeLessThan(30_000);
});

it('looked at every one of them', () => {
  expect([...found.keys()].toSorted()).toEqual(names.toSorted());
});

it('goes nowhere inside, whatever redirects and metadata name', () => {
  expect(inside.sent).toEqual([]);
});

it('shows every one of them on its page and as JSON', async () => {
  for (const name of shown)
    for (const face of ['', '.json', '.md']) {
      const answer = await directory.app.request(`/agents/com.example.${name}/x${face}`);
      expect([name, face, answer.status]).toEqual([name, face, 200]);
      expect((await answer.text()).length).toBeLessThan(300_000);
    }
});
