import { join } from 'node:path';
import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const rater = registryEntry('com.rater/api', onGitHub('rater/api'));
const newer = (version: string, server = {}) =>
  registryEntry('com.example/moves', { version, ...server }, { updatedAt: '2026-11-01T08:00:00Z' });

const service = await opened(
  openClaimedDirectory({
    entries: [...seedEntries, rater, newer('1.0.0')],
    environment: { PUBLIC_URL: 'https://dossier.example' },
  }),
);

interface Line {
  id: string;
  seq: number;
  type: string;
  handle: string;
  data: Record<string, unknown>;
}
async function read(since = '0', { app }: Pick<Directory, 'app'> = service): Promise<Line[]> {
  const answer = await app.request(`/changes?since=${since}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/jsonl; charset=utf-8',
  ]);
  const text = await answer.text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}
const types = (lines: readonly Line[]) => lines.map(({ type, handle }) => `${type} ${handle}`);

const homeText = async () =>
  (await (await service.app.request('/')).text()).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

it('begins after the first import, which is no change', async () => {
  expect(await read()).toEqual([]);
  expect(await homeText()).not.toContain('What changed');
});

it('has every change in order: of records, claims and ratings', async () => {
  await service.importEntries([
    newer('1.1.0', { description: 'Moves furniture' }),
    registryEntry('com.example/new'),
  ]);
  const capability = await service.claim('com.rater/api', 'rater/api');
  await service.rate('co.webhook/webhook', capability, { outcome: 'failed' });
  await service.importEntries([
    registryEntry('com.example/new', {}, { status: 'deleted', updatedAt: '2026-11-02T08:00:00Z' }),
  ]);
  const lines = await read();
  expect(types(lines)).toEqual([
    'listing.changed com.example/moves',
    'listing.new com.example/new',
    'claim.activated com.rater/api',
    'rating.submitted co.webhook/webhook',
    'listing.withdrawn com.example/new',
  ]);
  expect(lines[0]?.data).toEqual({
    version: '1.1.0',
    from_version: '1.0.0',
    fields: ['description', 'version'],
  });
  expect(lines[3]?.data).toEqual({
    log_index: 1,
    source: 'com.rater/api',
    outcome: 'failed',
    group: 'new_source',
  });
  const seqs = lines.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
});

it('stands on the first page by listing, if it is one of prices, tools, owners or ratings, or a withdrawal', async () => {
  const today = new Date().toISOString().slice(0, 10);
  expect(await homeText()).toContain(
    `What changed ${today} com.example/new : no longer listed (the registry deleted it without a stated reason) Claims and ratings ${today} co.webhook/webhook : new rating by com.rater/api (failed; set apart then: new_source) ${today} com.rater/api : claimed: write access to its repository was shown ( github.com/rater , commit `,
  );
});

it('goes on after a change, whose id a header repeats, and refuses what is none', async () => {
  const [first, ...rest] = await read();
  expect(first?.id).toMatch(/^1_[0-9a-z]{8}$/);
  expect(await read(first?.id)).toEqual(rest);
  const last = rest.at(-1)?.id;
  expect(await read(last)).toEqual([]);
  for (const since of ['0', last]) {
    const { headers } = await service.app.request(`/changes?since=${since}`);
    expect(headers.get('dossier-next-since')).toBe(last);
  }
  for (const since of ['yesterday', '3', '0_mhx3k9f0', '-1'])
    expect((await service.app.request(`/changes?since=${since}`)).status, since).toBe(422);
});

it('lists what changed about all listings from one day to another, a page at a time', async () => {
  const days = await openedDirectory({ entries: [] });
  const at = (nth: number) => new Date(Date.now() + nth * 86_400_000).toISOString().slice(0, 10);
  const handles = ['org.day/zero', 'org.day/one', 'org.day/one-too', 'org.day/two', 'org.day/three'];
  await days.importEntries([registryEntry('org.day/first')]);
  for (const some of [handles.slice(0, 1), handles.slice(1, 3), handles.slice(3, 4), handles.slice(4)]) {
    await days.importEntries(some.map((handle) => registryEntry(handle)));
    days.wait(86_400);
  }
  const ask = async (query: string) => {
    const answer = await days.app.request(`/changes?${query}`);
    const lines = (await answer.text()).split('\n').filter(Boolean);
    return {
      next: answer.headers.get('dossier-next-since'),
      handles: lines.map((line) => (JSON.parse(line) as Line).handle),
    };
  };
  expect((await ask(`since=${at(1)}`)).handles).toEqual(handles.slice(1));
  expect((await ask(`since=${at(0)}&until=${at(0)}`)).handles).toEqual(handles.slice(0, 1));
  const { next, handles: some } = await ask(`since=${at(1)}&until=${at(2)}`);
  expect(some).toEqual(handles.slice(1, 4));
  expect(await ask(`since=${next}&until=${at(2)}`)).toEqual({ next, handles: [] });
  expect((await ask(`since=${next}`)).handles).toEqual(handles.slice(4));
  expect(await ask(`since=${at(9)}`)).toEqual({ next: at(9), handles: [] });
  expect((await ask(`until=${at(1)}`)).handles).toEqual(handles.slice(0, 3));
  for (const query of ['since=2026-11-31', 'until=today', 'until=1_mhx3k9f0'])
    expect((await days.app.request(`/changes?${query}`)).status, query).toBe(422);
});

it('a reader of a service that was restored from an older backup is told so: nothing is left out without a sign', async () => {
  const folder = openFolder();
  const settings = { LOG_LEVEL: 'error', REGISTRY_URL: 'off', PORT: '0' };
  const before = await createSharedDatabase(folder);
  const after = await createSharedDatabase(folder);
  const open = (DATABASE_URL: string) => openDirectory({ entries: [], environment: { DATABASE_URL } });
  const lost = await open(before);
  await lost.importEntries([registryEntry('com.example/a')]);
  await lost.importEntries([registryEntry('com.example/b')]);
  const backup = join(folder, 'backup.gz');
  expect((await runDossier(['backup', backup], { ...settings, DATABASE_URL: before })).code).toBe(0);
  await lost.importEntries([registryEntry('com.example/c')]);
  const [kept, gone] = await read('0', lost);
  await lost.close();

  expect((await runDossier(['restore', backup], { ...settings, DATABASE_URL: after })).code).toBe(0);
  const restored = await opened(open(after));
  const refused = async () => {
    const answer = await restored.app.request(`/changes?since=${gone?.id}`);
    return [answer.status, await answer.json()];
  };
  const told = [
    410,
    expect.objectContaining({
      code: 'position_gone',
      detail: expect.stringContaining('Read the dump that /export/manifest.json names'),
    }),
  ];
  expect(await refused()).toEqual(told);
  await restored.importEntries([registryEntry('com.example/d')]);
  await restored.importEntries([registryEntry('com.example/e')]);
  expect(await refused()).toEqual(told);
  expect(types(await read(kept?.id, restored))).toEqual([
    'listing.new com.example/d',
    'listing.new com.example/e',
  ]);
  const ids = async () => {
    const feed = parseJsonFeed(await (await restored.app.request('/feed.json')).json());
    return feed.items?.map(({ id }) => id);
  };
  expect(await ids()).not.toContain(`${restored.url}/changes#${gone?.id}`);
});

it('an import that changes nothing is no change', async () => {
  const before = await read();
  const same = { version: '1.1.0', description: 'Moves furniture' };
  await service.importEntries([newer('1.1.0', same)]);
  const touched = { updatedAt: '2026-11-03T08:00:00Z' };
  await service.importEntries([registryEntry('com.example/moves', same, touched)]);
  expect(await read()).toEqual(before);
});

it('is written as Atom and JSON Feed: all, of a listing, of a publisher, of a tag', async () => {
  const atom = await service.app.request('/feed.atom');
  expect(atom.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const feed = parseAtomFeed(await atom.text());
  // RFC 4287 requires an author of the feed or of each entry.
  expect(feed.authors).toEqual([{ name: 'Dossier' }]);
  const [, , claimed] = feed.entries ?? [];
  expect(claimed?.content?.value).toContain(
    'com.rater/api: claimed: write access to its repository was shown (<code class="foreign">github.com/rater</code>, commit ',
  );
  expect(feed.entries?.map(({ title }) => title?.value?.replace(/`[0-9a-f]{12}`/, 'C'))).toEqual([
    'com.example/new: no longer listed (the registry deleted it without a stated reason)',
    'co.webhook/webhook: new rating by com.rater/api (failed; set apart then: new_source)',
    'com.rater/api: claimed: write access to its repository was shown (`github.com/rater`, commit C)',
    'com.example/new: listed for the first time here',
    'com.example/moves: record changed (description, version)',
  ]);
  const shown = feed.entries?.[1]?.content?.value ?? '';
  expect(shown).toMatch(
    /^<p>\d{4}-\d\d-\d\d, co.webhook\/webhook: new rating by com.rater\/api \(failed; set apart then: new_source\)\.<\/p><p><a href="https:\/\/dossier.example\/agents\/co.webhook\/webhook\/history\?until=[\d-]{10}#at-\d+">/,
  );
  expect(shown).not.toContain('{');
  const titles = async (path: string) => {
    const answer = await service.app.request(path);
    expect(answer.headers.get('content-type')).toBe('application/feed+json; charset=utf-8');
    return parseJsonFeed(await answer.json()).items?.map(({ title }) => title);
  };
  expect(await titles('/agents/co.webhook/webhook/feed.json')).toEqual([
    'co.webhook/webhook: new rating by com.rater/api (failed; set apart then: new_source)',
  ]);
  expect(await titles('/publishers/com.example/feed.json')).toHaveLength(3);
  expect(await titles('/tags/webhooks/feed.json')).toEqual([
    'co.webhook/webhook: new rating by com.rater/api (failed; set apart then: new_source)',
  ]);
  expect(await titles('/agents/com.example/new/feed.json')).toHaveLength(2);
  expect((await service.app.request('/agents/com.example/none/feed.json')).status).toBe(404);
});

it.each(['/', '/agents/co.webhook/webhook', '/publishers/com.example', '/tags/webhooks'])(
  'the page %s names its feeds where readers of feeds look for them',
  async (path) => {
    const page = await (await service.app.request(path)).text();
    const named = page.matchAll(/<link rel="alternate" type="([^"]+)" title="Changes[^"]*" href="([^"]+)">/g);
    const found = [...named].map(([, type, address = '']) => ({ type, address }));
    expect(found.map(({ type }) => type)).toEqual(['application/atom+xml', 'application/feed+json']);
    for (const { type, address } of found)
      expect((await service.app.request(address)).headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  },
);

it('has no feed of a tag that no listing has, and names the nearest', async () => {
  const answer = await service.app.request('/tags/webhook/feed.atom');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ code: 'not_found', near: ['webhooks'] });
  const page = await service.app.request('/tags/webhook', { headers: { accept: 'text/html' } });
  expect(page.status).toBe(404);
  expect(await page.text()).toContain('<a class="tag" href="/tags/webhooks">webhooks</a>');
});

