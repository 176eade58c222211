import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openContext } from '../../src/app/server.ts';
import { readConfig } from '../../src/config/config.ts';
import { runImport } from '../../src/imports/import.ts';
import { searchAgents } from '../../src/tools/search-agents.ts';
import { callTool } from '../../src/tools/tool.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import type { Find } from './baseline.ts';

export type EngineName = 'sqlite' | 'postgres';

/** The product with a registry copy imported: what search_agents answers, and a way to close it. */
export interface Service {
  readonly find: Find;
  close(): Promise<void>;
}

async function createPostgres(): Promise<{ url: string; remove: () => Promise<void> }> {
  const server = await startPostgres();
  const client = new Client(`${server.url}/postgres`);
  await client.connect();
  await client.query('create database evaluation');
  await client.end();
  return { url: `${server.url}/evaluation`, remove: () => server.close() };
}

function createSqlite(): { url: string; remove: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-evaluation-'));
  return {
    url: `file:${join(folder, 'evaluation.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Imports a registry copy into a new database of an engine, and opens the product over it. */
export async function openService(engine: EngineName, copy: string, limit: number): Promise<Service> {
  const database = engine === 'sqlite' ? createSqlite() : await createPostgres();
  const settings = { DATABASE_URL: database.url, LOG_LEVEL: 'silent', REGISTRY_URL: 'off' };
  const context = await openContext(readConfig(settings, '0.0.0-evaluation'), 'make');
  const { state, error } = await runImport(context, { source: copy });
  if (state !== 'done') throw new Error(`the import is ${state}: ${error}`);
  return {
    find: async (query) =>
      (await callTool(searchAgents, { query, limit }, context)).listings.map(({ handle }) => handle),
    async close() {
      await context.store.close();
      await database.remove();
    },
  };
}
