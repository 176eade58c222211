import type { Alternative } from './alternative.ts';
import { toTermText, toWeight } from './document-text.ts';
import { toId } from './position.ts';
import { stopWords } from './stop-words.ts';

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

function weightIn(text: string, terms: readonly string[]): number {
  let least = 1;
  for (const term of terms) {
    const at = text.indexOf(` ${term}:`);
    if (at < 0) return 0;
    least = Math.min(least, toWeight(text.charCodeAt(at + term.length + 2)));
  }
  return least;
}

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

function bestWeight(text: string, alternatives: readonly Alternative[]): number {
  let best = 0;
  for (const { terms, factor } of alternatives) {
    if (factor <= best) continue;
    const weight = factor * weightIn(text, terms);
    if (weight <= best) continue;
    const isTogether = terms.length === 1 || isPhraseIn(text, terms);
    best = Math.max(best, isTogether ? weight : weight * apartShare);
  }
  return best;
}

/**
 * The score of a candidate: for each word its value and its weight in the listing, times the share of the query that
 * matched, more for neighbours of the query that are neighbours in the listing. Placeholders come last.
 */
export function scoreCandidate({ position, text }: Candidate, words: readonly RankedWord[]): Scored {
  let [sum, found, all, matched, pairs] = [0, 0, 0, 0, 0];
  const termText = toTermText(text);
  let last: string | undefined;
  for (const { term, alternatives, value, isCounted } of words) {
    const weight = bestWeight(termText, alternatives);
    all += value;
    if (weight > 0) {
      sum += value * weight;
      found += value;
      if (isCounted) matched += 1;
      if (last !== undefined && isPhraseIn(termText, [last, term])) pairs += 1;
    }
    last = weight > 0 ? term : undefined;
  }
  const facets = text.slice(0, text.indexOf('\n'));
  const isFlagged = facets.startsWith('!');
  const score = all > 0 ? sum * (found / all) * neighbours ** pairs : 0;
  return {
    id: toId(position),
    score: isFlagged ? score - placeholderLoss : score,
    matched,
    facets: isFlagged ? facets.slice(1) : facets,
  };
}
