import { describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
const client = await opened(connect('v1', { app: directory.app }));

const refusal = async (tool: string, input: object) => {
  const { structuredContent } = await client.call(tool, { ...input });
  return (structuredContent as { error: { message: string } }).error.message;
};

describe('a refused input', () => {
  it.each<[tool: string, input: object, said: string]>([
    ['get_agent', {}, 'handle is required.'],
    ['get_agent', { handle: 7 }, 'handle must be text.'],
    ['get_agent', { handle: 'a/b', detail: 'all' }, 'detail must be one of summary, full.'],
    [
      'get_agent',
      { handle: 'a/b', name: 'c' },
      'name is not a field of this tool, which has handle, detail, as_of.',
    ],
    ['get_agent', { handle: 'a/b', detial: 'full' }, 'detial is not a field of this tool; use detail.'],
    [
      'search_agents',
      { free: true },
      'free is not a field of this tool, which has query, tags, transport, package, state, publisher, active, needs_secret, has_endpoint, has_native_ratings, answered, no_payment_seen, similar_to, sort, limit, facets, cursor.',
    ],
    ['search_agents', { query: 'sms', lmit: 3 }, 'lmit is not a field of this tool; use limit.'],
    ['search_agents', { limit: 51 }, 'limit must be at most 50.'],
    ['search_agents', { tags: 7 }, 'tags must be a list.'],
    ['search_agents', { has_endpoint: 'yes' }, 'has_endpoint must be true, or omitted.'],
    ['compare_agents', { handles: [] }, 'handles must have at least 1 entry.'],
    [
      'submit_rating',
      { evidence: [{ kind: 'link', value: 'x' }] },
      'evidence.0 must be kind:value, or an object with kind and value; the kinds are trace_id, receipt, commit, transcript_sha256, url',
    ],
    [
      'submit_rating',
      { proof: 'receipt:x' },
      'proof must be kind:value, or an object with kind and value; the kinds are service_receipt, payment_receipt',
    ],
    ['submit_rating', { evidence: ['commit:'] }, 'evidence.0 has a value that is empty or too long'],
    [
      'submit_rating',
      { evidence: [{ kind: 'url', value: 'x'.repeat(513) }] },
      'evidence.0.value must have at most 512 characters',
    ],
    ['submit_feedback', { message: '' }, 'message must have at least 1 character.'],
  ])('of %s %j is named in plain words', async (tool, input, said) => {
    const message = await refusal(tool, input);
    expect(message).toContain(said);
    expect(message).not.toMatch(/expected|received|invalid input|undefined/i);
  });

  it.each(tools)('of $name with one member too many takes at most 120 tokens', async ({ name, example }) => {
    const { content } = await client.call(name, { ...example, no_such_field: 1 });
    expect(content[0]?.text).toContain('no_such_field is not a field of this tool');
    expect(content[0]?.text?.length).toBeLessThanOrEqual(480);
  });

  it('of submit_rating with five members wrong says each once, in at most 120 tokens', async () => {
    const { content } = await client.call('submit_rating', { handle: 7, score: 9, outcome: 'good' });
    const text = content[0]?.text ?? '';
    for (const said of ['handle must be text', 'interaction_id is required', 'score must be at most 5'])
      expect(text.split(said)).toHaveLength(2);
    expect(text.length).toBeLessThanOrEqual(480);
  });

  it('repeats at most 200 characters of the text that the caller sent', async () => {
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`q${at}`.padEnd(300, 'q'), 1]));
    const { structuredContent } = await client.call('get_agent', { handle: 'a/b', ...fields });
    const said = JSON.stringify(structuredContent).match(/q+\d*q+/g) ?? [];
    expect(said.join('').length).toBeGreaterThan(0);
    expect(said.join('').length).toBeLessThanOrEqual(200);
  });

  it('names five of 900 unknown fields, on one line each and without invisible characters', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`q${at}`, 1]));
    const { structuredContent } = await client.call('get_agent', {
      handle: 'a/b',
      'x\ny\u202ez': 1,
      ...unknown,
    });
    const { error } = structuredContent as { error: { message: string } };
    expect(
      error.message.match(/[^;.]+(?= is not a field of this tool)/g)?.map((field) => field.trim()),
    ).toEqual(['x yz', 'q0', 'q1', 'q2', 'q3']);
    expect(JSON.stringify(structuredContent).length).toBeLessThan(1000);
  });
});

describe('an input in other words', () => {
  const handle = 'co.webhook/webhook';
  const other = 'com.politicalcomms/api';
  it.each<[tool: string, said: object, own: object]>([
    ['get_agent', { name: handle }, { handle }],
    ['get_agent', { agent: handle }, { handle }],
    ['get_history', { agent: handle }, { handle }],
    ['list_ratings', { name: handle }, { handle }],
    ['check_surface', { agent: handle, digests: {} }, { handle, digests: {} }],
    ['search_agents', { q: 'webhook' }, { query: 'webhook' }],
    ['search_agents', { tags: 'webhooks' }, { tags: ['webhooks'] }],
    ['search_agents', { tag: 'webhooks, remote' }, { tags: ['webhooks', 'remote'] }],
    ['compare_agents', { agents: `${handle}, ${other}` }, { handles: [handle, other] }],
    [
      'compare_agents',
      { handles: `["${handle}", "${other}"]`, criteria: 'claimed' },
      { handles: [handle, other], criteria: ['claimed'] },
    ],
  ])('%s %j is read as %j', async (tool, said, own) => {
    const answer = await client.call(tool, { ...said });
    const expected = await client.call(tool, { ...own });
    expect(expected.isError).not.toBe(true);
    expect(answer.structuredContent).toEqual(expected.structuredContent);
  });

  it.each<[tool: string, own: string, others: string]>([
    ['get_agent', 'handle', 'name agent agent_handle listing server service id url'],
    ['compare_agents', 'handles', 'agents names listings servers services'],
    ['search_agents', 'query', 'q text search keywords'],
    ['search_agents', 'tags', 'tag'],
    ['search_agents', 'limit', 'count max max_results'],
    ['compare_agents', 'criteria', 'criterion'],
    ['get_history', 'since', 'from after'],
    ['get_history', 'kind', 'type'],
    ['submit_feedback', 'message', 'feedback text'],
    ['get_proof', 'rating_id', 'rating id'],
    ['submit_rating', 'comment', 'text'],
  ])('of %s is taken as %s: %s', async (tool, own, others) => {
    for (const other of others.split(' '))
      expect(await refusal(tool, { [other]: {} }), other).toMatch(new RegExp(`\\b${own} must be`));
  });

  it('takes the former word for a rating that somebody paid for', async () => {
    expect(await refusal('submit_rating', { relationship: 'paid' })).not.toContain('relationship');
    expect(await refusal('submit_rating', { relationship: 'sold' })).toContain(
      'relationship must be one of none, customer, vendor, partner, paid_to_rate',
    );
  });

  it('changes no member that the tool has', async () => {
    expect(await refusal('get_agent', { handle: 'a b', name: handle })).toContain('name is not a field');
  });
});
