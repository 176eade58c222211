import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { listen, openContext, type Running } from '../../src/app/server.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Timeouts } from '../../src/config/timeouts.ts';
import { createSharedDatabase } from './database.ts';
import type { Message } from './mcp-requests.ts';

type Rows = Record<string, unknown>[];

/** Several nodes on ports of their own over one database, under a clock that stands still but for `wait`. */
export interface Nodes {
  /** Holds the file of the database where it has one. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly now: () => Date;
  /** Moves the clock of all nodes. */
  wait(seconds: number): void;
  /** Starts one more; trusts X-Forwarded-For from loopback by default. */
  open(environment?: Record<string, string>, timeouts?: Partial<Timeouts>): Promise<Running>;
  /** Rows of a table as they stand in the database. */
  rows(table: 'limit_bucket' | 'limit_key'): Promise<Rows>;
  /** Stops all nodes; the database stays. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Asks a database of either engine without the service. */
export async function queryDatabase(databaseUrl: string, query: string): Promise<Rows> {
  if (databaseUrl.startsWith('file:')) {
    const database = new DatabaseSync(databaseUrl.slice('file:'.length));
    const rows = database.prepare(query).all();
    database.close();
    return rows.map((row) => ({ ...row }));
  }
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(query);
  await client.end();
  return rows;
}

/** Takes back what each migration after `last` made, as a version left it that had no later one. */
export async function takeBackMigrations(databaseUrl: string, last: string): Promise<void> {
  const later = `from kysely_migration where name > '${last}'`;
  for (const { name } of await queryDatabase(databaseUrl, `select name ${later} order by name desc`)) {
    const text = readFileSync(new URL(`../../src/store/migrations/${name}.sql`, import.meta.url), 'utf8');
    for (const [, table] of text.matchAll(/^create table (\w+)/gm))
      await queryDatabase(databaseUrl, `drop table ${table}`);
    for (const [, table] of text.matchAll(/^drop table (\w+)/gm)) {
      const first = readFileSync(
        new URL('../../src/store/migrations/0001-tables.sql', import.meta.url),
        'utf8',
      );
      const made = first.split(';\n').find((one) => one.startsWith(`create table ${table} `));
      await queryDatabase(databaseUrl, made?.replaceAll(/\bTEXT\b/g, 'text') ?? '');
    }
    for (const [, index] of text.matchAll(/^create (?:unique )?index (\w+)/gm))
      await queryDatabase(databaseUrl, `drop index if exists ${index}`);
    for (const [, table, column] of text.matchAll(/^alter table (\w+) add column (\w+)/gm))
      await queryDatabase(databaseUrl, `alter table ${table} drop column ${column}`);
  }
  await queryDatabase(databaseUrl, `delete ${later}`);
}

/** Makes a database; close it after use. */
export async function createNodes(): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-nodes-'));
  const databaseUrl = await createSharedDatabase(folder);
  const now = new Date('2026-11-21T10:00:00Z');
  const running: Running[] = [];
  const settings = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    REGISTRY_URL: 'off',
    DATABASE_URL: databaseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const stop = async () => {
    for (const { stop: end, context } of running.splice(0)) {
      await end();
      await context.store.close();
    }
  };
  return {
    folder,
    databaseUrl,
    now: () => new Date(now),
    wait: (seconds) => void now.setTime(now.getTime() + seconds * 1000),
    async open(environment = {}, timeouts = {}) {
      const context = await openContext(readConfig({ ...settings, ...environment }, '0.0.0-test'), 'make');
      const node = await listen({
        ...context,
        clock: () => new Date(now),
        timeouts: { ...context.timeouts, ...timeouts },
      });
      running.push(node);
      return node;
    },
    rows: (table) => queryDatabase(databaseUrl, `select * from ${table}`),
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Sends `count` requests one after the other; returns how many answers had each status. */
export async function statuses(
  count: number,
  send: () => Promise<Response>,
): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let sent = 0; sent < count; sent++) {
    const { status } = await send();
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}

/** A GET as it comes through a proxy from an address. */
export const get =
  (url: string, address = '192.0.2.1', headers: Record<string, string> = {}) =>
  () =>
    fetch(url, { headers: { 'x-forwarded-for': address, ...headers } });

/** A POST of JSON as it comes through a proxy from 192.0.2.1, unless the headers name another address. */
export const post =
  (url: string, body: object, headers: Record<string, string> = {}) =>
  () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1', ...headers },
      body: JSON.stringify(body),
    });

/** The status, and the headers of the limit. */
export const refusalOf = ({ status, headers }: Response) => [
  status,
  ...['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => headers.get(name)),
];

/** Sends one MCP message as a client of 192.0.2.1 behind a trusted proxy, each time it is called. */
export const rpc =
  (url: string, { headers, body }: Message, more: Record<string, string> = {}) =>
  () =>
    fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: { ...headers, 'x-forwarded-for': '192.0.2.1', ...more },
      body,
    });
