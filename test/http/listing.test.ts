import { describe, expect, it } from 'vitest';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const get = (path: string, headers: Record<string, string> = {}) => directory.app.request(path, { headers });
const html = { accept: 'text/html' };

const directory = await openedDirectory({
  entries: [
    ...seedEntries,
    registryEntry('io.test/tool'),
    registryEntry('io.test/tool.json', { description: 'Its name ends like a form.' }),
    registryEntry('io.test/notes.md', { description: 'Its name ends like another form.' }),
    registryEntry('io.test/links', {
      websiteUrl: 'javascript:alert(1)',
      repository: { url: 'http://github.com/test/links', source: 'github' },
      remotes: [{ type: 'streamable-http', url: 'https://{host}/mcp' }],
    }),
    registryEntry('io.test/gone', { description: 'Words of a publisher' }, { status: 'deleted' }),
  ],
});

describe('the page of a listing', () => {
  it('shows its parts in the order of the contract', async () => {
    const response = await get('/agents/co.webhook/webhook');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await response.text();
    const page = text.slice(text.indexOf('<main'));
    const parts = [
      '<h1 class="handle">co.webhook/webhook</h1>',
      'published under <a href="/publishers/co.webhook">co.webhook</a> (its only listing)',
      'Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.',
      'href="https://github.com/webhook-co/webhook" rel="nofollow ugc noopener noreferrer"',
      'href="https://mcp.webhook.co/mcp" rel="nofollow ugc noopener noreferrer"',
      'No ratings here; that matters for a purchase.',
      'co.webhook/webhook is listed with no rating evidence as of ',
      'A listing is not verification and not a recommendation to buy.',
      'Record: <span class="foreign">registry.modelcontextprotocol.io (MCP), saved copy</span>, as of <time datetime="2026-10-02T08:00:00.000Z">2026-10-02</time>',
      'href="/tags/webhooks"',
      '<h2 id="connect">Connect</h2>',
      'claude mcp add --transport http webhook https://mcp.webhook.co/mcp',
      '<h2 id="asked">All facts and sources</h2>',
      'What does it cost, and who is paid?',
      'Does it answer, and how is it reached?',
      'What can it do, and did that change?',
      'What does it ask for?',
      'Who stands behind it?',
      'Is the package built from the public code?',
      'Is it kept up?',
      'What happened to others?',
      'On what terms, and where does my data go?',
      '<h2 id="publishers">For publishers</h2>',
      '<h3 id="claim">Is this yours?</h3>',
      'Get a capability (shown once) and a line. <span class="foreign">Commit the line in the file dossier-claim.txt at the root of the default branch of',
      'ways to claim the listing.',
      'href="/agents/co.webhook/webhook/claim"',
      '<h3 id="badge">Badge</h3>',
      '[![dossier: listed, updated 2026-10. As of ',
      '; see the listing.](http://127.0.0.1:3000/badge/co.webhook/webhook)](http://127.0.0.1:3000/agents/co.webhook/webhook)',
    ];
    let from = 0;
    const places = parts.map((part) => {
      const place = page.indexOf(part, from);
      from = place < 0 ? page.length : place;
      return place;
    });
    expect(parts[places.indexOf(-1)]).toBeUndefined();
  });

  it('shows what is not recorded', async () => {
    const page = await (await get('/agents/com.politicalcomms/api')).text();
    expect(page).toContain('<dt>Not checked</dt><dd>price, ');
    expect(page).not.toContain('<dt>Costs</dt>');
    expect(page).toContain('The listing records no remote endpoint.');
    expect(page).toContain(
      'href="https://www.npmjs.com/package/@political-comms/mcp/v/1.2.0" rel="nofollow ugc noopener noreferrer">@political-comms/mcp@1.2.0</a></code>',
    );
  });

  it('links only plain https, and offers no configuration for a template', async () => {
    const page = await (await get('/agents/io.test/links')).text();
    expect(page).not.toContain('href="javascript:');
    expect(page).not.toContain('href="http://github.com');
    expect(page).not.toContain('href="https://{host}');
    expect(page).toContain('The recorded endpoint is a template');
  });

  it('lets a name that ends like a form win over that form', async () => {
    const exact = await (await get('/agents/io.test/tool.json')).text();
    expect(exact).toContain('<h1 class="handle">io.test/tool.json</h1>');
    const twin = (await (await get('/agents/io.test/tool.json.json')).json()) as { handle: string };
    expect(twin.handle).toBe('io.test/tool.json');
    expect(await (await get('/agents/io.test/notes.md')).text()).toContain(
      '<h1 class="handle">io.test/notes.md</h1>',
    );
  });
});

