import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { opened } from '../support/opened.ts';

const handle = 'co.webhook/webhook';
const html = { accept: 'text/html' };
const get = (path: string) => directory.app.request(path, { headers: html });
const textOf = async (path: string) => (await get(path)).text();

const directory = await opened(openClaimedDirectory());
await directory.claim(handle, 'webhook-co/webhook');
await directory.store.write((tx) =>
  tx.observations.addChange({
    handle,
    log_index: 0,
    at: '2026-11-02T08:00:00.000Z',
    vantage: 'eu-west',
    changes: [
      {
        kind: 'tools.count',
        subject: 'https://mcp.webhook.co/mcp',
        before: { value: 3, outcome: 'seen', seen_until: '2026-11-01T08:00:00.000Z' },
        after: { value: 4, outcome: 'seen' },
      },
      { kind: 'auth.required', after: { value: true, outcome: 'seen' } },
    ],
  }),
);

describe('the history of a listing', () => {
  it('says what was before and after, with dates and the entry of the log', async () => {
    const page = (await textOf(`/agents/${handle}/history`)).replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
    expect(page).toContain('Number of tools (https://mcp.webhook.co/mcp): 3 until 2026-11-01, then 4');
    expect(page).toContain('first check: 1 fact');
    expect(page).toContain('2026-11-02 log index 0');
    expect(page).toContain(
      'claimed: write access to its repository was shown (github.com/webhook-co, commit ',
    );
    expect(await textOf(`/agents/${handle}`)).toContain(`href="/agents/${handle}/history"`);
  });

  it('is JSON too, of one kind if it is named', async () => {
    const answer = await directory.app.request(`/agents/${handle}/history.json?kind=access`);
    expect(await answer.json()).toEqual({
      handle,
      events: [
        {
          type: 'check',
          at: '2026-11-02T08:00:00.000Z',
          vantage: 'eu-west',
          log_index: 0,
          is_first: true,
          changes: [{ kind: 'auth.required', after: { value: true, outcome: 'seen' } }],
        },
      ],
      horizon:
        'The listing is of a saved copy of a registry, whose newest change is of 2026-10-02: what was published later is not in it. Dossier has made no observation of this listing.',
    });
    const claim = await directory.app.request(`/agents/${handle}/history.json?kind=claim`);
    expect(await claim.json()).toMatchObject({
      events: [{ type: 'claim.activated', claim: { type: 'activated' } }],
    });
    const wrong = await directory.app.request(`/agents/${handle}/history.json?kind=auth.required`);
    expect(wrong.status).toBe(422);
    expect((await get('/agents/co.unknown/one/history')).status).toBe(404);
  });

  it('tells a first version by its date, and says that nothing is recorded where nothing is', async () => {
    const path = '/agents/com.politicalcomms/api/history';
    const page = await textOf(path);
    expect(page).toContain('was not compared, because no version before it was read');
    expect(page).not.toContain('recorded no change');
    expect(await textOf(`${path}?since=2026-10-02`)).toContain(
      '<p>The saved copy that was read has no older version of any listing. The listing is of a saved copy of a registry, whose newest change is of <time>2026-10-02</time>: what was published later is not in it. Dossier has made no observation of this listing.</p>',
    );
  });

  it('goes on with older events', async () => {
    const busy = 'com.politicalcomms/api';
    const change = { kind: 'tools.count', after: { value: 1, outcome: 'seen' as const } };
    await directory.store.write(async (tx) => {
      for (let log_index = 100; log_index < 121; log_index += 1)
        await tx.observations.addChange({
          handle: busy,
          log_index,
          at: '2026-11-02T08:00:00.000Z',
          vantage: 'eu-west',
          changes: [change],
        });
    });
    const first = await textOf(`/agents/${busy}/history`);
    expect(first.match(/log index 1\d\d/g)).toHaveLength(20);
    const [, older = ''] = /href="([^"]*history\?cursor=[^"]*)"/.exec(first) ?? [];
    const ofKind = await textOf(`/agents/${busy}/history?kind=tools`);
    expect(ofKind).toMatch(/href="[^"]*history\?kind=tools&(?:amp;)?cursor=[^"]+"/);
    expect(await textOf(`/agents/${busy}/history?kind=claim`)).toContain(
      'Dossier has recorded no such change of this listing.',
    );
    const second = await textOf(older);
    expect(second.match(/log index 1\d\d/g)).toEqual(['log index 100']);
    expect(second).not.toContain('history?cursor=');
  });
});

it('the filter of a history keeps what was asked for, and each kind that it offers can be asked for', async () => {
  const page = await textOf(`/agents/${handle}/history?kind=tools&since=2026-11-01`);
  expect(page).toContain('<option value="tools" selected>');
  expect(page).toContain('name="since" value="2026-11-01"');
  const kinds = [...page.matchAll(/<option value="(\w+)"/g)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(10);
  for (const kind of kinds)
    expect([kind, (await get(`/agents/${handle}/history?kind=${kind}`)).status]).toEqual([kind, 200]);
  const none = await textOf(`/agents/${handle}/history?kind=&since=&until=`);
  expect(none).toContain('<option value="">everything</option>');
});

describe('the log, for people', () => {
  it('has a page, and one for each entry with what it recorded', async () => {
    expect(await textOf('/log')).toContain('<a href="/log/entry/0">entry 0</a>');
    const words = (await textOf('/log')).replaceAll(/<[^>]+>/g, '');
    expect(words).toMatch(
      /\d{4}-\d\d-\d\d \d\d:\d\d UTC co.webhook\/webhook: claimed \(github.com\/webhook-co\) entry 0/,
    );
    const entry = await textOf('/log/entry/0');
    expect(entry).toContain('<h1>Entry 0: claimed</h1>');
    expect(entry).toContain(`href="/agents/${handle}"`);
    expect(await textOf(`/agents/${handle}/history`)).toContain('<a href="/log/entry/0">log index 0</a>');
    for (const path of ['/log/entry/99', '/log/entry/x', '/log/entry/-1'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it('has no page with a link to an entry that does not exist', async () => {
    const [newest = ''] = /\/log\/entry\/\d+/.exec(await textOf('/log')) ?? [];
    expect(newest).toBe('/log/entry/0');
    const linked = (await textOf(newest)).match(/\/log\/entry\/\d+/g) ?? [];
    for (const path of linked) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it('stays JSON for programs', async () => {
    const answer = await directory.app.request('/log');
    expect(answer.headers.get('content-type')).toBe('application/json');
  });
});

it('the badge of a claim says who claimed it and when, or that it is listed', async () => {
  const messageOf = async (of: string) =>
    ((await (await get(`/badge/${of}.json?show=claim`)).json()) as { message: string }).message;
  expect(await messageOf(handle)).toMatch(/^webhook-co, claimed \d{4}-\d\d$/);
  expect(await messageOf('com.politicalcomms/api')).toBe('listed, updated 2026-10');
});

it('a report begins with what it is about', async () => {
  const page = await textOf('/feedback?category=rating&message=Rating%20abc%3A%20&handle=co.webhook/webhook');
  expect(page).toContain('>Rating abc: </textarea>');
  expect(page).toContain('<option value="rating" selected>');
  expect(page).toContain('What were you looking for?');
  const report = await textOf('/feedback?category=report&handle=co.webhook/webhook');
  expect(report).toContain('<label for="message">What is wrong?</label>');
  expect(report).not.toContain('What were you looking for?');
  expect(await textOf('/feedback?message=%3Cscript%3E')).not.toContain('<script>"');
});
