import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { type Endpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { type AnyClient, clientKinds, connect } from '../support/mcp-clients.ts';
import { onGitHub } from '../support/registry-entries.ts';
import { expectSameFacts } from '../support/same-facts.ts';

const bare = 'com.example.bare/mail';
const rich = 'com.example.rich/mail';
const raters = ['org.first/agent', 'org.second/agent', 'org.third/agent', 'org.fourth/agent'];
const comment = 'The call ended after the time that was agreed. '.repeat(10);

let endpoint: Endpoint;
let directory: ClaimedDirectory;

beforeAll(async () => {
  endpoint = await startModernServer(() => [
    { name: 'send_mail', description: 'Sends', readOnlyHint: false },
  ]);
  const remotes = [
    {
      type: 'streamable-http',
      url: 'https://rich.example.com/mcp',
      headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
    },
  ];
  directory = await openClaimedDirectory({
    entries: [
      registryEntry(bare, {
        ...onGitHub('bare/mail'),
        remotes: [{ type: 'streamable-http', url: 'https://bare.example.com/mcp' }],
      }),
      registryEntry(rich, { ...onGitHub('rich/mail'), title: 'Rich mail', remotes }),
      ...raters.map((handle) => registryEntry(handle, onGitHub(`${handle.split('/')[0]}/agent`))),
    ],
    environment: {
      HOST_OVERRIDES: JSON.stringify({ 'rich.example.com': endpoint.url }),
      OBSERVE_VANTAGE: 'test bench',
    },
  });
  await directory.claim(rich, 'rich/mail');
  for (const handle of raters) {
    const capability = await directory.claim(handle, `${handle.split('/')[0]}/agent`);
    const rating = {
      handle: rich,
      interaction_id: 'job-1',
      interaction_at: new Date(directory.context.clock().getTime() - 60_000).toISOString(),
      outcome: 'failed',
      protocol: 'mcp',
      relationship: 'customer',
      score: 2,
      comment,
    };
    const answer = await directory.post('/api/tools/submit_rating', rating, capability);
    expect(await answer.json()).toMatchObject({ status: 'created' });
  }
  await directory.observe(rich);
});
afterAll(async () => {
  await directory.close();
  await endpoint.close();
});

const tokens = (text: string) => Buffer.byteLength(text) / 4;

/** Every number and every name of a member, at any depth. */
function partsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(partsOf)];
}

describe.each(clientKinds)('the short answer of get_agent, to a client %s', (kind) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await connect(kind, { app: directory.app });
  });
  afterAll(() => client.close());
  const ask = async (input: object) => {
    const { content, structuredContent } = await client.call('get_agent', { ...input });
    return { text: content[0]?.text ?? '', json: structuredContent as Record<string, unknown> };
  };

  it.each([
    ['without observations, claim and ratings', bare, 600],
    ['with observations, claim and ratings', rich, 1200],
  ])('of a listing %s fits its budget as text and as JSON', async (_, handle, budget) => {
    const { text, json } = await ask({ handle });
    expect(tokens(text)).toBeLessThanOrEqual(budget);
    expect(tokens(JSON.stringify(json))).toBeLessThanOrEqual(budget);
    expectSameFacts(text, json);
    expect(Object.keys(json)[0]).toBe('summary');
    expect(text.startsWith(String(json.summary).slice(0, 20))).toBe(true);
    for (const absent of [0, 'method_version', null]) expect(partsOf(json)).not.toContain(absent);
  });

  it('says in a paragraph what is known and what is not, and names the source once a group', async () => {
    const { json } = await ask({ handle: rich });
    expect(json.summary).toMatch(
      /^com\.example\.rich\/mail, in its publisher's words “Rich mail”: “.+”.? Published under the domain rich\.example\.com; claimed on \d{4}-\d\d-\d\d: write access to its repository was shown, nothing more\. By its record it is reached at https:\/\/rich\.example\.com\/mcp and needs a secret header Authorization\. Last seen by Dossier on \d{4}-\d\d-\d\d: .+\. Rated by no independent source; 4 ratings set apart\. Not known: operator,/,
    );
    expect(json.facts).toContainEqual({
      question: 'access',
      source: 'record',
      facts: { asks_for: ['needs a secret header Authorization'] },
    });
    expect(json.facts).toContainEqual({
      question: 'tools',
      source: 'Dossier',
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      at: 'https://rich.example.com/mcp',
      facts: { 'tools.count': 1, 'tools.surface': expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(json.signals).toMatchObject({
      native: {
        statement:
          'No independent source; 4 ratings set apart. Each rating is one sourced signal, never a final verdict.',
        groups: { new_source: { ratings: 4, sources: 4, outcomes: { failed: 4 }, scores: { 2: 4 } } },
        recent: [{ source_handle: 'org.fourth/agent', outcome: 'failed' }, {}, {}],
      },
    });
  });

  it('names what is not known apart from what was looked for and not seen', async () => {
    const unchecked = (await ask({ handle: bare })).json.not_known;
    expect(unchecked).toContainEqual({ question: 'tools', state: 'not_checked' });
    expect(unchecked).toContainEqual({ question: 'price', state: 'not_stated' });
    const { not_known, not_seen, observations } = (await ask({ handle: rich, detail: 'full' })).json;
    const { json, text } = await ask({ handle: rich });
    for (const gaps of [not_known, json.not_known]) {
      expect(gaps).not.toContainEqual(expect.objectContaining({ question: 'tools' }));
      expect(gaps).not.toContainEqual(expect.objectContaining({ question: 'price' }));
    }
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    const price = { state: 'no_price_seen', as_of: day };
    expect(json.not_seen).toContainEqual({
      ...price,
      kinds: expect.arrayContaining(['price.challenge']),
    });
    expect(text).toMatch(/\nLooked for and not seen:\n\* looked for, none stated: price/);
    expect(not_seen).toContainEqual(expect.objectContaining({ ...price, kind: 'price.challenge' }));
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'price.challenge', value: null }));
  });

  it('in full is the listing document of the page and of the resource', async () => {
    const { text, json } = await ask({ handle: rich, detail: 'full' });
    expect(JSON.parse(text)).toEqual(json);
    expect(json.signals).toMatchObject({ native: { ratings: 4, computed_score: null } });
    const page = await directory.app.request(`/agents/${rich}.json`);
    expect(await page.json()).toEqual(json);
    const [resource] = await client.read(`agent://${rich}`);
    expect(JSON.parse(resource?.text ?? '')).toEqual(json);
  });
});
