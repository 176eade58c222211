import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { legacy, modern } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ listening: true, environment: { LIMITS: 'off' } });

/** What came back over a socket until the other side closed it. */
interface Heard {
  readonly text: string;
  readonly status: number;
}

/** Sends bytes as they are, then drips one more every 100 ms for as long as the other side takes them. */
function converse(first: string | Buffer, url = directory.url, drip?: string): Promise<Heard> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(first));
    const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 100);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(dripping);
      resolve({ text, status: Number(text.slice(9, 12)) });
    });
  });
}

const head = (line: string, headers: readonly string[] = []) =>
  [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join('\r\n');
const json = 'Content-Type: application/json';
const call = legacy('tools/call', { name: 'get_agent', arguments: { handle: 'co.webhook/webhook' } }).body;
const posts = (path: string, body: string, more: readonly string[] = []) =>
  head(`POST ${path}`, [json, `Content-Length: ${Buffer.byteLength(body)}`, ...more]) + body;
const chunked = (path: string, chunk: string) =>
  `${head(`POST ${path}`, [json, 'Transfer-Encoding: chunked'])}${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(2000)}`;
const many = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}: y`);

describe('over a socket', () => {
  it.each<[string, string | Buffer, number]>([
    ['TE and CL', posts('/api/mcp', call, ['Transfer-Encoding: chunked']), 400],
    ['two lengths', posts('/api/mcp', call, ['Content-Length: 3']), 400],
    ['a length below zero', head('POST /api/mcp', [json, 'Content-Length: -1']), 400],
    ['an unknown transfer encoding', head('POST /api/mcp', [json, 'Transfer-Encoding: x']), 400],
    [
      'a chunk size that is none',
      `${head('POST /api/mcp', [json, 'Transfer-Encoding: chunked'])}zz\r\n`,
      400,
    ],
    ['chunks without an end to MCP', chunked('/api/mcp', ' '.repeat(100)), 413],
    ['chunks without an end to a tool', chunked('/api/tools/get_agent', ' '.repeat(100)), 413],
    ['chunks without an end to a claim', chunked('/api/claim-github', ' '.repeat(100)), 413],
    ['a header of 17 KiB', head('GET /about', [`x: ${'a'.repeat(17_000)}`]), 431],
    ['500 headers of 17 KiB in all', head('GET /about', Array(500).fill(`x-many: ${'a'.repeat(26)}`)), 431],
    ['500 small headers', head('GET /about', many(500)), 431],
    ['60 small headers', head('GET /about', many(60)), 200],
    ['a path of 17 KiB', head(`GET /${'a'.repeat(17_000)}`), 431],
    ['no Host', 'GET /about HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', head('GET /about', ['Host: evil.example']), 400],
    ['a foreign Host', 'GET /about HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 400],
    ['an address of another host, of which nothing is used', head('GET http://evil.example/about'), 200],
    ['a header folded over two lines', head('GET /about', ['x: a', ' b']), 400],
    ['a NUL in a header', head('GET /about', ['x: a\u0000b']), 400],
    ['a space before the colon', head('GET /about', ['x : a']), 400],
    ['HTTP/2 without upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['TLS', Buffer.from('1603010200010001fc0303', 'hex'), 400],
    ['CONNECT, which is closed without a word', head('CONNECT evil.example:443'), 0],
    ['TRACE', head('TRACE /about'), 405],
    ['a method nobody knows', head('BREW /about'), 400],
    ['Expect of something else', head('GET /about', ['Expect: the-impossible']), 417],
    ['an Upgrade', head('GET /about', ['Upgrade: websocket']), 200],
    ['a forged X-Forwarded-Host', head('GET /about', ['X-Forwarded-Host: evil.example']), 200],
    ['a forged X-Forwarded-For', head('GET /about', ['X-Forwarded-For: a, ::1, 127.0.0.1']), 200],
  ])('%s', async (_, bytes, status) => {
    const heard = await converse(bytes);
    expect(heard.status).toBe(status);
    expect(heard.text).not.toMatch(/evil\.example|\.ts:\d|node_modules/);
  });

  it.each([
    ['headers that drip', 'GET /about HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ', 'a'],
    ['a body that drips', head('POST /api/mcp', [json, 'Content-Length: 1000']), ' '],
    ['silence', '', undefined],
  ])('%s: the connection is closed with 408 after the time-out', async (_, first, drip) => {
    const timeouts = { requestHeaders_ms: 500, request_ms: 1000 };
    const impatient = await openedDirectory({ listening: true, timeouts });
    const { text, status } = await converse(first, impatient.url, drip);
    expect(status).toBe(408);
    expect(text).toContain('"detail":"The request did not arrive in time. Send it again."');
    expect((await fetch(`${impatient.url}/about`)).status).toBe(200);
  });
});

type Body = NonNullable<RequestInit['body']>;
const asJson = { 'content-type': 'application/json' };
const send = (path: string, body: Body, headers: Record<string, string> = asJson) =>
  directory.app.request(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
const codeOf = async (answer: Response) => {
  const { code, error } = (await answer.json()) as { code?: string; error?: { data?: { code?: string } } };
  return code ?? error?.data?.code;
};
const padded = (limit_bytes: number) => {
  const start = '{"handle":"co.webhook/webhook","more":"';
  return `${start}${'x'.repeat(limit_bytes - start.length - 2)}"}`;
};

