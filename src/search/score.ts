import { toTermText, toWeight } from './document.ts';
import { toId } from './query.ts';
import type { Alternative } from './synonyms.ts';
import { stopWords } from './words.ts';

/** A word of a query as the index knows it. */
export interface RankedWord {
  readonly term: string;
  readonly alternatives: readonly Alternative[];
  /** Listings that have it, and those about which it is one of the words that say most. */
  readonly listings: number;
  readonly strong: number;
  /** How much a match of it counts: the rarer, the more. */
  readonly value: number;
  /** Whether the answer counts it among the words matched. */
  readonly isCounted: boolean;
}

/** A listing of the index that may be a hit. */
export interface Candidate {
  readonly position: number;
  readonly text: string;
}

/** How well a candidate matches. */
export interface Scored {
  readonly id: number;
  readonly score: number;
  /** How many of the counted words it has. */
  readonly matched: number;
  readonly facets: string;
}

const neighbours = 1.3;
/** A phrase of which the words are apart counts so much. */
const apartShare = 0.6;
const placeholderLoss = 1000;

/** Names keep their stop words (`text-to-speech`): the place after one, or the same place. */
function afterStopWord(text: string, at: number): number {
  const end = text.indexOf(':', at);
  return end > at && stopWords.has(text.slice(at + 1, end)) ? end + 2 : at;
}

/** Whether terms follow each other in the terms of a document's text, but for a stop word between them. */
export function isPhraseIn(text: string, terms: readonly string[]): boolean {
  const [first = '', ...others] = terms;
  const start = ` ${first}:`;
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    let next = at + start.length + 1;
    const follows = others.every((term) => {
      next = afterStopWord(text, next);
      const isNext = text.startsWith(` ${term}:`, next);
      next += term.length + 3;
      return isNext;
    });
    if (follows) return true;
  }
  return false;
}

/** The alternatives of all words by their first term, each with the place of its word. */
function toAlternativesByTerm(words: readonly RankedWord[]) {
  const byTerm = new Map<string, { readonly at: number; readonly one: Alternative }[]>();
  for (const [at, { alternatives }] of words.entries())
    for (const one of alternatives) {
      const [first = ''] = one.terms;
      byTerm.set(first, [...(byTerm.get(first) ?? []), { at, one }]);
    }
  return byTerm;
}

/** Reads which of the terms of some words a text has, and their weights, in one pass. */
function createTermReader(words: readonly RankedWord[]): (text: string) => Map<string, number> {
  const terms = new Set(words.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.terms)));
  // Terms are letters and digits only.
  const pattern = new RegExp(` (${[...terms].join('|')}):`, 'gu');
  return (text) => {
    const found = new Map<string, number>();
    if (terms.size === 0) return found;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text))
      found.set(match[1] ?? '', toWeight(text.charCodeAt(pattern.lastIndex)));
    return found;
  };
}

/**
 * Scores candidates for some words: for each word its value and its weight in the listing, times the share of the query
 * that matched, more for neighbours of the query that are neighbours in the listing. Placeholders come last.
 */
export function createScorer(words: readonly RankedWord[]): (candidate: Candidate) => Scored {
  const readTerms = createTermReader(words);
  const byTerm = toAlternativesByTerm(words);
  const all = words.reduce((sum, { value }) => sum + value, 0);
  const weigh = ({ terms, factor }: Alternative, found: ReadonlyMap<string, number>, text: string) => {
    const least = Math.min(...terms.map((term) => found.get(term) ?? 0));
    return factor * least * (least === 0 || terms.length === 1 || isPhraseIn(text, terms) ? 1 : apartShare);
  };
  return ({ position, text }) => {
    const termText = toTermText(text);
    const found = readTerms(termText);
    const weights = words.map(() => 0);
    for (const term of found.keys())
      for (const { at, one } of byTerm.get(term) ?? [])
        weights[at] = Math.max(weights[at] ?? 0, weigh(one, found, termText));
    let [sum, share, matched, pairs] = [0, 0, 0, 0];
    for (const [at, { term, value, isCounted }] of words.entries()) {
      const weight = weights[at] ?? 0;
      if (weight === 0) continue;
      sum += value * weight;
      share += value;
      if (isCounted) matched += 1;
      const last = words[at - 1]?.term ?? '';
      if (weights[at - 1] && found.has(last) && isPhraseIn(termText, [last, term])) pairs += 1;
    }
    const facets = text.slice(0, text.indexOf('\n'));
    const isFlagged = facets.startsWith('!');
    const score = all > 0 ? sum * (share / all) * neighbours ** pairs : 0;
    return {
      id: toId(position),
      score: isFlagged ? score - placeholderLoss : score,
      matched,
      facets: isFlagged ? facets.slice(1) : facets,
    };
  };
}
