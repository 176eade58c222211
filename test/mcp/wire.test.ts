import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { type ClientKind, clientKinds, connect } from '../support/mcp-clients.ts';
import { legacy, modern } from '../support/mcp-requests.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { expectSameFacts } from '../support/same-facts.ts';
import { listedNames, toolNames } from '../support/tool-names.ts';

const directory = await opened(openClaimedDirectory());
const rater = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');

const post = async (message: { headers: Record<string, string>; body: string }) => {
  const headers = { ...message.headers, authorization: `Bearer ${rater}` };
  const response = await directory.app.request('/api/mcp', { method: 'POST', ...message, headers });
  return response.text();
};

/** Four bytes of English are about one token. */
const tokens = (text: string) => Buffer.byteLength(text) / 4;

/** The part of a listed tool that hosts pass to a model. */
async function readTools(kind: ClientKind, headers: Record<string, string> = {}) {
  const client = await opened(connect(kind, directory, headers));
  const listed = await client.tools();
  return listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}

/** Times, ids and secrets, which differ from run to run, by what they are. */
const normalise = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '<time>')
    .replace(/\b\d{4}-\d\d-\d\d\b(?![\\"])/g, '<date>')
    .replace(/, \d{4}-\d\d-\d\d(?=[\\"])/g, ', <date>')
    .replace(/"\d{4}-\d\d-\d\d"/g, '"<date>"')
    .replace(/\\"\d{4}-\d\d-\d\d\\"/g, '\\"<date>\\"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/commit [0-9a-f]{40}/g, 'commit <commit>')
    .replace(/dossier_cap_[0-9A-Za-z]{49}/g, '<capability>')
    .replace(/dossier-claim-v1\.[A-Za-z0-9_-]{72}/g, '<challenge>')
    .replace(/(capability_id\\?":\\?")[0-9a-f]{16}/g, '$1<capability id>');

/** Compares with the pinned file; a missing one is written, to be read and committed. */
function expectPinned(name: string, value: unknown): void {
  const file = new URL(`../wire/${name}.json`, import.meta.url);
  const shown = `${JSON.stringify(value, null, 2)}\n`;
  if (!existsSync(file) && !process.env.CI) writeFileSync(file, shown);
  expect(shown).toBe(readFileSync(file, 'utf8'));
}

const expectWire = (name: string, answer: string) => expectPinned(name, JSON.parse(normalise(answer)));

/** Id of the rating that submit_rating made: the tools are called in the order of their list. */
let submitted: unknown;
const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
/** What tools are called with where that is not their example. */
const inputs: Readonly<Record<string, () => object>> = {
  search_agents: () => ({ query: 'webhook' }),
  compare_agents: () => ({
    handles: ['com.politicalcomms/api', 'co.webhook/webhook', 'co.webhook/unknown'],
    criteria: [
      { criterion: 'has_endpoint' },
      { criterion: 'endpoint_observed_alive' },
      { criterion: 'transport', value: 'stdio' },
      { criterion: 'updated_within_days', value: 3650 },
      { criterion: 'claimed' },
      { criterion: 'native_ratings_at_least', value: 1 },
      { criterion: 'succeeded_percent_at_least', value: 90 },
    ],
  }),
  submit_rating: () =>
    ratingOf('co.webhook/webhook', { interaction_id: 'run-1', interaction_at: anHourAgo, score: 4 }),
  withdraw_rating: () => ({ rating_id: submitted, reason: 'other', note: 'sent in error' }),
  respond_to_rating: () => ({ rating_id: submitted, text: 'Thank you.' }),
  get_proof: () => ({}),
};

describe('the wire', () => {
  it('lists each tool as pinned, and no other one, to callers with a capability', async () => {
    const listed: { name: string }[] = JSON.parse(await post(legacy('tools/list'))).result.tools;
    for (const tool of listed) expectPinned(`tools/${tool.name}`, tool);
    expect(listed.map(({ name }) => name).sort()).toEqual(toolNames);
  });

  it.each([legacy, modern])(
    'lists to callers without a capability what fits in 5,900 tokens, with words that hosts alone search',
    async (era) => {
      const { headers, body } = era('tools/list');
      const response = await directory.app.request('/api/mcp', { method: 'POST', headers, body });
      expect(tokens(await response.text())).toBeLessThanOrEqual(5900);
    },
  );

  it.each(clientKinds)('lists to client %s tools for a model to read in 2,500 tokens', async (kind) => {
    const parts = await readTools(kind);
    expect(parts.map(({ name }) => name).sort()).toEqual(listedNames);
    expect(tokens(JSON.stringify(parts))).toBeLessThanOrEqual(2500);
  });

  it.each(clientKinds)(
    'lists to client %s with a capability no tool of more than 320 tokens',
    async (kind) => {
      const parts = await readTools(kind, { 'x-agent-capability': rater });
      expect(parts.map(({ name }) => name).sort()).toEqual(toolNames);
      const large = parts.filter((part) => tokens(JSON.stringify(part)) > 320);
      expect(large.map(({ name }) => name)).toEqual([]);
    },
  );

  it.each(tools)('answers $name as pinned, alike in both eras, and as its schema says', async (tool) => {
    const call = () => ({ name: tool.name, arguments: inputs[tool.name]?.() ?? tool.example });
    const answer = await post(legacy('tools/call', call()));
    expectWire(tool.name, answer);
    const { result } = JSON.parse(answer);
    submitted = result.structuredContent.rating_id ?? submitted;
    if (tool.toText) expectSameFacts(result.content[0].text, result.structuredContent);
    else expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    if (!result.isError)
      expect(tool.output.strict().safeParse(result.structuredContent).error).toBeUndefined();
    const again = JSON.parse(await post(modern('tools/call', call()))).result;
    expect(Object.keys(again.structuredContent)).toEqual(Object.keys(result.structuredContent));
  });

  it('lists prompts and resources as pinned', async () => {
    expectWire('prompts-list', await post(legacy('prompts/list')));
    expectWire('resources-list', await post(legacy('resources/list')));
    expectWire('resources-templates-list', await post(legacy('resources/templates/list')));
  });
});
