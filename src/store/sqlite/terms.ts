import type { Facet } from '../../evidence/listing/facets.ts';
import type { Db } from '../engine.ts';
import { searchTextOf } from '../queries/listings/rows.ts';
import type { ListingRow } from '../schema/listings.ts';
import { learnFrequentWords, readFrequentWords } from './frequent-words.ts';

/** The texts of a listing, in the order in which tiers add them, and the first letters of their words in the index. */
const texts = [
  { name: 'name', frequentPrefix: '1', rarePrefix: 'n' },
  { name: 'tags', frequentPrefix: '2', rarePrefix: 't' },
  { name: 'body', frequentPrefix: '3', rarePrefix: 'b' },
] as const;

/** Hex, because the index takes letters and digits only. */
const toFacetToken = (facet: string) => `f${Buffer.from(facet).toString('hex')}`;

/** A word of a search. */
export interface Term {
  readonly word: string;
  /** Whether longer words that start with it match too. */
  readonly isPrefix: boolean;
  /** The frequent words that it matches. */
  readonly frequent: readonly string[];
}

/** The words of a search as terms; the last one is a prefix from three letters on. */
export async function toTerms(db: Db, words: readonly string[]): Promise<Term[]> {
  const last = words.at(-1) ?? '';
  const prefix = [...last].length >= 3 ? last : undefined;
  const frequent = await readFrequentWords(db, words, prefix);
  return words.map((word, at) => {
    const isPrefix = at === words.length - 1 && prefix !== undefined;
    return {
      word,
      isPrefix,
      frequent: frequent.filter((one) => one === word || (isPrefix && one.startsWith(word))),
    };
  });
}

/** FTS5 expression of a term in the texts of a tier: many lists, each read only as far as needed. */
function toTermExpression({ word, isPrefix, frequent }: Term, tier: number): string {
  const lists = texts
    .slice(0, tier)
    .flatMap(({ frequentPrefix, rarePrefix }) => [
      `"${rarePrefix}${word}"${isPrefix ? '*' : ''}`,
      ...frequent.map((one) => `"${frequentPrefix}${one}"`),
    ]);
  return `(${lists.join(' OR ')})`;
}

/** FTS5 expression of what matches in a tier or in a narrower one; tier 0 has facets only. */
export const toExpression = (terms: readonly Term[], facets: readonly Facet[], tier: number): string =>
  [
    ...(tier > 0 ? terms.map((term) => toTermExpression(term, tier)) : []),
    ...facets.map((facet) => `"${toFacetToken(facet)}"`),
  ].join(' AND ');

/** FTS5 expression of any of these words in a name. */
export async function toNameExpression(db: Db, words: readonly string[]): Promise<string> {
  const frequent = new Set(await readFrequentWords(db, words, undefined));
  return words
    .map((word) => ({ word, isPrefix: false, frequent: frequent.has(word) ? [word] : [] }))
    .map((term) => toTermExpression(term, 1))
    .join(' OR ');
}

/** Index tokens of rows' facets; each facet, of which there are few, is encoded once. */
function createFacetTokens(): (facets: string) => string {
  const tokens = new Map<string, string>();
  return (facets) => {
    let text = '';
    for (const facet of facets.split(' ')) {
      if (!facet) continue;
      const token = tokens.get(facet) ?? toFacetToken(facet);
      tokens.set(facet, token);
      text += ` ${token}`;
    }
    return text;
  };
}

/** The text to index for each row, by ascending id; a word that occurs in several texts is indexed for each. */
export async function toIndexTexts(
  db: Db,
  rows: readonly ListingRow[],
): Promise<{ readonly id: number; readonly text: string }[]> {
  const listings = rows.toSorted((a, b) => a.id - b.id).map((row) => ({ row, found: searchTextOf(row) }));
  const frequent = await learnFrequentWords(
    db,
    listings.map(({ row, found }) => ({ id: row.id, words: texts.flatMap(({ name }) => found[name]) })),
  );
  const toFacetTokens = createFacetTokens();
  return listings.map(({ row, found }) => {
    let text = '';
    for (const { name, frequentPrefix, rarePrefix } of texts)
      for (const word of found[name]) text += ` ${frequent.has(word) ? frequentPrefix : rarePrefix}${word}`;
    return { id: row.id, text: text + toFacetTokens(row.facets) };
  });
}
