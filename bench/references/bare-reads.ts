import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Client } from 'pg';

/** The reads of goal 3 as prepared statements over the driver, nothing in between: each answers its rows. */
export interface BareReads {
  row(handle: string): Promise<readonly unknown[]>;
  /** Twenty visible listings after an id. */
  page(afterId: number): Promise<readonly unknown[]>;
  /** The first twenty listings that have a tag. */
  tag(tag: string): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

const rowQuery = 'select * from listing where handle = ?';
const pageQuery = 'select * from listing where withdrawn is null and id > ? order by id limit 20';

function openSqlite(path: string): BareReads {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec('pragma mmap_size = 268435456');
  const prepare = (query: string) => {
    const statement = database.prepare(query);
    return async (value: SQLInputValue) => statement.all(value);
  };
  const tag = prepare(`select listing.* from listing_facet join listing on listing.id = listing_facet.rowid
    where listing_facet match ? order by listing_facet.rowid limit 20`);
  return {
    row: prepare(rowQuery),
    page: prepare(pageQuery),
    tag: (name) => tag(`f${Buffer.from(`tag:${name}`).toString('hex')}`),
    close: async () => database.close(),
  };
}

async function openPostgres(url: string): Promise<BareReads> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const prepare = (name: string, query: string) => async (value: string | number) =>
    (await client.query({ name, text: query.replaceAll('?', '$1'), values: [value] })).rows;
  const tag = prepare(
    'tag',
    `select listing.* from (select id from listing_search where terms @@ (?)::tsquery order by id limit 20) as found
      join listing on listing.id = found.id order by listing.id`,
  );
  return {
    row: prepare('row', rowQuery),
    page: prepare('page', pageQuery),
    tag: (name) => tag(`'ftag:${name}'`),
    close: () => client.end(),
  };
}

/** Opens a database for its bare reads. */
export const openBareReads = async (url: string): Promise<BareReads> =>
  url.startsWith('file:') ? openSqlite(url.slice('file:'.length)) : openPostgres(url);
