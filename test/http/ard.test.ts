import { describe, expect, it, vi } from 'vitest';
import { packageAt, registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const cardType = 'application/mcp-server-card+json';
const parcels = (name: string, more: object = {}) =>
  registryEntry(`com.example.parcels/${name}`, { description: 'Sends parcels by bicycle', ...more });

const directory = await openedDirectory({
  entries: [
    ...seedEntries,
    registryEntry('io.github.alice/Cargo', {
      title: 'Cargo',
      description: 'Sends parcels',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://cargo.example.com/mcp',
          headers: [{ name: 'X-Key', value: 'App {KEY}', isRequired: true, isSecret: true }],
        },
      ],
      ...packageAt('npm', '@example/cargo', '1.0.0', {
        environmentVariables: [{ name: 'CARGO_TOKEN', isRequired: true, isSecret: true }],
      }),
    }),
    ...Array.from({ length: 25 }, (_, n) => parcels(`n${String(n).padStart(2, '0')}`)),
    registryEntry('com.example/gone', {}, { status: 'deleted' }),
  ],
  environment: { PUBLIC_URL: 'https://dossier.example', LIMITS: 'off' },
});

interface Entry {
  identifier: string;
  type: string;
  score: number;
  source: string;
  [term: string]: unknown;
}
const post = async (path: string, body: unknown) =>
  directory.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const search = async (query: object, more: object = {}) =>
  (await (await post('/ard/search', { query, ...more })).json()) as { results: Entry[]; pageToken?: string };
const retrieve = (identifier: string) =>
  directory.app.request(`/ard/agents/${encodeURIComponent(identifier)}`);
const idsOf = ({ results }: { results: Entry[] }) => results.map(({ identifier }) => identifier);
const problemOf = async (answer: Response) => {
  const { errorCode, message } = (await answer.json()) as { errorCode: string; message: string };
  return [answer.status, errorCode, message];
};
const ownTerms = { '@context': { d: 'https://dossier.example/about#' } };
const twoPrefixes = { '@context': { ...ownTerms['@context'], e: 'https://dossier.example/about#' } };

it('an agent that knows only the host finds the manifest by its address, a link and robots.txt, and in it the registry', async () => {
  const found = await directory.app.request('/.well-known/ard.json');
  expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { entries } = (await found.json()) as { entries: (Entry & { representativeQueries: string[] })[] };
  expect(entries.map(({ identifier, type, url }) => [identifier, type, url])).toEqual([
    ['urn:air:dossier.example:dossier', cardType, 'https://dossier.example/api/mcp/server-card'],
    [
      'urn:air:dossier.example:dossier:listings',
      'application/ai-registry+json',
      'https://dossier.example/ard',
    ],
  ]);
  for (const { representativeQueries } of entries)
    expect([2, 3, 4, 5]).toContain(representativeQueries.length);
  expect(await (await directory.app.request('/')).text()).toContain(
    '<link rel="ard" type="application/json" href="/.well-known/ard.json">',
  );
  expect(await (await directory.app.request('/robots.txt')).text()).toContain(
    '\nAgentmap: https://dossier.example/.well-known/ard.json\n',
  );
});

