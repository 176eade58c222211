import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/http/app.ts';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { type Seen, send } from '../support/answer-cache.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import type { Directory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { createNodes, get as fetchAs, refusalOf, statuses } from '../support/nodes.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const handle = 'co.webhook/webhook';
const page = `/agents/${handle}`;
const browser = { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br' };

const decoders: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

/** The text of an answer, whatever coding it came in. */
async function textOf(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const decode = decoders[response.headers.get('content-encoding') ?? ''];
  return (decode ? decode(bytes) : bytes).toString();
}

/** An answer as it comes over a socket, its bytes in the coding they were sent in. */
async function ask(url: string, headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') {
  const { statusCode: status, headers: named, body } = await request(url, { method, headers });
  const bytes = await body.arrayBuffer();
  return new Response(status === 304 ? null : bytes, { status, headers: named as Record<string, string> });
}
const get = ({ url }: Directory, path: string, headers: Record<string, string> = browser) =>
  ask(url + path, headers);
const read = async (directory: Directory, path: string, headers: Record<string, string> = browser) =>
  textOf(await get(directory, path, headers));

/** Whether a request is answered from memory. */
async function isCached(ask: () => Promise<unknown>): Promise<boolean> {
  let hits = 0;
  const stop = onMeasured(({ labels: { memory, result } }) => {
    if (memory === 'pages' && result === 'hit') hits += 1;
  });
  await ask();
  stop();
  return hits === 1;
}

describe('a finished answer', async () => {
  const directory = await openedDirectory({ listening: true });

  const cached = [
    page,
    `${page}.json`,
    `${page}.md`,
    `${page}/ratings`,
    `${page}/badge`,
    `/badge/${handle}`,
    `/badge/${handle}.svg?style=flat-square`,
    `/badge/${handle}.json`,
    '/card.png',
    `${page}/card.png`,
    '/agents',
    '/agents?q=webhook',
    '/tags',
    '/tags/webhooks',
    '/tools',
    '/llms.txt',
    '/llms-full.txt',
    '/openapi.json',
    '/robots.txt',
    '/healthz',
  ];

  it.each(cached)('of %s is sent again as it was, under a new id', async (path) => {
    for (const accepted of ['gzip, deflate, br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': accepted };
      const seen: { status: number; headers: Record<string, string | undefined>; text: string }[] = [];
      const record = async () => {
        const response = await get(directory, path, headers);
        const { date: _date, ...named } = Object.fromEntries(response.headers);
        seen.push({ status: response.status, headers: named, text: await response.text() });
      };
      expect(await isCached(record)).toBe(false);
      expect(await isCached(record)).toBe(true);
      const ids = seen.map((answer) => answer.headers['x-request-id']);
      expect(ids).toEqual([
        expect.stringMatching(/^[0-9a-f-]{36}$/),
        expect.stringMatching(/^[0-9a-f-]{36}$/),
      ]);
      expect(ids[0]).not.toBe(ids[1]);
      for (const { headers } of seen) headers['x-request-id'] = undefined;
      const [first, second] = seen;
      expect(first?.status).toBe(200);
      expect(first?.headers['content-security-policy']).toBeDefined();
      expect(second).toEqual(first);
    }
  });

  it('about one listing is made again only when the day is over, and one about any listing after a minute', async () => {
    const end = 24 * 3600 - (Math.floor(directory.context.clock().getTime() / 1000) % (24 * 3600));
    directory.wait(end + 3600);
    const about = [
      page,
      `${page}.json`,
      `${page}.md`,
      `/badge/${handle}`,
      `${page}/ratings`,
      `${page}/history`,
    ];
    const isEachCached = async (paths: readonly string[]) => {
      const found: boolean[] = [];
      for (const path of paths) found.push(await isCached(() => get(directory, path)));
      return found;
    };
    const day = async () =>
      (JSON.parse(await read(directory, `${page}.json`)) as Record<string, string>).evidence_snapshot_date;
    for (const path of [...about, '/agents?q=webhook']) await get(directory, path);
    const first = await day();
    directory.wait(22 * 3600);
    expect(await isEachCached(about)).toEqual([true, true, true, true, true, true]);
    expect(await isEachCached(['/agents?q=webhook', '/llms.txt'])).toEqual([false, true]);
    expect(await day()).toBe(first);
    directory.wait(2 * 3600);
    expect(await isEachCached(about)).toEqual([false, false, false, false, false, false]);
    expect(Date.parse((await day()) ?? '') - Date.parse(first ?? '')).toBe(24 * 3600 * 1000);
  });

  it.each([
    [page, '?x=1', '?x=2&y'],
    [`${page}/tools`, '?x=1', '?'],
    [`/badge/${handle}.svg?style=flat-square`, '&x=1', '&x=2'],
    ['/tags', '?cursor=1', '?q=2'],
    ['/v0.1/servers?limit=1', '&z=1', '&z=2'],
  ])('of %s is the same with parameters that the address does not have', async (path, ...unknown) => {
    const plain = await read(directory, path);
    for (const more of unknown) {
      const answers: string[] = [];
      expect(await isCached(async () => answers.push(await read(directory, path + more))), path + more).toBe(
        true,
      );
      expect(answers).toEqual([plain]);
    }
  });

  it('is not sent to an address with a secret, whatever parameter holds it', async () => {
    await read(directory, page);
    const secret = `dossier_cap_${'A'.repeat(49)}`;
    expect((await get(directory, `${page}?x=${secret}`)).status).toBe(400);
  });

  it.each(['/', '/about'])(
    'of %s is cached for a second: the state of an import changes without a listing',
    async (path) => {
      const { store } = directory.context;
      const { done } = await store.imports.last();
      const stopped = 'was stopped before it completed';
      directory.wait(2);
      expect(await isCached(() => get(directory, path))).toBe(false);
      expect(await isCached(() => get(directory, path))).toBe(true);
      await store.write((tx) => tx.imports.saveRun(done?.id ?? 0, { state: 'running' }));
      directory.wait(2);
      expect(await read(directory, path)).toContain(stopped);
      await store.write((tx) => tx.imports.saveRun(done?.id ?? 0, { state: 'done' }));
      expect(await read(directory, path)).not.toContain(stopped);
    },
  );

  it.each(['/feedback', `${page}/claim`, '/compare', '/readyz'])(
    'of %s is not cached: it depends on the clock or the caller',
    async (path) => {
      await get(directory, path);
      expect(await isCached(() => get(directory, path))).toBe(false);
    },
  );

  it.each([`${page}x`, '/agents/io.test', '/nothing', '/tags/nothing'])(
    'that is a problem is not cached: %s',
    async (path) => {
      const first = await get(directory, path);
      expect(first.status).toBeGreaterThanOrEqual(400);
      expect(await isCached(() => get(directory, path))).toBe(false);
    },
  );

  it('has the same headers for HEAD as for GET', async () => {
    const tell = async (method: 'GET' | 'HEAD') => {
      const { status, headers } = await ask(directory.url + page, browser, method);
      const {
        date: _1,
        connection: _2,
        'keep-alive': _3,
        'x-request-id': _4,
        ...named
      } = Object.fromEntries(headers);
      return { status, named };
    };
    await tell('GET');
    const head = await tell('HEAD');
    expect(head).toEqual(await tell('GET'));
    expect(Number(head.named['content-length'])).toBeGreaterThan(1000);
  });

  it('has the request id that its caller chose', async () => {
    await get(directory, page);
    const answer = await get(directory, page, { ...browser, 'x-request-id': 'mine-1' });
    expect(answer.headers.get('x-request-id')).toBe('mine-1');
  });

  it.each([
    ['another Host', 400, ['Host: evil.example']],
    ['two Hosts', 400, ['Host: 127.0.0.1', 'Host: evil.example']],
    ['no Host', 400, []],
    ['a Host of ours', 200, ['host: localhost:3000']],
    ['a body', 200, ['Host: 127.0.0.1', 'Content-Length: 0']],
    ['an encoding that is none', 200, ['Host: 127.0.0.1', 'Accept-Encoding: ,;q=,"\\,br;;q=2,=;q=1']],
  ])('of a request with %s has the status that the app gives it: %i', async (_what, status, headers) => {
    const { hostname, port } = new URL(directory.url);
    for (const path of ['/about', page, page]) {
      const socket = connect(Number(port), hostname);
      socket.write([`GET ${path} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
      const answer = Buffer.concat(await socket.toArray()).toString('latin1');
      expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    }
  });
});

describe('a caller with a current copy', async () => {
  const directory = await openedDirectory({ listening: true });

  it.each([
    [page, 'no-cache'],
    [`/badge/${handle}`, 'public, max-age=300'],
    ['/tags', 'no-cache'],
    ['/', 'no-cache'],
    ['/about', 'no-cache'],
    ['/compare', 'no-cache'],
    ['/card.png', 'public, max-age=3600'],
  ])('is not sent %s again', async (path, cacheControl) => {
    const { headers } = await get(directory, path);
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}(-br)?"$/);
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(directory, path, { ...browser, 'if-none-match': held });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const { date: _1, connection: _2, 'keep-alive': _3, ...named } = Object.fromEntries(again.headers);
      expect(named).toEqual({
        etag,
        'cache-control': cacheControl,
        ...(/badge|png/.test(path) && { 'access-control-allow-origin': '*' }),
        ...(path !== '/card.png' && { vary: 'Accept-Encoding' }),
        'x-request-id': expect.any(String),
      });
    }
    const other = await get(directory, path, { ...browser, 'if-none-match': '"other"' });
    expect(other.status).toBe(200);
  });

  it.each([`/badge/${handle}`, `${page}.json`, '/card.png', page])(
    'of %s fills the cache with all headers that others need',
    async (path) => {
      const one = createApp(directory.context);
      const other = createApp(directory.context);
      const ask = (app: App, more = {}) =>
        send(app, { method: 'GET', path, headers: { ...browser, ...more } });
      const first = await ask(one);
      const current = await ask(other, { 'if-none-match': first.headers.etag });
      expect(current.status).toBe(304);
      const origins = ({ headers }: Seen) => headers['access-control-allow-origin'];
      expect(origins(current)).toBe(origins(first));
      expect(await ask(other)).toEqual(first);
      await Promise.all([one.close(), other.close()]);
    },
  );

  it('in one coding is sent another coding on request', async () => {
    const etagOf = async (encoding: string) =>
      (await get(directory, page, { 'accept-encoding': encoding })).headers.get('etag') ?? '';
    const tags = [await etagOf('br'), await etagOf('gzip'), await etagOf('identity')];
    expect(new Set(tags).size).toBe(3);
    const asked = { 'accept-encoding': 'gzip', 'if-none-match': tags[0] ?? '' };
    expect((await get(directory, page, asked)).status).toBe(200);
  });
});

describe('the coding', async () => {
  const directory = await openedDirectory({ listening: true });

  const cases: readonly (readonly [accepted: string | undefined, encoding: string | null])[] = [
    [undefined, null],
    ['', null],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br', 'br'],
    ['BR', 'br'],
    ['gzip', 'gzip'],
    ['deflate', null],
    ['identity', null],
    ['*', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0,*', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['identity;q=0.5, gzip;q=0.2', null],
    ['gzip;q=0', null],
    ['br;q=0, gzip;q=0', null],
    ['*;q=0', null],
    ['identity;q=0, *;q=0', null],
  ];
  it.each(cases)('that %o requests is %o, cached or not', async (accepted, encoding) => {
    const headers = { ...(accepted !== undefined && { 'accept-encoding': accepted }) };
    const plain = await read(directory, page, { ...browser, 'accept-encoding': 'identity' });
    for (let times = 0; times < 2; times += 1) {
      const answer = await get(directory, page, headers);
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      const bytes = Number(answer.headers.get('content-length'));
      expect((await answer.clone().arrayBuffer()).byteLength).toBe(bytes);
      expect(await textOf(answer)).toBe(plain);
    }
  });

  it('of a body that fits one packet is left out', async () => {
    for (const path of [`/badge/${handle}.json`, '/robots.txt'])
      expect((await get(directory, path)).headers.get('content-encoding')).toBeNull();
  });

  it('of assets is as of pages; browsers cache them forever', async () => {
    const [style = ''] = /\/assets\/style\.[0-9a-f]{12}\.css/.exec(await read(directory, '/')) ?? [];
    const plain = await (await get(directory, style, {})).text();
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await get(directory, style, { 'accept-encoding': accepted });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(await textOf(answer)).toBe(plain);
    }
  });
});

describe('a write', async () => {
  const directory = await opened(openClaimedDirectory({ listening: true }));

  const faces = [page, `${page}.json`, `${page}.md`, '/agents?q=webhook', '/tags/webhooks'];
  const readAll = () => Promise.all(faces.map((path) => read(directory, path)));
  const change = (changes: Record<string, unknown>, official: Record<string, unknown>) =>
    directory.importEntries([
      ...seedEntries.filter(({ server }) => server.name !== handle),
      registryEntry(handle, changes, official),
    ]);

  it('of an import shows everywhere at once', async () => {
    await readAll();
    await change({ description: 'Webhooks, told anew' }, { updatedAt: '2026-11-01T08:00:00Z' });
    for (const text of await readAll()) expect(text).toContain(', told anew');
  });

  it('of one listing drops its pages and those that may contain any listing, and no others', async () => {
    const other = '/agents/com.politicalcomms/api';
    for (const path of [page, other, '/tags']) await get(directory, path);
    await directory.store.write((tx) => tx.listings.reindex(handle));
    const found: boolean[] = [];
    for (const path of [page, other, '/tags']) found.push(await isCached(() => get(directory, path)));
    expect(found).toEqual([false, true, false]);
  });

  it('of a listing whose name ends like a form takes that form’s address', async () => {
    const path = '/agents/co.webhook/webhook.json';
    expect((await get(directory, path)).headers.get('content-type')).toBe('application/json');
    expect(await isCached(() => get(directory, path))).toBe(true);
    await directory.importEntries([...seedEntries, registryEntry(`${handle}.json`)]);
    const answer = await get(directory, path);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await textOf(answer)).toContain('<h1 class="handle">co.webhook/webhook.json</h1>');
  });

  it('that withdraws a listing drops all its pages', async () => {
    await Promise.all([page, `/badge/${handle}`, `${page}/card.png`].map((path) => get(directory, path)));
    await change({}, { status: 'deleted', updatedAt: '2026-11-03T08:00:00Z' });
    const paths = [page, `${page}.md`, `${page}/card.png`, `/badge/${handle}`];
    const answers = await Promise.all(paths.map((path) => get(directory, path)));
    expect(answers.map(({ status }) => status)).toEqual([410, 410, 410, 410]);
  });
});

it('limits count answers from memory like all others', async () => {
  const nodes = await opened(createNodes());
  const { context } = await nodes.open();
  const count = (path: string, requests: number) =>
    statuses(requests, fetchAs(context.config.publicUrl + path));
  expect(await count('/tags', 60)).toEqual({ 200: 60 });
  expect(await count('/about', 30)).toEqual({ 200: 30 });
  expect(await count('/tags', 20)).toEqual({ 200: 10, 429: 10 });
  expect(await count('/card.png', 31)).toEqual({ 200: 30, 429: 1 });
  const refused = await fetchAs(`${context.config.publicUrl}/tags`)();
  expect(refusalOf(refused)).toEqual([429, '1', '"pages";q=100;w=5', '"pages";r=0;t=1']);
});

describe('an answer that is not cached', () => {
  // A page that runs no search, and a call of a tool: searches take turns of their own.
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  it.each([
    [`${page}/ratings`, { method: 'GET' }],
    [`${page}/ratings`, { method: 'HEAD' }],
    ['/api/tools/get_agent', { ...post, body: JSON.stringify({ handle }) }],
  ])(
    'of %s is made in turn: a network that asks for many waits for another one, that asked for more before',
    async (path, sent) => {
      const directory = await openedDirectory();
      const order: string[] = [];
      const askFrom = async (remoteAddress: string) => {
        await directory.app.request(path, sent, { incoming: { socket: { remoteAddress } } });
        order.push(remoteAddress);
      };
      for (let at = 0; at < 10; at += 1) await askFrom('198.51.100.1');
      order.length = 0;
      await Promise.all([
        ...Array.from({ length: 60 }, (_, at) => askFrom(`192.0.2.${at % 16}`)),
        askFrom('198.51.100.1'),
      ]);
      expect(order).toHaveLength(61);
      expect(order.indexOf('198.51.100.1')).toBeLessThan(10);
    },
  );
});
