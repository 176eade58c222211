import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legacy, modern } from '../support/mcp-requests.ts';
import { createNodes, get, type Nodes, post, refusalOf, rpc, statuses } from '../support/nodes.ts';

let nodes: Nodes;
beforeEach(async () => {
  nodes = await createNodes();
});
afterEach(() => nodes.close());

const openNode = async (environment?: Record<string, string>) =>
  (await nodes.open(environment)).context.config.publicUrl;
const wait = (seconds: number) => nodes.wait(seconds);
const feedback = { message: 'The tag page is empty' };

describe('requests of one network', () => {
  it.each([
    ['/tags', 100, '"pages";q=100;w=5', 20],
    ['/agents/no/such.json', 100, '"pages";q=100;w=5', 20],
    ['/badge/no/such.json', 200, '"badge";q=200;w=4', 50],
    ['/v0.1/servers/none/versions', 100, '"registry";q=1000;w=5', 20],
    ['/v0.1/servers?limit=100', 100, '"registry";q=1000;w=5', 20],
    ['/v0.1/servers?limit=1&limit=100', 100, '"registry";q=1000;w=5', 20],
    ['/v0.1/servers?limit=1e2', 100, '"registry";q=1000;w=5', 20],
    ['/v0.1/servers/none/versions?include_deleted=/servers?limit=1', 100, '"registry";q=1000;w=5', 20],
    ['//v0.1/servers/?version=latest&limit=11', 500, '"registry";q=1000;w=5', 100],
    ['/v0.1/servers?limit=1&version=latest', 1000, '"registry";q=1000;w=5', 200],
    ['/views/none', 100, '"views";q=1000;w=10', 10],
    ['/views/none/v0.1/servers?limit=1', 1000, '"views";q=1000;w=10', 100],
  ])('%s: %i at once, then as many as come back', async (path, burst, policy, perSecond) => {
    const url = (await openNode()) + path;
    expect(await statuses(burst, get(url))).not.toHaveProperty('429');
    const refused = await get(url)();
    expect(refusalOf(refused)).toEqual([429, '1', policy, `${policy.split(';')[0]};r=0;t=1`]);
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
    expect(refusalOf(refused)).toEqual([429, '1', '"pages";q=100;w=5', '"pages";r=0;t=1']);
    const page = await refused.text();
    expect(page).toContain('<h1>Too many requests</h1>');
    // A person sees no header.
    expect(page).toContain('Try again in 1 second.');
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

  it('are those of a /24, a /56 and a /48 as well, with 16, 4 and 16 times the amount', async () => {
    const url = `${await openNode({ LIMIT_OVERRIDES: 'pages=2/10s' })}/tags`;
    let n = 0;
    expect(await statuses(40, () => get(url, `192.0.2.${n++}`)())).toEqual({ 200: 32, 429: 8 });
    const refused = await get(url, '192.0.2.250')();
    expect(refusalOf(refused)).toEqual([429, '1', '"pages";q=32;w=10', '"pages";r=0;t=1']);
    expect((await get(url, '192.0.3.1')()).status).toBe(200);
    n = 0;
    expect(await statuses(10, () => get(url, `2001:db8:0:${(n++).toString(16)}::1`)())).toEqual({
      200: 8,
      429: 2,
    });
    n = 0;
    expect(await statuses(30, () => get(url, `2001:db8:0:${(++n).toString(16)}00::1`)())).toEqual({
      200: 24,
      429: 6,
    });
    expect((await get(url, '2001:db8:1::1')()).status).toBe(200);
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
    expect((await post(`${url}/api/tools/list_tags`, {})()).status).toBe(200);
  });

  it('are counted but not refused with LIMITS=off', async () => {
    const url = await openNode({ LIMITS: 'off' });
    expect(await statuses(130, get(`${url}/tags`))).toEqual({ 200: 130 });
    expect(await statuses(6, post(`${url}/api/feedback`, feedback))).toEqual({ 200: 6 });
    // Feedback at once, a day and today, of the address and of its /24.
    expect(await nodes.rows('limit_bucket')).toHaveLength(5);
  });
});

it('searches by words are 20 at once and 5 a second through all adapters together, and hold up nothing else', async () => {
  const url = await openNode();
  let n = 0;
  const words = () => `word${n++}`;
  const page = () => get(`${url}/agents?q=${words()}`)();
  const json = () => post(`${url}/api/tools/search_agents`, { query: words() })();
  const mcp = () =>
    rpc(url, modern('tools/call', { name: 'search_agents', arguments: { query: words() } }))();
  expect(await statuses(7, page)).toEqual({ 200: 7 });
  expect(await statuses(7, json)).toEqual({ 200: 7 });
  for (let sent = 0; sent < 6; sent++) expect(await (await mcp()).text()).not.toContain('rate_limited');
  expect(refusalOf(await page())).toEqual([429, '1', '"search";q=20;w=4', '"search";r=0;t=1']);
  expect(refusalOf(await json())).toEqual([429, '1', '"search";q=20;w=4', '"search";r=0;t=1']);
  const registry = (search: string) => get(`${url}/v0.1/servers?search=${search}`)();
  expect(refusalOf(await registry(words()))).toEqual([429, '1', '"search";q=20;w=4', '"search";r=0;t=1']);
  const tagged = await post(`${url}/api/tools/search_agents`, { tag: `unknown${n}` })();
  expect(refusalOf(tagged)).toEqual([429, '1', '"search";q=20;w=4', '"search";r=0;t=1']);
  expect((await registry('')).status).toBe(200);
  expect(await (await mcp()).json()).toMatchObject({
    result: { isError: true, structuredContent: { error: { code: 'rate_limited', retry_after_s: 1 } } },
  });
  expect((await get(`${url}/agents`)()).status).toBe(200);
  expect((await get(`${url}/tags`)()).status).toBe(200);
  expect((await post(`${url}/api/tools/list_tags`, {})()).status).toBe(200);
  expect((await get(`${url}/agents?q=other`, '192.0.2.2')()).status).toBe(200);
  wait(1);
  expect(await statuses(6, page)).toEqual({ 200: 5, 429: 1 });
});

it('/api/mcp takes 60 messages at once and 5 a second, and refuses in JSON-RPC that a script of any site can read', async () => {
  const url = await openNode({ ALLOWED_ORIGINS: 'https://inspector.example' });
  const ask = rpc(url, legacy('ping'), { origin: 'https://inspector.example' });
  expect(await statuses(60, ask)).toEqual({ 200: 60 });
  const refused = await ask();
  expect(refusalOf(refused)).toEqual([429, '1', '"mcp";q=60;w=12', '"mcp";r=0;t=1']);
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
