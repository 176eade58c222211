import { toSearchText } from '../../evidence/text/search-text.ts';
import type { ListingRow, SearchQuery } from '../store.ts';

/** What is searched for. */
export type Asked = Pick<SearchQuery, 'words' | 'facets'>;

/** PostgreSQL keeps no longer lexeme (2,046 bytes); a word of 500 characters is always shorter. */
const longestWord = 500;
const lexeme = (tier: number, word: string) => `${tier}${word.slice(0, longestWord)}`;
const facetLexeme = (facet: string) => `f${facet}`;

/** Each word once for every tier that it counts in: a tier looks in its own columns and in the narrower ones. */
export function toLexemes(row: ListingRow): string[] {
  const { name, tags, body } = toSearchText(row);
  const words = [name, [...name, ...tags], [...name, ...tags, ...body]];
  const lexemes = words.flatMap((tierWords, at) => tierWords.map((word) => lexeme(at + 1, word)));
  return [...new Set([...lexemes, ...row.facets.split(' ').filter(Boolean).map(facetLexeme)])];
}

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, '$&$&')}'`;

/** The tsquery of words of which one has to be in the name. */
export const nameExpression = (words: readonly string[]): string =>
  words.map((word) => quote(lexeme(1, word))).join(' | ');

/** The tsquery of the last word as a beginning; undefined where it is none. */
export function beginningExpression({ words }: Asked, tier: number): string | undefined {
  const last = words.at(-1) ?? '';
  return [...last].length >= 3 ? `${quote(lexeme(tier, last))}:*` : undefined;
}

/** The tsquery of everything but the last word. */
export const othersExpression = ({ words, facets }: Asked, tier: number): string =>
  [
    ...words.slice(0, -1).map((word) => quote(lexeme(tier, word))),
    ...facets.map((facet) => quote(facetLexeme(facet))),
  ].join(' & ');

/** The tsquery of a tier: found there or in a narrower one. Tier 0 has no words. */
export function expression(asked: Asked, tier: number): string {
  const last = asked.words.at(-1);
  if (last === undefined) return othersExpression(asked, tier);
  return [othersExpression(asked, tier), beginningExpression(asked, tier) ?? quote(lexeme(tier, last))]
    .filter(Boolean)
    .join(' & ');
}
