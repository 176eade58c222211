import { expect, it } from 'vitest';
import { startObserving } from '../../src/observations/schedule.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { opened } from '../support/opened.ts';

const handle = 'co.webhook/webhook';
let tools = [{ name: 'replay', description: 'Replays a webhook' }];

const endpoint = await opened(startModernServer(() => tools));
const service = await opened(
  openClaimedDirectory({
    hosts: { 'mcp.webhook.co': endpoint },
    environment: { LIMITS: 'on', OBSERVE: 'on' },
  }),
);
const capability = await service.claim(handle, 'webhook-co/webhook');

const ask = (as?: string) => service.post('/api/capability/check', {}, as);

async function toolsSeen(): Promise<unknown> {
  const known = await service.store.observations.ofListing(handle);
  return known?.observations.find(({ kind }) => kind === 'tools.count')?.value;
}

const until = (value: number) => expect.poll(toolsSeen).toBe(value);

it('says so where this process does not observe', async () => {
  const answer = await ask(capability);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    detail: expect.stringContaining('This service does not check listings itself (OBSERVE).'),
  });
});

it('looks at once for the holder of the capability, every ten minutes', async () => {
  const stopping = new AbortController();
  const observing = startObserving(service.context, stopping.signal);
  await until(1);
  tools = [...tools, { name: 'drop', description: 'Drops a webhook' }];
  expect((await ask()).status).toBe(401);
  const answer = await ask(capability);
  expect(answer.status).toBe(200);
  const { asked_at, next_at } = (await answer.json()) as { asked_at: string; next_at: string };
  expect(Date.parse(next_at) - Date.parse(asked_at)).toBe(600_000);
  await until(2);
  const again = await ask(capability);
  expect(again.status).toBe(429);
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(590);
  service.wait(601);
  const path = `/agents/${handle}/check`;
  expect(await (await service.app.request(`/agents/${handle}/claim`)).text()).toContain(`action="${path}"`);
  const send = (key: string) =>
    service.app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      body: new URLSearchParams({ capability: key }).toString(),
    });
  expect((await send('')).status).toBe(401);
  const sent = await send(` ${capability} `);
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/agents/${handle}`]);
  const soon = await send(capability);
  expect([soon.status, await soon.text()]).toEqual([429, expect.stringContaining('Nothing was done.')]);
  stopping.abort();
  await observing;
  expect((await ask(capability)).status).toBe(404);
});
