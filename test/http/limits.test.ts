import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { forgetLimits } from '../../src/limits/forget.ts';
import { listen, openContext, type Running } from '../../src/server.ts';
import { capabilityRow, listingRow } from '../store/rows.ts';
import { legacy, modern } from '../support/mcp-requests.ts';

/** Real nodes on real ports over one database, with a clock that only tests move. */
let folder: string;
let now: Date;
let nodes: Running[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-limits-'));
  now = new Date('2026-11-21T10:00:00Z');
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) {
    await node.stop();
    await node.context.store.close();
  }
  rmSync(folder, { recursive: true });
});

const wait = (seconds: number) => void now.setTime(now.getTime() + seconds * 1000);

const read = (environment: Record<string, string>) =>
  readConfig(
    {
      PORT: '0',
      LOG_LEVEL: 'silent',
      REGISTRY_URL: 'off',
      DATABASE_URL: `file:${folder}/dossier.db`,
      TRUSTED_PROXIES: '127.0.0.1',
      ...environment,
    },
    '0.0.0-test',
  );

async function openNode(environment: Record<string, string> = {}): Promise<string> {
  const running = await listen({ ...(await openContext(read(environment))), clock: () => new Date(now) });
  nodes.push(running);
  return running.context.config.PUBLIC_URL;
}

/** Sends `count` requests one after the other and answers how many had each status. */
async function statuses(count: number, ask: () => Promise<Response>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let sent = 0; sent < count; sent++) {
    const { status } = await ask();
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}

const get =
  (url: string, address = '192.0.2.1') =>
  () =>
    fetch(url, { headers: { 'x-forwarded-for': address } });
const post =
  (url: string, body: object, headers: Record<string, string> = {}) =>
  () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1', ...headers },
      body: JSON.stringify(body),
    });
const rpc =
  (url: string, { headers, body }: ReturnType<typeof legacy>, more: Record<string, string> = {}) =>
  () =>
    fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: { ...headers, 'x-forwarded-for': '192.0.2.1', ...more },
      body,
    });
const waitHeaders = ({ headers }: Response) =>
  ['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => headers.get(name));
const handles = { claim: 'a/subject', source: 'b/source' };
const feedback = { message: 'The tag page is empty' };

describe('requests of one network', () => {
  it.each([
    ['/tags', 100, '"pages";q=100;w=5', 20],
    ['/agents/no/such.json', 100, '"pages";q=100;w=5', 20],
    ['/badge/no/such', 200, '"badge";q=200;w=4', 50],
  ])('%s: %i at once, then as many as come back', async (path, burst, policy, perSecond) => {
    const url = (await openNode()) + path;
    expect(await statuses(burst, get(url))).not.toHaveProperty('429');
    const refused = await get(url)();
    expect(refused.status).toBe(429);
    expect(waitHeaders(refused)).toEqual(['1', policy, `${policy.split(';')[0]};r=0;t=1`]);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.json()).toMatchObject({ status: 429, code: 'rate_limited', retry_after_s: 1 });
    wait(1);
    expect((await statuses(perSecond + 1, get(url)))[429]).toBe(1);
  });

  it('answers a page to a browser', async () => {
    const url = `${await openNode()}/tags`;
    const ask = () => fetch(url, { headers: { accept: 'text/html', 'x-forwarded-for': '192.0.2.1' } });
    await statuses(100, ask);
    const refused = await ask();
    expect([refused.status, ...waitHeaders(refused)]).toEqual([
      429,
      '1',
      '"pages";q=100;w=5',
      '"pages";r=0;t=1',
    ]);
    expect(await refused.text()).toContain('<h1>Too many requests</h1>');
  });

  it('are those of an IPv4 address or an IPv6 /64, as a trusted proxy names it', async () => {
    const url = `${await openNode()}/tags`;
    await statuses(100, get(url, '192.0.2.1'));
    expect((await get(url, '192.0.2.1')()).status).toBe(429);
    expect((await get(url, '::ffff:192.0.2.1')()).status).toBe(429);
    expect((await get(url, '198.51.100.9, 192.0.2.1')()).status).toBe(429);
    expect((await get(url, '192.0.2.2')()).status).toBe(200);
    await statuses(100, get(url, '2001:db8::1'));
    expect((await get(url, '2001:db8::ffff:1:2:3')()).status).toBe(429);
    expect((await get(url, '2001:db8:0:1::1')()).status).toBe(200);
  });

  it('take no word of a forwarded address from a peer that is not trusted', async () => {
    const url = `${await openNode({ TRUSTED_PROXIES: '' })}/tags`;
    let address = 0;
    expect(await statuses(101, () => get(url, `10.0.0.${address++}`)())).toEqual({ 200: 100, 429: 1 });
  });

  it('leave health and assets alone, and every limit apart from the others', async () => {
    const url = await openNode();
    await statuses(101, get(`${url}/tags`));
    expect(await statuses(150, get(`${url}/healthz`))).toEqual({ 200: 150 });
    expect((await get(`${url}/badge/no/such`)()).status).toBe(404);
    expect((await rpc(url, legacy('ping'))()).status).toBe(200);
  });

  it('are counted but not refused with LIMITS=off', async () => {
    const url = await openNode({ LIMITS: 'off' });
    expect(await statuses(130, get(`${url}/tags`))).toEqual({ 200: 130 });
    expect(await statuses(6, post(`${url}/api/feedback`, feedback))).toEqual({ 200: 6 });
    expect(buckets()).toHaveLength(1);
  });
});

