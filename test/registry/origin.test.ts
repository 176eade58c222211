import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { toListingDocument } from '../../src/document/document.ts';
import { runImport } from '../../src/imports/import.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, openDatabase } from '../support/database.ts';
import { registryEntry } from '../support/entries.ts';
import { type RegistryServer, startRegistryServer } from '../support/registry-server.ts';

let folder: string;
let store: Store;
let registry: RegistryServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-origin-'));
  writeFileSync(join(folder, 'copy.json'), JSON.stringify([registryEntry('a.b/copied')]));
  registry = await startRegistryServer([registryEntry('a.b/served')]);
  store = await openDatabase(await createDatabase());
});
afterEach(async () => {
  await store.close();
  await registry.stop();
  rmSync(folder, { recursive: true });
});

const importAs = async (environment: Record<string, string>, source?: string) => {
  const config = readConfig(environment, '1.2.3');
  const context = { store, config, log: pino({ level: 'silent' }), clock: () => new Date() };
  expect((await runImport(context, { source })).state).toBe('done');
};

/** Where the document says that a listing comes from, and every source that its signals name. */
async function origins(handle: string): Promise<string[]> {
  const facts = await store.documents.facts(handle);
  if (!facts) throw new Error(`${handle} is not there`);
  const document = toListingDocument(
    facts,
    {
      publicUrl: 'http://x',
      observeInterval_s: 86_400,
      hasPages: true,
      serviceName: 'Dossier',
      operatorContact: '',
    },
    new Date(),
  );
  const sources = document.signals.imported
    .filter(({ outcome }) => outcome === 'seen')
    .map(({ source }) => source);
  return [...new Set([document.origin, ...sources])];
}

it('stays what it was when REGISTRY_URL changes', async () => {
  await importAs({ REGISTRY_URL: registry.url });
  const host = `${new URL(registry.url).host} (MCP)`;
  expect(await origins('a.b/served')).toEqual([host]);
  await importAs({ REGISTRY_URL: `file:${join(folder, 'copy.json')}` });
  expect(await origins('a.b/served')).toEqual([host]);
  expect(await origins('a.b/copied')).toEqual(['copy.json (MCP), saved copy']);
});

it.each([
  ['the name set for the registry', { REGISTRY_NAME: 'Ours' }, 'Ours (MCP), saved copy'],
  ['the official one, where that is configured', {}, 'registry.modelcontextprotocol.io (MCP), saved copy'],
  ['its file’s name else', { REGISTRY_URL: 'https://registry.example' }, 'copy.json (MCP), saved copy'],
])('of a saved copy is %s', async (_, environment, origin) => {
  await importAs(environment, join(folder, 'copy.json'));
  expect(await origins('a.b/copied')).toEqual([origin]);
});

it('of a registry is its host, or the name set for the configured one only', async () => {
  await importAs({ REGISTRY_URL: registry.url, REGISTRY_NAME: 'Ours' });
  expect(await origins('a.b/served')).toEqual(['Ours (MCP)']);
  registry.serve([registryEntry('a.b/other')]);
  await importAs({ REGISTRY_NAME: 'Ours' }, registry.url.replace('127.0.0.1', 'localhost'));
  expect(await origins('a.b/other')).toEqual([`localhost:${new URL(registry.url).port} (MCP)`]);
});
