import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

/** What may come back: an answer, or a problem with its fields. */
interface Body {
  readonly status?: number;
  readonly listings?: readonly { readonly handle: string }[];
  readonly total?: { readonly count: number; readonly capped: boolean };
  readonly facets?: Readonly<Record<string, number>>;
  readonly next_cursor?: string;
  readonly advice?: string;
  readonly did_you_mean?: readonly { readonly hint?: string }[];
  readonly order?: string;
  readonly no_match?: object;
  readonly untrusted_fields?: readonly string[];
  readonly code?: string;
  readonly fields?: readonly object[];
}

const search = async (input: object, tool = 'search_agents', at = directory) => {
  const body = await callTool<Body>(at, tool, input);
  return { status: body.status ?? 200, body };
};

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });

describe('search_agents', () => {
  it('names what third parties wrote, and so does list_tags', async () => {
    expect((await search({})).body.untrusted_fields).toEqual(['listings']);
    expect((await search({ facets: true })).body.untrusted_fields).toEqual(['listings', 'facets']);
    expect((await search({}, 'list_tags')).body.untrusted_fields).toEqual(['tags']);
    const empty = await openedDirectory({ entries: [] });
    const headers = { 'content-type': 'application/json' };
    const answer = await empty.app.request('/api/tools/list_tags', { method: 'POST', headers, body: '{}' });
    expect(await answer.json()).toEqual({ tags: {}, untrusted_fields: [] });
  });

  it('has a deprecated listing after one that has the same words', async () => {
    const named = (name: string, status: string) =>
      registryEntry(
        `com.${name}/mail`,
        { description: 'Sends mail' },
        { status, publishedAt: `2026-0${name.length}-01T00:00:00Z` },
      );
    const two = await openedDirectory({ entries: [named('old', 'deprecated'), named('newer', 'active')] });
    const { body } = await search({ query: 'mail' }, 'search_agents', two);
    expect(body.listings?.map(({ handle }) => handle)).toEqual(['com.newer/mail', 'com.old/mail']);
  });

  it.each(['🤖 ???', '%', '--', '🤖'])('finds nothing for %j, in which there is no word', async (query) => {
    const { status, body } = await search({ query });
    expect(status).toBe(200);
    expect(body).toMatchObject({ listings: [], total: { count: 0, capped: false } });
    expect(body).not.toHaveProperty('facets');
    expect(body.next_cursor).toBeUndefined();
    expect(body.no_match).toEqual({ near: [], leave_out: [] });
    expect((await search({ query, tags: ['webhooks'] })).body.listings).toEqual([]);
  });

  it.each(['Wettervorhersage für morgen', 'traduction', 'suche zzyzxq', '天気予報を検索', 'прогноз'])(
    'advises to search in English where %j finds nothing',
    async (query) => {
      expect((await search({ query })).body).toMatchObject({
        listings: [],
        advice: 'Listings are mostly in English; search in English.',
      });
    },
  );
  it('finds a Korean word whatever ending it has', async () => {
    const entries = [registryEntry('com.hwp/docs', { description: '한글 문서의 편집 MCP 서버' })];
    const korean = await openedDirectory({ entries });
    const { body } = await search({ query: '문서 편집' }, 'search_agents', korean);
    expect(body).toMatchObject({ listings: [{ handle: 'com.hwp/docs' }] });
  });
  it('advises so too where only words near foreign ones were found, and not for one misspelt word of three', async () => {
    const entries = [registryEntry('com.tides/x', { description: 'Service area weather forecast' })];
    const tides = await openedDirectory({ entries });
    const found = async (query: string) => (await search({ query }, 'search_agents', tides)).body;
    expect(await found('serviço de mareas')).toMatchObject({
      listings: [{ handle: 'com.tides/x' }],
      advice: 'Listings are mostly in English; search in English.',
    });
    for (const query of [
      'weather forcast area',
      'invoice parsing',
      'send sms messages',
      'find a zzyzxq frobnicator',
    ])
      expect(await found(query)).not.toHaveProperty('advice');
    const pricesOf = (limit: string) =>
      `No price is searched: ask compare_agents for price_at_most:${limit} USDC.`;
    const priced = await found('cheapest forecast under 0.02 USDC per call');
    expect(priced.advice).toBe(pricesOf('0.02'));
    expect(priced.did_you_mean?.flatMap(({ hint }) => hint ?? [])).toEqual([]);
    expect((await found('weather service under $0.5')).advice).toBe(pricesOf('0.5'));
    for (const query of ['free weather', 'weather, paid', 'affordable forecast', 'weather pricing'])
      expect((await found(query)).advice).toBe(pricesOf('0.01'));
    for (const query of ['hands-free weather', 'weather -free', 'forecast 2026'])
      expect((await found(query)).advice).toBeUndefined();
    const { body } = await search({ query: 'free weather', no_payment_seen: true }, 'search_agents', tides);
    expect(body.advice).toBeUndefined();
  });
  it('names words that listings have, never stems, near one that none has', async () => {
    expect((await search({ query: 'analytik' })).body).toMatchObject({
      did_you_mean: [{ word: 'analytik', near: ['analytics'] }],
    });
  });
  it.each(['', '   '])('takes %j for no query', async (query) => {
    expect((await search({ query })).body.total).toEqual({ count: 2, capped: false });
  });

  it('shortens a long question to its informative words instead of refusing it', async () => {
    const query =
      'please could you help me find some good and simple tool or service with which my agent can receive and inspect every webhook';
    const { status, body } = await search({ query });
    expect(status).toBe(200);
    expect(body.listings?.[0]).toMatchObject({ handle: 'co.webhook/webhook' });
    const repeated = await search({ query: 'webhook signature '.repeat(50) });
    expect(repeated.body.total?.count).toBe(1);
    const long = await search({ query: `webhook ${'and so on '.repeat(900)}` });
    expect(long.body.listings?.[0]).toMatchObject({ handle: 'co.webhook/webhook' });
    expect((await search({ query: 'x'.repeat(10_001) })).status).toBe(422);
  });

  it('finds words in any form, without stop words, by synonyms', async () => {
    for (const query of ['webhook', 'Webhooks', 'a tool for the webhooks', 'web-hook', 'web hook'])
      expect((await search({ query })).body.listings?.[0]).toMatchObject({ handle: 'co.webhook/webhook' });
    expect((await search({ query: 'send a text message' })).body.listings?.[0]).toMatchObject({
      handle: 'com.politicalcomms/api',
    });
  });

  it('marks what matches in part, and nothing else', async () => {
    const { listings } = (await search({ query: 'webhook sonata replay' })).body;
    expect(listings).toEqual([
      {
        handle: 'co.webhook/webhook',
        description:
          'Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.',
        facts: [
          'matched 2 of 3 words',
          'domain webhook.co, its endpoint on it',
          '`https://mcp.webhook.co/mcp`',
          'updated 2026-10-02',
        ],
      },
    ]);
    const [whole] = (await search({ query: 'webhook replay' })).body.listings ?? [];
    expect(whole).toMatchObject({
      facts: ['domain webhook.co, its endpoint on it', '`https://mcp.webhook.co/mcp`', 'updated 2026-10-02'],
    });
  });

  it.each(['has_endpoint', 'has_native_ratings'])(
    'suggests what to do instead of %s: false',
    async (field) => {
      const { status, body } = await search({ [field]: false });
      expect(status).toBe(422);
      expect(body.fields).toEqual([{ field, message: 'must be true, or omitted' }]);
    },
  );
});

