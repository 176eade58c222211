import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSelectionJudge } from '../../src/selections/judging.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';
import { operationsOf } from '../support/operations.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let service: Directory;
let receiver: Receiver;
let days = 0;
const later = { updatedAt: '2026-11-01T08:00:00Z' };
const evenLater = { updatedAt: '2026-11-02T08:00:00Z' };
const views = join(openFolder(), 'views.json');
writeFileSync(
  views,
  '{"with-endpoint": {"title": "With an endpoint", "criteria": [{"criterion": "has_endpoint"}]}}',
);

beforeEach(async () => {
  receiver = await startReceiver();
  service = await openDirectory({
    entries: ['com.example/one', 'com.example/two', 'org.other/three'].map((name) => registryEntry(name)),
    environment: {
      LIMITS: 'off',
      VIEWS: views,
      WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': receiver.url }),
    },
  });
});
afterEach(async () => {
  await receiver.close();
  await service.close();
});

const request = (method: string, path: string, body?: object, secret?: string) =>
  service.app.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(secret && { authorization: `Bearer ${secret}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
async function register(filter: object = {}): Promise<{ id: string; secret: string }> {
  const answer = await request('POST', '/api/webhooks', { url: 'https://hook.example/in', ...filter });
  expect(answer.status).toBe(200);
  const webhook = (await answer.json()) as { id: string; secret: string };
  receiver.secret = webhook.secret;
  return webhook;
}
/** Each name gets a new description, one import after the other. */
async function change(...names: string[]): Promise<void> {
  for (const name of names) {
    days += 1;
    const time = new Date(Date.parse('2026-10-01T00:00:00Z') + days * 60_000).toISOString();
    await service.importEntries([
      registryEntry(name, { description: `Description ${days}` }, { updatedAt: time }),
    ]);
  }
}
const handles = () => receiver.posted.map(({ handle }) => handle);
const stateOf = async ({ id, secret }: { id: string; secret: string }) =>
  (await (await request('GET', `/api/webhooks/${id}`, undefined, secret)).json()) as Record<string, unknown>;

it('posts changes in their order, signed so that the package of Standard Webhooks accepts them', async () => {
  const webhook = await register();
  await change('com.example/one', 'org.other/three', 'com.example/one');
  await service.deliver();
  expect(handles()).toEqual(['com.example/one', 'org.other/three', 'com.example/one']);
  const { headers, body } = receiver.requests.at(-1) ?? { headers: {}, body: '' };
  const [, , line = ''] = (await (await service.app.request('/changes')).text()).split('\n');
  const { at, id } = JSON.parse(line) as { at: string; id: string };
  expect(JSON.parse(body)).toEqual({ ...JSON.parse(line), timestamp: at });
  expect(headers['webhook-id']).toBe(`evt_${id}`);
  expect(headers['content-type']).toBe('application/json');
  const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  expect(await stateOf(webhook)).toMatchObject({ state: 'active', delivered: 3, position: 3, about: 'all' });
  await service.deliver();
  expect(handles()).toHaveLength(3);
});

it('posts in one turn more changes than it stores at a time', async () => {
  await register();
  await service.importEntries(Array.from({ length: 25 }, (_, at) => registryEntry(`com.many/n${at}`)));
  await service.deliver();
  expect(new Set(handles()).size).toBe(25);
});

it('posts only what it is about: a listing, a publisher', async () => {
  const one = await register({ handle: 'com.example/one' });
  await change('com.example/two', 'com.example/one', 'org.other/three');
  await service.deliver();
  expect(handles()).toEqual(['com.example/one']);
  await request('DELETE', `/api/webhooks/${one.id}`, undefined, one.secret);
  await register({ publisher: 'org.other' });
  await change('com.example/one', 'org.other/three');
  await service.deliver();
  expect(handles().slice(1)).toEqual(['org.other/three']);
});

it('keeps the changes of a view until all listings are judged by its new criteria', async () => {
  const byView = await register({ view: 'with-endpoint' });
  const view = {
    name: 'with-endpoint',
    file: 'views.json',
    title: 'All',
    criteria: [{ criterion: 'active' as const }],
  };
  const config = { ...service.context.config, views: [{ ...view, unknown: 'exclude' as const }] };
  const context = { ...service.context, config };
  const other = operationsOf(context);
  await change('com.example/one');
  await other.deliver();
  expect(handles()).toEqual([]);
  await createSelectionJudge(context).pass();
  await other.deliver();
  expect(handles()).toEqual(['com.example/one']);
  expect(await stateOf(byView)).toMatchObject({ delivered: 1 });
});

it('posts changes of listings that have a tag, or are in a view, and those by which they lose it', async () => {
  const remotes = [{ type: 'streamable-http', url: 'https://mcp.example.com/mcp' }];
  await service.importEntries([
    registryEntry('net.mail/api', { description: 'Sends email', remotes }),
    registryEntry('net.plain/api', { description: 'Sends nothing' }),
  ]);
  const byView = await register({ view: 'with-endpoint' });
  await change('com.example/one');
  await service.importEntries([
    registryEntry('net.mail/api', { description: 'Sends email, faster', remotes }, later),
  ]);
  await service.deliver();
  expect(handles()).toEqual(['net.mail/api']);
  expect(await stateOf(byView)).toMatchObject({ about: 'view:with-endpoint', delivered: 1 });
  await service.importEntries([
    registryEntry('net.mail/api', { description: 'Sends email, faster' }, evenLater),
  ]);
  await service.deliver();
  expect(receiver.posted.map(({ type }) => type)).toEqual([
    'listing.changed',
    'listing.changed',
    'view.left',
  ]);
  await request('DELETE', `/api/webhooks/${byView.id}`, undefined, byView.secret);
  receiver.posted.length = 0;
  const byTag = await register({ tag: 'email' });
  const third = { updatedAt: '2026-11-03T08:00:00Z' };
  await service.importEntries([
    registryEntry('net.plain/api', { description: 'Still sends nothing' }, later),
    registryEntry('net.mail/api', { description: 'Sends email, slower' }, third),
  ]);
  await service.deliver();
  expect(handles()).toEqual(['net.mail/api']);
  expect(await stateOf(byTag)).toMatchObject({ about: 'tag:email', delivered: 1 });
  const fourth = { updatedAt: '2026-11-04T08:00:00Z' };
  await service.importEntries([registryEntry('net.mail/api', { description: 'Sends nothing' }, fourth)]);
  await service.deliver();
  expect(handles(), 'the change that took the tag from it').toEqual(['net.mail/api', 'net.mail/api']);
});

it('does not repeat a change of a listing that has lost the tag meanwhile', async () => {
  const put = (description: string, at: Record<string, unknown>) =>
    service.importEntries([registryEntry('net.mail/api', { description }, at)]);
  await put('Sends email', {});
  await register({ tag: 'email' });
  receiver.answer = (_posted, response) => void response.writeHead(500).end();
  await put('Sends email, faster', later);
  await service.deliver();
  receiver.answer = (_posted, response) => void response.writeHead(204).end();
  await put('Sends nothing', evenLater);
  service.wait(6);
  for (let turn = 0; turn < 3; turn += 1) await service.deliver();
  const [first, ...others] = receiver.posted.map(({ seq }) => seq);
  expect(others).toEqual([Number(first) + 1]);
});

it('lets an address rest that is slow to accept, thirty times as long as it took', async () => {
  const webhook = await register();
  receiver.answer = (_posted, response) => void setTimeout(() => response.writeHead(204).end(), 500);
  await change('com.example/one', 'com.example/two');
  const timeouts = { ...service.context.timeouts, webhook_ms: 60_000, webhookSlow_ms: 400 };
  await operationsOf({ ...service.context, timeouts }).deliver();
  const { rest_until, ...state } = await stateOf(webhook);
  expect(state).toMatchObject({ delivered: 1, failures: 0 });
  expect(Date.parse(String(rest_until)) - Date.parse(String(state.delivered_at))).toBeGreaterThan(14_000);
  await service.deliver();
  expect(await stateOf(webhook)).toMatchObject({ delivered: 1 });
  // It rests longer if a busy machine made it slower.
  service.wait((Date.parse(String(rest_until)) - service.context.clock().getTime()) / 1000 + 1);
  receiver.answer = (_posted, response) => void response.writeHead(204).end();
  await service.deliver();
  expect(await stateOf(webhook)).toMatchObject({ delivered: 2, failures: 0 });
});

it('begins with the changes after it was registered', async () => {
  await change('com.example/one');
  await register();
  await change('com.example/two');
  await service.deliver();
  expect(handles()).toEqual(['com.example/two']);
});

it('holds back later changes of a listing that failed, and no other listing', async () => {
  const webhook = await register();
  const refused: number[] = [];
  receiver.answer = ({ seq, handle }, response) => {
    const isRefused = handle === 'com.example/one' && refused.length < 1;
    if (isRefused) refused.push(seq);
    response.writeHead(isRefused ? 500 : 204).end();
  };
  await change('com.example/one', 'com.example/two', 'com.example/one', 'org.other/three');
  await service.deliver();
  expect(handles()).toEqual(['com.example/one', 'com.example/two', 'org.other/three']);
  await service.deliver();
  expect(handles()).toHaveLength(3);
  service.wait(6);
  await service.deliver();
  await service.deliver();
  expect(receiver.posted.map(({ seq }) => seq)).toEqual([1, 2, 4, 1, 3]);
  expect(new Set(receiver.posted.filter(({ seq }) => seq === 1).map(({ id }) => id)).size).toBe(1);
  expect(await stateOf(webhook)).toMatchObject({ delivered: 4, failures: 0 });
});

it('leaves an address alone that is down, and sends everything once it is up again', async () => {
  const webhook = await register();
  const { port } = new URL(receiver.url);
  await receiver.close();
  await change('com.example/one', 'com.example/two', 'com.example/one', 'org.other/three', 'com.example/two');
  await service.deliver();
  expect(await stateOf(webhook)).toMatchObject({
    state: 'active',
    failures: 3,
    delivered: 0,
    last_result: 'host_unreachable',
    rest_until: expect.stringMatching(/^20/),
  });
  receiver = await startReceiver(Number(port));
  receiver.secret = webhook.secret;
  await service.deliver();
  expect(handles()).toEqual([]);
  service.wait(6);
  for (let turn = 0; turn < 4; turn += 1) await service.deliver();
  expect(receiver.posted[0]?.seq).toBe(1);
  expect(receiver.posted.map(({ seq }) => seq).toSorted()).toEqual([1, 2, 3, 4, 5]);
  const ofListing = (name: string) =>
    receiver.posted.filter(({ handle }) => handle === name).map(({ seq }) => seq);
  expect([ofListing('com.example/one'), ofListing('com.example/two')]).toEqual([
    [1, 3],
    [2, 5],
  ]);
  expect(await stateOf(webhook)).toMatchObject({ delivered: 5, failures: 0 });
});

it('ends with 410, and sends nothing more', async () => {
  const webhook = await register();
  receiver.answer = (_posted, response) => void response.writeHead(410).end();
  await change('com.example/one', 'com.example/two');
  await service.deliver();
  service.wait(90_000);
  await service.deliver();
  expect(handles()).toEqual(['com.example/one']);
  expect(await stateOf(webhook)).toMatchObject({ state: 'gone', last_result: 'HTTP 410' });
});

it('counts a slow answer and a redirect as failures, and follows none', async () => {
  const webhook = await register();
  receiver.answer = ({ seq }, response) => {
    if (seq === 1) return;
    response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
  };
  await change('com.example/one');
  const timeouts = { ...service.context.timeouts, webhook_ms: 100 };
  await operationsOf({ ...service.context, timeouts }).deliver();
  expect(await stateOf(webhook)).toMatchObject({ failures: 1, last_result: 'host_timeout' });
  await change('com.example/two');
  await service.deliver();
  expect(await stateOf(webhook)).toMatchObject({ failures: 2, last_result: 'HTTP 307' });
  expect(receiver.requests).toHaveLength(3);
});

it('comes back when the address says so', async () => {
  const webhook = await register();
  receiver.answer = (_posted, response) => void response.writeHead(429, { 'retry-after': '240' }).end();
  await change('com.example/one', 'com.example/two');
  await service.deliver();
  service.wait(200);
  await service.deliver();
  expect(handles()).toEqual(['com.example/one']);
  receiver.answer = (_posted, response) => void response.writeHead(200).end('ok');
  service.wait(60);
  await service.deliver();
  await service.deliver();
  expect(handles()).toEqual(['com.example/one', 'com.example/one', 'com.example/two']);
  expect(await stateOf(webhook)).toMatchObject({ delivered: 2, failures: 0 });
});

it('lets a change that fails wait its own time, also when the address has just recovered', async () => {
  await register();
  receiver.answer = (_posted, response) => void response.writeHead(503, { 'retry-after': '60' }).end();
  await change('com.example/one', 'com.example/two');
  await service.deliver();
  receiver.answer = ({ seq }, response) => void response.writeHead(seq === 2 ? 500 : 204).end();
  service.wait(61);
  await service.deliver();
  await service.deliver();
  expect(receiver.posted.map(({ seq }) => seq)).toEqual([1, 1, 2]);
});

it('tries a change ten times, after pauses of 5 s to a day, and ten times more when it is replayed', async () => {
  const DATABASE_URL = await createSharedDatabase();
  const other = await openedDirectory({
    entries: [registryEntry('com.example/one')],
    environment: { DATABASE_URL, WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': receiver.url }) },
  });
  const answer = await other.post('/api/webhooks', { url: 'https://hook.example/in' });
  const { id } = (await answer.json()) as { id: string };
  await other.importEntries([registryEntry('com.example/one', { description: 'Another' }, later)]);
  // The receiver knows no secret, and refuses everything.
  const attempts = () => receiver.requests.length - 1;
  const tryTenTimes = async (before: number) => {
    await other.deliver();
    for (const [at, pause_s] of [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
      other.wait(pause_s * 0.9);
      if (at > 0) {
        await other.deliver();
        expect(attempts()).toBe(before + at + 1);
      }
      other.wait(pause_s * 0.2 + 1);
      expect(await other.store.webhooks.dead(10)).toEqual([]);
      await other.deliver();
    }
    expect(attempts()).toBe(before + 10);
    expect(await other.store.webhooks.dead(10)).toMatchObject([{ seq: 1, attempts: 10, state: 'dead' }]);
    other.wait(2 * 86_400);
    await other.deliver();
    expect(attempts()).toBe(before + 10);
  };
  await tryTenTimes(0);
  expect(await runDossier(['webhooks', 'replay', id], { DATABASE_URL, REGISTRY_URL: 'off' })).toMatchObject({
    stdout: 'sent again: 1 dead letter; the webhook is active\n',
  });
  await tryTenTimes(10);
});

it('ends when an address accepted nothing for five days', async () => {
  const webhook = await register();
  receiver.answer = (_posted, response) => void response.writeHead(500).end();
  await change('com.example/one');
  await service.deliver();
  service.wait(5 * 86_400 + 1);
  await service.deliver();
  expect(await stateOf(webhook)).toMatchObject({ state: 'failing', failures: 2 });
});

it('has no text of a publisher in what it keeps, and sends none of a listing that was withdrawn meanwhile', async () => {
  await register();
  receiver.answer = (_posted, response) => void response.writeHead(503).end();
  await change('com.example/one');
  await service.deliver();
  await service.importEntries([
    registryEntry('com.example/one', { description: 'Description 99' }, { status: 'deleted' }),
  ]);
  receiver.answer = (_posted, response) => void response.writeHead(204).end();
  service.wait(6);
  await service.deliver();
  await service.deliver();
  const bodies = receiver.requests.slice(-2).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies.map(({ type, data }) => [type, data])).toEqual([
    ['listing.changed', { fields: ['description'] }],
    ['listing.withdrawn', { reason: 'deleted', gave_reason: false }],
  ]);
});

it('loses no change if the store fails while it is written that one was not accepted', async () => {
  const DATABASE_URL = await createSharedDatabase();
  const other = await openedDirectory({
    entries: [registryEntry('com.example/one')],
    environment: { DATABASE_URL, WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': receiver.url }) },
  });
  const answer = await other.post('/api/webhooks', { url: 'https://hook.example/in' });
  receiver.secret = ((await answer.json()) as { secret: string }).secret;
  await other.importEntries([
    registryEntry('com.example/one', { description: 'Another' }, later),
    ...Array.from({ length: 20 }, (_, at) => registryEntry(`org.other/n${at}`, {}, later)),
  ]);
  let isAway = false;
  receiver.answer = async ({ handle }, response) => {
    if (!isAway) await editDatabase(DATABASE_URL, 'alter table webhook_delivery rename to away');
    isAway = true;
    response.writeHead(handle === 'com.example/one' ? 500 : 204).end();
  };
  await other.deliver();
  expect(receiver.posted.length).toBe(21);
  await editDatabase(DATABASE_URL, 'alter table away rename to webhook_delivery');
  receiver.answer = (_posted, response) => void response.writeHead(204).end();
  other.wait(60);
  await other.deliver();
  expect(handles().filter((handle) => handle === 'com.example/one').length).toBe(2);
});
