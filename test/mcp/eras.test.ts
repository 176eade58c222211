import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { legacyRevisions } from '../../src/core/revisions.ts';
import { openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { getAgent, legacy, type Message, modern } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });

async function send({ headers, body }: Message, more: Record<string, string | undefined> = {}) {
  const all = Object.entries({ ...headers, ...more }).filter(([, value]) => value !== undefined);
  const sent = { method: 'POST', headers: all as [string, string][], body };
  const response = await directory.app.request('/api/mcp', sent);
  const text = await response.text();
  return { status: response.status, answer: text === '' ? undefined : JSON.parse(text) };
}

it('a check goes on with a server in each revision of the SDK, and in no other', () => {
  const expected = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
  expect([SUPPORTED_PROTOCOL_VERSIONS, legacyRevisions]).toEqual([expected, expected]);
});

describe('the era with initialize', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ])('answers a client that asks for %s with %s', async (protocolVersion, answered) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { status, answer } = await send(legacy('initialize', params));
    expect(status).toBe(200);
    expect(answer.result.protocolVersion).toBe(answered);
    expect(answer.result.serverInfo).toEqual({
      name: 'localhost/dossier',
      title: 'Dossier',
      version: '0.0.0-test',
      websiteUrl: 'http://127.0.0.1:3000',
    });
  });
  it('refuses a revision in the header that it does not serve', async () => {
    const { status, answer } = await send(legacy('tools/list'), { 'mcp-protocol-version': '1999-01-01' });
    expect([status, answer.error.code, answer.id]).toEqual([400, -32000, 1]);
  });
  it('takes notifications and posted responses, and does nothing', async () => {
    const notification = { ...legacy('x'), body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' };
    expect(await send(notification)).toEqual({ status: 202, answer: undefined });
    const response = { ...legacy('x'), body: '{"jsonrpc":"2.0","id":1,"result":{}}' };
    expect(await send(response)).toEqual({ status: 202, answer: undefined });
  });
  it('answers with an error for a method, a tool or a resource that does not exist', async () => {
    expect(await send(legacy('no/such'))).toMatchObject({ status: 200, answer: { error: { code: -32601 } } });
    expect(await send(legacy('server/discover'))).toMatchObject({
      status: 200,
      answer: { error: { code: -32601 } },
    });
    expect(await send(legacy('tools/call', { name: '__proto__' }))).toMatchObject({
      answer: { error: { code: -32602 } },
    });
    expect(await send(legacy('resources/read', { uri: 'agent://nothing' }))).toMatchObject({
      answer: { error: { code: -32602 } },
    });
    expect(await send(legacy('resources/subscribe', { uri: 'agent://about' }))).toMatchObject({
      answer: { error: { code: -32601 } },
    });
  });
});

describe('the era of 2026-07-28', () => {
  it('discovers', async () => {
    const { status, answer } = await send(modern('server/discover'));
    expect(status).toBe(200);
    expect(answer.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { resources: { subscribe: true } },
      ttlMs: 3_600_000,
      cacheScope: 'public',
    });
  });
  it.each([
    ['prompts/list', {}, 3_600_000],
    ['resources/list', {}, 3_600_000],
    ['resources/templates/list', {}, 3_600_000],
    ['resources/read', { uri: 'agent://about' }, 3_600_000],
    ['resources/read', { uri: 'agent://co.webhook/webhook' }, 60_000],
  ])('says how long %s of %j may be kept', async (method, params, ttlMs) => {
    expect((await send(modern(method, params))).answer.result).toMatchObject({ ttlMs, cacheScope: 'public' });
  });
  it('lets no cache share tools/list, which has more tools for callers with a capability', async () => {
    const { answer } = await send(modern('tools/list'));
    expect(answer.result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'private' });
  });
  it.each([
    ['an unknown method', modern('no/such'), {}, 404, -32601],
    ['a method of the other era', modern('ping'), {}, 404, -32601],
    [
      'another method in the header',
      modern('tools/call', getAgent),
      { 'mcp-method': 'tools/list' },
      400,
      -32020,
    ],
    ['no method in the header', modern('tools/call', getAgent), { 'mcp-method': undefined }, 400, -32020],
    ['another name in the header', modern('tools/call', getAgent), { 'mcp-name': 'list_tags' }, 400, -32020],
    ['no name in the header', modern('tools/call', getAgent), { 'mcp-name': undefined }, 400, -32020],
    ['no version in the header', modern('tools/list'), { 'mcp-protocol-version': undefined }, 400, -32020],
    [
      'another version in the header',
      modern('tools/list'),
      { 'mcp-protocol-version': '2025-11-25' },
      400,
      -32020,
    ],
    ['no envelope', legacy('tools/list'), { 'mcp-protocol-version': '2026-07-28' }, 400, -32602],
    ['a resource that is not there', modern('resources/read', { uri: 'agent://x' }), {}, 200, -32602],
  ])('refuses %s', async (_, message, headers, status, code) => {
    const refused = await send(message, headers);
    expect([refused.status, refused.answer.error.code, refused.answer.id]).toEqual([status, code, 1]);
  });
  it('refuses a revision that is not there yet', async () => {
    const { headers, body } = modern('tools/list');
    const later = { headers, body: body.replaceAll('2026-07-28', '2027-01-01') };
    const { status, answer } = await send(later, { 'mcp-protocol-version': '2027-01-01' });
    expect([status, answer.error.code]).toEqual([400, -32022]);
    expect(answer.error.data).toEqual({ supported: ['2026-07-28'], requested: '2027-01-01' });
  });
  it.each([
    ['tools/call', getAgent, 'get_agent'],
    ['prompts/get', { name: 'weigh_before_purchase', arguments: { handle: 'a/b' } }, 'weigh_before_purchase'],
    ['resources/read', { uri: 'agent://about' }, 'agent://about'],
  ])('answers %s alike through the lane and through the handler of the SDK', async (method, params, name) => {
    const message = modern(method, params);
    const plain = await send(message);
    // The encoded form of the same name is left to the SDK.
    const encoded = await send(message, { 'mcp-name': `=?base64?${btoa(name)}?=` });
    expect(plain.status).toBe(200);
    expect(plain.answer.result.resultType).toBe('complete');
    expect(encoded).toEqual(plain);
  });
  it('tells a subscriber that a listing has changed, and ends the stream with the app', async () => {
    const own = await openDirectory({ environment: { LIMITS: 'off' } });
    const notifications = { resourceSubscriptions: ['agent://co.webhook/webhook'] };
    const stream = await own.app.request('/api/mcp', {
      method: 'POST',
      ...modern('subscriptions/listen', { notifications }),
    });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    await own.importEntries([
      registryEntry('co.webhook/webhook', { version: '1.1.0' }, { updatedAt: '2026-11-01T08:00:00Z' }),
    ]);
    await own.close();
    const text = await stream.text();
    expect(text).toContain('notifications/subscriptions/acknowledged');
    expect(text).toContain('"method":"notifications/resources/updated"');
    expect(text).toContain('"uri":"agent://co.webhook/webhook"');
    expect(text).not.toContain('politicalcomms');
  });
});
