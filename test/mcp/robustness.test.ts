import { describe, expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';
import { getAgent, legacy, type Message, modern } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

const directory = await openedDirectory({
  environment: { LIMITS: 'off', ALLOWED_ORIGINS: 'https://inspector.example' },
});

const post = ({ headers, body }: Message, more: Record<string, string> = {}, path = '/api/mcp') =>
  directory.app.request(path, { method: 'POST', headers: { ...headers, ...more }, body });
const raw = (body: Body, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  directory.app.request('/api/mcp', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);

interface Answer {
  readonly id: unknown;
  readonly result?: { structuredContent?: { handle?: string; error?: { code: string } } };
  readonly error?: { code: number; message: string; data?: { code: string } };
}
const answerOf = async (response: Response) => (await response.json()) as Answer;
async function expectRefused(
  response: Response,
  status: number,
  code: number,
  problem: string,
): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await answerOf(response)).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code, data: { code: problem } },
  });
}

describe('requests refused before a message is read', () => {
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: getAgent });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  it.each([
    ['an empty batch', []],
    ['a batch of one', [call(1)]],
    ['a batch with a request and its own cancellation', [call(1), cancel]],
    ['a batch of a hundred', Array.from({ length: 100 }, (_, id) => call(id))],
  ])('%s', async (_, batch) => {
    await expectRefused(await raw(JSON.stringify(batch)), 400, -32600, 'invalid_request');
    const { headers } = modern('tools/call', getAgent);
    await expectRefused(await raw(JSON.stringify(batch), headers), 400, -32600, 'invalid_request');
  });

  it.each([
    ['half a message', '{"jsonrpc":"2.0"', {}, 400, -32700, 'invalid_request'],
    ['text', '{}', { 'content-type': 'text/plain' }, 415, -32000, 'unsupported_media_type'],
    ['64 KiB and a byte', ' '.repeat(65_537), {}, 413, -32000, 'body_too_large'],
  ])('%s, in the form of JSON-RPC', async (_, body, headers, status, code, problem) => {
    const answer = await raw(body, { 'content-type': 'application/json', ...headers });
    await expectRefused(answer, status, code, problem);
  });

  it.each([
    ['a text', '"hello"'],
    ['null', 'null'],
    ['an object without method', '{"jsonrpc":"2.0","id":1}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}'],
    ['another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
  ])('%s is no message', async (_, body) => {
    const response = await raw(body);
    expect(response.status).toBe(400);
    expect((await answerOf(response)).error?.code).toBe(-32600);
  });
});

describe('requests that other servers refuse and this one accepts', () => {
  it.each([
    ['only JSON', { accept: 'application/json' }],
    ['anything', { accept: '*/*' }],
    ['only an event stream', { accept: 'text/event-stream' }],
  ])('an Accept of %s', async (_, accept) => {
    const response = await post(legacy('tools/call', getAgent), accept);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect((await answerOf(response)).result?.structuredContent?.handle).toBe('co.webhook/webhook');
  });
  it('a slash at the end of the address, and nothing below it', async () => {
    expect((await post(legacy('ping'), {}, '/api/mcp/')).status).toBe(200);
    expect((await post(legacy('ping'), {}, '/api/mcp/below')).status).toBe(404);
  });
  it('a session id that was never issued', async () => {
    expect((await post(legacy('ping'), { 'mcp-session-id': 'made-up' })).status).toBe(200);
  });
});

describe('methods', () => {
  it('shows a browser how to connect', async () => {
    const response = await directory.app.request('/api/mcp', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    expect(await response.text()).toContain(
      'claude mcp add --transport http dossier http://127.0.0.1:3000/api/mcp',
    );
  });
  it.each([
    ['GET', 'text/event-stream'],
    ['GET', '*/*'],
    ['DELETE', '*/*'],
    ['PUT', '*/*'],
  ])('answers %s of a client that accepts %s with 405', async (method, accept) => {
    const response = await directory.app.request('/api/mcp', { method, headers: { accept } });
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    await expectRefused(response, 405, -32000, 'method_not_allowed');
  });
});

describe('many callers on one server', () => {
  it('gives each its own answer under its own id', async () => {
    const ids = [1, 1, 'one', 0, '0', 7, 7];
    const answers = await Promise.all(
      ids.map(async (id, place) => {
        const handle = place % 2 === 0 ? 'co.webhook/webhook' : 'com.politicalcomms/api';
        const message = legacy('tools/call', { name: 'get_agent', arguments: { handle } }, id);
        const { id: answered, result } = await answerOf(await post(message));
        return [answered, result?.structuredContent?.handle];
      }),
    );
    expect(answers).toEqual(
      ids.map((id, place) => [id, place % 2 === 0 ? 'co.webhook/webhook' : 'com.politicalcomms/api']),
    );
  });
  it('gives each its own capability', async () => {
    const rating = ratingOf('co.webhook/webhook', { interaction_id: 'one', relationship: 'none' });
    const codes = await Promise.all(
      ['', 'Bearer dossier_cap_bad', ''].map(async (authorization) => {
        const message = modern('tools/call', { name: 'submit_rating', arguments: rating });
        return (await answerOf(await post(message, { authorization }))).result?.structuredContent?.error
          ?.code;
      }),
    );
    expect(codes).toEqual(['capability_required', 'capability_invalid', 'capability_required']);
  });
  it('lets no caller cancel the calls of others', async () => {
    const calls = Array.from({ length: 20 }, () => post(legacy('tools/call', getAgent)));
    const cancels = Array.from({ length: 60 }, (_, requestId) =>
      raw(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })),
    );
    for (const cancelled of await Promise.all(cancels)) expect(cancelled.status).toBe(202);
    for (const answered of await Promise.all(calls))
      expect((await answerOf(answered)).result?.structuredContent?.handle).toBe('co.webhook/webhook');
  });
});

