import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';

/** What may come back: an answer, or a problem with its fields. */
interface Body {
  readonly listings?: readonly { readonly handle: string }[];
  readonly total?: { readonly count: number; readonly capped: boolean };
  readonly next_cursor?: string;
  readonly untrusted_fields?: readonly string[];
  readonly code?: string;
  readonly fields?: readonly object[];
}

let directory: Directory;
const search = async (input: object, tool = 'search_agents') => {
  const response = await directory.app.request(`/api/tools/${tool}`, {
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
    expect(body.fields).toEqual([{ field: 'query', message: 'at most ten words; leave some out' }]);
  });

  it.each(['has_endpoint', 'has_native_ratings'])('says what to do instead of %s: false', async (field) => {
    const { status, body } = await search({ [field]: false });
    expect(status).toBe(422);
    expect(body.fields).toEqual([{ field, message: 'only true is a filter; leave it out for none' }]);
  });
});
