import { expect, it } from 'vitest';
import { type Documents, startDocumented } from '../support/endpoints/documented.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';

const cardType = 'application/mcp-server-card+json';
const tools = ['a', 'b', 'c', 'd', 'e', 'f'];
const newer = (name: string, more: object = {}) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: handleAt(name),
  version: '1.0.0',
  description: 'A service',
  remotes: [{ type: 'streamable-http', url: `https://${name}.example.com/mcp`, ...more }],
});
/** As SEP-1649 has it, and hosts of documentation deploy it. */
const older = (listed: unknown, more: object = {}) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/mcp-server-card/v1.json',
  version: '1.0',
  protocolVersion: '2025-06-18',
  transport: { type: 'streamable-http', endpoint: '/mcp' },
  serverInfo: { name: 'documented', version: '1.0.0' },
  tools: listed,
  ...more,
});

const documents: Record<string, Documents> = {
  deployed: {
    '/.well-known/mcp/server-card.json': older([{ name: 'a' }, { name: 'b' }, { name: 'gone' }]),
    '/.well-known/mcp.json': older([]),
  },
  manifest: {
    '/.well-known/mcp.json': older('dynamic', { serverInfo: { name: 'other', version: '0.9.0' } }),
  },
  inline: {
    '/.well-known/ai-catalog.json': {
      specVersion: '1.0',
      entries: [
        { identifier: 'urn:air:example.com:mcp:x', type: cardType, data: newer('another') },
        { identifier: 'urn:air:example.com:mcp:y', type: cardType, data: newer('inline') },
      ],
    },
  },
  linked: {
    '/.well-known/ai-catalog.json': {
      specVersion: '1.0',
      entries: [
        { identifier: 'urn:air:example.com:a', type: 'application/a2a-agent-card+json', url: '/cards/agent' },
        { identifier: 'urn:air:example.com:b', type: cardType, url: 'https://deployed.example.com/card' },
        { identifier: 'urn:air:example.com:c', type: cardType, url: '/cards/one' },
        ...Array.from({ length: 50 }, (_, at) => ({ type: cardType, url: `/cards/${at}` })),
      ],
    },
    '/cards/one': newer('linked', { supportedProtocolVersions: ['2025-06-18'] }),
  },
  whole: { '/.well-known/mcp/server-card.json': older(tools.map((name) => ({ name }))) },
  others: {
    '/.well-known/mcp/server-card.json': older([{ name: 'z' }], { transport: { endpoint: '/other/mcp' } }),
  },
  many: {
    '/.well-known/mcp/server-card.json': older(
      Array.from({ length: 5000 }, (_, at) => ({ name: `${'tool'.repeat(40)}${at}` })),
    ),
  },
  config: { '/.well-known/mcp.json': { mcpServers: { x: { url: 'https://config.example.com/mcp' } } } },
  pointing: {
    '/.well-known/ai-catalog.json': {
      entries: Array.from({ length: 50 }, (_, at) => ({ type: cardType, url: `/cards/${at}` })),
    },
  },
  none: {},
};
const observed = await openObserved(
  Object.fromEntries(
    Object.keys(documents).map((name) => [name, startDocumented(tools, () => documents[name] ?? {})]),
  ),
);
const hosts = observed.servers;

const see = async (name: string) => (await observed.look(name, 'card.mcp'))[0];
const textOf = async (name: string) =>
  (await observed.directory.app.request(`/agents/${handleAt(name)}.md`)).text();

it('finds a card where it is deployed, and compares its tools with those that the endpoint lists', async () => {
  expect(await see('deployed')).toMatchObject({
    value: {
      name: 'documented',
      version: '1.0.0',
      form: 'SEP-1649',
      at: '/.well-known/mcp/server-card.json',
      tools: { named: 3, listed: 6, both: 2, not_in_card: ['c', 'd', 'e', 'f'], only_in_card: ['gone'] },
      differs: ['tools'],
    },
  });
  expect(await textOf('deployed')).toMatch(
    /\* Tools: .*; its server card leaves out `c`, `d`, `e` and 1 more, and names `gone`, which the endpoint does not list/,
  );
});

it('says that a card names the same tools, and compares none that it calls dynamic', async () => {
  expect((await see('whole'))?.value).toMatchObject({ differs: [] });
  expect(await textOf('whole')).toContain('(SEP-1649); names the 6 tools that the endpoint lists');
  expect((await see('manifest'))?.value).toEqual({
    name: 'other',
    version: '0.9.0',
    form: 'SEP-1649',
    at: '/.well-known/mcp.json',
    differs: ['name', 'version'],
  });
});

it('takes of a catalog the card of this endpoint, in it or at an address of the same host', async () => {
  expect((await see('inline'))?.value).toEqual({
    name: 'com.example.inline/a',
    version: '1.0.0',
    form: 'SEP-2127',
    at: '/.well-known/ai-catalog.json',
    differs: [],
  });
  expect((await see('linked'))?.value).toMatchObject({ at: '/cards/one', differs: ['protocol'] });
  const cards = (name: string) =>
    hosts[name]?.sent.map(({ path }) => path).filter((path) => /card/.test(path));
  expect(cards('linked')).toEqual(['/.well-known/agent-card.json', '/mcp/server-card', '/cards/one']);
  expect(cards('deployed')).not.toContain('/card');
});

it('follows at most three addresses of a catalog', async () => {
  expect(await see('pointing')).toBeUndefined();
  const followed = hosts.pointing?.sent.map(({ path }) => path).filter((path) => path.startsWith('/cards'));
  expect(followed).toEqual(['/cards/0', '/cards/1', '/cards/2']);
});

it('takes neither the card of another endpoint of the host, nor another document for one', async () => {
  expect(await see('others')).toBeUndefined();
  expect(await see('config')).toBeUndefined();
});

it('is bounded whatever a card lists', async () => {
  const found = await see('many');
  expect(found).toMatchObject({ value: { tools: { named: 2000, listed: 6, both: 0 } } });
  expect(JSON.stringify(found?.value).length).toBeLessThanOrEqual(1024);
  expect(found?.value_digest).toMatch(/^[\da-f]{64}$/);
  expect(await textOf('many')).toContain('and 1,997 more');
});

it('sends a host that has nothing of all this so many requests, each once', async () => {
  await observed.look('none', 'card.mcp');
  const asked = hosts.none?.sent.filter(({ method }) => method === 'GET').map(({ path }) => path) ?? [];
  expect(asked.toSorted()).toEqual([
    '/.well-known/agent-card.json',
    '/.well-known/ai-catalog.json',
    '/.well-known/ard.json',
    '/.well-known/mcp.json',
    '/.well-known/mcp/server-card.json',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/security.txt',
    '/.well-known/x402',
    '/.well-known/x402.json',
    '/about',
    '/mcp/server-card',
    '/openapi.json',
    '/robots.txt',
  ]);
});
