import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { install } from '../servers/programs.ts';
import { type StdioServer, stdioServers } from '../servers/servers.ts';
import type { DecoyServer } from './decoys.ts';

// Usage: node eval/tools/collect.ts writes decoys.json.gz: the tools of real MCP servers of npm, started
// without an account.
const start_ms = 20_000;
const key = 'not-a-key';
const folders = [join(import.meta.dirname, '../servers/npm'), join(import.meta.dirname, 'npm')] as const;

const everything: StdioServer = { package: '@modelcontextprotocol/server-everything' };
/** The servers of npm/package.json beside this file. */
const further: readonly StdioServer[] = [
  { package: '@zereight/mcp-gitlab', environment: { GITLAB_PERSONAL_ACCESS_TOKEN: key } },
  { package: '@postman/postman-mcp-server', args: ['--full'], environment: { POSTMAN_API_KEY: key } },
  { package: '@heroku/mcp-server', environment: { HEROKU_API_KEY: key } },
  { package: '@mapbox/mcp-server', environment: { MAPBOX_ACCESS_TOKEN: 'pk.e30.none' } },
  { package: 'mongodb-mcp-server', args: ['--connectionString', 'mongodb://127.0.0.1:9'] },
  { package: 'n8n-mcp', environment: { MCP_MODE: 'stdio', DISABLE_CONSOLE_OUTPUT: 'true' } },
];

interface Manifest {
  readonly version: string;
  readonly license?: string;
  readonly bin: string | Record<string, string>;
}

/** Servers write logs and ids for telemetry to their home. */
const home = mkdtempSync(join(tmpdir(), 'dossier-decoys-'));

/** The tools of one server, with where they come from. */
async function readServer(folder: string, server: StdioServer): Promise<DecoyServer> {
  const at = join(folder, 'node_modules', server.package);
  const { version, license, bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest;
  const programs: Record<string, string> = typeof bin === 'string' ? { [server.package]: bin } : bin;
  const program = programs[server.bin ?? Object.keys(programs)[0] ?? ''] ?? '';
  const client = new Client({ name: 'evaluation', version: '1.0.0' });
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...server.environment };
  const args = [join(at, program), ...(server.args ?? [])];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    cwd: folder,
    stderr: 'ignore',
  });
  try {
    await client.connect(transport, { timeout: start_ms });
    const { tools } = await client.listTools(undefined, { timeout: start_ms });
    const shown = tools.map(({ name, description = '' }) => ({
      name,
      // Some servers name the folder that they run in.
      description: description.replaceAll(folder, '.').slice(0, 400),
    }));
    return { package: server.package, version, license: license ?? 'not stated', tools: shown };
  } finally {
    await client.close();
  }
}

const found: DecoyServer[] = [];
for (const [folder, servers] of [
  [folders[0], [everything, ...stdioServers]],
  [folders[1], further],
] as const) {
  install(folder);
  for (const server of servers) {
    try {
      found.push(await readServer(folder, server));
    } catch (error) {
      process.stderr.write(`${server.package}: ${String(error).split('\n')[0]}\n`);
    }
  }
}
writeFileSync(
  join(import.meta.dirname, 'decoys.json.gz'),
  gzipSync(`${JSON.stringify(found)}\n`, { level: 9 }),
);
rmSync(home, { recursive: true, force: true });
process.stdout.write(`${found.length} servers, ${found.flatMap(({ tools }) => tools).length} tools\n`);
process.exit(0);
