import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { createUncached, post, watchReads } from '../support/answer-cache.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { getAgent, legacy, type Message, modern } from '../support/mcp-requests.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { expectSameFacts } from '../support/same-facts.ts';

const everywhere = registryEntry('org.everywhere/service', {
  title: 'Überall – 日本 🧾',
  description: 'Überprüft Rechnungen – 請求書を確認します 🧾 "structuredContent":0 \\ back\u2028line',
});

const directory = await openedDirectory({
  entries: [...seedEntries, everywhere],
  environment: { LIMITS: 'off', ALLOWED_ORIGINS: 'https://inspector.example' },
});
const uncached = createUncached(directory.context);
afterAll(async () => {
  await uncached.close();
});

const call = (name: string, input: object) => ({ name, arguments: input });
const inEras = (method: string, params: object = {}): [string, Message][] => [
  [`${method} ${JSON.stringify(params)}, legacy`, legacy(method, params)],
  [`${method} ${JSON.stringify(params)}, modern`, modern(method, params)],
];
const initialize = (protocolVersion: string): [string, Message][] => [
  [
    `initialize ${protocolVersion}`,
    legacy('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
  ],
];
const handle = 'co.webhook/webhook';
const good: readonly [string, Message][] = [
  ...inEras('tools/call', getAgent),
  ...inEras('tools/call', call('get_agent', { handle: 'org.everywhere/service' })),
  ...inEras('tools/call', call('list_ratings', { handle })),
  ...inEras('tools/call', call('list_tags', {})),
  ...inEras('tools/call', { name: 'list_tags' }),
  ...inEras('tools/call', call('search_agents', { query: 'webhook', limit: 5 })),
  ...inEras(
    'tools/call',
    call('compare_agents', {
      handles: [handle, 'com.politicalcomms/api'],
      criteria: [{ criterion: 'claimed' }],
    }),
  ),
  ...inEras('tools/call', { ...getAgent, _meta: { free: {} } }),
  ...inEras('tools/call', {
    ...call('get_agent', { handle: 'org.everywhere/service' }),
    _meta: { free: {} },
  }),
  ...inEras('tools/call', { ...getAgent, _meta: { progressToken: 7, 'claudecode/toolUseId': 'toolu_1' } }),
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].flatMap((method) =>
    inEras(method),
  ),
  ...inEras('server/discover'),
  ...inEras('ping'),
  ...['2025-11-25', '2025-06-18', '2024-11-05', '1999-01-01'].flatMap(initialize),
];
const refused: readonly [string, Message][] = [
  ...inEras('tools/call', call('get_agent', { handle: 'co.webhook/webhoo' })),
  ...inEras('tools/call', call('get_agent', { handle: 'CO.webhook/webhook' })),
  ...inEras('tools/call', call('get_agent', { handle: 'no handle' })),
  ...inEras('tools/call', call('get_agent', { handle, more: 1 })),
  ...inEras('tools/call', call('get_agent', { handle: `dossier_cap_${'A'.repeat(49)}` })),
  ...inEras('tools/call', { name: 'get_agent' }),
  ...inEras('tools/call', call('no_such_tool', {})),
  ...inEras('tools/call', call('get_proof', { log_index: 0 })),
  ...inEras('tools/call', call('submit_rating', { handle })),
  ...inEras('tools/call', call('withdraw_rating', { rating_id: 'x', reason: 'other' })),
  ...inEras('tools/call', call('submit_feedback', { message: '' })),
  ...inEras('tools/call', { ...getAgent, _meta: { progressToken: 1.5 } }),
  ...inEras('tools/call', { ...getAgent, _meta: { progressToken: {} } }),
  ...inEras('tools/call', { ...getAgent, _meta: { free: JSON.parse('['.repeat(20) + ']'.repeat(20)) } }),
  ...inEras('tools/call', { ...getAgent, _meta: { 'io.modelcontextprotocol/related-task': 'x' } }),
  ...inEras('tools/list', { cursor: 'x' }),
  ...inEras('no/such'),
];

