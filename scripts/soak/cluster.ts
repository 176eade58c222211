import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { repositoryRoot } from '../../src/core/handle.ts';
import { capabilityHash, createCapability } from '../../src/core/keys/capability.ts';
import { runImport } from '../../src/imports/import.ts';
import { makeCapability } from '../../test/store/examples.ts';
import { type Started, startDossier } from '../../test/support/command.ts';
import { openDatabase } from '../../test/support/database.ts';
import { queryDatabase } from '../../test/support/nodes.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { manyEntries } from '../../test/support/registry-entries.ts';
import { startRegistryServer } from '../../test/support/registry-server.ts';

/** How many listings a cluster has. */
export const listings = 400;
const registrySettings = { REGISTRY_NAME: 'registry.test', IMPORT_INTERVAL: '20s' };

/** A node: a process of its own that is killed and started again on the same port. */
export interface ClusterNode {
  readonly url: string;
  readonly isUp: boolean;
  /** The process, once it was started. */
  readonly pid: number | undefined;
  /** Starts it; answers the milliseconds until it listens. */
  start(): Promise<number>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as an update would: what is under way is answered first. */
  stop(): Promise<void>;
}

/** How many nodes to start, how many listings to claim, and other settings of the nodes. */
export interface ClusterOptions {
  readonly size: number;
  readonly sources: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Nodes on one durable PostgreSQL that import from one registry, and who may rate there. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly handles: readonly string[];
  /** Live capabilities, each of another claimed listing; the first handles are theirs. */
  readonly capabilities: readonly string[];
  readonly databaseUrl: string;
  query(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** A cluster on a PostgreSQL of its own. */
export interface PostgresCluster extends Cluster {
  readonly postgres: PostgresServer;
}

/**
 * A free port that no outgoing connection takes while a node is down: below the range that systems choose
 * from.
 */
export async function nodePort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return String(port);
  }
}

/** A node that is not started yet. */
export function createNode(url: string, environment: Record<string, string>): ClusterNode {
  let running: Started | undefined;
  let isUp = false;
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    isUp = false;
    running?.child.kill(signal);
    await running?.ended;
  };
  return {
    url,
    get isUp() {
      return isUp;
    },
    get pid() {
      return running?.child.pid;
    },
    async start() {
      const began = performance.now();
      running = startDossier(['serve'], environment);
      await running.line(/^listening on/m);
      isUp = true;
      return performance.now() - began;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

const at = '2026-01-01T00:00:00.000Z';

/** Imports a registry once into a database of either engine and claims its first listings. */
export async function prepare(databaseUrl: string, registry: string, sources: number) {
  const store = await openDatabase(databaseUrl);
  const config = readConfig({ REGISTRY_URL: registry, ...registrySettings }, '0.0.0');
  await runImport({ store, config, log: pino({ level: 'silent' }), clock: () => new Date() });
  const handles = (await store.listings.page('', listings)).map(({ handle }) => handle);
  const capabilities: string[] = [];
  for (const listing of await store.listings.byHandles(handles.slice(0, sources))) {
    const { handle, repository, repository_key } = listing;
    if (!repository || !repository_key) throw new Error(`${handle} has no repository`);
    const capability = createCapability();
    capabilities.push(capability);
    await store.write(async (tx) => {
      await tx.claims.putClaim({
        handle,
        kind: 'repository',
        place: repository,
        place_key: repository_key,
        state: 'claimed',
        claimed_at: at,
        root: repositoryRoot(repository_key),
        root_generation: 0,
        first_proved_at: at,
        checked_at: new Date().toISOString(),
      });
      await tx.claims.putCapability(makeCapability(handle, capabilityHash(capability)));
    });
  }
  await store.close();
  return { handles, capabilities };
}

/** Starts PostgreSQL and a registry, and makes so many nodes to be started; close it after use. */
export async function openCluster({ size, sources, environment }: ClusterOptions): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-soak-'));
  const postgres = await startPostgres({ durable: true });
  const registry = await startRegistryServer(manyEntries(listings));
  const admin = new Client(`${postgres.url}/postgres`);
  await admin.connect();
  await admin.query(`create database soak template template0 encoding 'UTF8' locale 'C'`);
  await admin.end();
  const databaseUrl = `${postgres.url}/soak`;
  const prepared = await prepare(databaseUrl, registry.url, sources);
  const nodes: ClusterNode[] = [];
  for (let number = 0; number < size; number++) {
    const port = await nodePort();
    nodes.push(
      createNode(`http://127.0.0.1:${port}`, {
        DATABASE_URL: databaseUrl,
        REGISTRY_URL: registry.url,
        ...registrySettings,
        PORT: port,
        PUBLIC_URL: 'https://dossier.example',
        CHECKPOINT_FILE: join(folder, `node-${number}.checkpoint`),
        LIMITS: 'off',
        LOG_LEVEL: 'error',
        ...environment,
      }),
    );
  }
  return {
    nodes,
    postgres,
    ...prepared,
    databaseUrl,
    query: (text) => queryDatabase(databaseUrl, text),
    async close() {
      for (const node of nodes) await node.kill();
      await registry.stop();
      await postgres.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
