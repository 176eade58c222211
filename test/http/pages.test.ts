import { describe, expect, it } from 'vitest';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { toolNames } from '../support/tool-names.ts';

const get = (path: string, headers: Record<string, string> = {}) => directory.app.request(path, { headers });
const textOf = async (path: string) => (await get(path)).text();
const handlesIn = (page: string) =>
  [...page.matchAll(/<h3><a class="handle" href="\/agents\/([^"]+)"/g)].map(([, handle]) => handle);

const many = Array.from({ length: 45 }, (_, index) =>
  registryEntry(`io.many/server-${String(index).padStart(2, '0')}`, {
    description: 'One of many payment servers',
    remotes: [{ type: 'streamable-http', url: `https://many.example/${index}` }],
  }),
);
const directory = await openedDirectory({ entries: [...seedEntries, ...many] });

describe('pages', () => {
  it('/ names no registry if the operator configured none', async () => {
    const off = await openedDirectory({ entries: [], environment: { REGISTRY_URL: 'off' } });
    expect(await (await off.app.request('/')).text()).toContain(
      'For each server listed here, see what is known: who',
    );
  });

  it('/ says what this is, shows search with examples that are here, numbers that lead to lists, tags, and how fresh it is', async () => {
    const page = await textOf('/');
    expect(page).toContain('<form id="search" class="search" action="/agents" method="get" role="search">');
    expect(page).toContain('Last completed import: <time');
    expect(page).toContain('<h1>Check an MCP server before your agent uses or pays for it</h1>');
    expect(page).toContain(
      'For each server in a saved copy of a registry (made on <time datetime="2026-10-02T08:00:00.000Z">2026-10-02</time> or later), see what is known: who published it,',
    );
    const examples = [...page.matchAll(/<a class="tag" href="(\/agents\?q=[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(examples).toHaveLength(3);
    for (const path of examples) expect(handlesIn(await textOf(path)).length).toBeGreaterThan(0);
    expect(page).toContain('<a href="/agents"><b>47</b> listings</a>');
    expect(page).toContain('href="/tags/webhooks"');
  });

  it('/agents finds by words and leads to every listing by ordinary links', async () => {
    expect(handlesIn(await textOf('/agents?q=webhook'))).toEqual(['co.webhook/webhook']);
    const seen: (string | undefined)[] = [];
    let path: string | undefined = '/agents';
    while (path && seen.length < 100) {
      const page: string = await textOf(path);
      seen.push(...handlesIn(page));
      path = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen).toHaveLength(47);
    expect(new Set(seen).size).toBe(47);
  });

  it('/agents filters by facets as links that can be taken back', async () => {
    expect(await textOf('/agents')).toContain('href="/agents?has_endpoint=true" rel="nofollow"');
    expect(await textOf('/agents?q=servers')).not.toContain('filter-has_endpoint');
    const filtered = await textOf('/agents?tag=webhooks&has_endpoint=true');
    expect(handlesIn(filtered)).toEqual(['co.webhook/webhook']);
    expect(filtered).toContain('<span class="unseen">Remove the filter </span>tag: webhooks');
    expect(filtered).toContain('href="/agents?has_endpoint=true"');
    expect(filtered).toContain('1 listing.');
  });

  it('/agents reads query as q, and passes over what it does not know', async () => {
    const page = await (await directory.app.request('/agents?query=webhooks&color=red&limit=1')).text();
    expect(page).toContain('value="webhooks"');
    expect(page).toContain('/agents/co.webhook/webhook');
    expect(page).not.toContain('/agents/com.politicalcomms/api"');
    expect(page).not.toContain('red');
  });

  it.each([
    ['/agents?cursor=xyz', 'cursor'],
    ['/agents?state=best', 'state'],
    [`/agents?q=${'a'.repeat(10_001)}`, 'query'],
    ['/agents?tag=..%2F', 'tags.0'],
  ])('%s is 422 and names the field', async (path, field) => {
    const response = await get(path);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'invalid_input', fields: [{ field }] });
  });

  it('/tags and /tags/<tag> lead to listings', async () => {
    expect(await textOf('/tags')).toContain('<a class="tag" href="/tags/webhooks">webhooks</a>');
    expect(handlesIn(await textOf('/tags/webhooks'))).toEqual(['co.webhook/webhook']);
    expect((await get('/tags/nothing-has-this')).status).toBe(404);
    expect((await get('/tags/%3Cscript%3E')).status).toBe(404);
  });

  it('/agents/<handle>/ratings reports when there are none', async () => {
    const page = await textOf('/agents/co.webhook/webhook/ratings');
    expect(page).toContain('No ratings here; that matters for a purchase.');
    expect((await get('/agents/co.webhook/webhook/ratings?cursor=x')).status).toBe(422);
  });

  it('/tools names every tool with its input and a call that works', async () => {
    const page = await textOf('/tools');
    for (const tool of toolNames)
      expect(page).toContain(`<details id="${tool}"><summary><code>${tool}</code>`);
    expect(page).toContain('http://127.0.0.1:3000/api/tools/get_agent');
    const [, example = ''] = /<code>(curl [^<]*submit_rating[^<]*)/.exec(page) ?? [];
    expect(example).toContain('-H &quot;Authorization: Bearer YOUR_CAPABILITY&quot;');
    expect(page.split('YOUR_CAPABILITY')).toHaveLength(4);
  });

  it('/about begins with what the service is, and states the rules, what claimed means and the import', async () => {
    const page = await textOf('/about');
    expect(page).toMatch(
      /<h1>About Dossier<\/h1>\s*<p class="lead">Dossier tells agents and people what is known/,
    );
    expect(page).toContain(
      'Claimed means: write access to the default branch of the repository recorded for the listing was shown, at a commit, on a date',
    );
    expect(page).toContain('<p>Full, <time');
    expect(page).toContain('Quarantined records');
    expect(page).not.toContain('unknown_handle');
    const [, ci = ''] = /<h2 id="ci">(.*?)<\/section>/s.exec(page) ?? [];
    expect(ci).toContain('the package is not on npm, and one that is named dossier there is a stranger’s');
    expect(ci).toContain(
      '<code>npm install --save-dev &quot;./$(npm pack --silent /path/to/dossier)&quot;\nnpx --no-install dossier lock --from http://127.0.0.1:3000 HANDLE\nnpx --no-install dossier check</code>',
    );
    const open = page
      .replace(/.*<main/s, '')
      .replace(/<details.*?<\/details>|<footer.*/gs, '')
      .replace(/<[^>]+>/g, ' ');
    expect(open.split(/\s+/).length).toBeLessThanOrEqual(500);
  });

  it('/views says what a view gives, and where it is described', async () => {
    const page = await textOf('/views');
    expect(page).toContain('lets Claude Code, Copilot and VS Code start only what is in it');
    expect(page).toContain('with the setting VIEWS; docs/registry.md in its checkout says how');
  });

  it('/tools has every error code, where the type of a problem leads', async () => {
    expect(await textOf('/tools')).toContain(
      '<div id="unknown_handle"><dt><code>unknown_handle</code> <span class="note">404</span></dt>',
    );
  });

  it('every page is whole: language, title, viewport, main, no inline script or style, nothing from elsewhere', async () => {
    const paths = ['/', '/agents', '/tags', '/tools', '/about', '/feedback', '/agents/co.webhook/webhook'];
    for (const path of paths) {
      const page = await textOf(path);
      expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(page).toContain('<main id="main"');
      expect(page).toMatch(/<title>[^<]+<\/title>/);
      expect(page).not.toMatch(/<script(?![^>]* src="\/assets\/| type="application\/ld\+json">)/);
      expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
      expect(page).not.toMatch(/<(?:img|script|link rel="(?:icon|stylesheet)")[^>]+(?:src|href)="https?:/);
      expect(page).not.toContain('undefined');
      expect(page).not.toContain('[object');
    }
  });

  it('serves what pages load under addresses that never change', async () => {
    const page = await textOf('/');
    const assets = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(assets.map((path) => path.replace(/\.[0-9a-f]{12}\./, '.'))).toEqual([
      '/assets/icon.svg',
      '/assets/style.css',
      '/assets/htmx.js',
      '/assets/copy.js',
    ]);
    for (const path of assets) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    expect((await get('/assets/style.000000000000.css')).status).toBe(404);
  });
});
