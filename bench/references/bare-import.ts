import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

// Usage: node bench/references/bare-import.ts <registry> <database file>. The least an import can do: fetch
// pages, check each entry, store it with its digest, put its text into a full-text index; a page is a durable
// transaction.

const nullable = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const entry = Type.Object({
  server: Type.Object({
    name: Type.String({ minLength: 3, maxLength: 200 }),
    version: Type.String({ minLength: 1, maxLength: 255 }),
    title: nullable,
    description: nullable,
  }),
});
const page = Type.Object({
  servers: Type.Array(Type.Unknown()),
  metadata: Type.Object({ nextCursor: nullable }),
});
const entryCheck = Compile(entry);
const pageCheck = Compile(page);

const [registry = '', file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists listing (id integer primary key, handle text, version text, digest text, document text);
  create unique index if not exists listing_key on listing (handle, version);
  create virtual table if not exists listing_search using fts5(handle, title, description, content='');`);
const known = database.prepare('select digest from listing where handle = ? and version = ?');
const insert = database.prepare(`insert into listing (handle, version, digest, document) values (?, ?, ?, ?)
  on conflict (handle, version) do update set digest = excluded.digest, document = excluded.document returning id`);
const index = database.prepare(
  'insert into listing_search (rowid, handle, title, description) values (?, ?, ?, ?)',
);

async function fetchPage(cursor: string): Promise<Static<typeof page>> {
  const answer: unknown = await (await fetch(`${registry}/v0.1/servers?limit=100&cursor=${cursor}`)).json();
  if (!pageCheck.Check(answer)) throw new TypeError('not a page');
  return answer;
}

function store(value: unknown): void {
  if (!entryCheck.Check(value)) throw new TypeError('not an entry');
  const { name, version, title, description } = value.server;
  const document = JSON.stringify(value);
  const digest = hash('sha256', document);
  if (known.get(name, version)?.digest === digest) return;
  const row = insert.get(name, version, digest, document);
  index.run(Number(row?.id), name, title ?? '', description ?? '');
}

const started = performance.now();
let rows = 0;
let next: Promise<Static<typeof page>> | undefined = fetchPage('0');
while (next !== undefined) {
  const { servers, metadata }: Static<typeof page> = await next;
  next = metadata.nextCursor ? fetchPage(metadata.nextCursor) : undefined;
  next?.catch(() => undefined);
  database.exec('begin immediate');
  for (const value of servers) store(value);
  database.exec('commit');
  rows += servers.length;
}
const took_s = (performance.now() - started) / 1000;
process.stdout.write(`bare import: ${took_s.toFixed(2)} s, ${rows} rows\n`);
database.close();