const other = (at: number) =>
  registryEntry(
    `org.many-${String(at).padStart(2, '0')}/notes`,
    {
      description: 'Keeps notes about payments',
      remotes: [{ type: 'sse', url: `https://notes.example/${at}` }],
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': { keywords: [`keyword-${at}`, `word-${at}`] },
      },
    },
    { publishedAt: `2026-09-01T08:${at + 10}:00Z` },
  );

describe('where nothing matches, search_agents', async () => {
  const noMatch = async (input: object) => {
    const { body } = await search(input, 'search_agents', many);
    expect(body.listings).toEqual([]);
    expect(body.untrusted_fields).toEqual(['no_match']);
    return body.no_match;
  };
  const many = await openedDirectory({
    entries: [...seedEntries, ...Array.from({ length: 30 }, (_, at) => other(at))],
    environment: { LIMITS: 'off' },
  });

  it('suggests one filter less, and what the words find without filters', async () => {
    expect(await noMatch({ query: 'webhooks', tags: ['remote'], package: 'npm' })).toEqual({
      near: ['co.webhook/webhook'],
      leave_out: [{ facet: 'package:npm', count: 1 }],
    });
    expect(await noMatch({ tags: ['webhooks'], package: 'npm' })).toEqual({
      near: [],
      leave_out: [
        { facet: 'tags:webhooks', count: 1 },
        { facet: 'package:npm', count: 1 },
      ],
    });
  });

  it('takes a cursor for the search that it was given for only', async () => {
    const asked = { query: 'notes about payments', limit: 7 };
    const listed = { tags: ['payments'], limit: 7 };
    for (const [own, ...others] of [
      [
        asked,
        { ...asked, query: 'notes' },
        { ...asked, sort: 'updated' },
        { ...asked, transport: 'sse' },
        { limit: 7 },
      ],
      [
        listed,
        { ...listed, sort: 'published' },
        { ...listed, transport: 'sse' },
        { ...listed, query: 'notes' },
      ],
    ]) {
      const { next_cursor: cursor } = (await search(own ?? {}, 'search_agents', many)).body;
      expect((await search({ ...own, limit: 9, cursor }, 'search_agents', many)).status).toBe(200);
      for (const other of others) {
        const { status, body } = await search({ ...other, cursor }, 'search_agents', many);
        expect([status, body.code, body.fields]).toEqual([
          422,
          'invalid_input',
          [
            {
              field: 'cursor',
              message: 'not a cursor of this list; leave it out to start from the beginning',
            },
          ],
        ]);
      }
    }
  });

  it.each(['relevance', 'published', 'updated'])(
    'goes on behind the last one shown by %s, however many come before it meanwhile',
    async (sort) => {
      const changing = await openedDirectory({
        entries: [...seedEntries, ...Array.from({ length: 30 }, (_, at) => other(at))],
        environment: { LIMITS: 'off' },
      });
      const { store } = changing.context;
      const ask = async (cursor?: string, limit = 4) =>
        (await search({ query: 'notes about payments', sort, limit, cursor }, 'search_agents', changing))
          .body;
      const handlesOf = ({ listings = [] }: Awaited<ReturnType<typeof ask>>) =>
        listings.map(({ handle }) => handle);
      const inOrder = handlesOf(await ask(undefined, 30));
      expect(inOrder).toHaveLength(30);
      for (const count of [1, 3, 6, 13]) {
        const newcomers = await store.listings.byHandles(inOrder.slice(0, count));
        expect(newcomers).toHaveLength(count);
        const gone = newcomers.map((one) => ({ ...one, withdrawn: 'deleted' as const }));
        await store.write((tx) => tx.listings.putListings(gone));
        const first = await ask();
        expect(handlesOf(first)).toEqual(inOrder.slice(count, count + 4));
        await store.write((tx) => tx.listings.putListings(newcomers));
        const second = await ask(first.next_cursor);
        expect(handlesOf(second)).toEqual(inOrder.slice(count + 4, count + 8));
        expect(handlesOf(await ask(second.next_cursor))).toEqual(inOrder.slice(count + 8, count + 12));
      }
    },
  );

  it('finds a handle that is misspelt', async () => {
    const { listings } = (await search({ query: 'org.many-07/nots' }, 'search_agents', many)).body;
    expect(listings?.[0]?.handle).toBe('org.many-07/notes');
  });

  it('counts every kind of facet, however many tags there are', async () => {
    const { facets = {} } = (await search({ facets: true }, 'search_agents', many)).body;
    const kinds = (kind: string) => Object.entries(facets).filter(([facet]) => facet.startsWith(`${kind}:`));
    expect(kinds('tags')).toHaveLength(20);
    expect(kinds('package')).toEqual([['package:npm', 1]]);
    expect(kinds('transport')).toEqual([
      ['transport:sse', 30],
      ['transport:stdio', 1],
      ['transport:streamable-http', 1],
    ]);
  });
});