describe('a request', () => {
  it.each([...good, ...refused])(
    '%s: has the same answer at first, from memory and without a cache',
    async (_, message) => {
      const plain = await post(uncached, message);
      expect(await post(directory.app, message)).toEqual(plain);
      expect(await post(directory.app, message)).toEqual(plain);
      expect(plain.headers['x-frame-options']).toBe('DENY');
      expect(plain.headers['content-length']).toBe(String(plain.body.length));
    },
  );

  it.each([7, -1, 0, Number.MAX_SAFE_INTEGER, 'a', 'req-1.2:3', '', 'ü', '"', 'a'.repeat(200), 1.5, 2 ** 60])(
    'is answered under its own id %j',
    async (id) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: getAgent });
      const message = { ...legacy('x'), body };
      const plain = await post(uncached, message);
      await post(directory.app, legacy('tools/call', getAgent));
      expect(await post(directory.app, message)).toEqual(plain);
      expect(JSON.parse(Buffer.from(plain.body, 'latin1').toString()).id).toBe(id);
    },
  );

  const everywhere = { handle: 'org.everywhere/service' };
  it.each([
    ...inEras('tools/call', call('get_agent', everywhere)),
    ...inEras('tools/call', call('get_agent', { ...everywhere, detail: 'full' })),
  ])('%s: has the same facts as text and as structured content', async (called, message) => {
    for (const app of [uncached, directory.app, directory.app]) {
      const { body } = await post(app, message);
      const { result } = JSON.parse(Buffer.from(body, 'latin1').toString());
      const [{ text }] = result.content;
      if (called.includes('full')) expect(result.structuredContent.markdown).toBe(text);
      else expectSameFacts(text, result.structuredContent);
      expect(result.structuredContent.description).toContain('🧾 "structuredContent":0 \\ back');
    }
  });

  it('of a script of another site may be read by it, before and after', async () => {
    const origin = { origin: 'https://inspector.example' };
    const message = legacy('tools/list');
    for (const more of [{}, origin, {}, origin]) {
      const { headers } = await post(directory.app, message, more);
      expect(headers['access-control-allow-origin']).toBe('origin' in more ? '*' : undefined);
    }
  });

  it('whose body is not UTF-8 is refused even in a member that nothing reads', async () => {
    const message = legacy('tools/call', { ...getAgent, _meta: { free: 'X' } });
    const body = Buffer.from(message.body.replace('"X"', '"\u00ff"'), 'latin1');
    expect(await post(directory.app, message)).toMatchObject({ status: 200 });
    const refused = await post(directory.app, { ...message, body });
    expect(refused).toMatchObject({ status: 400 });
    expect(await post(uncached, { ...message, body })).toEqual(refused);
  });

  it.each([
    ['a Host that is not ours', { host: 'evil.example' }, 400],
    ['no JSON', { 'content-type': 'text/plain' }, 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
    ['another method in the header', { 'mcp-method': 'tools/list' }, 400],
    ['another revision in the header', { 'mcp-protocol-version': '2025-11-25' }, 400],
  ])('with %s is refused, whatever was answered before', async (_, more, status) => {
    const message = modern('tools/call', getAgent);
    await post(directory.app, message);
    expect(await post(directory.app, message)).toMatchObject({ status: 200 });
    expect(await post(directory.app, message, more)).toMatchObject({ status });
  });
});

