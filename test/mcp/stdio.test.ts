import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { startDossier } from '../support/command.ts';
import { openFolder } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { startRegistryServer } from '../support/registry-server.ts';

const environment = { DATABASE_URL: ':memory:', REGISTRY_URL: 'off' };

describe('dossier stdio', () => {
  it.each([
    ['legacy', 'legacy' as const],
    ['2026-07-28', { pin: '2026-07-28' }],
  ])('answers a client of %s', async (_, mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({
        command: 'node',
        args: ['src/main.js', 'stdio'],
        env: { PATH: process.env.PATH ?? '', ...environment },
      }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_agent');
    const result = await client.callTool({ name: 'list_tags', arguments: {} });
    expect(result.isError).toBeUndefined();
    await client.close();
  });

  it('has the shipped sample before its first answer, on a fresh database and without a network', async () => {
    const folder = openFolder();
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: 'node',
        args: ['src/main.js', 'stdio'],
        env: {
          PATH: process.env.PATH ?? '',
          DATABASE_URL: `file:${join(folder, 'fresh.db')}`,
          REGISTRY_URL: 'off',
          DOSSIER_CAPABILITY: `dossier_cap_${'A'.repeat(49)}`,
        },
      }),
    );
    const result = await client.callTool({ name: 'get_agent', arguments: { handle: 'co.webhook/webhook' } });
    expect(result.structuredContent).toMatchObject({
      handle: 'co.webhook/webhook',
      endpoint: 'https://mcp.webhook.co/mcp',
      sample: true,
      origin: 'registry, as given in the specification, not read there',
    });
    expect(client.getInstructions()).toContain('DOSSIER_CAPABILITY');
    const rating = ratingOf('co.webhook/webhook', {
      interaction_at: new Date().toISOString(),
      outcome: 'failed',
      relationship: 'none',
    });
    const refused = await client.callTool({ name: 'submit_rating', arguments: rating });
    expect(refused.structuredContent).toMatchObject({ error: { code: 'capability_invalid' } });
    await client.close();
  });

  it('imports in the background, as serve does', async () => {
    const registry = await startRegistryServer(manyEntries(3));
    const started = startDossier(['stdio'], { DATABASE_URL: ':memory:', REGISTRY_URL: registry.url });
    await expect.poll(() => registry.requests.length).toBe(1);
    started.child.stdin?.end();
    expect((await started.ended).code).toBe(0);
    await registry.stop();
  });

  it('writes nothing but messages, and ends with its input', async () => {
    const started = startDossier(['stdio'], { ...environment, LOG_LEVEL: 'trace' });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const send = (message: object) =>
      started.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'initialize', params });
    send({ id: 2, method: 'tools/call', params: { name: 'list_tags', arguments: {} } });
    await started.line(/"id":2/);
    started.child.stdin?.end();
    const { code, stdout } = await started.ended;
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ jsonrpc, id }) => [jsonrpc, id]);
    expect(ids).toEqual([
      ['2.0', 1],
      ['2.0', 2],
    ]);
    expect(code).toBe(0);
  });
});
