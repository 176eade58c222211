import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { connectStore, openStore } from '../../../src/app/open.ts';
import { recheckClaims } from '../../../src/claims/checks/recheck.ts';
import { writeBackupFile } from '../../../src/cli/backup/backup.ts';
import type { Context } from '../../../src/context.ts';
import { type App, createApp } from '../../../src/http/app.ts';
import { createCheckTurns } from '../../../src/net/git.ts';
import { readBackup } from '../../../src/store/backup.ts';
import { createSharedDatabase, postgresUrl } from '../../support/database.ts';
import { type Directory, openDirectory } from '../../support/directory.ts';
import type { RegistryEntry } from '../../support/entries.ts';
import type { Places } from './places.ts';

/** One of the nodes of a service. */
export interface Node {
  readonly context: Context;
  readonly app: App;
  /** The same database and clock without any cache. */
  readonly fresh: App;
  readonly url: string;
}

/** Two nodes over one database, whose clocks stand still but for `wait`. */
export interface Service {
  /** The first node, with what the operator and the background do. */
  readonly directory: Directory;
  readonly nodes: readonly [Node, Node];
  /** Moves both clocks. */
  wait(seconds: number): void;
  /** The pass of a node over the claims that are due; how many it checked. */
  recheck(node: number): Promise<number>;
  /** Makes a backup, in the place of the one before. */
  backUp(): Promise<void>;
  /** Loses the database and starts on the newest backup of it; false if there is none. */
  restore(): Promise<boolean>;
  /** How often it was restored. */
  readonly restored: number;
  close(): Promise<void>;
}

interface Opened extends Pick<Service, 'directory' | 'nodes'> {
  close(): Promise<void>;
}

async function startNode(context: Context, app: App): Promise<Node & { stop(): Promise<void> }> {
  const { documents } = context.store;
  const facts: typeof documents.facts = async (handle, now = context.clock().toISOString()) =>
    (await documents.factsOfAll([handle], now))[0];
  const uncached = { ...context, store: { ...context.store, documents: { ...documents, facts } } };
  const fresh = createApp(uncached, { answerCache_bytes: 0 });
  const server = createServer(app.toListener());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    context,
    app,
    fresh,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await fresh.close();
    },
  };
}

/** Another node as another process is: its own memory, and on PostgreSQL its own connections. */
async function openOther({ context }: Directory, apart_s: number) {
  const store = postgresUrl ? await openStore(context.config) : context.store;
  const other: Context = {
    ...context,
    store,
    clock: () => new Date(context.clock().getTime() + apart_s * 1000),
    runningChecks: new Map(),
    checkTurns: createCheckTurns(),
    checkpoints: {},
    reading: {},
  };
  const app = createApp(other);
  const node = await startNode(other, app);
  const close = async () => {
    await node.stop();
    await app.close();
    if (postgresUrl) await store.close();
  };
  return { node, close };
}

async function openNodes(
  environment: Readonly<Record<string, string>>,
  [apart_s, now]: [number, Date],
): Promise<Opened> {
  const directory = await openDirectory({ entries: [], environment, isClockStill: true });
  directory.wait((now.getTime() - directory.context.clock().getTime()) / 1000);
  const own = await startNode(directory.context, directory.app);
  const other = await openOther(directory, apart_s);
  return {
    directory,
    nodes: [own, other.node],
    async close() {
      await other.close();
      await own.stop();
      await directory.close();
    },
  };
}

/** Fills a new database with a backup. */
async function load(databaseUrl: string, file: string): Promise<void> {
  await using store = await connectStore({ databaseUrl, databaseReadUrl: '' }, 'make');
  await pipeline(createReadStream(file), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    const { header, batches } = await readBackup(chunks);
    const loading = await store.load();
    if (!loading) throw new Error('the new database is in use');
    for await (const { table, rows } of batches) await loading.put(table, rows);
    await loading.finish(header.rows);
  });
}

/**
 * Opens it with the listings of a registry; the clock of the second node is `apart_s` ahead of the other.
 * Close it after use.
 */
export async function openService(
  { git, web, dns }: Places,
  entries: readonly RegistryEntry[],
  apart_s: number,
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-history-'));
  const backup = join(folder, 'backup.gz');
  const settings = {
    LIMITS: 'off',
    ALLOWED_HOSTS: 'localhost,127.0.0.1',
    CHECKPOINT_FILE: join(folder, 'checkpoint'),
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } }),
    DNS_SERVERS: dns.map(({ address }) => address).join(','),
    HOST_OVERRIDES: JSON.stringify({ 'dora.org': web.url }),
  };
  let database = await createSharedDatabase(folder);
  let hasBackup = false;
  let restored = 0;
  let opened = await openNodes({ ...settings, DATABASE_URL: database }, [
    apart_s,
    new Date('2026-11-21T10:00:00Z'),
  ]);
  await opened.directory.importEntries(entries);
  return {
    get directory() {
      return opened.directory;
    },
    get nodes() {
      return opened.nodes;
    },
    wait: (seconds) => opened.directory.wait(seconds),
    recheck: (node) => recheckClaims(opened.nodes[node === 0 ? 0 : 1].context),
    async backUp() {
      rmSync(backup, { force: true });
      const { signal } = new AbortController();
      await writeBackupFile(opened.directory.store, backup, { version: '0.0.0-test', signal });
      hasBackup = true;
    },
    async restore() {
      if (!hasBackup) return false;
      const now = opened.directory.context.clock();
      await opened.close();
      // What is lost is gone: a checkpoint file belongs to its database while that is there.
      if (database.startsWith('file:')) rmSync(database.slice('file:'.length));
      database = await createSharedDatabase(folder);
      await load(database, backup);
      opened = await openNodes({ ...settings, DATABASE_URL: database }, [apart_s, now]);
      restored += 1;
      return true;
    },
    get restored() {
      return restored;
    },
    async close() {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