describe('POST /ard/search', () => {
  it('answers with entries of the listings that match best, each with how much of the query it has', async () => {
    const { results } = await search({ text: 'parcels by bicycle' }, { pageSize: 100 });
    expect(results).toHaveLength(26);
    expect(results[0]).toMatchObject({
      type: cardType,
      description: 'Sends parcels by bicycle',
      score: 100,
      source: 'https://dossier.example/ard',
      'dossier:scoreMeans':
        'The percentage of the words of the query that the texts of this listing have, or the higher percentage of a later result. It is no judgment of the listing.',
    });
    expect(results.at(-1)).toMatchObject({ identifier: 'urn:air:alice.github.io:Cargo', score: 50 });
    expect(results.some((entry) => 'trustManifest' in entry)).toBe(false);
  });
  it('pages through all that matches, each once, with a token that works for the same query only', async () => {
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await search({ text: 'bicycle' }, { pageSize: 10, ...(pageToken && { pageToken }) });
      found.push(...idsOf(page));
      pageToken = page.pageToken;
    } while (pageToken);
    expect([found.length, new Set(found).size]).toEqual([25, 25]);
    const first = await search({ text: 'bicycle' }, { pageSize: 10 });
    const other = await post('/ard/search', { query: { text: 'parcels' }, pageToken: first.pageToken });
    expect((await problemOf(other)).slice(0, 2)).toEqual([400, 'INVALID_ARGUMENT']);
  });
  it('the score never grows from one result to the next, also where the name of a publisher is asked for', async () => {
    for (const text of ['parcels', 'com.example.parcels', 'io.github.alice/Cargo', 'sends webhook parcels']) {
      const scores = (await search({ text }, { pageSize: 50 })).results.map(({ score }) => score);
      expect(scores.length, text).toBeGreaterThan(0);
      expect(scores, text).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => Number.isInteger(score) && score >= 0 && score <= 100)).toBe(true);
    }
  });
  it('filters by type, publisher, tags and our own terms, whatever their prefix is', async () => {
    const text = 'parcels';
    const cargo = ['urn:air:alice.github.io:Cargo'];
    expect(idsOf(await search({ text, filter: { publisher: ['alice.github.io'] } }))).toEqual(cargo);
    expect(idsOf(await search({ text, filter: { type: [cardType, 'x/y'], tags: 'npm' } }))).toEqual(cargo);
    expect(idsOf(await search({ text, filter: { type: 'application/a2a-agent-card+json' } }))).toEqual([]);
    const either = { publisher: ['alice.github.io', 'webhook.co'], tags: ['npm', 'none', 'a b', "'"] };
    expect(idsOf(await search({ text: 'webhook parcels', filter: either }))).toEqual(cargo);
    const both = { publisher: ['alice.github.io', 'webhook.co'] };
    expect(idsOf(await search({ text: 'webhook parcels', filter: both })).toSorted()).toEqual([
      ...cargo,
      'urn:air:webhook.co:webhook',
    ]);
    expect(idsOf(await search({ text, filter: { tags: ['%', '"'] } }))).toEqual([]);
    const npm = { ...ownTerms, text, filter: { 'd:packageType': ['npm'] } };
    expect(idsOf(await search(npm))).toEqual(cargo);
    const bound = [{ e: 'https://example.com/ns#' }, ownTerms['@context']];
    expect(idsOf(await search({ ...npm, '@context': bound }))).toEqual(cargo);
  });
  it('a query without a word that a listing could have finds with the score 0', async () => {
    const { results } = await search({ text: '-webhook' });
    expect(results.length).toBeGreaterThan(0);
    expect(new Set(results.map(({ score }) => score))).toEqual(new Set([0]));
  });
  it('is one search, whatever its filter, and none for a caller that is gone', async () => {
    const searches = vi.spyOn(directory.context.store.listings, 'search');
    const four = (value: string) => [value, value, 'a', 'b'];
    const filter = {
      tags: four('npm'),
      publisher: four('alice.github.io'),
      'd:claimState': four('imported'),
      'd:transport': four('stdio'),
      'd:packageType': four('npm'),
    };
    const query = { ...ownTerms, text: 'parcels', filter };
    expect(idsOf(await search(query))).toEqual(['urn:air:alice.github.io:Cargo']);
    expect(searches).toHaveBeenCalledTimes(1);
    const many = Array.from({ length: 40 }, (_, at) => [`d:transport:${at}`, four('stdio')]);
    await post('/ard/search', { query: { ...query, filter: Object.fromEntries(many) } });
    expect(searches).toHaveBeenCalledTimes(1);
    const gone = await directory.app.request('/ard/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: AbortSignal.abort(),
    });
    expect((await problemOf(gone)).slice(0, 2)).toEqual([400, 'INVALID_ARGUMENT']);
    expect(searches).toHaveBeenCalledTimes(1);
    searches.mockRestore();
  });
  it('refuses what it cannot read, in the form of ARD, with what to do', async () => {
    const text = 'parcels';
    const refused: [unknown, RegExp][] = [
      [{}, /query is required/],
      [{ query: {} }, /query\.text/],
      [{ query: { text: ' ' } }, /query\.text/],
      [{ query: { text }, pageSize: 0 }, /pageSize must be at least 1/],
      [{ query: { text }, pageToken: 'abc' }, /not a cursor of this list/],
      [{ query: { text }, federation: 'all' }, /federation must be one of/],
      [{ query: { text, filter: { 'trustManifest.identity': 'x' } } }, /a term that is not read here/],
      [{ query: { text, filter: { 'dossier:packageType': 'npm' } } }, /bind dossier to/],
      [{ query: { text, filter: { constructor: 'x' } } }, /query\.filter has a term that is not read here/],
      [{ query: { text, filter: { tags: ['a', 'b', 'c', 'd', 'e'] } } }, /tags/],
      [
        { query: { ...ownTerms, text, filter: { 'd:transport:0': 'stdio', 'd:transport:1': 'stdio' } } },
        /a term that is not read here/,
      ],
      [`{"query":{"text":"x","filter":{"__proto__":"y"}}}`, /query\.filter has a term that is not read here/],
      [
        { query: { ...twoPrefixes, text, filter: { 'd:transport': 'a', 'e:transport': 'b' } } },
        /a term twice/,
      ],
      ['{', /The body is not JSON/],
    ];
    for (const [body, reason] of refused) {
      const [status, errorCode, message] = await problemOf(await post('/ard/search', body));
      expect([status, errorCode], JSON.stringify(body)).toEqual([400, 'INVALID_ARGUMENT']);
      expect(message).toMatch(reason);
    }
    const plain = await directory.app.request('/ard/search', { method: 'POST', body: '{}' });
    expect((await problemOf(plain)).slice(0, 2)).toEqual([415, 'INVALID_ARGUMENT']);
  });
});

