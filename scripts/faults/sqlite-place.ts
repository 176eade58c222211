import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryDatabase } from '../../test/support/nodes.ts';
import { manyEntries } from '../../test/support/registry-entries.ts';
import { startRegistryServer } from '../../test/support/registry-server.ts';
import { type Cluster, createNode, listings, nodePort, prepare } from '../soak/cluster.ts';

/** A prepared database file to copy, and who may rate in it. */
export interface Template extends Pick<Cluster, 'handles' | 'capabilities'> {
  readonly file: string;
  readonly folder: string;
}

/** Imports listings into a file and claims some of them. */
export async function createTemplate(sources: number): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-template-'));
  const file = join(folder, 'dossier.db');
  const registry = await startRegistryServer(manyEntries(listings));
  const prepared = await prepare(`file:${file}`, registry.url, sources);
  await registry.stop();
  return { ...prepared, folder, file };
}

/** A node that is not started yet, on a copy of the template in a folder. */
export async function openSqlite(
  template: Template,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Cluster & { readonly file: string }> {
  const file = join(folder, 'dossier.db');
  copyFileSync(template.file, file);
  const port = await nodePort();
  const databaseUrl = `file:${file}`;
  const node = createNode(`http://127.0.0.1:${port}`, {
    DATABASE_URL: databaseUrl,
    REGISTRY_URL: 'off',
    PORT: port,
    PUBLIC_URL: 'https://dossier.example',
    LIMITS: 'off',
    LOG_LEVEL: 'error',
    ...environment,
  });
  return {
    nodes: [node],
    file,
    databaseUrl,
    handles: template.handles,
    capabilities: template.capabilities,
    query: (text) => queryDatabase(databaseUrl, text),
    close: () => node.kill(),
  };
}

/** A new folder of its own. */
export function openTemporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-faults-'));
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}