describe('/api/mcp', () => {
  it('takes 60 messages at once and 5 a second, and refuses in JSON-RPC that a script of any site can read', async () => {
    const url = await openNode();
    const ask = rpc(url, legacy('ping'), { origin: 'https://inspector.example' });
    expect(await statuses(60, ask)).toEqual({ 200: 60 });
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(waitHeaders(refused)).toEqual(['1', '"mcp";q=60;w=12', '"mcp";r=0;t=1']);
    expect(refused.headers.get('content-type')).toBe('application/json');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toBe(
      'Retry-After, RateLimit, RateLimit-Policy, Mcp-Session-Id',
    );
    expect(await refused.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32000,
        message: 'Too many requests. Wait for the seconds in Retry-After, then send it again.',
        data: {
          code: 'rate_limited',
          message: 'Too many requests. Wait for the seconds in Retry-After, then send it again.',
          retry_after_s: 1,
        },
      },
    });
    expect((await rpc(url, modern('tools/list'))()).status).toBe(429);
    expect((await post(`${url}/api/tools/list_tags`, {})()).status).toBe(429);
    const preflight = { method: 'OPTIONS', headers: { 'x-forwarded-for': '192.0.2.1' } };
    expect((await fetch(`${url}/api/mcp`, preflight)).status).toBe(204);
    wait(1);
    expect(await statuses(6, ask)).toEqual({ 200: 5, 429: 1 });
  });

  it('lets a real client see its limit and go on after it', async () => {
    const url = await openNode({ LIMIT_OVERRIDES: 'mcp=10/10s', TRUSTED_PROXIES: '' });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`)));
    const call = () => client.callTool({ name: 'list_tags', arguments: {} });
    await expect(Promise.all(Array.from({ length: 11 }, call))).rejects.toThrow(/429|Too many requests/);
    wait(10);
    expect((await call()).isError).toBeUndefined();
    await client.close();
  });

  it('answers the limit of a tool as a result that a model reads, in both eras', async () => {
    const url = await openNode();
    const params = { name: 'submit_feedback', arguments: feedback };
    for (let count = 0; count < 3; count++)
      expect((await rpc(url, legacy('tools/call', params))()).status).toBe(200);
    for (const message of [legacy('tools/call', params, 7), modern('tools/call', params)]) {
      const refused = await rpc(url, message)();
      expect(refused.status).toBe(200);
      expect(await refused.json()).toMatchObject({
        result: {
          isError: true,
          structuredContent: {
            error: {
              code: 'rate_limited',
              message: 'Too many requests. Wait for the seconds in Retry-After, then send it again.',
              retry_after_s: 720,
            },
          },
        },
      });
    }
  });
});

/** Rows of the shared limits, as they stand in the file. */
function buckets(): { key: string; day: string | null }[] {
  const database = new DatabaseSync(`${folder}/dossier.db`, { readOnly: true });
  const rows = database.prepare('select key, day from limit_bucket order by key').all();
  database.close();
  return rows.map(({ key, day }) => ({ key: String(key), day: day === null ? null : String(day) }));
}

describe('writes of one network, on every face and node together', () => {
  const claimForm = (url: string) => () =>
    fetch(`${url}/agents/no/such/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '192.0.2.1' },
    });

  it('claims: 10 at once, one more every 6 seconds', async () => {
    const [one, two] = [await openNode(), await openNode()];
    const body = { handle: 'no/such' };
    expect(await statuses(3, post(`${one}/api/claim-github`, body))).toEqual({ 404: 3 });
    expect(await statuses(3, post(`${two}/api/tools/claim_agent`, body))).toEqual({ 404: 3 });
    expect(await statuses(2, claimForm(two))).toEqual({ 404: 2 });
    const params = { name: 'claim_agent', arguments: body };
    expect(await statuses(2, rpc(one, modern('tools/call', params)))).toEqual({ 200: 2 });
    for (const ask of [claimForm(one), post(`${two}/api/claim-github`, body)]) {
      const refused = await ask();
      expect([refused.status, ...waitHeaders(refused)]).toEqual([
        429,
        '6',
        '"claim";q=10;w=60',
        '"claim";r=0;t=6',
      ]);
    }
    wait(5);
    expect((await post(`${one}/api/claim-github`, body)()).headers.get('retry-after')).toBe('1');
    wait(1);
    expect(await statuses(2, post(`${two}/api/claim-github`, body))).toEqual({ 404: 1, 429: 1 });
  });

  it('feedback: 3 at once, 5 an hour; what is malformed costs nothing', async () => {
    const [one, two] = [await openNode(), await openNode()];
    expect(await statuses(5, post(`${one}/api/feedback`, {}))).toEqual({ 422: 5 });
    const calls = Array.from({ length: 10 }, (_, n) => post(`${n % 2 ? one : two}/api/feedback`, feedback)());
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(200),
      ...Array(7).fill(429),
    ]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused && waitHeaders(refused)).toEqual(['720', '"feedback";q=3;w=2160', '"feedback";r=0;t=720']);
    const other = post(`${two}/api/feedback`, feedback, { 'x-forwarded-for': '192.0.2.2' });
    expect((await other()).status).toBe(200);
    wait(3600);
    expect(await statuses(4, post(`${one}/api/feedback`, feedback))).toEqual({ 200: 3, 429: 1 });
  });

  it('outlive a restart', async () => {
    const before = await openNode();
    await statuses(3, post(`${before}/api/feedback`, feedback));
    const [node] = nodes.splice(0);
    await node?.stop();
    await node?.context.store.close();
    expect((await post(`${await openNode()}/api/feedback`, feedback)()).status).toBe(429);
  });
});

