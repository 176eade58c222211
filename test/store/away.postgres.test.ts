import { readFileSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { runDossier } from '../support/command.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { startPostgres } from '../support/postgres-server.ts';

const token = 'a-token-of-the-operator';
const server = await opened(startPostgres());
const directory = await openedDirectory({
  environment: {
    LIMITS: 'off',
    DATABASE_URL: `${server.url}/postgres`,
    METRICS_PORT: '0',
    OPERATOR_TOKEN: token,
  },
  listening: true,
});
const metrics = await directory.startMetrics();
afterAll(async () => {
  await metrics.stop();
});

const get = (path: string) => fetch(`${directory.url}${path}`);
const post = (path: string, body: object) =>
  fetch(`${directory.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const known = '/agents/co.webhook/webhook';

it('a locked table takes the node out of no balancer, however many requests wait for it', async () => {
  const operator = new Client(`${server.url}/postgres`);
  await operator.connect();
  await operator.query('begin');
  await operator.query('lock table rating in access exclusive mode');
  const waiting = Array.from({ length: 16 }, () =>
    post('/api/tools/list_ratings', { handle: 'co.webhook/webhook' }),
  );
  const locks = 'select count(*)::int as waiting from pg_locks where not granted';
  await expect.poll(async () => (await operator.query(locks)).rows[0].waiting).toBe(8);
  expect((await get('/readyz')).status).toBe(200);
  await operator.query('commit');
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  await operator.end();
});

it('a role or a database that PostgreSQL does not have is named by the commands that read', async () => {
  const operator = new Client(`${server.url}/postgres`);
  await operator.connect();
  const { rows } = await operator.query('show hba_file');
  const rules = readFileSync(rows[0].hba_file, 'utf8');
  writeFileSync(rows[0].hba_file, `host all nobody 127.0.0.1/32 trust\n${rules}`);
  await operator.query('select pg_reload_conf()');
  await operator.end();
  const asNobody = new URL(`${server.url}/postgres`);
  asNobody.username = 'nobody';
  const said = async (url: string) => {
    const { code, stderr } = await runDossier(['reports'], { DATABASE_URL: url });
    return [code, stderr.replaceAll(server.url, '').trim()];
  };
  expect(await said(asNobody.href)).toEqual([74, expect.stringMatching(/role "nobody" does not exist$/)]);
  expect(await said(`${server.url}/nowhere`)).toEqual([
    74,
    expect.stringMatching(/database "nowhere" does not exist$/),
  ]);
});

it('PostgreSQL away answers from its caches, 503 to the rest, and recovers with its database', async () => {
  expect((await get(known)).status).toBe(200);
  expect((await post('/api/feedback', { message: 'before' })).status).toBe(200);
  await server.stop();

  expect((await get(known)).status).toBe(200);
  expect((await get('/healthz')).status).toBe(200);
  expect((await get('/readyz')).status).toBe(503);
  const authorization = `Bearer ${token}`;
  const reports = await fetch(new URL('/reports', metrics.url), { headers: { authorization } });
  expect([reports.status, reports.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await reports.json()).toMatchObject({ status: 503, code: 'unavailable', retry_after_s: 2 });
  expect(await (await fetch(metrics.url)).text()).toContain('dossier_store_up 0\n');
  const refused = await get('/agents/ai.nowhere/nothing.json');
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    503,
    '2',
    { code: 'unavailable', title: 'The service cannot answer right now' },
  ]);
  expect((await post('/api/feedback', { message: 'meanwhile' })).status).toBe(503);
  const params = { name: 'submit_feedback', arguments: { message: 'meanwhile' } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  expect(await (await post('/api/mcp', call)).json()).toMatchObject({
    result: { isError: true, structuredContent: { error: { code: 'unavailable', retry_after_s: 2 } } },
  });

  await server.start();
  await expect.poll(async () => (await get('/readyz')).status, { interval: 50 }).toBe(200);
  expect((await post('/api/feedback', { message: 'after' })).status).toBe(200);
  const stored = await directory.store.feedback.list({ state: 'all' }, 10);
  expect(stored.map(({ message }) => message).sort()).toEqual(['after', 'before']);
  await expect.poll(() => directory.store.isWell()).toBe(true);
});