it('no text of a publisher is markup or breaks a feed, and none is left once its listing is withdrawn', async () => {
  const hostile = '2]]></entry><img src=x onerror=alert(1)>';
  const later = { publishedAt: '2026-11-05T08:00:00Z', updatedAt: '2026-11-05T08:00:00Z' };
  await service.importEntries([registryEntry('com.example/moves', { version: hostile }, later)]);
  const atom = await (await service.app.request('/agents/com.example/moves/feed.atom')).text();
  const shown = parseAtomFeed(atom).entries?.[0];
  expect(shown?.content?.value).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(atom).not.toContain('<img');
  const json = parseJsonFeed(await (await service.app.request('/agents/com.example/moves/feed.json')).json());
  expect(json.items?.[0]?.content_html).toContain('&lt;img');
  expect(json.items?.[0]?.content_html).not.toContain('<img');
  const last = (await read()).at(-1);
  expect(last?.data.version).toContain('<img');
  await service.importEntries([
    registryEntry('com.example/moves', { version: hostile }, { status: 'deleted' }),
    registryEntry('com.example/moves', { version: '1.1.0' }, { status: 'deleted' }),
    registryEntry('com.example/moves', { version: '1.0.0' }, { status: 'deleted' }),
  ]);
  const kept = (await read()).filter(({ handle }) => handle === 'com.example/moves');
  expect(kept.at(-1)?.type).toBe('listing.withdrawn');
  expect(JSON.stringify(kept)).not.toMatch(/img|1\.1\.0/);
});

it('the feed of a tag has its change behind 59 newer ones of other listings', async () => {
  const later = (minute: number) => ({
    updatedAt: new Date(Date.parse('2026-11-02T08:00:00Z') + minute * 60_000).toISOString(),
  });
  const plain = (n: number, description: string, minute: number) =>
    registryEntry(`org.plain/n${n}`, { description }, later(minute));
  const others = Array.from({ length: 59 }, (_, n) => n);
  const many = await openedDirectory({
    entries: [
      registryEntry('net.mail/api', { description: 'Sends email' }),
      ...others.map((n) => plain(n, 'Does something', 0)),
    ],
  });
  await many.importEntries([registryEntry('net.mail/api', { description: 'Sends email, faster' }, later(1))]);
  await many.importEntries(others.map((n) => plain(n, 'Does something else', 2)));
  const itemsOf = async (path: string) => {
    const { items = [] } = parseJsonFeed(await (await many.app.request(path)).json());
    return items.map(({ title }) => title?.split(':')[0]);
  };
  expect(await itemsOf('/tags/email/feed.json')).toEqual(['net.mail/api']);
  const all = await itemsOf('/feed.json');
  expect([all.length, all.includes('net.mail/api')]).toEqual([50, false]);
});
