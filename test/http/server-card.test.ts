import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { connect } from '../support/mcp-clients.ts';
import { modern } from '../support/mcp-requests.ts';

let directory: Directory;
beforeAll(async () => {
  directory = await openDirectory({ environment: { PUBLIC_URL: 'https://dossier.example' } });
});
afterAll(() => directory.close());

interface Catalog {
  specVersion: string;
  entries: { identifier: string; type: string; url: string }[];
}

it('an agent finds the MCP server from the catalog of the host, over its card', async () => {
  const found = await directory.app.request('/.well-known/ai-catalog.json');
  expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/ai-catalog+json']);
  const { specVersion, entries } = (await found.json()) as Catalog;
  expect([specVersion, entries[0]?.identifier]).toEqual(['1.0', 'urn:air:dossier.example:dossier']);
  const card = await directory.app.request(new URL(entries[0]?.url ?? '').pathname);
  expect([card.status, card.headers.get('content-type')]).toEqual([200, 'application/mcp-server-card+json']);
  expect(card.headers.get('access-control-allow-origin')).toBe('*');
  expect(await card.json()).toEqual({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: 'example.dossier/dossier',
    title: 'Dossier',
    version: '0.0.0-test',
    // The schema of SEP-2127 allows 100 characters.
    description: 'Independent evidence about MCP servers before a purchase, with source and date. No score.',
    websiteUrl: 'https://dossier.example',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://dossier.example/api/mcp',
        supportedProtocolVersions: [
          '2026-07-28',
          '2025-11-25',
          '2025-06-18',
          '2025-03-26',
          '2024-11-05',
          '2024-10-07',
        ],
      },
    ],
  });
});

it.each(['/api/mcp/server-card', '/.well-known/ai-catalog.json'])(
  'a page of another site may read %s, and ask again with its ETag',
  async (path) => {
    const origin = 'https://elsewhere.example';
    const allowed = {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'Content-Type, If-None-Match',
      'access-control-expose-headers': 'ETag',
    };
    const preflight = await directory.app.request(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject(allowed);
    const first = await directory.app.request(path, { headers: { origin } });
    expect(Object.fromEntries(first.headers)).toMatchObject(allowed);
    const headers = { origin, 'if-none-match': first.headers.get('etag') ?? '' };
    const second = await directory.app.request(path, { headers });
    // The browser has the other headers (RFC 9110, section 15.4.5).
    expect([second.status, second.headers.get('access-control-allow-origin')]).toEqual([304, '*']);
    const cached = await directory.app.request(path, { headers: { origin } });
    expect(Object.fromEntries(cached.headers)).toMatchObject(allowed);
  },
);

it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])(
  'the server speaks %s, as the card says',
  async (revision) => {
    const answer = await directory.app.request('/api/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    });
    expect(((await answer.json()) as { result: { protocolVersion: string } }).result.protocolVersion).toBe(
      revision,
    );
  },
);

it('and 2026-07-28', async () => {
  const client = await connect('v2 at 2026-07-28', { app: directory.app });
  expect((await client.tools()).length).toBeGreaterThan(10);
  await client.close();
});

it('names itself, its title and its version as the server does when it introduces itself', async () => {
  const card = (await (await directory.app.request('/api/mcp/server-card')).json()) as Record<string, string>;
  const answer = await directory.app.request('/api/mcp', {
    method: 'POST',
    ...modern('server/discover'),
  });
  const { result } = (await answer.json()) as { result: { _meta: Record<string, Record<string, string>> } };
  const { name, title, version } = result._meta['io.modelcontextprotocol/serverInfo'] ?? {};
  expect([name, title, version]).toEqual([card.name, card.title, card.version]);
});

it('has a name that begins with a host name, or with localhost where the service is reached by an address', async () => {
  const nameAt = async (publicUrl: string) => {
    const service = await openDirectory({ environment: { PUBLIC_URL: publicUrl } });
    const { name } = (await (await service.app.request('/api/mcp/server-card')).json()) as { name: string };
    await service.close();
    return name;
  };
  expect(await nameAt('http://192.0.2.7:3000')).toBe('localhost/dossier');
  expect(await nameAt('http://[2001:db8::1]:3000')).toBe('localhost/dossier');
  expect(await nameAt('https://evidence.example.com')).toBe('com.example.evidence/dossier');
});
