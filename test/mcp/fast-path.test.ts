import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { createUncached, post } from '../support/answer-cache.ts';
import type { Directory } from '../support/directory.ts';
import { legacy, modern } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';

const feedback = { name: 'submit_feedback', arguments: { message: 'Waits for the writer.' } };
const ping = legacy('ping');

async function whileNothingIsWritten({ store }: Directory, work: () => Promise<void>): Promise<void> {
  const held = Promise.withResolvers<void>();
  const writing = store.write(() => held.promise);
  try {
    await work();
  } finally {
    held.resolve();
    await writing;
  }
}

describe('a message whose body is read before the app', () => {
  it('is unavailable after the time-out, with the words and headers of the app', async () => {
    const directory = await openedDirectory({
      environment: { LIMITS: 'off' },
      timeouts: { mcpAnswer_ms: 200 },
    });
    const app = createUncached(directory.context);
    await whileNothingIsWritten(directory, async () => {
      for (const message of [legacy('tools/call', feedback), modern('tools/call', feedback)]) {
        const [fast, plain] = await Promise.all([post(directory.app, message), post(app, message)]);
        expect(fast).toEqual(plain);
        expect(fast.status).toBe(503);
        expect(fast.headers['retry-after']).toBe('1');
        expect(fast.headers['x-content-type-options']).toBe('nosniff');
        expect(JSON.parse(fast.body)).toMatchObject({ error: { data: { code: 'unavailable' } } });
      }
    });
    const isAnswered = async () => (await post(directory.app, legacy('tools/call', feedback))).status;
    await expect.poll(isAnswered).toBe(200);
    await app.close();
  });

  it('is one of 200 at a time, and runs again when they have ended', async () => {
    const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
    let waiting: ReturnType<typeof post>[] = [];
    await whileNothingIsWritten(directory, async () => {
      waiting = Array.from({ length: 200 }, () => post(directory.app, legacy('tools/call', feedback)));
      await expect
        .poll(() => post(directory.app, ping))
        .toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    });
    for (const answer of waiting) expect((await answer).status).toBe(200);
    expect((await post(directory.app, ping)).status).toBe(200);
  });

  it('is not answered with what became too old while its body arrived', async () => {
    const directory = await openedDirectory({ listening: true, environment: { LIMITS: 'off' } });
    const { headers, body } = legacy('tools/call', {
      name: 'search_agents',
      arguments: { query: 'webhook' },
    });
    const results: unknown[] = [];
    const stop = onMeasured(({ labels: { memory, result } }) => memory === 'answers' && results.push(result));
    const ask = async (wait_s: number) => {
      const length = { 'content-length': Buffer.byteLength(body), expect: '100-continue' };
      const sending = request(`${directory.url}/api/mcp`, {
        method: 'POST',
        headers: { ...headers, ...length },
      });
      sending.flushHeaders();
      // Sent when the service has read the headers.
      await once(sending, 'continue');
      directory.wait(wait_s);
      sending.end(body);
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      await buffer(answer);
    };
    for (const wait_s of [0, 0, 61]) await ask(wait_s);
    expect(results).toEqual(['miss', 'hit', 'miss']);
    stop();
  });

  it('is refused once the service drains, as by the app', async () => {
    const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
    const app = createUncached(directory.context);
    expect((await post(directory.app, ping)).status).toBe(200);
    await Promise.all([directory.app.close(), app.close()]);
    const refused = await post(directory.app, ping);
    expect(refused).toEqual(await post(app, ping));
    expect(JSON.parse(refused.body)).toMatchObject({ error: { data: { code: 'draining' } } });
  });

  it('counts once against the limit of messages', async () => {
    const directory = await openedDirectory({ environment: { LIMIT_OVERRIDES: 'mcp=3/1m' } });
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await post(directory.app, ping)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('is left to the app with a capability: of two headers Node would keep the first', async () => {
    const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
    const app = createUncached(directory.context);
    const params = { name: 'withdraw_rating', arguments: { rating_id: 'x', reason: 'other' } };
    const message = legacy('tools/call', params);
    const bearer = (letter: string) => `Bearer dossier_cap_${letter.repeat(49)}`;
    for (const [authorization, code] of [
      [[bearer('A'), bearer('B')], 'capability_conflict'],
      [['Basic x', bearer('B')], 'capability_invalid'],
    ] as const) {
      const sent = { ...message, headers: { ...message.headers, authorization } as never };
      const fast = await post(directory.app, sent);
      expect(fast).toEqual(await post(app, sent));
      expect(JSON.parse(fast.body)).toMatchObject({ result: { structuredContent: { error: { code } } } });
    }
    await app.close();
  });

  it('of a program that only prefetches asks for no check', async () => {
    const directory = await openedDirectory({ environment: { LIMITS: 'off', OBSERVE: 'on' } });
    const asked: string[] = [];
    directory.context.askedChecks.read = ({ handle }) => asked.push(handle) > 100;
    const message = legacy('tools/call', { name: 'get_agent', arguments: { handle: 'co.webhook/webhook' } });
    await post(directory.app, message, { 'sec-purpose': 'prefetch' });
    expect(asked).toEqual([]);
    const other = legacy('tools/call', {
      name: 'get_agent',
      arguments: { handle: 'com.politicalcomms/api' },
    });
    await post(directory.app, other);
    expect(asked).toEqual(['com.politicalcomms/api']);
  });

  it('names this service in Host with a port that there is', async () => {
    const directory = await openedDirectory();
    const app = createUncached(directory.context);
    const statuses = [];
    for (const host of ['localhost:1', 'localhost:65535', 'localhost:65536', '[::1]:99999']) {
      const fast = await post(directory.app, ping, { host });
      expect(fast.status).toBe((await post(app, ping, { host })).status);
      statuses.push(fast.status);
    }
    expect(statuses).toEqual([200, 200, 400, 400]);
    await app.close();
  });
});
