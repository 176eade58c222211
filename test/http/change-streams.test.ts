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