describe('bad capabilities', () => {
  const bearer = (capability: string) => ({ authorization: `Bearer ${capability}` });
  const rating = { name: 'withdraw_rating', arguments: { rating_id: 'x' } };
  const good = 'dossier_cap_0000000000000000000000000000000000000000000000TN5j';

  it('are counted on every face together, and never 401 or 403 on /api/mcp', async () => {
    const [one, two] = [await openNode(), await openNode()];
    const bad = bearer('dossier_cap_bad');
    const me = (url: string, headers: Record<string, string>) => () =>
      fetch(`${url}/api/capability`, { headers: { 'x-forwarded-for': '192.0.2.1', ...headers } });
    expect(await statuses(8, me(one, bad))).toEqual({ 401: 8 });
    const conflict = { ...bad, 'x-agent-capability': good };
    expect(await statuses(4, me(two, conflict))).toEqual({ 401: 4 });
    const message = modern('tools/call', rating);
    for (let count = 0; count < 8; count++) {
      const answer = await rpc(count % 2 ? one : two, message, bad)();
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('"code":"capability_invalid"');
    }
    const refused = await me(two, bad)();
    expect([refused.status, ...waitHeaders(refused)]).toEqual([
      429,
      '3',
      '"bad_capability";q=20;w=60',
      '"bad_capability";r=0;t=3',
    ]);
    const overMcp = await rpc(one, message, bad)();
    expect(overMcp.status).toBe(200);
    expect(await overMcp.json()).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: 'rate_limited', retry_after_s: 3 } } },
    });
    expect((await me(one, {})()).status).toBe(401);
    expect((await rpc(one, modern('tools/call', { name: 'list_tags', arguments: {} }), bad)()).status).toBe(
      200,
    );
    wait(3);
    expect(await statuses(2, me(one, bad))).toEqual({ 401: 1, 429: 1 });
  });
});

describe('no address is ever stored', () => {
  it('only a key of the day, that is gone with the day', async () => {
    const url = await openNode();
    for (const address of ['203.0.113.77', '2001:db8:7:7::1'])
      await post(`${url}/api/feedback`, feedback, { 'x-forwarded-for': address })();
    const kept = buckets();
    expect(kept).toEqual([
      { key: expect.stringMatching(/^feedback [\w-]{22}$/), day: '2026-11-21' },
      { key: expect.stringMatching(/^feedback [\w-]{22}$/), day: '2026-11-21' },
    ]);
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name), 'latin1');
      expect(bytes).not.toContain('203.0.113.77');
      expect(bytes).not.toContain('2001:db8:7:7');
    }
  });
});
