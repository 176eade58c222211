import type { SearchQuery } from '../contract/listings.ts';
import { searchTextOf } from '../queries/listings/rows.ts';
import type { ListingRow } from '../schema/listings.ts';

/** What a search looks for. */
export type SearchTerms = Pick<SearchQuery, 'words' | 'facets'>;

/** A lexeme of PostgreSQL has at most 2,046 bytes; 500 characters always fit. */
const longestWord_chars = 500;
const toWordLexeme = (tier: number, word: string) => `${tier}${word.slice(0, longestWord_chars)}`;
const toFacetLexeme = (facet: string) => `f${facet}`;

/** The lexemes to index for a row: a word once for each tier that it matches in, that is for its own and all wider ones. */
export function toLexemes(row: ListingRow): string[] {
  const { name, tags, body } = searchTextOf(row);
  const wordsOfTiers = [name, [...name, ...tags], [...name, ...tags, ...body]];
  const lexemes = wordsOfTiers.flatMap((words, at) => words.map((word) => toWordLexeme(at + 1, word)));
  return [...new Set([...lexemes, ...row.facets.split(' ').filter(Boolean).map(toFacetLexeme)])];
}

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, '$&$&')}'`;

/** The tsquery of any of these words in a name. */
export const toNameExpression = (words: readonly string[]): string =>
  words.map((word) => quote(toWordLexeme(1, word))).join(' | ');

/** The tsquery of the last word as a prefix; undefined where it is too short for one. */
export function toPrefixExpression({ words }: SearchTerms, tier: number): string | undefined {
  const last = words.at(-1) ?? '';
  return [...last].length >= 3 ? `${quote(toWordLexeme(tier, last))}:*` : undefined;
}

/** The tsquery of everything but the last word. */
export const toOthersExpression = ({ words, facets }: SearchTerms, tier: number): string =>
  [
    ...words.slice(0, -1).map((word) => quote(toWordLexeme(tier, word))),
    ...facets.map((facet) => quote(toFacetLexeme(facet))),
  ].join(' & ');

/** The tsquery of what matches in a tier or in a narrower one; tier 0 has facets only. */
export function toExpression(terms: SearchTerms, tier: number): string {
  const last = terms.words.at(-1);
  if (last === undefined) return toOthersExpression(terms, tier);
  const lastExpression = toPrefixExpression(terms, tier) ?? quote(toWordLexeme(tier, last));
  return [toOthersExpression(terms, tier), lastExpression].filter(Boolean).join(' & ');
}
