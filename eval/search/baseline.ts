import { DatabaseSync } from 'node:sqlite';
import { type CopyListing, wordsOf } from './listings.ts';

/** Finds handles for a query, best first. */
export type Find = (query: string) => Promise<string[]>;

/** The baseline, and how many listings it has with all words of a query. */
export interface Baseline {
  readonly find: Find;
  countAll(query: string): number;
}

/**
 * Plain FTS5: bm25 over name, title and description with porter stems, any word, ties in the order of the
 * copy.
 */
export function createBaseline(listings: readonly CopyListing[], limit: number): Baseline {
  const database = new DatabaseSync(':memory:');
  database.exec(
    `create virtual table listing using fts5(name, title, description, tokenize='porter unicode61')`,
  );
  const insert = database.prepare(
    'insert into listing (rowid, name, title, description) values (?, ?, ?, ?)',
  );
  for (const [at, { handle, title, description }] of listings.entries())
    insert.run(at + 1, handle, title, description);
  const select = database.prepare(
    'select name from listing where listing match ? order by bm25(listing), rowid limit ?',
  );
  const count = database.prepare('select count(*) as listings from listing where listing match ?');
  const toTerms = (query: string) => [...new Set(wordsOf(query))].map((word) => `"${word}"`);
  return {
    async find(query) {
      const terms = toTerms(query);
      if (terms.length === 0) return [];
      return select.all(terms.join(' OR '), limit).map(({ name }) => String(name));
    },
    countAll: (query) => Number(count.get(toTerms(query).join(' AND '))?.listings),
  };
}
