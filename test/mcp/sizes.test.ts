import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
import { type AnyClient, connect } from '../support/mcp-clients.ts';
import { observedStates } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';

let directory: ClaimedDirectory;
let client: AnyClient;
beforeAll(async () => {
  directory = await openObservedStates();
  client = await connect('v2', { app: directory.app });
});
afterAll(async () => {
  await client.close();
  await directory.close();
});

const { healthy, paid, toolsChanged, contradicting, unobserved, unreachable, deprecated } = observedStates;
/** An offer as agentkit gives it to a hook. */
const offered = {
  payTo: '0x2222222222222222222222222222222222222222',
  network: 'eip155:8453',
  amount: '40000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  url: 'https://mcp.quotewire.com/mcp',
};
const calls: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ...Object.values(observedStates).map((handle) => ['get_agent', { handle }] as const),
  ['get_agent', { handle: healthy, detail: 'full' }],
  ['search_agents', { query: 'maps' }],
  ['search_agents', {}],
  ['search_agents', { query: 'maps no secret required' }],
  ['search_agents', { query: 'zzyzxq' }],
  ['search_agents', { query: 'search', facets: true }],
  ['search_agents', { similar_to: healthy }],
  ['compare_agents', { handles: [healthy, contradicting, unobserved] }],
  ['compare_agents', { handles: [healthy, unreachable] }],
  ['compare_agents', { handles: [healthy, 'com.none/none'] }],
  ['list_ratings', { handle: healthy }],
  ['list_ratings', { handle: healthy, outcome: 'failed' }],
  ['list_ratings', { handle: unobserved }],
  ['get_history', { handle: healthy }],
  ['get_history', { handle: paid }],
  ['get_history', { handle: toolsChanged, kind: 'tools' }],
  ['get_history', { handle: unobserved }],
  ['check_surface', { handle: toolsChanged, tools: [{ name: 'read_file' }, { name: 'delete_files' }] }],
  ['check_surface', { handle: toolsChanged, tools: [{ name: 'read_file', description: 'Reads' }] }],
  ['check_surface', { handle: deprecated, tools: [] }],
  ['check_surface', { handle: unobserved, tools: [] }],
  [
    'check_offer',
    { handle: paid, offer: { ...offered, payTo: '0x1111111111111111111111111111111111111111' } },
  ],
  ['check_offer', { handle: paid, offer: [offered, { ...offered, network: 'base-sepolia' }] }],
  ['check_offer', { handle: unobserved, offer: offered }],
  ['list_tags', {}],
  ['get_proof', { log_index: 1 }],
];

it.each(calls)(
  'the JSON of %s %j costs at most 1.2 times its text, but for what a payment changed',
  async (tool, input) => {
    const { content, structuredContent } = await client.call(tool, input);
    const text = Buffer.byteLength(content[0]?.text ?? '');
    const json = Buffer.byteLength(JSON.stringify(structuredContent));
    expect(text).toBeGreaterThan(20);
    // Programs that pay get what a part of an offer replaced as members besides.
    const offers = (structuredContent?.offers ?? []) as readonly { readonly changed?: object }[];
    const changed = offers.reduce((sum, one) => sum + JSON.stringify(one.changed ?? '').length, 0);
    // An answer of one sentence has the names of its members, at most 25 tokens, besides.
    expect(json - changed).toBeLessThanOrEqual(Math.max(1.2 * text, text + 100));
  },
);

it('no text begins with an empty line or has two in a row', async () => {
  const texts = await Promise.all(
    calls.map(async ([tool, input]) => (await client.call(tool, input)).content[0]?.text ?? ''),
  );
  // Names of tools stand in every text as callers write them.
  expect(texts.filter((text) => /get\\_|check\\_/.test(text))).toEqual([]);
  expect(texts.filter((text) => /^\n|\n\n\n/.test(text))).toEqual([]);
});

it('the median answer of get_agent about a listing takes at most 300 tokens as text and 330 as JSON', async () => {
  const sizes = await Promise.all(
    Object.values(observedStates).map(async (handle) => {
      const { content, structuredContent } = await client.call('get_agent', { handle });
      return [content[0]?.text ?? '', JSON.stringify(structuredContent)].map(
        (one) => Buffer.byteLength(one) / 4,
      );
    }),
  );
  const median = (at: number) =>
    sizes.map((pair) => pair[at] ?? 0).toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)];
  // The limits leave room for more kinds of facts: one that was not found takes up to 5 tokens of an answer.
  expect(median(0)).toBeLessThanOrEqual(300);
  expect(median(1)).toBeLessThanOrEqual(330);
});
