import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purgeLimits } from '../../src/app/purge.ts';
import { modern } from '../support/mcp-requests.ts';
import { createNodes, get, type Nodes, post, refusalOf, rpc, statuses } from '../support/nodes.ts';
import { addSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

let nodes: Nodes;
beforeEach(async () => {
  nodes = await createNodes();
});
afterEach(() => nodes.close());

const openNode = async (environment?: Record<string, string>) =>
  (await nodes.open(environment)).context.config.publicUrl;
const wait = (seconds: number) => nodes.wait(seconds);
const feedback = { message: 'The tag page is empty' };

/** Submits rating `n` about a subject. */
const rate = (url: string, capability: string, n: number, subject: number) =>
  post(
    `${url}/api/tools/submit_rating`,
    ratingOf(`a/subject-${subject}`, {
      interaction_id: `run-${n}`,
      interaction_at: '2026-11-21T09:00:00Z',
      relationship: 'none',
    }),
    { authorization: `Bearer ${capability}` },
  )();

describe('writes of one network, through every adapter and node together', () => {
  const claimForm = (url: string) => () =>
    fetch(`${url}/agents/no/such/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '192.0.2.1' },
    });

  it('claims: 10 at once, one more every 6 seconds', async () => {
    const one = await openNode();
    const two = await openNode();
    const body = { handle: 'no/such' };
    expect(await statuses(3, post(`${one}/api/claim-github`, body))).toEqual({ 404: 3 });
    expect(await statuses(3, post(`${two}/api/tools/claim_agent`, body))).toEqual({ 404: 3 });
    expect(await statuses(2, claimForm(two))).toEqual({ 404: 2 });
    const params = { name: 'claim_agent', arguments: body };
    expect(await statuses(2, rpc(one, modern('tools/call', params)))).toEqual({ 200: 2 });
    for (const ask of [claimForm(one), post(`${two}/api/claim-github`, body)]) {
      const refused = await ask();
      expect(refusalOf(refused)).toEqual([429, '6', '"claim";q=10;w=60', '"claim";r=0;t=6']);
    }
    wait(5);
    expect((await post(`${one}/api/claim-github`, body)()).headers.get('retry-after')).toBe('1');
    wait(1);
    expect(await statuses(2, post(`${two}/api/claim-github`, body))).toEqual({ 404: 1, 429: 1 });
  });

  it('feedback: 3 at once, 5 an hour; what is malformed costs nothing', async () => {
    const one = await openNode();
    const two = await openNode();
    expect(await statuses(5, post(`${one}/api/feedback`, {}))).toEqual({ 422: 5 });
    const calls = Array.from({ length: 10 }, (_, n) => post(`${n % 2 ? one : two}/api/feedback`, feedback)());
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(200),
      ...Array(7).fill(429),
    ]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused && refusalOf(refused)).toEqual([
      429,
      '720',
      '"feedback";q=3;w=2160',
      '"feedback";r=0;t=720',
    ]);
    const other = post(`${two}/api/feedback`, feedback, { 'x-forwarded-for': '192.0.2.2' });
    expect((await other()).status).toBe(200);
    wait(3600);
    expect(await statuses(4, post(`${one}/api/feedback`, feedback))).toEqual({ 200: 3, 429: 1 });
  });

  it('feedback: 20 a day', async () => {
    const url = await openNode({ LIMIT_OVERRIDES: 'feedback=1000/1m' });
    expect(await statuses(20, post(`${url}/api/feedback`, feedback))).toEqual({ 200: 20 });
    expect(refusalOf(await post(`${url}/api/feedback`, feedback)())).toEqual([
      429,
      '4320',
      '"feedback_day";q=20;w=86400',
      '"feedback_day";r=0;t=4320',
    ]);
  });

  it('feedback: a quarter of the day is kept for networks that sent none', async () => {
    const node = await nodes.open();
    const url = node.context.config.publicUrl;
    const add = (count: number) =>
      node.context.store.write(async (tx) => {
        for (let n = 0; n < count; n++)
          await tx.feedback.add({
            id: `${count}-${n}`,
            received_at: nodes.now().toISOString(),
            state: 'open',
            message: 'Flood',
          });
      });
    const send = (address: string) => post(`${url}/api/feedback`, feedback, { 'x-forwarded-for': address })();
    expect((await send('192.0.2.1')).status).toBe(200);
    wait(60);
    await add(1499);
    wait(60);
    const refused = await send('192.0.2.2');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '86280']);
    expect(await refused.json()).toMatchObject({ code: 'feedback_paused', retry_after_s: 86_280 });
    expect((await send('198.51.100.1')).status).toBe(200);
    await add(499);
    expect((await send('203.0.113.1')).status).toBe(503);
    wait(86_281);
    expect((await send('203.0.113.1')).status).toBe(200);
  });

  it('outlive a restart', async () => {
    const before = await openNode();
    await statuses(3, post(`${before}/api/feedback`, feedback));
    await nodes.stop();
    expect((await post(`${await openNode()}/api/feedback`, feedback)()).status).toBe(429);
  });
});

describe('bad capabilities', () => {
  const me = (url: string, headers: Record<string, string>) =>
    get(`${url}/api/capability`, '192.0.2.1', headers);
  const bad = { authorization: 'Bearer dossier_cap_bad' };

  it('are counted through every adapter together, and never 401 or 403 on /api/mcp', async () => {
    const one = await openNode();
    const two = await openNode();
    expect(await statuses(8, me(one, bad))).toEqual({ 401: 8 });
    expect(await statuses(4, me(two, { ...bad, 'x-agent-capability': 'other' }))).toEqual({ 401: 4 });
    const message = modern('tools/call', { name: 'withdraw_rating', arguments: { rating_id: 'x' } });
    for (let count = 0; count < 8; count++) {
      const answer = await rpc(count % 2 ? one : two, message, bad)();
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('"code":"capability_invalid"');
    }
    expect(refusalOf(await me(two, bad)())).toEqual([
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
    nodes.wait(3);
    expect(await statuses(2, me(one, bad))).toEqual({ 401: 1, 429: 1 });
  });
});

describe('ratings of one capability', () => {
  it('are 20 at once and one more a minute, for all nodes together; a replay costs nothing', async () => {
    const node = await nodes.open();
    const one = node.context.config.publicUrl;
    const two = await openNode();
    const capability = await addSource(node.context.store, 30);
    let n = 0;
    expect(await statuses(20, () => rate(n % 2 ? one : two, capability, n, n++))).toEqual({ 200: 20 });
    const refused = await rate(two, capability, 20, 20);
    expect(refusalOf(refused)).toEqual([429, '60', '"rating";q=20;w=1200', '"rating";r=0;t=60']);
    expect(await (await rate(one, capability, 3, 3)).json()).toMatchObject({ status: 'replayed' });
    expect(
      (await node.context.store.ratings.list('a/subject-20', { limit: 5, now: '2026-11-21T00:00:00.000Z' }))
        .length,
    ).toBe(0);
    wait(60);
    n = 20;
    expect(await statuses(2, () => rate(one, capability, n, n++))).toEqual({ 200: 1, 429: 1 });
    wait(1200);
    n = 22;
    const message = (place: number) =>
      modern('tools/call', {
        name: 'submit_rating',
        arguments: ratingOf(`a/subject-${place}`, {
          interaction_id: `later-${place}`,
          interaction_at: '2026-11-21T09:00:00Z',
          outcome: 'failed',
          relationship: 'none',
        }),
      });
    const bearer = { authorization: `Bearer ${capability}` };
    for (let place = 0; place < 20; place++)
      expect(await (await rpc(two, message(place), bearer)()).text()).toContain('"status":"created"');
    const overMcp = await rpc(one, message(20), bearer)();
    expect([overMcp.status, await overMcp.text()]).toEqual([
      200,
      expect.stringContaining('"code":"rate_limited"'),
    ]);
  });

  it('are 10 a day about one subject; what is refused for it costs nothing of the others', async () => {
    const node = await nodes.open();
    const url = node.context.config.publicUrl;
    const capability = await addSource(node.context.store, 30);
    let n = 0;
    expect(await statuses(10, () => rate(url, capability, n++, 0))).toEqual({ 200: 10 });
    expect(refusalOf(await rate(url, capability, 10, 0))).toEqual([
      429,
      '8640',
      '"rating_subject";q=10;w=86400',
      '"rating_subject";r=0;t=8640',
    ]);
    expect(await statuses(11, () => rate(url, capability, n, n++))).toEqual({ 200: 10, 429: 1 });
  });

  it('are 300 a day', async () => {
    const node = await nodes.open({ LIMIT_OVERRIDES: 'rating=1000/1m,mcp=1000/1m' });
    const url = node.context.config.publicUrl;
    const capability = await addSource(node.context.store, 31);
    let n = 0;
    expect(await statuses(300, () => rate(url, capability, n, n++ % 30))).toEqual({ 200: 300 });
    expect(refusalOf(await rate(url, capability, 300, 30))).toEqual([
      429,
      '288',
      '"rating_day";q=300;w=86400',
      '"rating_day";r=0;t=288',
    ]);
  });
});

describe('no address is ever stored', () => {
  const addresses = ['203.0.113.77', '2001:db8:7:7::1'];
  const flood = async (url: string) => {
    for (const address of addresses)
      await post(`${url}/api/feedback`, feedback, { 'x-forwarded-for': address })();
  };
  const keysOf = async () => (await nodes.rows('limit_bucket')).map(({ key, day }) => `${key} ${day}`).sort();

  it('only what a key of the day makes of it', async () => {
    await flood(await openNode());
    // An IPv4 address and its /24, an IPv6 /64 with its /56 and /48; the widest two have sent some today.
    expect((await keysOf()).map((key) => key.replace(/ [\w-]{22} /, ' HMAC '))).toEqual([
      ...Array(5).fill('feedback HMAC 2026-11-21'),
      ...Array(5).fill('feedback_day HMAC 2026-11-21'),
      ...Array(2).fill('feedback_today HMAC 2026-11-21'),
    ]);
    const files = readdirSync(nodes.folder).map((name) => readFileSync(join(nodes.folder, name), 'latin1'));
    const rows = JSON.stringify([await nodes.rows('limit_bucket'), await nodes.rows('limit_key')]);
    for (const kept of [...files, rows])
      for (const text of ['203.0.113.77', '2001:db8:7:7']) expect(kept).not.toContain(text);
  });

  it('and another one the next day, when key and rows of the day before are gone', async () => {
    const node = await nodes.open();
    await flood(node.context.config.publicUrl);
    const before = await keysOf();
    const secrets = await nodes.rows('limit_key');
    nodes.wait(86_400);
    await post(`${node.context.config.publicUrl}/api/feedback`, feedback, {
      'x-forwarded-for': addresses[0] ?? '',
    })();
    const after = await keysOf();
    expect(after.map((key) => key.split(' ').at(-1))).toEqual(Array(5).fill('2026-11-22'));
    const pseudonyms = before.map((key) => key.split(' ')[1]);
    for (const key of after) expect(pseudonyms).not.toContain(key.split(' ')[1]);
    expect(await nodes.rows('limit_key')).toEqual([{ day: '2026-11-22', secret: expect.any(String) }]);
    expect((await nodes.rows('limit_key'))[0]?.secret).not.toBe(secrets[0]?.secret);
  });

  it('purges what a quiet service no longer needs', async () => {
    const node = await nodes.open();
    const capability = await addSource(node.context.store, 1);
    await flood(node.context.config.publicUrl);
    await rate(node.context.config.publicUrl, capability, 0, 0);
    expect(await nodes.rows('limit_bucket')).toHaveLength(15);
    nodes.wait(4400);
    await purgeLimits({ ...node.context, clock: nodes.now });
    expect((await keysOf()).filter((key) => !key.startsWith('feedback_today'))).toEqual([
      expect.stringMatching(/^rating_subject github\.com\/b a\/subject-0 null$/),
    ]);
    nodes.wait(86_400);
    await purgeLimits({ ...node.context, clock: nodes.now });
    expect([...(await nodes.rows('limit_bucket')), ...(await nodes.rows('limit_key'))]).toEqual([]);
  });
});

describe('LIMIT_OVERRIDES', () => {
  it('changes a limit by its name', async () => {
    const url = await openNode({ LIMIT_OVERRIDES: 'feedback=1/10m,pages=7/7s' });
    await post(`${url}/api/feedback`, feedback)();
    expect(refusalOf(await post(`${url}/api/feedback`, feedback)())).toEqual([
      429,
      '600',
      '"feedback";q=1;w=600',
      '"feedback";r=0;t=600',
    ]);
    expect(await statuses(8, get(`${url}/tags`))).toEqual({ 200: 7, 429: 1 });
  });
  it('refuses what is no limit, before anything is opened', async () => {
    await expect(nodes.open({ LIMIT_OVERRIDES: 'claims=1/1m' })).rejects.toThrow(
      'LIMIT_OVERRIDES: no limit is called claims; there are pages, badge, mcp, card, registry, views, export, surface, search, named, rating, ',
    );
    for (const wrong of ['claim', 'claim=0/1m', 'claim=1/0s', 'claim=1/1m,', 'claim=1/1m,,'])
      await expect(nodes.open({ LIMIT_OVERRIDES: wrong })).rejects.toThrow('name=calls/time');
  });
});
