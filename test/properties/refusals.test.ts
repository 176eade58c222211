import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type App, createApp } from '../../src/http/app.ts';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { createUncached, type Sent, send } from '../support/answer-cache.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const requests = 500;
/** Fixed, so that a failure comes again; a new one is a new run. */
const seed = 20_261_122;
const capability = `dossier_cap_${'A'.repeat(49)}`;
const limits = 'mcp=2/100s,pages=3/100s,badge=2/100s,registry=2/100s,views=2/100s,export=2/100s,card=1/100s';

let now = Date.parse('2026-11-22T10:00:00Z');
const directory = await openedDirectory({
  environment: { TRUSTED_PROXIES: '127.0.0.1', LIMIT_OVERRIDES: limits },
});
const context = { ...directory.context, clock: () => new Date(now) };
const cached = await opened(createApp(context));
const uncached = await opened(createUncached(context));

/** An address of each route, with made-up names in place of its parameters. */
const pathsOf = (app: App): string[] => {
  const paths = app.routes.map(({ path }) =>
    path.replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => made[name] ?? 'x').replaceAll('*', 'x'),
  );
  return [...new Set(paths)];
};
const made: Readonly<Record<string, string>> = {
  namespace: 'co.webhook',
  name: 'webhook',
  tool: 'list_tags',
  view: 'none',
};

/** Addresses that no route names as they are sent. */
const unusual = [
  '/agents?q=webhook',
  '/agents/co.webhook/none',
  '/badge/co.webhook/webhook.svg',
  '/api/mcp/',
  '/api/mcp/more',
  '/api/none',
  '/api/../tags',
  '/./tags',
  '/%74ags',
  '/badge%2fco.webhook',
  '//tags',
  '/tags?q=%64',
  `/tags?q=${capability}`,
  `/tags?q=%64${capability.slice(1)}`,
  `/${capability}`,
  '/tags?q=%00',
  '/tags%00',
  '/tags#x',
  '/nothing',
  '/assets/none.css',
  '/healthz2',
];
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'OPTIONS', 'PUT');
const header = fc.constantFrom<Record<string, string>>(
  {},
  { accept: 'text/html' },
  { accept: 'application/json' },
  { accept: 'text/html', 'accept-encoding': 'br, gzip' },
  { origin: 'https://other.example' },
  { origin: '' },
  { host: 'evil.example' },
  { host: 'LOCALHOST:3000' },
  { 'x-request-id': 'chosen-1' },
  { 'x-request-id': 'not an id' },
  { 'x-request-id': 'a'.repeat(41) },
  { authorization: `Bearer ${capability}` },
  { 'content-type': 'application/json' },
  { 'content-encoding': 'gzip' },
  { 'if-none-match': '*' },
);
const network = fc.constantFrom('192.0.2.1', '192.0.2.1:4711', '192.0.2.2', '2001:db8::1', 'x', '');
const body = fc.constantFrom(
  undefined,
  '{}',
  '{"query":"webhook"}',
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '',
);

const sentTo = (paths: readonly string[]): fc.Arbitrary<Sent> =>
  fc
    .record({ path: fc.constantFrom(...paths), method, headers: fc.tuple(header, header), network, body })
    .map(({ headers: [one, other], network, body, ...rest }) => ({
      ...rest,
      headers: { ...one, ...other, ...(network && { 'x-forwarded-for': network }) },
      ...(body !== undefined && rest.method !== 'GET' && rest.method !== 'HEAD' && { body }),
    }));

it(`${requests} requests around empty buckets are answered as they are by the app alone`, async () => {
  const paths = pathsOf(cached);
  expect(paths.length).toBeGreaterThan(60);
  for (const path of ['/ard/search', '/v0.1/servers', '/api/tools/list_tags', '/agents/co.webhook/webhook'])
    expect(paths).toContain(path);
  const sent = sentTo([...paths, ...unusual]);
  const statuses = new Set<number>();
  let refusedAtTheDoor = 0;
  const stop = onMeasured(({ labels: { memory, result } }) => {
    if (memory === 'refusals' && result === 'hit') refusedAtTheDoor += 1;
  });
  await fc.assert(
    fc.asyncProperty(sent, fc.nat({ max: 3000 }), async (request, passed_ms) => {
      now += passed_ms;
      const seen = await send(cached, request);
      expect(seen).toEqual(await send(uncached, request));
      statuses.add(seen.status);
    }),
    { numRuns: requests, seed },
  );
  stop();
  for (const status of [200, 400, 404, 405, 429]) expect(statuses).toContain(status);
  expect(refusedAtTheDoor).toBeGreaterThan(30);
});