describe('answers from memory', () => {
  it('are those of read-only tools with cache tags, once for both eras and whatever else a message says; errors are not cached', async () => {
    const reads: string[] = [];
    const app = watchReads(directory.context, (read) => void reads.push(read));
    const unusual = { ...getAgent, _meta: { free: {} } };
    for (const message of [legacy, modern].flatMap((in_) => [
      in_('tools/call', getAgent),
      in_('tools/call', unusual),
    ]))
      for (let sent = 0; sent < 3; sent++) expect((await post(app, message)).status).toBe(200);
    expect(reads).toEqual([handle]);
    const unknown = legacy('tools/call', call('get_agent', { handle: 'co.webhook/none' }));
    await post(app, unknown);
    await post(app, unknown);
    expect(reads).toEqual([handle, 'co.webhook/none', 'co.webhook/none']);
    await app.close();
  });

  it('are dropped when a listing among their tags changes', async () => {
    const message = legacy('tools/call', getAgent);
    const search = legacy('tools/call', call('search_agents', { query: 'webhook' }));
    await post(directory.app, message);
    await post(directory.app, search);
    const official = { updatedAt: '2026-11-02T08:00:00Z' };
    await directory.importEntries([
      registryEntry(handle, { version: '9.8.7', description: 'Changed' }, official),
    ]);
    for (const sent of [message, search]) {
      const { body } = await post(directory.app, sent);
      expect(body).toContain('Changed');
      expect(await post(uncached, sent)).toMatchObject({ body });
    }
  });

  it('are not stored if a listing changed while they were made', async () => {
    const reading = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    let isFirst = true;
    const app = watchReads(directory.context, async () => {
      if (!isFirst) return;
      isFirst = false;
      reading.resolve();
      await written.promise;
    });
    const message = legacy('tools/call', call('get_agent', { handle: 'com.politicalcomms/api' }));
    const early = post(app, message);
    await reading.promise;
    const official = { updatedAt: '2026-11-02T08:00:00Z' };
    await directory.importEntries([
      registryEntry(
        'com.politicalcomms/api',
        { version: '5.5.5', description: 'ChangedHandles meanwhile' },
        official,
      ),
    ]);
    written.resolve();
    expect((await early).body).not.toContain('ChangedHandles meanwhile');
    expect((await post(app, message)).body).toContain('ChangedHandles meanwhile');
    await app.close();
  });

  it('are the same for every caller, with a capability that is good, ended, unknown or two', async () => {
    const own = await opened(openClaimedDirectory());
    const plain = createUncached(own.context);
    const capability = await own.claim(handle, 'webhook-co/webhook');
    const message = legacy('tools/call', getAgent);
    const known = await post(own.app, message);
    const ask = async () => {
      for (const more of [
        { authorization: `Bearer ${capability}` },
        { 'x-agent-capability': capability },
        { authorization: 'Bearer dossier_cap_unknown' },
        { authorization: `Bearer ${capability}`, 'x-agent-capability': 'dossier_cap_other' },
      ]) {
        expect(await post(own.app, message, more)).toEqual(known);
        expect(await post(plain, message, more)).toEqual(known);
      }
    };
    await ask();
    const authorization = `Bearer ${capability}`;
    expect(
      (await own.app.request('/api/capability/revoke', { method: 'POST', headers: { authorization } }))
        .status,
    ).toBe(200);
    expect(await post(own.app, message)).toEqual(await post(plain, message));
    await plain.close();
  });
});

describe('the cache', () => {
  it('answers within the limit only, and an answer from memory counts like any other', async () => {
    const own = await openedDirectory({ environment: { LIMIT_OVERRIDES: 'mcp=6/1h' } });
    const message = legacy('tools/call', getAgent);
    const seen: number[] = [];
    for (let sent = 0; sent < 7; sent++) seen.push((await post(own.app, message)).status);
    expect(seen).toEqual([200, 200, 200, 200, 200, 200, 429]);
    const refused = await post(own.app, message);
    expect(refused).toEqual(await post(own.app, legacy('ping')));
    expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"mcp";q=6;w=3600', 'retry-after': '600' });
  });

  it('logs what it answers like everything else', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
    const app = createApp({ ...directory.context, log });
    const message = legacy('tools/call', getAgent);
    for (const more of [{}, {}, { 'x-request-id': 'chosen' }]) await post(app, message, more);
    const anyId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    const line = { level: 30, method: 'POST', path: '/api/mcp', status: 200, msg: 'answered' };
    expect(lines).toMatchObject([
      { ...line, request: anyId },
      { ...line, request: anyId },
      { ...line, request: 'chosen' },
    ]);
    expect(new Set(lines.map((entry) => Object.keys(entry).join())).size).toBe(1);
    expect(lines.every(({ ms }) => typeof ms === 'number')).toBe(true);
    await app.close();
  });
});