describe('a handle that is not listed', () => {
  it('is redirected where only capitals differ', async () => {
    const moved = await get('/agents/Co.Webhook/webhook');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/agents/co.webhook/webhook']);
    const twin = await get('/agents/CO.webhook/WEBHOOK.json?x=1');
    expect([twin.status, twin.headers.get('location')]).toEqual([308, '/agents/co.webhook/webhook.json']);
    const failed = await get('/agents/CO.webhook/WEBHOOK/ratings?outcome=failed');
    expect(failed.headers.get('location')).toBe('/agents/co.webhook/webhook/ratings?outcome=failed');
    const badge = await get('/badge/CO.webhook/webhook.svg');
    expect([badge.status, badge.headers.get('location')]).toEqual([308, '/badge/co.webhook/webhook.svg']);
    const claim = await get('/agents/CO.webhook/webhook/claim');
    expect(claim.headers.get('location')).toBe('/agents/co.webhook/webhook/claim');
  });

  it('is answered with near ones', async () => {
    const page = await get('/agents/co.webhook/webhok', html);
    expect(page.status).toBe(404);
    const text = await page.text();
    expect(text).toContain('Did you mean');
    expect(text).toContain('href="/agents/co.webhook/webhook"');
    const json = await get('/agents/co.webhook/webhok.json');
    expect(json.status).toBe(404);
    expect(json.headers.get('content-type')).toBe('application/problem+json');
    expect(await json.json()).toEqual({
      type: 'http://127.0.0.1:3000/tools#unknown_handle',
      title: 'No listing is found by this name',
      status: 404,
      detail:
        'The listings are of a saved copy of a registry, whose newest change is of 2026-10-02: what was published later is not in it. What was withdrawn before may be missing from it. That a service is not listed says nothing about it; to be listed, its publisher puts a server.json into the MCP registry or another that is imported here. Search for it by words: search_agents.',
      code: 'unknown_handle',
      near: ['co.webhook/webhook'],
    });
  });

  it('is answered as gone, without the words of its publisher, where it was withdrawn', async () => {
    for (const path of ['/agents/io.test/gone', '/agents/io.test/gone.md', '/agents/io.test/gone/ratings']) {
      const page = await get(path, html);
      expect(page.status).toBe(410);
      const text = await page.text();
      expect(text).toContain('The listing was withdrawn');
      expect(text).toMatch(
        /The registry has deleted it, as Dossier read on \d{4}-\d\d-\d\d\. This is not a verdict about it\. It is no longer shown; <a href="\/agents">a search<\/a> finds others\./,
      );
      expect(text).not.toContain('search_agents');
      expect(text).not.toContain('Words of a publisher');
    }
    const json = await get('/agents/io.test/gone.json');
    expect(json.status).toBe(410);
    expect(await json.json()).toMatchObject({ code: 'listing_withdrawn' });
    expect((await get('/badge/io.test/gone')).status).toBe(410);
  });

  it('is sent on where its slash is encoded', async () => {
    const moved = await get('/agents/co.webhook%2Fwebhook');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/agents/co.webhook/webhook']);
  });
});
