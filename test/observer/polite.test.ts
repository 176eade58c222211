import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { verify } from 'web-bot-auth';
import { verifierFromJWK } from 'web-bot-auth/crypto';
import { openDirectory } from '../support/directory.ts';
import { json, reply } from '../support/endpoints/faults.ts';
import { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';
import { type Operations, operationsOf } from '../support/operations.ts';

let robots = '';
let robotsStatus = 200;
let robotsType = 'text/plain';
let robotsEnds = true;
let retryAfter: string | undefined;
let retryStatus = 429;
/** The only path that answers with Retry-After; all if undefined. */
let retryPath: string | undefined;
let atOnce = 0;
let mostAtOnce = 0;

/**
 * Creates a listing on the shared host. The one at /f writes that host with the final dot of the DNS root.
 */
const listed = (name: string, path: string) =>
  registryEntry(name, remotesAt(`https://shared.example.com${path === '/f' ? '.' : ''}${path}`));
const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `com.example.shared/${letter}`);

const shared = await openedEndpoint(async (_, { url = '' }, response) => {
  atOnce += 1;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  await wait(5);
  atOnce -= 1;
  if (url === '/robots.txt') {
    response.writeHead(robotsStatus, { 'content-type': robotsType }).write(`${robots} `);
    return robotsEnds ? void response.end() : undefined;
  }
  if (retryAfter && (retryPath ?? url) === url)
    return void response.writeHead(retryStatus, { 'retry-after': retryAfter }).end();
  response.writeHead(404).end();
});
const directory = await openedDirectory({
  entries: names.map((name) => listed(name, `/${name.slice(-1)}`)),
  hosts: { 'shared.example.com': shared, 'shared.example.com.': shared },
  environment: {
    PUBLIC_URL: 'https://dossier.example',
  },
});

async function observe(name: string, by: Operations = directory) {
  const { observations } = await by.observe(name);
  return observations.find(({ kind }) => kind === 'endpoint.answers');
}

it('looks at every listing that is due, one request at a time to the host that they share', async () => {
  expect(await directory.observeDue()).toEqual({ observed: 6, changed: 6, failed: 0 });
  expect(mostAtOnce).toBe(1);
  expect(await directory.observeDue()).toEqual({ observed: 0, changed: 0, failed: 0 });
  directory.wait(2 * 86_400);
  expect(await directory.observeDue()).toEqual({ observed: 6, changed: 0, failed: 0 });
});

