import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServiceMetrics } from '../../src/cli/serve.ts';
import type { Metrics } from '../../src/telemetry/metrics.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type AnyClient, connect } from '../support/mcp-clients.ts';

let directory: Directory;
let metrics: Metrics;
beforeEach(async () => {
  directory = await openDirectory({ listening: true, environment: { METRICS_PORT: '0', LIMITS: 'off' } });
  metrics = await directory.startMetrics();
});
afterEach(async () => {
  await metrics.stop();
  await directory.close();
});

const post = (path: string, body: object) =>
  fetch(`${directory.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const get = async (path: string) => (await fetch(`${directory.url}${path}`)).text();
const text = async () => (await fetch(metrics.url)).text();
/** The samples of one metric by their labels; `''` where there are none. */
const read = async (name: string) =>
  Object.fromEntries(
    [...(await text()).matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(
      ([, labels = '', value]) => [labels, Number(value)],
    ),
  );

describe('metrics', () => {
  it('are the text form of Prometheus, with those of the process', async () => {
    const { status, headers } = await fetch(metrics.url);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(await text()).toContain('# TYPE dossier_http_request_seconds histogram\n');
    const [memory] = Object.values(await read('process_resident_memory_bytes'));
    expect(memory).toBeGreaterThan(10_000_000);
    expect(Object.keys(await read('nodejs_eventloop_lag_p99_seconds'))).toEqual(['']);
    expect(metrics.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  });
  it('count what people wrote', async () => {
    await post('/api/tools/submit_feedback', { message: 'I looked for a service that translates' });
    const report = { message: 'It names me', category: 'report', handle: 'co.webhook/webhook' };
    await post('/api/tools/submit_feedback', report);
    await post('/api/tools/submit_feedback', report);
    expect([
      await read('dossier_claims'),
      await read('dossier_ratings'),
      await read('dossier_feedback_open'),
      await read('dossier_reports_open'),
    ]).toEqual([{ 'state="claimed"': 0, 'state="suspended"': 0 }, { '': 0 }, { '': 1 }, { '': 2 }]);
  });
  it('count requests by a fixed set of routes, whatever the path', async () => {
    await get('/');
    await get('/agents/co.webhook/webhook');
    for (let at = 0; at < 20; at++) await get(`/agents/com.example/n${at}?q=${at}`);
    for (let at = 0; at < 20; at++) await get(`/there-is-no-${at}/x`);
    expect(await read('dossier_http_requests_total')).toEqual({
      'route="home",status="200"': 1,
      'route="agents",status="200"': 1,
      'route="agents",status="404"': 20,
      'route="other",status="404"': 20,
    });
    expect(await read('dossier_http_request_seconds_count')).toEqual({
      'route="home"': 1,
      'route="agents"': 21,
      'route="other"': 20,
    });
    expect(await text()).not.toMatch(/webhook\/|webhook\.co|example|there-is-no|127\.0\.0\.1/);
  });
  it('count calls of tools by outcome, the same over every adapter', async () => {
    for (const client of [
      await connect('v2 at 2026-07-28', directory),
      await connect('v1', directory),
    ] as AnyClient[]) {
      for (let call = 0; call < 3; call++) await client.call('get_agent', { handle: 'co.webhook/webhook' });
      await client.close();
    }
    await post('/api/tools/get_agent', { handle: 'co.webhook/webhook' });
    await post('/api/tools/get_agent', { handle: 'co.webhook/nothing' });
    await post('/api/tools/get_agent', { handle: 'no//thing' });
    expect(await read('dossier_tool_calls_total')).toEqual({
      'tool="get_agent",outcome="ok"': 7,
      'tool="get_agent",outcome="unknown_handle"': 1,
      'tool="get_agent",outcome="invalid_handle"': 1,
    });
    await get('/compare?handle=co.webhook/webhook&handle=co.webhook/nothing');
    expect(await read('dossier_tool_calls_total')).toMatchObject({ 'tool="compare_agents",outcome="ok"': 1 });
  });
  it('count reads of memories', async () => {
    await post('/api/tools/get_agent', { handle: 'co.webhook/webhook' });
    await post('/api/tools/get_agent', { handle: 'co.webhook/webhook' });
    for (let page = 0; page < 3; page++) await post('/api/tools/search_agents', { tags: ['webhooks'] });
    expect(await read('dossier_memory_reads_total')).toMatchObject({
      'memory="facts",result="miss"': 1,
      'memory="facts",result="hit"': 1,
      'memory="counts",result="miss"': 1,
      'memory="counts",result="hit"': 2,
    });
  });
  it('time writes', async () => {
    expect(await read('dossier_store_write_seconds_count')).toEqual({ '': 0 });
    await post('/api/feedback', { message: 'A plain message' });
    const [count] = Object.values(await read('dossier_store_write_seconds_count'));
    expect(count).toBeGreaterThan(0);
    expect((await read('dossier_store_write_seconds_bucket'))['le="+Inf"']).toBe(count);
  });
  it('show the age of the import and its counts', async () => {
    expect(await read('dossier_listings')).toEqual({ '': 2 });
    expect(await read('dossier_import_last_success')).toMatchObject({
      'count="rows_new"': 2,
      'count="rows_quarantined"': 0,
    });
    const [imported_at = 0] = Object.values(await read('dossier_import_last_success_timestamp_seconds'));
    expect(Math.abs(Date.now() / 1000 - imported_at)).toBeLessThan(60);
    expect(await read('dossier_store_up')).toEqual({ '': 1 });
  });
  it('remain available when the database does not answer, and report it', async () => {
    await text();
    await directory.store.close();
    expect(await read('dossier_store_up')).toEqual({ '': 0 });
    expect(await read('dossier_listings')).toEqual({ '': 2 });
    directory = await openDirectory({ environment: { METRICS_PORT: '0' } });
  });
  it('are nowhere else, and nothing else is there', async () => {
    expect((await fetch(`${directory.url}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/', metrics.url))).status).toBe(404);
    expect((await fetch(metrics.url, { method: 'POST' })).status).toBe(404);
    expect(
      await startServiceMetrics({
        ...directory.context,
        config: { ...directory.context.config, metricsListener: undefined },
      }),
    ).toBe(undefined);
  });
});

