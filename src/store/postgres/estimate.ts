import { sql } from 'kysely';
import type { Db } from '../engine.ts';
import { type SearchTerms, toOthersExpression, toPrefixExpression } from './terms.ts';

/** How many listings match, by the planner's statistics; no row is read. */
async function estimateMatches(db: Db, tsquery: string): Promise<number> {
  const explain = sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`explain (format json)
    select from listing_search where words @@ ${tsquery}::tsquery`;
  return (await explain.execute(db)).rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** Whether `rows` listings are likely to contain so many matches. */
export async function isFrequent(
  db: Db,
  tsquery: string,
  { matches, rows }: { readonly matches: number; readonly rows: number },
): Promise<boolean> {
  const count = sql<{ rows: number }>`select reltuples as rows from pg_class
    where oid = 'listing_search'::regclass`;
  const listings = (await count.execute(db)).rows[0]?.rows ?? 0;
  return ((await estimateMatches(db, tsquery)) / Math.max(1, listings)) * rows >= matches;
}

/** Testing a listing for the prefix takes as long as reading ten entries of the index. */
const testsPerEntry = 0.1;

/**
 * Whether the index should find the other words only, and the prefix be tested on their matches. GIN merges the lists of
 * all words with the prefix before it looks at any other word, which is slow where these are many.
 */
export async function isPrefixBetterTested(db: Db, terms: SearchTerms): Promise<boolean> {
  const [others, prefix] = [toOthersExpression(terms, 3), toPrefixExpression(terms, 3)];
  if (!others || !prefix) return false;
  const tests = await estimateMatches(db, others);
  return tests < (await estimateMatches(db, prefix)) * testsPerEntry;
}
