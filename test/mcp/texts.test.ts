import { describe, expect, it } from 'vitest';
import { clientKinds, connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';
import { expectSameFacts } from '../support/same-facts.ts';
import { openShownDirectory } from '../support/shown-directory.ts';

const directory = await opened(openShownDirectory());

const handle = 'co.webhook/webhook';
const calls: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ['search_agents', {}],
  ['search_agents', { query: 'webhook delivery somewhere', limit: 2 }],
  ['search_agents', { query: 'webhook', tags: ['payment'], transport: 'stdio' }],
  ['search_agents', { query: 'zzyzxq -webhook "no such phrase"', state: 'claimed' }],
  ['list_ratings', { handle }],
  ['list_ratings', { handle, outcome: 'failed' }],
  ['list_ratings', { handle: 'org.moderated/rated' }],
  ['compare_agents', { handles: [handle, 'com.example/suspended', 'co.webhook/unknown'] }],
  ['list_tags', {}],
];

describe.each(clientKinds)('the text of an answer, to a client %s', async (kind) => {
  const client = await opened(connect(kind, { app: directory.app }));

  it.each(calls)('%s %j has the same facts as its JSON, which costs little more', async (tool, input) => {
    const { content, structuredContent, isError } = await client.call(tool, input);
    const text = content[0]?.text ?? '';
    expect(isError).toBeFalsy();
    expectSameFacts(text, structuredContent as object);
    const json = Buffer.byteLength(JSON.stringify(structuredContent));
    expect(json / Buffer.byteLength(text)).toBeLessThanOrEqual(1.2);
  });

  it('list_ratings says in the item of each rating what its record says, voided and hidden ones included', async () => {
    const { content, structuredContent } = await client.call('list_ratings', {
      handle: 'org.moderated/rated',
    });
    const { ratings } = structuredContent as { ratings: Record<string, unknown>[] };
    const items = content[0]?.text?.split('\n* ') ?? [];
    expect(ratings).toHaveLength(4);
    for (const record of ratings)
      expectSameFacts(items.find((item) => item.includes(String(record.rating_id))) ?? '', record);
  });

  it('the page of ratings says once what a group and the absence of a proof mean', async () => {
    const page = await (await directory.app.request(`/agents/${handle}/ratings`)).text();
    expect(page.match(/Nothing recorded here sets/g)).toHaveLength(1);
    expect(page).not.toContain('<dt>Proof</dt><dd>No proof</dd>');
  });

  it('list_ratings says once what many ratings have in common', async () => {
    const { structuredContent } = await client.call('list_ratings', { handle });
    const { ratings, group_reasons } = structuredContent as {
      ratings: Record<string, unknown>[];
      group_reasons: Record<string, string>;
    };
    // A rating that is superseded or withdrawn is in no group.
    const groups = ratings.map(({ group }) => group).filter((group) => group !== undefined);
    expect(new Set(groups)).toEqual(new Set(Object.keys(group_reasons)));
    expect(groups.length).toBeGreaterThan(15);
    for (const rating of ratings) {
      expect(rating).not.toHaveProperty('subject_handle');
      expect(rating.proof_class).not.toBe('none');
      expect(rating.source_root_generation).not.toBe(0);
      expect((rating.flags as unknown[] | undefined)?.length ?? 2).toBeGreaterThan(1);
      if (rating.group === undefined) expect(rating).not.toHaveProperty('group_reason');
      else expect(rating.group_reason).not.toBe(group_reasons[String(rating.group)]);
    }
  });

  it('list_ratings takes at most 2,250 tokens for twenty ratings', async () => {
    const { content, structuredContent } = await client.call('list_ratings', { handle });
    expect((structuredContent as { ratings: unknown[] }).ratings).toHaveLength(20);
    expect(Buffer.byteLength(content[0]?.text ?? '') / 4).toBeLessThanOrEqual(2250);
  });

  it('list_ratings tells ratings that count from those that do not, and shows the response', async () => {
    const { content } = await client.call('list_ratings', { handle });
    const text = content[0]?.text ?? '';
    expect(text).toMatch(/superseded by [0-9a-f-]{36}, not counted/);
    expect(text).toMatch(/withdrawn \d{4}-\S+, not counted/);
    expect(text).toMatch(
      /Response of the rated listing, \S+, log index \d+: “The example was wrong since 1\.4;/,
    );
  });
});
