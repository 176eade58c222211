import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startCommand } from '../../test/support/command.ts';
import { installFrom, installPacked, tryIn, untilReady } from './tried.ts';

// Usage: npm run lab try:bundle. Packs dossier.mcpb, unpacks it with the tool of npm, and starts it as Claude
// Desktop would, with MCP clients of both generations, before a service that the packed package runs.
const handle = 'co.webhook/webhook';
const identity = { name: 'try', version: '1.0.0' };

interface Manifest {
  readonly server: { readonly mcp_config: { readonly command: string; readonly args: readonly string[] } };
}

await tryIn(async (folder, { holds }) => {
  installPacked(folder);
  installFrom(folder, '@anthropic-ai/mcpb@2.1.2');
  const [file, unpacked] = ['dossier.mcpb', 'unpacked'].map((name) => join(folder, name)) as [string, string];
  execFileSync('node', ['scripts/ways-in/bundle/pack.ts', file], { stdio: 'ignore' });
  execFileSync(join(folder, 'node_modules/.bin/mcpb'), ['unpack', file, unpacked], { stdio: 'ignore' });
  const { server } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as Manifest;
  const settings = { PORT: '0', REGISTRY_URL: 'off', DATABASE_URL: ':memory:' };
  const service = startCommand([join(folder, 'node_modules/.bin/dossier'), 'serve'], settings);
  const url = await service.line(/^listening on (\S+)/m);
  await untilReady(url);
  const { command } = server.mcp_config;
  /** How the bundle is started if somebody entered this address. */
  const startOf = (address: string) => ({
    command,
    args: server.mcp_config.args.map((arg) =>
      arg.replace(/\$\{(.+)\}/, (_, name) => (name === '__dirname' ? unpacked : address)),
    ),
  });
  const clients = {
    'of the maintenance line': async (address: string) => {
      const client = new ClientV1(identity);
      await client.connect(new TransportV1(startOf(address)));
      return client as unknown as Client;
    },
    'of today': async (address: string) => {
      const client = new Client(identity, { versionNegotiation: { mode: 'legacy' } });
      await client.connect(new StdioClientTransport(startOf(address)));
      return client;
    },
    'of the newest revision': async (address: string) => {
      const client = new Client(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      await client.connect(new StdioClientTransport(startOf(address)));
      return client;
    },
  };
  try {
    for (const [name, open] of Object.entries(clients)) {
      const client = await open(url);
      const tools = await client.listTools();
      const { structuredContent } = await client.callTool({ name: 'get_agent', arguments: { handle } });
      const answer = JSON.stringify(structuredContent);
      holds(
        `a client ${name} gets ${tools.tools.length} tools and a listing`,
        answer.includes(handle),
        answer,
      );
      await client.close();
    }
    const refused = await clients['of today']('http://127.0.0.1:9').catch((error: unknown) => String(error));
    holds(
      'it says that a service gives no answer',
      String(refused).includes('gives no answer'),
      String(refused),
    );
  } finally {
    service.child.kill('SIGTERM');
    await service.ended;
  }
});
