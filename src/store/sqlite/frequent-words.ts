import { sql } from 'kysely';
import type { Db } from '../engine.ts';
import { afterPrefix } from '../queries/after-prefix.ts';

/** A listing in this many makes its words frequent: one whose id, which ends in a checksum, is a multiple. */
const sampledOneIn = 1024;
/** Frequent words that share their first letters: a search for that prefix reads a list of each. */
const mostPerPrefix = 64;
/** The shortest prefix that is searched for; a shorter word gains nothing from being frequent. */
const prefixLetters = 3;

/** The frequent ones among these words, and those that start with `prefix`. */
export async function readFrequentWords(
  db: Db,
  words: readonly string[],
  prefix: string | undefined,
): Promise<string[]> {
  const startingWith =
    prefix === undefined
      ? sql``
      : sql`union select word from listing_search_word where word >= ${prefix} and word < ${afterPrefix(prefix)}`;
  const query = sql<{
    word: string;
  }>`select word from listing_search_word where word in (${sql.join(words)}) ${startingWith}`;
  return (await query.execute(db)).rows.map(({ word }) => word);
}

async function addFrequentWord(db: Db, word: string): Promise<void> {
  const letters = [...word].slice(0, prefixLetters);
  if (letters.length < prefixLetters) return;
  const prefix = letters.join('');
  await sql`insert or ignore into listing_search_word (word) select ${word} where (select count(*) from
    listing_search_word where word >= ${prefix} and word < ${afterPrefix(prefix)}) < ${mostPerPrefix}`.execute(
    db,
  );
}

/**
 * Samples these listings for frequent words, and returns which of their words are frequent. Sampling replaces counting:
 * a word stays frequent, and a rare word that is sampled costs time only (docs/decisions/0013).
 */
export async function learnFrequentWords(
  db: Db,
  listings: readonly { readonly id: number; readonly words: readonly string[] }[],
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const { id, words } of listings) {
    if (id % sampledOneIn === 0) for (const word of new Set(words)) await addFrequentWord(db, word);
    for (const word of words) seen.add(word);
  }
  // One text each way: reading a row for each word would take as long as finding it.
  const query = sql<{ words: string | null }>`select group_concat(word, ' ') as words from listing_search_word
    where word in (select value from json_each(${JSON.stringify([...seen])}))`;
  return new Set((await query.execute(db)).rows[0]?.words?.split(' '));
}
