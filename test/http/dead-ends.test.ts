import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });

interface Body {
  readonly status?: number;
  readonly no_match?: object;
  readonly fields?: readonly object[];
}
const call = async (tool: string, input: object) => {
  const body = await callTool<Body>(directory, tool, input);
  return { status: body.status ?? 200, body };
};

describe('a search by a tag that no listing has', () => {
  it.each([
    ['webhook', 'tags:webhooks'],
    ['web-hooks', 'tags:webhooks'],
    ['text-message', 'tags:messaging'],
    ['streamable-http', 'transport:streamable-http'],
  ])('%s names the nearest: %s', async (tag, near) => {
    const { status, body } = await call('search_agents', { tags: [tag] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      listings: [],
      no_match: { unknown_filters: [{ filter: `tags:${tag}`, near: [near] }] },
    });
  });
});

describe('a search that finds nothing', () => {
  it.each([
    ['a word that excludes', 'webhook -webhooks', { text: '-webhooks', query: 'webhook', count: 1 }],
    [
      'the quotation marks of a phrase',
      'send "webhook political"',
      { text: '"webhook political"', query: 'send webhook political', count: 2 },
    ],
  ])('says how many it finds without %s', async (_what, query, left) => {
    const { body } = await call('search_agents', { query });
    expect(body).toMatchObject({ listings: [], no_match: { leave_out: [left] } });
  });

  it('says how many pass its filters, and which words no listing has', async () => {
    const { body } = await call('search_agents', { query: 'zzyzxq', tags: ['webhooks'] });
    expect(body).toMatchObject({
      listings: [],
      did_you_mean: [{ word: 'zzyzxq', near: [] }],
      no_match: { leave_out: [{ text: 'zzyzxq', query: '', count: 1 }] },
    });
  });

  it('counts each filter alone where leaving out one is not enough', async () => {
    const { body } = await call('search_agents', { tags: ['nosuchone', 'nosuchother', 'webhooks'] });
    expect(body.no_match).toMatchObject({
      leave_out: [{ only: 'tags:webhooks', count: 1 }],
      unknown_filters: [{ filter: 'tags:nosuchone' }, { filter: 'tags:nosuchother' }],
    });
  });

  it('links on the page to what it finds without each condition', async () => {
    const page = async (query: string) => (await directory.app.request(`/agents?${query}`)).text();
    const excluded = await page('q=webhook+-webhooks');
    expect(excluded).toContain('No listing matches this search.');
    expect(excluded).toContain(
      '<a href="/agents?q=webhook" rel="nofollow">Without -webhooks</a> <span class="count">1 listing</span>',
    );
    const filtered = await page('q=zzyzxq&tag=webhooks');
    expect(filtered).toContain('No name, title, tag or description has the word “zzyzxq”.');
    expect(filtered).toContain(
      '<a href="/agents?tag=webhooks" rel="nofollow">Without the words, with the filters alone</a>',
    );
    expect(await page('tag=nosuchone&tag=nosuchother&tag=webhooks')).toContain(
      '<a href="/agents?tag=webhooks" rel="nofollow">Only the filter “webhooks”</a> <span class="count">1 listing</span>',
    );
  });
});

it('a word that no listing has is named with what was searched for instead, and the other words are found', async () => {
  const { body } = await call('search_agents', { query: 'replay webhok' });
  expect(body).toMatchObject({
    listings: [{ handle: 'co.webhook/webhook' }],
    did_you_mean: [{ word: 'webhok', near: ['webhooks'] }],
  });
  const known = await call('search_agents', { query: 'replay webhook' });
  expect(known.body).not.toHaveProperty('did_you_mean');
});

describe('a value that a filter does not have', () => {
  it.each([
    ['transport', 'http', 'must be one of streamable-http, sse, stdio; the nearest is streamable-http'],
    ['package', 'docker', 'must be one of npm, pypi, oci, nuget, mcpb, cargo; the nearest is oci'],
    ['package', 'pipy', 'must be one of npm, pypi, oci, nuget, mcpb, cargo; the nearest is pypi'],
    ['package', 'zzzzzz', 'must be one of npm, pypi, oci, nuget, mcpb, cargo'],
    ['state', 'claim', 'must be one of imported, claimed, suspended; the nearest is claimed'],
    ['sort', 'update', 'must be one of relevance, updated, published; the nearest is updated'],
  ])('of %s, %s, is refused with all values and the nearest', async (field, value, message) => {
    const { status, body } = await call('search_agents', { query: 'webhook', [field]: value });
    expect(status).toBe(422);
    expect(body.fields).toEqual([{ field, message }]);
    const page = await directory.app.request(`/agents?q=webhook&${field}=${value}`, {
      headers: { accept: 'text/html' },
    });
    expect(await page.text()).toContain(`${field}: ${message}`);
  });

  it('of tags names the form of a tag', async () => {
    const { status, body } = await call('search_agents', { tags: ['Web Hooks'] });
    expect(status).toBe(422);
    expect(body.fields).toEqual([
      {
        field: 'tags.0',
        message:
          'must be at most 40 lower-case letters, digits, hyphens and dots, the first a letter or digit; the nearest is web-hooks',
      },
    ]);
  });
});
