import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type AnyClient, connect } from '../support/mcp-clients.ts';

let directory: Directory;
let client: AnyClient;

beforeAll(async () => {
  directory = await openDirectory();
  client = await connect('v1', { app: directory.app });
});
afterAll(async () => {
  await client.close();
  await directory.close();
});

const refusal = async (tool: string, input: object) => {
  const { structuredContent } = await client.call(tool, { ...input });
  return (structuredContent as { error: { message: string } }).error.message;
};

describe('a refused input', () => {
  it.each<[tool: string, input: object, said: string]>([
    ['get_agent', {}, 'handle is required.'],
    ['get_agent', { handle: 7 }, 'handle must be text.'],
    ['get_agent', { handle: 'a/b', detail: 'all' }, 'detail must be one of summary, full.'],
    ['get_agent', { handle: 'a/b', name: 'c' }, 'name is not a field of this tool.'],
    ['search_agents', { limit: 51 }, 'limit must be at most 50.'],
    ['search_agents', { tags: 'sms' }, 'tags must be a list.'],
    ['search_agents', { has_endpoint: 'yes' }, 'has_endpoint must be true, or omitted.'],
    ['compare_agents', { handles: ['a/b'] }, 'handles must have at least 2 entries.'],
    ['submit_feedback', { message: '' }, 'message must have at least 1 character.'],
  ])('of %s %j is named in plain words', async (tool, input, said) => {
    const message = await refusal(tool, input);
    expect(message).toContain(said);
    expect(message).not.toMatch(/expected|received|invalid input|undefined/i);
  });

  it('repeats at most 200 characters of the text that the caller sent', async () => {
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`q${at}`.padEnd(300, 'q'), 1]));
    const { structuredContent } = await client.call('get_agent', { handle: 'a/b', ...fields });
    const said = JSON.stringify(structuredContent).match(/q+\d*q+/g) ?? [];
    expect(said.join('').length).toBeGreaterThan(0);
    expect(said.join('').length).toBeLessThanOrEqual(200);
  });

  it('names five of 4,500 unknown fields, on one line each and without invisible characters', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 4500 }, (_, at) => [`q${at}`, 1]));
    const { structuredContent } = await client.call('get_agent', {
      handle: 'a/b',
      'x\ny\u202ez': 1,
      ...unknown,
    });
    const { error } = structuredContent as { error: { fields: { field: string }[] } };
    expect(error.fields.map(({ field }) => field)).toEqual(['x yz', 'q0', 'q1', 'q2', 'q3']);
    expect(JSON.stringify(structuredContent).length).toBeLessThan(1000);
  });

  it('for want of a capability says who can rate, and what everybody else can do', async () => {
    const rating = {
      handle: 'co.webhook/webhook',
      interaction_id: 'job-1',
      interaction_at: new Date().toISOString(),
      outcome: 'failed',
      protocol: 'mcp',
      relationship: 'none',
    };
    const message = await refusal('submit_rating', rating);
    expect(message).toContain('Only a claimed listing can do this');
    expect(message).toContain('submit_feedback reaches the operator');
  });
});
