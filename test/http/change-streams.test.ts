import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';

let directory: Directory;
let unlimited: Directory;
beforeAll(async () => {
  directory = await openDirectory();
  unlimited = await openDirectory({ environment: { LIMITS: 'off' } });
});
afterAll(async () => {
  await directory.close();
  await unlimited.close();
});

const ask = async ({ app }: Directory, method = 'GET') =>
  app.request('/changes', { method, headers: { accept: 'text/event-stream' } });

it('HEAD opens no stream: any number of them leaves room for readers', async () => {
  for (let n = 0; n < 205; n += 1) expect((await ask(unlimited, 'HEAD')).status).toBe(200);
  const answer = await ask(unlimited);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  await answer.body?.cancel();
});

it('one network has 20 streams at most, and another one when it closes one', async () => {
  const streams = [];
  for (let n = 0; n < 20; n += 1) streams.push(await ask(directory));
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const refused = await ask(directory);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  await streams.pop()?.body?.cancel();
  const next = await vi.waitFor(async () => {
    const answer = await ask(directory);
    expect(answer.status).toBe(200);
    return answer;
  }, 10_000);
  await Promise.all([...streams, next].map(async ({ body }) => body?.cancel()));
});

it.each([
  ['an IPv4 /24', 100, (n: number) => `192.0.2.${n}`, '198.51.100.1'],
  ['an IPv6 /56', 80, (n: number) => `2001:db8:1:${n.toString(16)}::1`, '2001:db8:1:100::1'],
  ['an IPv6 /48', 100, (n: number) => `2001:db8:2:${(n * 256).toString(16)}::1`, '2001:db8:3::1'],
])('%s has %i streams at most, and leaves places for others', async (_, most, toAddress, outside) => {
  const proxied = await openDirectory({ listening: true, environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  const open = (address: string) =>
    fetch(`${proxied.url}/changes`, {
      headers: { accept: 'text/event-stream', 'x-forwarded-for': address },
    });
  const streams = [];
  for (let n = 0; n < most; n += 1) streams.push(await open(toAddress(n)));
  expect(streams.filter(({ status }) => status !== 200)).toEqual([]);
  const refused = await open(toAddress(201));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  expect(await refused.json()).toMatchObject({
    detail: expect.stringContaining(
      `The networks around this one have at most ${most} streams open at a time; try again later.`,
    ),
  });
  const other = await open(outside);
  expect(other.status).toBe(200);
  await Promise.all([...streams, other].map(async ({ body }) => body?.cancel()));
  await proxied.close();
});
