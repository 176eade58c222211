import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSubscriptions } from '../../src/mcp/subscriptions.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { modern } from '../support/mcp-requests.ts';

let directory: Directory;
beforeAll(async () => {
  directory = await openDirectory({ environment: { LIMITS: 'off' }, timeouts: { subscription_ms: 200 } });
});
afterAll(() => directory.close());

it('a subscription ends by itself after its lifetime, and the client opens it again', async () => {
  const notifications = { resourceSubscriptions: ['agent://co.webhook/webhook'] };
  const listen = () =>
    directory.app.request('/api/mcp', {
      method: 'POST',
      ...modern('subscriptions/listen', { notifications }),
    });
  // Eight at a time are open for one network: the ninth needs the lifetime of the first ones to be over.
  for (const round of [1, 2]) {
    const streams = await Promise.all(Array.from({ length: 8 }, listen));
    expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const stream of streams)
      expect(await stream.text(), `round ${round}`).toContain('notifications/subscriptions/acknowledged');
  }
});

/** 1,000 streams of 125 networks of one /48, and what was logged. */
function fillAll() {
  const lines: string[] = [];
  const subscriptions = createSubscriptions(600_000, { warn: (line: string) => void lines.push(line) });
  const open = (network: string) => subscriptions.open(network, ['agent://a/b']);
  const streams = Array.from({ length: 1000 }, (_, n) => open(`2001:db8:0:${(n % 125).toString(16)}::/64`));
  return { open, streams, lines };
}

it('where all are taken, the oldest of the biggest network ends for one of another network', () => {
  const { open, streams, lines } = fillAll();
  open('192.0.2.1');
  expect(streams.filter(({ ended }) => ended.aborted)).toEqual([streams[0]]);
  expect(lines).toEqual([]);
});

it('a further one of the biggest network is unavailable, which is logged once', () => {
  const { open, streams, lines } = fillAll();
  for (const network of ['2001:db8:0:ffff::/64', '2001:db8:0:fffe::/64'])
    expect(() => open(network)).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        facts: { retry_after_s: 60, detail: 'All subscriptions are taken.' },
      }),
    );
  expect(lines).toEqual(['all 1000 subscriptions are taken; further ones of big networks are refused']);
  streams[5]?.end();
  expect(open('2001:db8:0:ffff::/64').ended.aborted).toBe(false);
});
