import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rating } from '../../src/ratings/table.ts';
import { makeRating } from '../store/examples.ts';
import { type Directory, openDirectory } from '../support/directory.ts';

let directory: Directory;
const today = () => directory.context.clock().toISOString().slice(0, 10);
const get = (path: string, headers: Record<string, string> = {}) => directory.app.request(path, { headers });

beforeAll(async () => {
  directory = await openDirectory();
});
afterAll(() => directory.close());

describe('the badge', () => {
  it('is a grey SVG that says since when a listing without a claim, an answer and ratings is listed; the rest is its title', async () => {
    for (const path of ['/badge/co.webhook/webhook', '/badge/co.webhook/webhook.svg']) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      const svg = await response.text();
      expect(svg).toMatch(
        /<title>dossier: listed since 2026\. co\.webhook\/webhook is listed with no rating evidence as of \d{4}-/,
      );
      expect(svg).toContain('aria-label="dossier: listed since 2026"');
      expect(svg).not.toContain('none');
      expect(svg).toContain('#6b6f76');
      expect(svg).not.toMatch(/#4c1|#97ca00|green|red|<script/);
    }
  });

  it('counts what worked of all ratings, and the independent ones, in at most 32 characters', async () => {
    const rated = await openDirectory();
    const handle = 'co.webhook/webhook';
    const rate = (id: string, change: Partial<Rating>) =>
      rated.store.write(async (tx) => {
        await tx.ratings.insert(makeRating(id, { subject_handle: handle, log_index: Number(id), ...change }));
        await tx.listings.reindex(handle);
      });
    const message = async () =>
      ((await (await rated.app.request(`/badge/${handle}.json`)).json()) as { message: string }).message;
    await rate('1', {
      related: true,
      source_handle: 'co.webhook/other',
      created_at: '2026-03-01T00:00:00.000Z',
    });
    expect(await message()).toBe('1 rating, 0 independent');
    await rate('2', {
      source_handle: 'b/one',
      source_root: 'github.com/b',
      created_at: '2026-02-01T00:00:00.000Z',
    });
    expect(await message()).toBe('2 of 2 worked, 1 independent');
    await rate('3', {
      source_handle: 'b/two',
      source_root: 'github.com/b',
      outcome: 'failed',
      created_at: '2026-02-02T00:00:00.000Z',
    });
    expect(await message()).toBe('2 of 3 worked, 2 independent');
    await rate('4', {
      source_handle: 'c/one',
      source_root: 'github.com/c',
      created_at: '2026-02-03T00:00:00.000Z',
    });
    await rate('5', { source_handle: 'd/one', reciprocal: true });
    expect(await message()).toBe('4 of 5 worked, 3 independent');
    await rated.close();
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await get('/badge/co.webhook/webhook')).headers.get('etag') ?? '';
    const again = await get('/badge/co.webhook/webhook', { 'if-none-match': etag });
    expect([again.status, again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([
      304,
      etag,
      'public, max-age=300',
    ]);
  });

  it('has the form that shields.io reads', async () => {
    const response = await get('/badge/co.webhook/webhook.json');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      schemaVersion: 1,
      label: 'dossier',
      message: 'listed since 2026',
      color: '#6b6f76',
      labelColor: '#3d4148',
      cacheSeconds: 300,
    });
  });

  it('of an unknown handle is an image with that message; its JSON is a problem', async () => {
    const response = await get('/badge/nobody/nothing');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'image/svg+xml; charset=utf-8',
    ]);
    expect(await response.text()).toContain('no listing has this handle');
    expect((await get('/badge/a/%22%3E%3Cscript%3E')).status).toBe(400);
    expect(await (await get('/badge/nobody/nothing.json')).json()).toMatchObject({ code: 'unknown_handle' });
  });

  it('has a page of snippets', async () => {
    const page = await (await get('/agents/co.webhook/webhook/badge')).text();
    expect(page).toContain(
      '<img class="badge" src="/badge/co.webhook/webhook" alt="dossier: listed since 2026."',
    );
    expect(page).toContain(
      `[![dossier: listed since 2026. As of ${today()}; see the listing.](http://127.0.0.1:3000/badge/co.webhook/webhook)](http://127.0.0.1:3000/agents/co.webhook/webhook)`,
    );
    expect(page).toContain('https://img.shields.io/endpoint?url=http%3A%2F%2F127.0.0.1%3A3000%2Fbadge');
  });

  it('is drawn in three styles, and its page has the texts for each', async () => {
    const drawn = async (query: string) => (await get(`/badge/co.webhook/webhook${query}`)).text();
    const flat = await drawn('');
    expect(await drawn('?style=flat')).toBe(flat);
    expect(await drawn('?style=nothing-we-know')).toBe(flat);
    expect(flat).toContain('rx="3"');
    expect(await drawn('?style=flat-square')).not.toContain('rx="3"');
    expect(await drawn('?style=for-the-badge')).toContain('height="28"');
    const page = await (await get('/agents/co.webhook/webhook/badge?style=for-the-badge')).text();
    for (const image of ['webhook"', 'webhook?style=flat-square"', 'webhook?style=for-the-badge"'])
      expect(page).toContain(`<img class="badge" src="/badge/co.webhook/${image}`);
    expect(page).toContain('](http://127.0.0.1:3000/badge/co.webhook/webhook?style=for-the-badge)](');
    expect(page).toContain('badge%2Fco.webhook%2Fwebhook.json&amp;style=for-the-badge');
  });
});