it('a flood of slow bodies delays no other request', async () => {
  const slow = Array.from({ length: 300 }, () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    return { answer: raw(readable), writer: writable.getWriter() };
  });
  expect((await post(legacy('ping'))).status).toBe(200);
  for (const { answer, writer } of slow) {
    void writer.write(new TextEncoder().encode(legacy('ping').body));
    void writer.close();
    expect((await answer).status).toBe(200);
  }
});

describe('a call that hangs', () => {
  const feedback = { name: 'submit_feedback', arguments: { message: 'Waits for the writer.' } };
  const calls = [legacy('tools/call', feedback), modern('tools/call', feedback)];

  it('delays no other call', async () => {
    const held = Promise.withResolvers<void>();
    const writing = directory.store.write(() => held.promise);
    const hanging = calls.map((message) => post(message));
    expect((await answerOf(await post(legacy('tools/list')))).result).toBeDefined();
    held.resolve();
    await writing;
    for (const response of await Promise.all(hanging))
      expect((await answerOf(response)).result).toBeDefined();
  });
});

it('a failure on our side is answered without details of the failure', async () => {
  const broken = await openDirectory({ environment: { LIMITS: 'off' } });
  await broken.store.close();
  const message = legacy('tools/call', { name: 'search_agents', arguments: { query: 'webhook' } });
  const response = await broken.app.request('/api/mcp', { method: 'POST', ...message });
  const failure = {
    code: 'internal',
    message: 'Something failed on our side. Try again later; the failure was logged.',
  };
  expect((await answerOf(response)).result?.structuredContent).toEqual({ error: failure });
  const read = legacy('resources/read', { uri: 'agent://tags/webhooks' });
  const asked = await broken.app.request('/api/mcp', { method: 'POST', ...read });
  expect((await answerOf(asked)).error).toEqual({ code: -32603, message: failure.message, data: failure });
});

describe('subscriptions', () => {
  const listen = (resourceSubscriptions: unknown) =>
    post(modern('subscriptions/listen', { notifications: { resourceSubscriptions } }));
  it.each([
    ['that is no text', [{ toString: 1, valueOf: 1 }]],
    ['of 301 characters', [`agent://${'a'.repeat(293)}`]],
    ['too many', Array.from({ length: 101 }, (_, at) => `agent://a/${at}`)],
  ])('to an address %s are refused', async (_, uris) => {
    await expectRefused(await listen(uris), 400, -32600, 'invalid_request');
  });
  it('are eight at a time for one network; one that ends makes room', async () => {
    const open = await Promise.all(Array.from({ length: 8 }, () => listen(['agent://co.webhook/webhook'])));
    expect(open.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await listen(['agent://co.webhook/webhook'])).status).toBe(429);
    await open[0]?.body?.cancel();
    await expect
      .poll(async () => {
        const again = await listen(['agent://co.webhook/webhook']);
        open.push(again);
        return again.status;
      })
      .toBe(200);
    await Promise.all(open.map(({ body }) => body?.cancel().catch(() => undefined)));
  });
});

describe('errors of the SDK', () => {
  const ref = { type: 'ref/resource', uri: 'agent://{namespace}/{name}' };
  it.each(['constructor', '__proto__', 'toString'])('completion of a variable called %s', async (name) => {
    const { error, ...answer } = await answerOf(
      await post(legacy('completion/complete', { ref, argument: { name, value: 'a' } })),
    );
    expect(error).toBeUndefined();
    expect(answer.result).toMatchObject({ completion: { values: [] } });
  });
  it.each([
    ['tools/list', { cursor: 5 }],
    ['resources/read', { uri: 5 }],
    ['initialize', {}],
  ])('%s with params of another form', async (method, params) => {
    const { error } = await answerOf(await post(legacy(method, params)));
    expect(error).toMatchObject({ code: -32602, message: 'The params do not fit the method.' });
  });
});
