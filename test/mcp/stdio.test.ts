import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { startDossier } from '../support/command.ts';

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
        args: ['src/main.ts', 'stdio'],
        env: { PATH: process.env.PATH ?? '', ...environment },
      }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_agent');
    const result = await client.callTool({ name: 'list_tags', arguments: {} });
    expect(result.isError).toBeUndefined();
    await client.close();
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