describe('METRICS_PORT', () => {
  const settings = { DATABASE_URL: ':memory:', REGISTRY_URL: 'off', PORT: '0', LOG_FORMAT: 'json' };
  it('is logged with its address', async () => {
    const service = startDossier([], { ...settings, METRICS_PORT: '[::1]:0' });
    let log = '';
    service.child.stderr?.on('data', (lines: string) => {
      log += lines;
    });
    await service.line(/^listening on /m);
    await expect.poll(() => log).toMatch(/"url":"http:\/\/\[::1\]:\d+\/metrics"/);
    const [, url = ''] = /"url":"([^"]+)"/.exec(log) ?? [];
    expect(await (await fetch(url)).text()).toContain('dossier_store_up 1\n');
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
  });
  it.each([
    ['yes', 'METRICS_PORT: off, a port, or address:port'],
    ['70000', 'METRICS_PORT: a port is at most 65535'],
    ['a b:1', 'METRICS_PORT: off, a port, or address:port'],
    ['192.0.2.1:0', 'METRICS_PORT: 192.0.2.1 is not an address of this machine'],
  ])('refuses %s with 78 and one line', async (METRICS_PORT, line) => {
    expect(await runDossier([], { ...settings, METRICS_PORT })).toEqual({
      code: 78,
      stdout: '',
      stderr: `${line}\n`,
    });
  });
  it('refuses a port that is taken', async () => {
    const { port } = new URL(metrics.url);
    const { code, stderr } = await runDossier([], { ...settings, METRICS_PORT: port });
    expect([code, stderr]).toEqual([78, `METRICS_PORT: ${port} is in use; set another, or 0 to pick one\n`]);
  });
});