it('signs every request with the key that its signature agent publishes', async () => {
  const answer = await directory.app.request('/.well-known/http-message-signatures-directory');
  expect(answer.headers.get('content-type')).toBe('application/http-message-signatures-directory+json');
  const { keys } = (await answer.json()) as { keys: object[] };
  const [sent] = shared.sent;
  const { 'signature-agent': agent, 'user-agent': userAgent } = sent?.headers ?? {};
  expect([agent, userAgent]).toEqual([
    '"https://dossier.example"',
    'Dossier/0.0.0-test (+https://dossier.example/about#observer)',
  ]);
  const request = new Request(`${shared.url}${sent?.path}`, {
    headers: Object.entries(sent?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  });
  const verifier = await verifierFromJWK(keys[0] ?? {});
  await expect(verify(request, verifier)).resolves.toBeUndefined();
  const elsewhere = new Request('http://127.0.0.1:1/other', { headers: request.headers });
  await expect(verify(elsewhere, verifier)).rejects.toThrow();
});

it('obeys robots.txt for its own name', async () => {
  robots = 'User-agent: Dossier\nDisallow: /b\n\nUser-agent: *\nDisallow: /';
  const strict = operationsOf(directory.context);
  expect(await observe('com.example.shared/a', strict)).toMatchObject({ outcome: 'absent' });
  expect(await observe('com.example.shared/b', strict)).toMatchObject({
    outcome: 'absent',
    missed: {
      reason: 'The robots.txt of `shared.example.com` does not allow Dossier to request this address.',
    },
  });
  await strict.close();
  robots = '';
});

const robotsRead = () => shared.sent.filter(({ path }) => path === '/robots.txt').length;

it('reads robots.txt again after a day, however often the host is asked meanwhile', async () => {
  const observing = operationsOf(directory.context);
  const before = robotsRead();
  for (let half = 0; half < 6; half += 1) {
    await observe('com.example.shared/a', observing);
    directory.wait(43_300);
  }
  expect(robotsRead() - before).toBe(3);
  await observing.close();
});

it('asks for nothing else where robots.txt is not answered, says so, and reads it again after ten minutes', async () => {
  await directory.importEntries([
    ...names.map((name) => listed(name, `/${name.slice(-1)}`)),
    listed('com.example.new/h', '/h'),
  ]);
  const failing = operationsOf(directory.context);
  robotsStatus = 503;
  const before = shared.sent.length;
  const { observations } = await failing.observe('com.example.new/h');
  expect(shared.sent.length - before).toBe(1);
  expect(observations.find(({ kind }) => kind === 'endpoint.answers')).toMatchObject({
    outcome: 'silent',
    reason:
      '`shared.example.com` returned HTTP 503 even for its robots.txt, so Dossier requested nothing else there (RFC 9309).',
  });
  robotsStatus = 200;
  directory.wait(601);
  expect(await observe('com.example.new/h', failing)).toMatchObject({ outcome: 'absent' });
  await failing.close();
});

it('obeys robots.txt as far as it came, and nothing that stands in its place', async () => {
  const { timeouts } = directory.context;
  const { observerExchange_ms } = timeouts;
  const rules = 'User-agent: *\nDisallow: /a\n';
  for (const [type, text, ends, isAllowed] of [
    ['text/plain', rules, false, false],
    ['text/event-stream', `data: x\n${rules}`, false, true],
    ['text/html', '<!doctype html><p>Disallow: /a</p>', true, true],
    ['text/plain', `<!-- ours -->\n${rules}\0`, true, false],
    ['text/html; charset=utf-8', rules, true, false],
    ['application/json', '{"disallow": "/a"}', true, true],
    ['application/octet-stream', '\0\x01 Disallow', true, true],
  ] as const) {
    [robotsType, robots, robotsEnds] = [type, text, ends];
    Object.assign(timeouts, {
      observerExchange_ms: ends || type === 'text/event-stream' ? observerExchange_ms : 500,
    });
    const reading = operationsOf(directory.context);
    const before = shared.sent.filter(({ path }) => path === '/a').length;
    await observe('com.example.shared/a', reading);
    expect([type, shared.sent.filter(({ path }) => path === '/a').length > before]).toEqual([
      type,
      isAllowed,
    ]);
    await reading.close();
  }
  [robotsType, robots, robotsEnds] = ['text/plain', '', true];
  Object.assign(timeouts, { observerExchange_ms });
});

it('obeys a robots.txt that it read for 30 days while it cannot be read', async () => {
  robots = 'User-agent: *\nDisallow: /b';
  const reading = operationsOf(directory.context);
  await observe('com.example.shared/a', reading);
  robotsStatus = 503;
  directory.wait(2 * 86_400);
  expect(await observe('com.example.shared/a', reading)).not.toHaveProperty('missed');
  expect(await observe('com.example.shared/b', reading)).toMatchObject({
    missed: { reason: expect.stringContaining('does not allow') as string },
  });
  directory.wait(29 * 86_400);
  expect(await observe('com.example.shared/a', reading)).toMatchObject({
    missed: { reason: expect.stringContaining('returned HTTP 503 even for its robots.txt') as string },
  });
  await reading.close();
  robotsStatus = 200;
  robots = '';
});

it('a router that answers every path with a stream or a body without end is asked what it is, and not held', async () => {
  let type = 'text/event-stream';
  const requested: string[] = [];
  const endless = await startEndpoint((body, { url = '' }, response) => {
    if (body === '') {
      requested.push(url);
      return void response.writeHead(200, { 'content-type': type }).write(': \n\n');
    }
    json(response, reply(body, { ...introduction, tools: [] }));
  });
  const other = await openDirectory({
    entries: [registryEntry('com.example.endless/a', remotesAt('https://endless.example.com/mcp'))],
    hosts: { 'endless.example.com': endless },
  });
  expect(await observe('com.example.endless/a', other)).toMatchObject({ outcome: 'seen' });
  expect(requested.length).toBeGreaterThan(4);
  type = 'application/json';
  other.wait(86_500);
  Object.assign(other.context.timeouts, { observerExchange_ms: 500 });
  requested.length = 0;
  expect(await observe('com.example.endless/a', other)).toMatchObject({ outcome: 'seen' });
  expect(requested).toHaveLength(2);
  await other.close();
  await endless.close();
});

it('obeys the first 500 KiB of a robots.txt that has more than Dossier reads', async () => {
  robots = `User-agent: *\nDisallow: /e\n${'# more\n'.repeat(450_000)}`;
  const reading = operationsOf(directory.context);
  expect(await observe('com.example.shared/e', reading)).toMatchObject({
    missed: { reason: expect.stringContaining('does not allow') as string },
  });
  await reading.close();
  robots = '';
});

it('asks for nothing where robots.txt has more rules than it reads, says so, and calls that no silence of the host', async () => {
  robots = `User-agent: *\n${Array.from({ length: 1001 }, (_, at) => `Disallow: /${at}\n`).join('')}`;
  await directory.importEntries([
    ...names.map((name) => listed(name, `/${name.slice(-1)}`)),
    listed('com.example.new/i', '/i'),
  ]);
  const reading = operationsOf(directory.context);
  const before = shared.sent.length;
  const { observations } = await reading.observe('com.example.new/i');
  expect(shared.sent.length - before).toBe(1);
  expect(observations.find(({ kind }) => kind === 'endpoint.answers')).toMatchObject({
    outcome: 'not_asked',
    reason:
      'The robots.txt of `shared.example.com` has more than 1,000 rules for Dossier, so Dossier requested nothing else there.',
  });
  await reading.close();
  robots = '';
});

it.each([429, 503])(
  'leaves a host alone for as long as Retry-After asks with HTTP %d, and after a restart too',
  async (status) => {
    retryStatus = status;
    const first = operationsOf(directory.context);
    retryAfter = '600';
    await observe('com.example.shared/c', first);
    retryAfter = undefined;
    await first.close();
    const before = shared.sent.length;
    const second = operationsOf(directory.context);
    expect(await observe('com.example.shared/c', second)).toMatchObject({
      outcome: 'absent',
      missed: {
        reason: '`shared.example.com` asked Dossier to wait (Retry-After) before the next request.',
      },
    });
    expect(shared.sent.length).toBe(before);
    directory.wait(601);
    await observe('com.example.shared/c', second);
    await second.close();
    expect(shared.sent.length).toBeGreaterThan(before);
  },
);

it('asks the other listings of a host again after five minutes, and the one that asked for an hour after that', async () => {
  const asking = operationsOf(directory.context);
  const asked = (path: string) => shared.sent.filter((sent) => sent.path === path).length;
  await observe('com.example.shared/d', asking);
  const d = asked('/d');
  const e = asked('/e');
  [retryStatus, retryAfter, retryPath] = [429, '3600', '/d'];
  await observe('com.example.shared/d', asking);
  [retryAfter, retryPath] = [undefined, undefined];
  const paused = asked('/d');
  expect(paused).toBeGreaterThan(d);
  directory.wait(290);
  await observe('com.example.shared/e', asking);
  expect(asked('/e')).toBe(e);
  directory.wait(20);
  await observe('com.example.shared/e', asking);
  expect(asked('/e')).toBeGreaterThan(e);
  await observe('com.example.shared/d', asking);
  expect(asked('/d')).toBe(paused);
  directory.wait(3300);
  await observe('com.example.shared/d', asking);
  expect(asked('/d')).toBeGreaterThan(paused);
  await asking.close();
});

it('asks ten of the twelve remotes of a listing at twelve hosts, and nothing while it writes', async () => {
  const hosts = Array.from({ length: 12 }, (_, n) => `host${n}.many.example`);
  const many = await openedDirectory({
    entries: [
      registryEntry('com.example.many/all', {
        remotes: hosts.map((host) => ({ type: 'streamable-http', url: `https://${host}/many-${host}` })),
      }),
    ],
    hosts: Object.fromEntries(hosts.map((host) => [host, shared])),
  });
  const { observations } = await many.observe('com.example.many/all');
  const paths = new Set(shared.sent.map(({ path }) => path).filter((path) => path.startsWith('/many-')));
  expect([...paths]).toEqual(hosts.slice(0, 10).map((host) => `/many-${host}`));
  expect(observations.filter(({ kind }) => kind === 'endpoint.answers')).toHaveLength(10);
  expect((await many.store.observations.ofListing('com.example.many/all'))?.observations).toHaveLength(
    observations.length,
  );
  await many.store.write((tx) => tx.observations.purgePauses('2026-01-01T00:00:00.000Z'));
});

it('asks for no address that a host names with more than 2,048 characters, says so, and obeys Retry-After of one with 2,048', async () => {
  const origin = 'https://named.example.com';
  let named = '';
  let redirects = false;
  const server = await startEndpoint((body, { url = '' }, response) => {
    if (redirects && body !== '') return void response.writeHead(307, { location: named }).end();
    if (url.startsWith('/xxx')) return void response.writeHead(429, { 'retry-after': '600' }).end();
    const challenge = { 'www-authenticate': `Bearer resource_metadata="${named}"` };
    response.writeHead(body === '' ? 404 : 401, challenge).end();
  });
  const other = await openDirectory({
    entries: [registryEntry('com.example.named/a', remotesAt(`${origin}/mcp`))],
    hosts: { 'named.example.com': server },
  });
  const addressOf = (length: number) => `${origin}/${'x'.repeat(length - origin.length - 1)}`;
  const askedLong = () => server.sent.filter(({ path }) => path.startsWith('/xxx')).length;
  const oauth = async () =>
    (await other.observe('com.example.named/a')).observations.find(({ kind }) => kind === 'auth.oauth');
  const reason =
    'An address at `named.example.com` has more than 2,048 characters; Dossier requests none that long.';
  for (const length of [2049, 8000]) {
    named = addressOf(length);
    expect(await oauth()).toMatchObject({ outcome: 'not_asked', reason });
  }
  redirects = true;
  await oauth();
  expect(askedLong()).toBe(0);
  redirects = false;
  other.wait(86_400);
  named = addressOf(2048);
  await oauth();
  expect(askedLong()).toBe(1);
  expect((await other.store.observations.pauses('named.example.com')).has(named)).toBe(true);
  await other.close();
  await server.close();
});

it('ends a look after so long, however many hosts a listing names', async () => {
  const slow = await startEndpoint(async (_, { url }, response) => {
    if (url !== '/robots.txt') await wait(150);
    response.writeHead(404).end();
  });
  const hosts = ['slow-a.example.com', 'slow-b.example.com'];
  const other = await openDirectory({
    entries: [
      registryEntry('com.example.slow/both', {
        remotes: hosts.map((host) => ({ type: 'streamable-http', url: `https://${host}/mcp` })),
      }),
    ],
    hosts: Object.fromEntries(hosts.map((host) => [host, slow])),
    timeouts: { observerCheck_ms: 250 },
  });
  const { observations } = await other.observe('com.example.slow/both');
  const reasons = observations.map(({ reason }) => reason);
  expect(reasons).toContain(
    'The hosts of this service used up the time that Dossier gives one check, so `slow-b.example.com` was asked nothing more.',
  );
  expect(slow.methods().length).toBeLessThan(4);
  await other.close();
  await slow.close();
});
