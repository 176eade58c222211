import { describe, expect, it } from 'vitest';
import type { Rating } from '../../src/ratings/table.ts';
import { makeRating } from '../store/examples.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const today = () => directory.context.clock().toISOString().slice(0, 10);
const get = (path: string, headers: Record<string, string> = {}) => directory.app.request(path, { headers });

const directory = await openedDirectory();

describe('the badge', () => {
  it('is a grey SVG that says of a listing without a claim, an answer and ratings that it is listed; the rest is its title', async () => {
    for (const path of ['/badge/co.webhook/webhook', '/badge/co.webhook/webhook.svg']) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      const svg = await response.text();
      expect(svg).toMatch(
        /<title>dossier: listed, updated 2026-10\. co\.webhook\/webhook is listed with no rating evidence as of \d{4}-/,
      );
      expect(svg).toContain('aria-label="dossier: listed, updated 2026-10"');
      expect(svg).not.toContain('none');
      expect(svg).toContain('#6b6f76');
      expect(svg).not.toMatch(/#4c1|#97ca00|green|red|<script/);
    }
  });

  it('says of independent ratings alone how many worked, sources first; ratings set apart never change that', async () => {
    const rated = await openedDirectory();
    const handle = 'co.webhook/webhook';
    let id = 0;
    const rate = (source_handle: string, account: string, change: Partial<Rating> = {}) =>
      rated.store.write(async (tx) => {
        id += 1;
        const source = { subject_handle: handle, source_handle, source_root: `github.com/${account}` };
        await tx.ratings.insert(makeRating(String(id), { ...source, log_index: id, ...change }));
        await tx.listings.reindex(handle);
      });
    const said = async () => {
      const read = async (path: string) => (await rated.app.request(path)).json() as Promise<never>;
      const { message } = (await read(`/badge/${handle}.json`)) as { message: string };
      const svg = await (await rated.app.request(`/badge/${handle}`)).text();
      expect(svg).toContain(`aria-label="dossier: ${message}"`);
      return message;
    };
    for (let at = 0; at < 6; at++) await rate(`co.webhook/own${at}`, 'webhook', { related: true });
    expect(await said()).toBe('listed, updated 2026-10');
    await rate('b/one', 'b', { outcome: 'failed' });
    await rate('b/two', 'b', { outcome: 'failed' });
    expect(await said()).toBe('1 source, 0 of 2 worked');
    for (let at = 0; at < 10; at++) await rate('d/one', 'd', { reciprocal: true });
    expect(await said()).toBe('1 source, 0 of 2 worked');
    for (let at = 0; at < 8; at++) await rate('b/three', 'b');
    expect(await said()).toBe('1 source, 8 of 10 worked');
    await rate('c/one', 'c');
    expect(await said()).toBe('2 sources, 9 of 11 worked');
  });

  it('has the form that shields.io reads', async () => {
    const response = await get('/badge/co.webhook/webhook.json');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      schemaVersion: 1,
      label: 'dossier',
      message: 'listed, updated 2026-10',
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
    expect(await response.text()).toContain('no listing is found by this name');
    expect(await (await get('/badge/nobody/nothing.json')).json()).toMatchObject({ code: 'unknown_handle' });
  });

  it('is an image at every address, however the slash is sent, and whatever is wrong with the request', async () => {
    for (const path of ['co.webhook/webhook', 'co.webhook%2Fwebhook', 'co.webhook%2fwebhook.svg']) {
      const badge = await get(`/badge/${path}?style=flat-square`);
      expect([badge.status, await badge.text()], path).toEqual([
        200,
        expect.stringContaining('listed, updated 2026-10'),
      ]);
    }
    const tight = await openedDirectory({ environment: { LIMIT_OVERRIDES: 'badge=1/10m' } });
    await tight.app.request('/badge/co.webhook/webhook');
    for (const [answer, status, words] of [
      [await get('/badge/nobody%2Fnothing'), 404, 'no listing is found by this name'],
      [await get('/badge/webhook'), 400, 'this is no name of one listing'],
      [await get('/badge/a/%22%3E%3Cscript%3E'), 400, 'this is no name of one listing'],
      [await get('/badge/a/%E0%A4%A'), 400, 'the request is malformed'],
      [await get('/badge/co.webhook/webhook/more'), 404, 'nothing is here'],
      [await get('/badge/co.webhook/webhook', { accept: 'text/html' }), 200, 'listed, updated 2026-10'],
      [await tight.app.request('/badge/co.webhook/webhook'), 429, 'too many requests'],
    ] as const) {
      const { status: sent, headers } = answer;
      const svg = await answer.text();
      expect([sent, headers.get('content-type')], words).toEqual([status, 'image/svg+xml; charset=utf-8']);
      expect(svg.toLowerCase(), words).toContain(words);
    }
  });

  it('says of a deprecated listing that it is deprecated, whatever else is known of it', async () => {
    const handle = 'com.ended/tool';
    await directory.importEntries([registryEntry(handle, {}, { status: 'deprecated' })]);
    for (const query of ['', '?show=claim'])
      expect(await (await get(`/badge/${handle}${query}`)).text()).toContain(
        'aria-label="dossier: deprecated in its registry"',
      );
  });

  it('has a page of snippets', async () => {
    const page = await (await get('/agents/co.webhook/webhook/badge')).text();
    expect(page).toContain(
      '<img class="badge" src="/badge/co.webhook/webhook" alt="dossier: listed, updated 2026-10."',
    );
    expect(page).toContain(
      `[![dossier: listed, updated 2026-10. As of ${today()}; see the listing.](http://127.0.0.1:3000/badge/co.webhook/webhook)](http://127.0.0.1:3000/agents/co.webhook/webhook)`,
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
