import { describe, expect, it } from 'vitest';
import { connect } from '../support/mcp-clients.ts';
import { observedStates } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory();
const client = await opened(connect('v2', { app: directory.app }));
const handle = 'co.webhook/webhook';
const line =
  'For its publisher, and to follow it, at `http://127.0.0.1:3000`: Claim: `/agents/co.webhook/webhook/claim`. Opt out there with the line: `optout co.webhook/webhook`. Answer ratings (respond_to_rating): `/agents/co.webhook/webhook/ratings`. Wrong in the record: mend it in its registry (version, status); if right there, or a copy, report it: `/feedback?category=report&handle=co.webhook%2Fwebhook`. Badge, now “listed, updated 2026-10”: `/badge/co.webhook/webhook`. Changes: `/agents/co.webhook/webhook/feed.atom`. Its namespace: `/publishers/co.webhook/feed.atom`. Webhook: `/api/webhooks`. In CI: `/about#ci`.';
const untold = 'Until the operator imports again, Dossier learns of no new version, status or withdrawal.';
const badge =
  'Badge in Markdown: `[![dossier](http://127.0.0.1:3000/badge/co.webhook/webhook)](http://127.0.0.1:3000/agents/co.webhook/webhook)`';

describe('where a publisher corrects, claims and answers, and how a listing is followed', () => {
  it.each([
    ['list_ratings', { handle }],
    ['get_history', { handle }],
    ['get_history', { handle, since: '2026-01-01' }],
  ])('is said by %s, in text and in JSON', async (tool, input) => {
    const { content, structuredContent } = await client.call(tool, input);
    expect(structuredContent?.for_publisher).toBe(`${line} ${untold}`);
    expect(content[0]?.text).toContain(`${line} ${untold}`);
  });

  it('is said by get_agent in full, and in no short answer', async () => {
    const full = await client.call('get_agent', { handle, detail: 'full' });
    for (const said of [`${line} ${untold}`, badge]) expect(full.structuredContent?.markdown).toContain(said);
    expect(full.structuredContent?.markdown).toMatch(
      /To state what is not stated: credentials in the headers.*; terms in a link with rel=.* No place is read for operator, data handling, region and support\./,
    );
    expect(JSON.stringify(await client.call('get_agent', { handle }))).not.toContain('For its publisher');
  });

  it.each([
    ['list_ratings', { handle, outcome: 'failed' }],
    ['get_history', { handle, kind: 'tools' }],
  ])('is not repeated by %s of %j', async (tool, input) => {
    expect(JSON.stringify(await client.call(tool, input))).not.toContain('For its publisher');
  });

  it('is on the page and in its Markdown, and each address leads somewhere', async () => {
    const get = async (path: string) => directory.app.request(path, { headers: { accept: 'text/html' } });
    const page = await (await get(`/agents/${handle}`)).text();
    for (const shown of [
      `<a href="/agents/${handle}/claim" rel="nofollow">Claim</a>`,
      `<a href="/agents/${handle}/ratings" rel="nofollow">Answer ratings (respond_to_rating)</a>`,
      'rel="nofollow">Wrong in the record: mend it in its registry (version, status); if right there, or a copy, report it</a>',
      '<li><a href="/about#ci" rel="nofollow">In CI</a></li>',
    ])
      expect(page).toContain(shown);
    expect(await (await get(`/agents/${handle}.md`)).text()).toContain(line);
    expect(page).toContain('](http://127.0.0.1:3000/badge/co.webhook/webhook)](');
    expect(await (await get(`/agents/${handle}/ratings`)).text()).toContain(
      'responses are the words of the rated listing, which responds here once it is claimed.',
    );
    const addresses = line.matchAll(/: `(\/[^`]+)/g);
    for (const [, path = ''] of addresses) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it('says what cannot arrive while no registry is read, wherever changes are offered', async () => {
    const environment = { REGISTRY_URL: 'https://registry.example' };
    const read = await openedDirectory({ entries: [], environment });
    const says = async (path: string, { app } = directory) =>
      (await (await app.request(path)).text()).includes(untold);
    const ofAll = [
      '/feed.json',
      '/publishers/co.webhook',
      '/publishers/co.webhook/feed.atom',
      '/api/webhooks',
    ];
    const ofOne = ['', '.md', '/feed.json'].map((end) => `/agents/${handle}${end}`);
    for (const path of [...ofAll, ...ofOne]) expect([path, await says(path)]).toEqual([path, true]);
    for (const path of ofAll) expect([path, await says(path, read)]).toEqual([path, false]);
  });

  it('begins with where checks read what stands out, and when it is read again, where this service checks', async () => {
    const open = async (OBSERVE: string) => {
      const observed = await opened(openObservedStates({ OBSERVE }));
      const own = await opened(connect('v2', { app: observed.app }));
      const said = async (name: keyof typeof observedStates) =>
        String(
          (await own.call('get_history', { handle: observedStates[name] })).structuredContent?.for_publisher,
        );
      const page = async (path: string) => (await observed.app.request(path)).text();
      return { said, page, claim: await page('/agents/com.faded/translate/claim') };
    };
    const on = await open('on');
    expect(await on.said('unreachable')).toMatch(
      /to follow it, at `http:\S+`: What checks read at its endpoint stands out\. Mended there\? The next check is due by 20[\d-]{8} \d\d:\d\d UTC\. For one at once: claim, then POST \/api\/capability\/check with the capability: `\/agents\/com\.faded\/translate\/claim#check`\./,
    );
    expect(await on.said('healthy')).toMatch(/to follow it, at `http:\S+`: Claim:/);
    for (const [name, read] of [
      ['toolsChanged', 'its endpoint'],
      ['paid', 'its endpoint'],
      ['notThere', 'its endpoint, its repository and the registry of its package'],
      ['malicious', 'the database of advisories'],
      ['contradicting', 'its endpoint and the registry of its package'],
    ] as const)
      expect(await on.said(name)).toContain(
        `: What checks read at ${read} stands out. Mended there? The next`,
      );
    expect(on.claim).toMatch(
      /<h2 id="check">A check at once<\/h2>\n<p>[^<]*at most every 10 minutes:<\/p>.*curl -s -X POST http:\S+\/api\/capability\/check -H/s,
    );
    expect(await on.page('/agents/com.faded/translate')).toContain(
      '<a href="/agents/com.faded/translate/claim#check" rel="nofollow">What checks read at its endpoint stands out. Mended there?',
    );
    const asked = await open('asked');
    expect(await asked.said('unreachable')).toMatch(
      /Mended there\? The next check begins when it is read after 20[\d-]{8} \d\d:\d\d UTC\. For one at once/,
    );
    const off = await open('off');
    expect(await off.said('unreachable')).toMatch(/to follow it, at `http:\S+`: Claim:/);
    expect(off.claim).not.toContain('capability/check');
  });
});
