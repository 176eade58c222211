import { describe, expect, it } from 'vitest';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { makeListing } from '../store/examples.ts';
import { openDirectory } from '../support/directory.ts';
import { openedDirectory } from '../support/opened.ts';

const get = (path: string) => directory.app.request(path);

const directory = await openedDirectory();

describe('discovery', () => {
  it('/llms.txt and /llms-full.txt are text', async () => {
    for (const path of ['/llms.txt', '/llms-full.txt']) {
      const response = await get(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain; charset=utf-8',
      ]);
      expect(await response.text()).toContain('Dossier');
    }
  });

  it('/openapi.json describes the endpoints', async () => {
    const document = (await (await get('/openapi.json')).json()) as { openapi: string; paths: object };
    expect(document.openapi).toMatch(/^3\.1/);
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/claim-github', '/api/feedback']),
    );
  });

  it('/robots.txt leads to the sitemap', async () => {
    expect(await (await get('/robots.txt')).text()).toBe(
      'User-agent: *\nDisallow: /api/\nDisallow: /agents?\nDisallow: /compare?\nAllow: /\n\nSitemap: http://127.0.0.1:3000/sitemap.xml\nAgentmap: http://127.0.0.1:3000/.well-known/ard.json\n',
    );
  });

  it('/sitemap.xml names every listing with the time of its last update', async () => {
    const response = await get('/sitemap.xml');
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    const lines = (await response.text()).split('\n');
    expect(lines.filter((line) => line.includes('lastmod') || !line.startsWith('<url>')).join('\n')).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
        '<url><loc>http://127.0.0.1:3000/agents/co.webhook/webhook</loc><lastmod>2026-10-02T08:00:00.000Z</lastmod></url>',
        '<url><loc>http://127.0.0.1:3000/agents/com.politicalcomms/api</loc><lastmod>2026-10-02T08:00:00.000Z</lastmod></url>',
        '</urlset>',
        '',
      ].join('\n'),
    );
    for (const query of ['page=1', 'page=x', 'page=', 'page=1&page=2']) {
      const other = await get(`/sitemap.xml?${query}`);
      expect([query, other.status, other.headers.get('location')]).toEqual([query, 302, '/sitemap.xml']);
    }
  });

  it('/sitemap.xml has an ETag and is made once, until a listing changes, whatever is asked for beside it', async () => {
    const results: unknown[] = [];
    const stop = onMeasured(({ labels: { memory, result } }) => memory === 'pages' && results.push(result));
    const own = await openedDirectory({ listening: true });
    const read = async (path: string) => {
      const answer = await fetch(`${own.url}${path}`);
      await answer.text();
      return answer.headers.get('etag');
    };
    const etag = await read('/sitemap.xml');
    expect(etag).toMatch(/^"/);
    expect(await read('/sitemap.xml')).toBe(etag);
    for (const query of ['after=a', 'after=b']) expect(await read(`/sitemap.xml?${query}`)).toBe(etag);
    expect(results).toEqual(['miss', 'hit', 'hit', 'hit']);
    stop();
  });

  it('/log says that its answer depends on Accept, as JSON too', async () => {
    expect((await get('/log')).headers.get('vary')).toBe('Accept, Accept-Encoding');
  });

  it('/sitemap.xml is an index of files where there are more than 50,000 listings', async () => {
    const many = await openedDirectory();
    for (let first = 0; first < 50_001; first += 500) {
      const rows = Array.from({ length: Math.min(500, 50_001 - first) }, (_, index) =>
        makeListing(`io.many/server-${String(first + index).padStart(5, '0')}`, first + index + 10),
      );
      await many.store.write((tx) => tx.listings.putListings(rows));
    }
    const index = await (await many.app.request('/sitemap.xml')).text();
    const etag = (await many.app.request('/sitemap.xml')).headers.get('etag') ?? '';
    const held = await many.app.request('/sitemap.xml', { headers: { 'if-none-match': etag } });
    expect(held.status).toBe(304);
    const files = [...index.matchAll(/<loc>http:\/\/127\.0\.0\.1:3000([^<]+)<\/loc>/g)].map(
      ([, path]) => path ?? '',
    );
    expect(files).toEqual(['/sitemap.xml?page=1', '/sitemap.xml?page=2']);
    const counts = await Promise.all(
      files.map(async (path) => (await (await many.app.request(path)).text()).split('<url>').length - 1),
    );
    expect(counts).toEqual([50_000, 3]);
    expect((await many.app.request('/sitemap.xml?page=3')).status).toBe(302);
    expect((await many.app.request('/sitemap.xml?page=2')).headers.get('etag')).toMatch(/^"/);
  });

  it('/healthz answers always, /readyz once listings are there', async () => {
    const empty = await openDirectory({ entries: [] });
    expect((await empty.app.request('/healthz')).status).toBe(200);
    const waiting = await empty.app.request('/readyz');
    expect([waiting.status, await waiting.json()]).toEqual([
      503,
      { ready: false, listings: 0, audit: { state: 'not_finished' } },
    ]);
    await empty.close();
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ready: true, listings: 2, audit: { state: 'not_finished' } },
    ]);
  });
});