/** What is posted to a JSON door, and what it answers. */
const bodies: readonly (readonly [
  what: string,
  body: Body,
  headers: Record<string, string>,
  code: string,
])[] = [
  ['nothing', '', asJson, 'invalid_request'],
  ['100,000 brackets', '['.repeat(100_000), asJson, 'body_too_large'],
  ['1,001 brackets', '['.repeat(1001), asJson, 'body_too_large'],
  ['900 brackets', '['.repeat(900), asJson, 'invalid_request'],
  ['1,000 brackets, closed', '['.repeat(1000) + ']'.repeat(1000), asJson, 'invalid_request'],
  ['17 levels', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, asJson, 'invalid_request'],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), asJson, 'invalid_request'],
  ['UTF-16', new Uint8Array(Buffer.from('\ufeff{}', 'utf16le')), asJson, 'invalid_request'],
  ['an overlong NUL', new Uint8Array([0x22, 0xc0, 0x80, 0x22]), asJson, 'invalid_request'],
  ['NaN', '{"handle":NaN}', asJson, 'invalid_request'],
  ['a comma too many', '{"handle":"a/b",}', asJson, 'invalid_request'],
  ['two values', '{}{}', asJson, 'invalid_request'],
  ['text/plain', '{}', { 'content-type': 'text/plain' }, 'unsupported_media_type'],
  ['no content type', new TextEncoder().encode('{}'), {}, 'unsupported_media_type'],
  [
    'a form',
    'handle=a%2Fb',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'unsupported_media_type',
  ],
  ['gzip', gzipSync('{}'), { ...asJson, 'content-encoding': 'gzip' }, 'unsupported_media_type'],
  ['two encodings', '{}', { ...asJson, 'content-encoding': 'identity, br' }, 'unsupported_media_type'],
];

describe.each([
  ['/api/mcp', 65_536],
  ['/api/tools/get_agent', 65_536],
  ['/api/claim-github', 2048],
  ['/api/feedback', 8192],
])('POST %s', (path, limit_bytes) => {
  it.each(bodies)('%s', async (_, body, headers, code) => {
    const answer = await send(path, body, headers);
    const isOver = typeof body === 'string' && body.length > limit_bytes;
    expect(await codeOf(answer)).toBe(isOver ? 'body_too_large' : code);
    const status = { invalid_request: 400, body_too_large: 413, unsupported_media_type: 415 }[
      isOver ? 'body_too_large' : code
    ];
    expect(answer.status).toBe(status);
  });

  it(`reads ${limit_bytes} bytes, and not one more`, async () => {
    expect(await codeOf(await send(path, padded(limit_bytes)))).not.toBe('body_too_large');
    expect(await codeOf(await send(path, padded(limit_bytes + 1)))).toBe('body_too_large');
  });

  it.each([
    ['one that lies low', '5', 400],
    ['one that is no number', 'many', 400],
  ])('a length: %s', async (_, length, status) => {
    const heard = await converse(head(`POST ${path}`, [json, `Content-Length: ${length}`]) + padded(500));
    expect(heard.status).toBe(status);
  });
});

it('duplicate keys count as the last one, and prototypes as nothing', async () => {
  const twice = '{"handle":"no/such","handle":"co.webhook/webhook"}';
  expect(await (await send('/api/tools/get_agent', twice)).json()).toMatchObject({
    handle: 'co.webhook/webhook',
  });
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const answer = await send('/api/tools/get_agent', `{"${key}":{"handle":"co.webhook/webhook"}}`);
    expect(await codeOf(answer)).toBe('invalid_input');
  }
  expect(({} as { handle?: unknown }).handle).toBeUndefined();
});

it.each([
  ['empty', ''],
  ['without a token', 'Bearer'],
  ['huge', `Bearer ${'a'.repeat(15_000)}`],
  ['another scheme', 'Basic dXNlcjpwYXNz'],
  ['two', 'Bearer a, Bearer b'],
  ['two that are equal', 'Bearer a, Bearer a'],
  ['full of commas', ','.repeat(10_000)],
  ['with letters beyond ASCII', 'Bearer \u00e9\u00ff'],
  ['a capability cut short', 'Bearer dossier_cap_AAAA'],
])(
  'Authorization that is %s leaves anonymous tools as they are, and no answer is 401',
  async (_, authorization) => {
    for (const message of [legacy, modern]) {
      const { headers, body } = message('tools/call', {
        name: 'get_agent',
        arguments: { handle: 'co.webhook/webhook' },
      });
      const answer = await send('/api/mcp', body, { ...headers, authorization });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({
        result: { structuredContent: { handle: 'co.webhook/webhook' } },
      });
    }
    expect((await directory.app.request('/agents', { headers: { authorization } })).status).toBe(200);
  },
);

describe('headers of 2026-07-28 that contradict the body', () => {
  const { headers, body } = modern('tools/call', {
    name: 'get_agent',
    arguments: { handle: 'co.webhook/webhook' },
  });
  it.each<[string, Record<string, string>, number, number]>([
    ['another name', { 'mcp-name': 'submit_rating' }, 400, -32020],
    ['another method', { 'mcp-method': 'tools/list' }, 400, -32020],
    ['another revision', { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['a revision of the future', { 'mcp-protocol-version': '2999-01-01' }, 400, -32020],
  ])('%s', async (_, change, status, code) => {
    const answer = await send('/api/mcp', body, { ...headers, ...change });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code } });
  });
});

it('Origin null may not call a service on loopback, and may not send forms', async () => {
  const origin = { origin: 'null' };
  const ping = await send('/api/mcp', legacy('ping').body, { ...asJson, ...origin });
  expect([ping.status, ping.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...origin };
  const sent = await send('/feedback', 'message=x', form);
  expect([sent.status, await codeOf(sent)]).toEqual([403, 'forbidden_origin']);
});