it('POST /ard/explore says that this registry does not have it, as ARD asks', async () => {
  expect(
    await problemOf(await post('/ard/explore', { resultType: { facets: [{ field: 'type' }] } })),
  ).toEqual([
    501,
    'NOT_IMPLEMENTED',
    'This registry does not count entries. The tool search_agents counts what it finds by facet.',
  ]);
});

describe('GET /ard/agents/{identifier}', () => {
  it('answers with the whole entry: what is recorded, and what is known in terms of our own', async () => {
    const answer = await retrieve('urn:air:alice.github.io:Cargo');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    const day = new Date().toISOString().slice(0, 10);
    expect(await answer.json()).toEqual({
      '@context': [
        'https://agenticresourcediscovery.org/context/v1',
        { dossier: 'https://dossier.example/about#' },
      ],
      identifier: 'urn:air:alice.github.io:Cargo',
      displayName: 'Cargo',
      type: cardType,
      data: expect.objectContaining({
        name: 'io.github.alice/Cargo',
        version: '1.0.0',
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://cargo.example.com/mcp',
            headers: [
              {
                name: 'X-Key',
                isRequired: true,
                isSecret: true,
                value: 'App {KEY}',
                variables: { KEY: { isRequired: true, isSecret: true } },
              },
            ],
            variables: {},
          },
        ],
      }),
      description: 'Sends parcels',
      tags: expect.arrayContaining(['npm']),
      version: '1.0.0',
      updatedAt: expect.stringMatching(/^2026-.*Z$/),
      'dossier:origin': 'registry.modelcontextprotocol.io (MCP), saved copy',
      'dossier:asOf': day,
      'dossier:snapshot': expect.stringContaining('no rating evidence'),
      'dossier:claimState': 'imported',
      'dossier:transport': ['streamable-http', 'stdio'],
      'dossier:packageType': ['npm'],
      'dossier:package': [
        {
          registry_type: 'npm',
          identifier: '@example/cargo',
          version: '1.0.0',
          transport: 'stdio',
          inputs: [{ name: 'CARGO_TOKEN', kind: 'environment', required: true, secret: true }],
        },
      ],
      'dossier:evidence': 'https://dossier.example/agents/io.github.alice/Cargo.json',
      'dossier:statement': 'https://dossier.example/agents/io.github.alice/Cargo.intoto.json',
    });
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    const path = `/ard/agents/${encodeURIComponent('urn:air:alice.github.io:Cargo')}`;
    expect((await directory.app.request(path, { headers })).status).toBe(304);
  });
  it('the address of each term that is published is a place of a page, where it is defined', async () => {
    const { results } = await search({ text: 'parcels' });
    const [statement] = await Promise.all([
      directory.app.request('/agents/io.github.alice/Cargo.intoto.json'),
    ]);
    const { payload } = (await statement.json()) as { payload: string };
    const { predicateType } = JSON.parse(Buffer.from(payload, 'base64').toString()) as {
      predicateType: string;
    };
    const names = new Set(
      results.flatMap((entry) => Object.keys(entry)).filter((name) => name.includes(':')),
    );
    const terms = [...names].map((name) => name.replace('dossier:', 'https://dossier.example/about#'));
    expect(terms.length).toBeGreaterThan(8);
    for (const address of [...terms, predicateType]) {
      const { pathname, hash } = new URL(address);
      const page = await (await directory.app.request(pathname)).text();
      expect(page).toContain(`<div id="${hash.slice(1)}"><dt><code>${hash.slice(1)}</code></dt>`);
    }
  });
  it('answers the same whatever the caller accepts', async () => {
    for (const identifier of ['not-a-urn', 'urn:air:example.com:gone', 'urn:air:example.com:none']) {
      const path = `/ard/agents/${encodeURIComponent(identifier)}`;
      const asBrowser = await directory.app.request(path, { headers: { accept: 'text/html' } });
      expect(await problemOf(asBrowser)).toEqual(await problemOf(await directory.app.request(path)));
    }
  });
  it('compares exactly, refuses what is no identifier, and has no entry of what is gone', async () => {
    const missing = [
      'urn:air:alice.github.io:cargo',
      'urn:air:alice.github.io:some:Cargo',
      'urn:air:example.com:gone',
      'urn:air:ard-conformance.invalid:probe:not-found',
    ];
    for (const identifier of missing)
      expect((await problemOf(await retrieve(identifier))).slice(0, 2), identifier).toEqual([
        404,
        'NOT_FOUND',
      ]);
    for (const identifier of [
      'not-a-valid-ard-urn',
      'urn:air:example.com',
      'urn:air:a b:c',
      'io.github.alice/Cargo',
    ])
      expect((await problemOf(await retrieve(identifier))).slice(0, 2), identifier).toEqual([
        400,
        'INVALID_ARGUMENT',
      ]);
    const broken = await directory.app.request('/ard/agents/urn%3Aair%');
    expect((await problemOf(broken)).slice(0, 2)).toEqual([400, 'INVALID_ARGUMENT']);
    expect((await problemOf(await directory.app.request('/ard/agents'))).slice(0, 2)).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });
});

it('shows no text of a listing that the operator withdrew or whose texts it hid', async () => {
  const own = await openedDirectory({
    entries: [parcels('one'), parcels('two')],
    environment: { LIMITS: 'off' },
  });
  await own.act('withdraw', 'com.example.parcels/one', 'malicious');
  await own.act('hide', 'com.example.parcels/two', 'personal_data');
  const textOf = async (path: string, init?: RequestInit) => (await own.app.request(path, init)).text();
  const texts = await Promise.all([
    textOf('/ard/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: { text: 'parcels bicycle' } }),
    }),
    ...['one', 'two'].map((name) => textOf(`/ard/agents/urn:air:parcels.example.com:${name}`)),
  ]);
  for (const text of texts) expect(text).not.toContain('Sends parcels by bicycle');
});
