import { sql } from 'kysely';
import type { Db } from '../engine.ts';

/** The words of one listing in so many count as frequent from then on; a checksum fills these bits of its id. */
const chosen = 1024;
/** Frequent words of one beginning: each is a list of its own, which a search for the beginning opens. */
const mostOfBeginning = 64;
/** Beginnings are looked for from so many letters on, so no shorter word need be kept apart. */
const lettersOfBeginning = 3;

/** A text that sorts behind every text that starts with `prefix`. */
const afterPrefix = (prefix: string) => `${prefix}\u{10FFFF}`;

/** Frequent words among these words, and those that start with `beginning`. */
export async function frequentWords(
  db: Db,
  words: readonly string[],
  beginning: string | undefined,
): Promise<string[]> {
  const begun =
    beginning === undefined
      ? sql``
      : sql`union select word from listing_search_word where word >= ${beginning} and word < ${afterPrefix(beginning)}`;
  const found = sql<{
    word: string;
  }>`select word from listing_search_word where word in (${sql.join(words)}) ${begun}`;
  return (await found.execute(db)).rows.map(({ word }) => word);
}

async function addWord(db: Db, word: string): Promise<void> {
  const letters = [...word].slice(0, lettersOfBeginning);
  if (letters.length < lettersOfBeginning) return;
  const beginning = letters.join('');
  await sql`insert or ignore into listing_search_word (word) select ${word} where (select count(*) from
    listing_search_word where word >= ${beginning} and word < ${afterPrefix(beginning)}) < ${mostOfBeginning}`.execute(
    db,
  );
}

/**
 * Which words of these listings are frequent ones, now that they are seen too. A word becomes frequent by chance, with
 * one listing in 1,024 that has it, so nothing is counted; it stays one, and a wrong guess costs time only.
 */
export async function learnFrequentWords(
  db: Db,
  listings: readonly { readonly id: number; readonly words: readonly string[] }[],
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const { id, words } of listings) {
    if (id % chosen === 0) for (const word of new Set(words)) await addWord(db, word);
    for (const word of words) seen.add(word);
  }
  // Asked and answered as one text: a row for each word would take as long as looking it up.
  const found = sql<{ words: string | null }>`select group_concat(word, ' ') as words from listing_search_word
    where word in (select value from json_each(${JSON.stringify([...seen])}))`;
  return new Set((await found.execute(db)).rows[0]?.words?.split(' '));
}
