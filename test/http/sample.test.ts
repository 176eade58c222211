import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { comparedOf } from '../support/compared.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';

const madeUp = 'com.example.invoices/invoices';
const directory = await opened(openClaimedDirectory({ entries: [] }));
await directory.import({ source: 'sample' });

const read = async (path: string) => (await directory.app.request(path)).text();
const readJson = async (path: string) => JSON.parse(await read(path));
const call = async (tool: string, input: object) =>
  JSON.parse(await (await directory.post(`/api/tools/${tool}`, input)).text());

describe('a listing of the shipped sample is called a sample', () => {
  const sentence =
    'Sample: this listing is made up and shipped with Dossier. It was not read from a registry.';
  const specified =
    'Sample: the description, the repository and the endpoint, if any, are as given in the specification of Dossier and were not read from a registry. The version and the dates were chosen for the sample.';

  it('in its document, by its source', async () => {
    const today = new Date().toISOString().slice(0, 10);
    expect(await readJson(`/agents/${madeUp}.json`)).toMatchObject({
      sample: true,
      origin: 'sample shipped with Dossier, not a registry',
      evidence_snapshot_date: today,
      origin_note: sentence,
    });
    const document = await readJson('/agents/co.webhook/webhook.json');
    expect(document).toMatchObject({
      sample: true,
      origin: 'registry, as given in the specification, not read there',
      origin_note: specified,
    });
    const signals = document.signals.imported.map(({ kind, outcome }: Record<string, string>) => [
      kind,
      outcome,
    ]);
    expect(signals).toEqual([
      ['registry.versions', 'nothing'],
      ['registry.first_published', 'nothing'],
      ['registry.last_published', 'nothing'],
      ['publisher.listings', 'seen'],
    ]);
    expect(document.signals.imported[0]).toMatchObject({
      source: 'registry, as given in the specification, not read there',
      reason: 'The version and the dates of this listing were chosen for the sample.',
    });
  });

  it('says of nothing made up that somebody showed it to a registry', async () => {
    const { signals } = await readJson(`/agents/${madeUp}.json`);
    const kinds = signals.imported.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toContain('registry.last_published');
    expect(kinds).not.toContain('namespace.proof');
    expect(await read(`/agents/${madeUp}`)).not.toContain('What the publisher showed to the registry');
  });

  it.each([
    ['the page', `/agents/${madeUp}`, `<p class="note">${sentence}</p>`],
    [
      'the page of one of the specification',
      '/agents/com.politicalcomms/api',
      `<p class="note">${specified}</p>`,
    ],
    ['Markdown', `/agents/${madeUp}.md`, sentence],
    [
      'Markdown about its namespace',
      `/agents/${madeUp}.md`,
      'Namespace of domain invoices.example.com, not proven to a registry; its endpoint is on it',
    ],
    ['the badge', `/badge/${madeUp}`, 'dossier: sample'],
    ['a list', '/agents?q=invoices', '<li>shipped sample</li>'],
    ['the ratings page', `/agents/${madeUp}/ratings`, `<p class="note">${sentence}</p>`],
    ['the claim page', '/agents/com.politicalcomms/api/claim', `<p class="note">${specified}</p>`],
    ['the badge page', `/agents/${madeUp}/badge`, `[![${sentence} As of `],
    ['the feedback page', `/feedback?handle=${madeUp}`, `<p class="note">${sentence}</p>`],
    ['listings to compare', '/compare?add=invoices', '<li>shipped sample</li>'],
    ['a tag', '/tags/remote', '<li>shipped sample</li>'],
    ['the first page', '/', 'Last completed import: the sample that ships with this service'],
    [
      'a comparison',
      `/compare?handle=${madeUp}&handle=co.webhook/webhook&active=true`,
      'invoices</a> (sample)</th>',
    ],
    [
      'a comparison with one of the specification',
      `/compare?handle=${madeUp}&handle=co.webhook/webhook&active=true`,
      'registry, as given in the specification, not read there, as of',
    ],
  ])('on %s', async (_face, path, text) => {
    expect(await read(path)).toContain(text);
  });

  it('by tools', async () => {
    const handles = [madeUp, 'co.webhook/webhook'];
    const criteria = ['active', 'needs_no_secret'];
    const compared = comparedOf(await call('compare_agents', { handles, criteria }));
    expect(compared.map(({ sample }) => sample)).toEqual([true, true]);
    expect(compared[1]).toMatchObject({
      results: { active: 'met', needs_no_secret: 'unknown' },
      record: expect.stringContaining('registry, as given in the specification, not read there, as of '),
    });
    const withoutSecret = await call('search_agents', { needs_secret: false, limit: 50 });
    const handlesFound = withoutSecret.listings.map(({ handle }: { handle: string }) => handle);
    expect(handlesFound).toContain('com.example.tenants/search');
    expect(handlesFound).not.toContain('co.webhook/webhook');
    const quoted = await call('search_agents', { query: 'co.webhook/webhook' });
    expect(quoted.listings[0].facts.join()).not.toContain('updated');
    const found = await call('search_agents', { query: 'invoices' });
    expect(found.listings[0]).toMatchObject({
      handle: madeUp,
      facts: expect.arrayContaining(['shipped sample']),
    });
    expect(await call('list_ratings', { handle: madeUp })).toMatchObject({ sample: true });
    expect(await readJson('/agents/co.webhook/webhook.intoto.json')).toMatchObject({
      detail: expect.stringMatching(/^Nothing is stated about a listing of the sample\./),
    });
  });
});

it('pages about the sample count on the first page as many listings as the link leads to', async () => {
  const [, path = '', shown] =
    /<a href="([^"]+)"><b>(\d+)<\/b> with a remote endpoint/.exec(await read('/')) ?? [];
  expect(await read(path)).toContain(
    `<p id="count" class="total" role="status" tabindex="-1">${shown} listings.</p>`,
  );
});

it('ends when an import completes, with its claims and ratings', async () => {
  const capability = await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  for (const handle of ['com.politicalcomms/api', madeUp]) await directory.rate(handle, capability);
  await directory.importEntries([
    registryEntry('com.politicalcomms/api', { description: 'As the registry has it' }),
  ]);
  const taken = await readJson('/agents/com.politicalcomms/api.json');
  expect(taken).toMatchObject({
    description: 'As the registry has it',
    origin: 'registry.modelcontextprotocol.io (MCP), saved copy',
    signals: { native: { ratings: 0 } },
    versions: [{ version: '1.0.0', published_at: '2026-10-01T08:00:00.000Z' }],
  });
  expect(taken.sample).toBeUndefined();
  for (const handle of [madeUp, 'co.webhook/webhook']) {
    const gone = await directory.app.request(`/agents/${handle}.json`);
    const { code, detail } = JSON.parse(await gone.text());
    expect([gone.status, code]).toEqual([410, 'listing_withdrawn']);
    expect(detail).toContain('part of the sample that Dossier ships with');
    expect(detail).not.toContain('registry deleted');
  }
  expect(await directory.store.claims.claim('co.webhook/webhook')).toMatchObject({
    state: 'suspended',
    suspended_reason: 'withdrawn',
  });
  expect(await directory.store.listings.count()).toBe(1);
});
