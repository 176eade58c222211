import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, documentOf, openDirectory } from '../support/directory.ts';
import { type Endpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { type AnyClient, clientKinds, connect } from '../support/mcp-clients.ts';

const at = (host: string) => [{ type: 'streamable-http', url: `https://${host}/mcp` }];
const npm = (identifier: string) => [
  { registryType: 'npm', identifier, version: '1.0.0', transport: { type: 'stdio' } },
];
const words = 'Sends postcards to the friends of a caller, printed on paper.';
const published = (publishedAt: string) => ({ publishedAt, updatedAt: publishedAt });

const entries = [
  registryEntry(
    'com.postcards/mail',
    { description: words, remotes: at('mcp.postcards.com'), packages: npm('@postcards/mail') },
    published('2026-03-01T08:00:00Z'),
  ),
  registryEntry(
    'io.github.postcards/mail',
    { description: words.toUpperCase(), remotes: at('MCP.postcards.com') },
    published('2026-02-01T08:00:00Z'),
  ),
  registryEntry(
    'io.github.someone/cards',
    {
      remotes: at('mcp.postcards.com'),
      packages: npm('@postcards/mail'),
      repository: { url: 'https://github.com/someone/cards.git' },
    },
    published('2026-04-01T08:00:00Z'),
  ),
  registryEntry('com.twins/one', { remotes: at('twins.example.net') }),
  registryEntry('com.twins/two', { remotes: at('twins.example.net') }),
  registryEntry('com.alone/mail', { remotes: at('mcp.alone.com') }),
  registryEntry('com.red/tools', { remotes: at('red.example.net') }),
  registryEntry('com.blue/tools', { remotes: at('blue.example.net') }),
];

let directory: Directory;
let red: Endpoint;
let blue: Endpoint;
beforeAll(async () => {
  const tools = ['read', 'send', 'list'].map((name) => ({ name, description: name, readOnlyHint: true }));
  [red, blue] = [await startModernServer(() => tools), await startModernServer(() => tools)];
  directory = await openDirectory({
    entries,
    environment: {
      LIMITS: 'off',
      HOST_OVERRIDES: JSON.stringify({ 'red.example.net': red.url, 'blue.example.net': blue.url }),
    },
  });
});
afterAll(async () => {
  await directory.close();
  await red.close();
  await blue.close();
});

interface Answer {
  readonly stands_out?: readonly string[];
  readonly lines: { readonly whose: string };
}

describe.each(clientKinds)('get_agent, asked by a client %s', (kind) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await connect(kind, { app: directory.app });
  });
  afterAll(() => client.close());
  const ask = async (handle: string) =>
    (await client.call('get_agent', { handle })).structuredContent as unknown as Answer;

  it('names the oldest listing of another publisher that records the same, and how many more do', async () => {
    expect((await ask('com.postcards/mail')).stands_out).toEqual([
      '`io.github.postcards/mail` (GitHub account postcards, published 2026-02-01) has the same description (record).',
      '`io.github.postcards/mail` (GitHub account postcards, published 2026-02-01) records the same endpoint, as does 1 more listing of other publishers (record).',
      '`io.github.someone/cards` (GitHub account someone, published 2026-04-01) records the same package (record).',
    ]);
  });

  it('says of a namespace with the same word that this shows no connection, and whether the endpoint is at its domain', async () => {
    expect((await ask('com.postcards/mail')).lines.whose).toMatch(
      /^Domain postcards\.com, proven to the registry, its endpoint there; `io\.github\.postcards\/mail` \(GitHub account postcards, published 2026-02-01\) has a namespace with the same word, which shows no connection\b/,
    );
    expect((await ask('com.twins/one')).lines.whose).toMatch(
      /^Domain twins\.com, proven to the registry, its endpoint elsewhere; /,
    );
    expect((await ask('io.github.someone/cards')).lines.whose).not.toContain('its endpoint');
  });

  it('tells listings of the same publisher apart from others', async () => {
    const answer = await ask('com.twins/one');
    expect(answer.lines.whose).toContain('1 more listing of its publisher records the same endpoint');
    expect(answer).not.toHaveProperty('stands_out');
  });

  it('says nothing of a listing that has nothing in common', async () => {
    const answer = await ask('com.alone/mail');
    expect(JSON.stringify(answer)).not.toContain('same');
    expect((await documentOf(directory, 'com.alone/mail')).signals).not.toMatchObject({
      imported: expect.arrayContaining([expect.objectContaining({ kind: expect.stringMatching(/^shared/) })]),
    });
  });
});

it('compare_agents judges both by the records', async () => {
  const client = await connect('v2', { app: directory.app });
  const { content } = await client.call('compare_agents', {
    handles: ['com.postcards/mail', 'com.twins/one', 'io.github.someone/cards'],
    criteria: ['nothing_shared', 'endpoint_at_domain'],
  });
  expect(content[0]?.text?.match(/^(?:`[\w./]+`|\* \w+: \w+)/gm)).toEqual([
    ...['`com.postcards/mail`', '* nothing_shared: not_met', '* endpoint_at_domain: met'],
    ...['`com.twins/one`', '* nothing_shared: met', '* endpoint_at_domain: not_met'],
    ...['`io.github.someone/cards`', '* nothing_shared: not_met', '* endpoint_at_domain: unknown'],
  ]);
  await client.close();
});

it('a set of tools that two publishers list is said of both once both were looked at', async () => {
  await directory.observe('com.red/tools');
  expect(JSON.stringify(await documentOf(directory, 'com.red/tools'))).not.toContain('same tools');
  await directory.observe('com.blue/tools');
  expect((await documentOf(directory, 'com.blue/tools')).signals).toMatchObject({
    imported: expect.arrayContaining([
      expect.objectContaining({
        kind: 'shared.tools',
        value: 1,
        reason: '`com.red/tools` (domain red.com, published 2026-10-01) listed the same tools to Dossier.',
      }),
    ]),
  });
});

it('never names a listing that was withdrawn, from the moment that it was', async () => {
  expect(JSON.stringify(await documentOf(directory, 'com.twins/two'))).toContain(
    'more listing of its publisher',
  );
  await directory.act('withdraw', 'io.github.postcards/mail', 'unlawful');
  expect(JSON.stringify(await documentOf(directory, 'com.postcards/mail'))).not.toContain(
    'io.github.postcards',
  );
});
