import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';

/** What may come back: an answer, or a problem with its fields. */
interface Body {
  readonly listings?: readonly { readonly handle: string }[];
  readonly total?: { readonly count: number; readonly capped: boolean };
  readonly facets?: readonly { readonly facet: string; readonly count: number }[];
  readonly next_cursor?: string;
  readonly no_match?: object;
  readonly untrusted_fields?: readonly string[];
  readonly code?: string;
  readonly fields?: readonly object[];
}

let directory: Directory;
const search = async (input: object, tool = 'search_agents', at = directory) => {
  const response = await at.app.request(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Body };
};

beforeAll(async () => {
  directory = await openDirectory({ environment: { LIMITS: 'off' } });
});
afterAll(() => directory.close());

describe('search_agents', () => {
  it('names what third parties wrote, and so does list_tags', async () => {
    expect((await search({})).body.untrusted_fields).toEqual(['listings', 'facets']);
    expect((await search({}, 'list_tags')).body.untrusted_fields).toEqual(['tags']);
  });

  it.each(['🤖 ???', '%', '--', '🤖'])('finds nothing for %j, in which there is no word', async (query) => {
    const { status, body } = await search({ query });
    expect(status).toBe(200);
    expect(body).toMatchObject({ listings: [], total: { count: 0, capped: false }, facets: [] });
    expect(body.next_cursor).toBeUndefined();
    expect(body.no_match).toEqual({ near: [], leave_out: [] });
    expect((await search({ query, tags: ['webhooks'] })).body.listings).toEqual([]);
  });

  it.each(['', '   '])('takes %j for no query', async (query) => {
    expect((await search({ query })).body.total).toEqual({ count: 2, capped: false });
  });

  it('reads ten words and refuses more, rather than pass over some', async () => {
    const webhooks = (times: number) => Array(times).fill('webhook').join(' ');
    expect((await search({ query: webhooks(10) })).body.total?.count).toBe(1);
    const { status, body } = await search({ query: `${webhooks(10)} nothing` });
    expect([status, body.code]).toEqual([422, 'invalid_input']);
    expect(body.fields).toEqual([{ field: 'query', message: 'at most ten words' }]);
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

describe('where nothing matches, search_agents', () => {
  let many: Directory;
  const noMatch = async (input: object) => {
    const { body } = await search(input, 'search_agents', many);
    expect(body.listings).toEqual([]);
    expect(body.untrusted_fields).toEqual(['listings', 'facets', 'no_match']);
    return body.no_match;
  };
  beforeAll(async () => {
    many = await openDirectory({
      entries: [...seedEntries, ...Array.from({ length: 30 }, (_, at) => other(at))],
      environment: { LIMITS: 'off' },
    });
  });
  afterAll(() => many.close());

  it('spells a word as it stands in listings', async () => {
    expect(await noMatch({ query: 'webhok' })).toEqual({
      near: ['co.webhook/webhook'],
      did_you_mean: 'webhook',
      leave_out: [],
    });
    expect(await noMatch({ query: 'politicalcoms sms' })).toEqual({
      near: ['com.politicalcomms/api'],
      did_you_mean: 'politicalcomms sms',
      leave_out: [{ word: 'politicalcoms', count: 1 }],
    });
  });

  it('names what another spelling finds without the filters, where it finds nothing with them', async () => {
    expect(await noMatch({ query: 'webhok', package: 'npm' })).toEqual({
      near: ['co.webhook/webhook'],
      leave_out: [{ word: 'webhok', count: 1 }],
    });
  });

  it('suggests searches with one word or filter less, the nearest first', async () => {
    expect(await noMatch({ query: 'notes sms', transport: 'sse' })).toEqual({
      near: [
        'org.many-00/notes',
        'org.many-01/notes',
        'org.many-02/notes',
        'org.many-03/notes',
        'org.many-04/notes',
      ],
      leave_out: [{ word: 'sms', count: 30 }],
    });
    expect(await noMatch({ query: 'webhooks', tags: ['remote'], package: 'npm' })).toEqual({
      near: ['co.webhook/webhook'],
      leave_out: [{ facet: 'package:npm', count: 1 }],
    });
  });

  it('names handles near one that is misspelt', async () => {
    expect(await noMatch({ query: 'org.many-07/nots' })).toMatchObject({ near: ['org.many-07/notes'] });
  });

  it('suggests nothing where nothing is near, or where something matches', async () => {
    expect(await noMatch({ query: 'zzzzzz' })).toEqual({ near: [], leave_out: [] });
    expect((await search({ query: 'notes' }, 'search_agents', many)).body.no_match).toBeUndefined();
  });

  it('counts every kind of facet, however many tags there are', async () => {
    const { facets = [] } = (await search({}, 'search_agents', many)).body;
    const kinds = (kind: string) => facets.filter(({ facet }) => facet.startsWith(`${kind}:`));
    expect(kinds('tag')).toHaveLength(20);
    expect(kinds('package')).toEqual([{ facet: 'package:npm', count: 1 }]);
    expect(kinds('transport')).toEqual([
      { facet: 'transport:sse', count: 30 },
      { facet: 'transport:stdio', count: 1 },
      { facet: 'transport:streamable-http', count: 1 },
    ]);
  });
});
