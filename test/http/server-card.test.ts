import { expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';
import { modern } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { PUBLIC_URL: 'https://dossier.example' } });

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

it('names itself, its title and its version as the server does when it introduces itself', async () => {
  const card = (await (await directory.app.request('/api/mcp/server-card')).json()) as Record<string, string>;
  const answer = await directory.app.request('/api/mcp', { method: 'POST', ...modern('server/discover') });
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
