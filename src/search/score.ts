import { type Documents, endOf, firstTermOf, standings, termOf, weightOf } from './document.ts';
import type { Instead } from './query.ts';
import type { Alternative } from './synonyms.ts';
import { stopWords } from './words.ts';

export interface RankedWord {
  readonly term: string;
  readonly typed: string;
  /** How many words that count are typed as this one: of a script without spaces, several. */
  readonly parts: number;
  readonly alternatives: readonly Alternative[];
  /** Estimates, for all alternatives. */
  readonly listings: number;
  readonly strong: number;
  /** Of a match. */
  readonly value: number;
  readonly isCounted: boolean;
  /** Most listings that have it have it in the name, as those of a product. */
  readonly isSubject: boolean;
  readonly isGuessed: boolean;
}

const neighbours = 1.3;
/** If a phrase is apart. */
const apartShare = 0.6;
/** Without a subject, other words say little. */
const lackShare = 0.3;
const placeholderLoss = 1000;
/** Of a listing that has no more than guesses. */
const guessLoss = 100;
const deprecatedShare = 0.5;

/** Undefined if no document has a word. */
export function toPhrase(words: readonly string[], { terms }: Documents): readonly number[] | undefined {
  const phrase = words.map((word) => terms.find(word) ?? 0);
  return phrase.includes(0) ? undefined : phrase;
}

/** Names keep stop words (`text-to-speech`), so one may be between. */
export function isPhraseAt(documents: Documents, start: number, phrase: readonly number[]): boolean {
  const { data, terms } = { data: documents.data(), terms: documents.terms.texts };
  const firstTerm = firstTermOf(data, start);
  const end = endOf(data, start, firstTerm);
  for (let at = firstTerm; at < end; at += 1) {
    let next = at;
    let matched = 0;
    while (matched < phrase.length && next < end && termOf(data[next]) === phrase[matched]) {
      next += 1;
      matched += 1;
      if (next < end && stopWords.has(terms[termOf(data[next])] ?? '')) next += 1;
    }
    if (matched === phrase.length) return true;
  }
  return false;
}

/** `places` are from 1. */
function toWanted(words: readonly RankedWord[], documents: Documents) {
  const places = new Map<number, number>();
  const placeOf = (term: number) => places.get(term) ?? places.set(term, places.size + 1).size;
  const wanted = words.map(({ alternatives }) =>
    alternatives.flatMap(({ terms, factor, isWritten = false }) => {
      const phrase = toPhrase(terms, documents);
      return phrase ? [{ phrase, places: phrase.map(placeOf), factor, terms, isWritten }] : [];
    }),
  );
  return { wanted, places };
}

/** By place; 0 if absent. */
function createTermReader(places: ReadonlyMap<number, number>, documents: Documents) {
  const data = documents.data();
  // Faster than a map.
  const placeOf = new Uint16Array(documents.terms.texts.length);
  for (const [term, place] of places) placeOf[term] = place;
  const found = new Float64Array(places.size + 1);
  return (start: number): Float64Array => {
    found.fill(0);
    const firstTerm = firstTermOf(data, start);
    const end = endOf(data, start, firstTerm);
    for (let at = firstTerm; at < end; at += 1) {
      const entry = data[at] ?? 0;
      const place = placeOf[termOf(entry)];
      if (place) found[place] = weightOf(entry);
    }
    return found;
  };
}

/**
 * Each value times its weight, summed, times the matched share of values, in which a synonym counts for less;
 * more for neighbours that stay neighbours; less without a subject and for a deprecated listing. Placeholders
 * come last. Add no document before the last use.
 */
export function createScorer(words: readonly RankedWord[], documents: Documents) {
  const { wanted, places } = toWanted(words, documents);
  const readTerms = createTermReader(places, documents);
  const data = documents.data();
  const pairs = words.map(({ term }, at) => toPhrase([words[at - 1]?.term ?? '', term], documents));
  const all = words.reduce((sum, { value }) => sum + value, 0);
  const weigh = (
    { phrase, places: of, factor }: (typeof wanted)[number][number],
    found: Float64Array,
    start: number,
  ) => {
    let least = 1;
    for (const place of of) least = Math.min(least, found[place] ?? 0);
    const isApart = least > 0 && phrase.length > 1 && !isPhraseAt(documents, start, phrase);
    return factor * least * (isApart ? apartShare : 1);
  };
  /** `met`: words that count, found as any of their alternatives. */
  const scoreOf = (start: number) => {
    const found = readTerms(start);
    let sum = 0;
    let share = 0;
    let met = 0;
    let neighboured = 0;
    let lacking = 0;
    let before = 0;
    let isTyped = false;
    for (let at = 0; at < words.length; at += 1) {
      const { value, isCounted, isSubject, isGuessed } = words[at] as RankedWord;
      let weight = 0;
      let factor = 0;
      for (const one of wanted[at] ?? []) {
        const own = weigh(one, found, start);
        weight = Math.max(weight, own);
        if (own > 0) factor = Math.max(factor, one.factor);
      }
      const pair = weight > 0 && before > 0 ? pairs[at] : undefined;
      if (pair && isPhraseAt(documents, start, pair)) neighboured += 1;
      before = weight;
      if (weight === 0 && isSubject) lacking += 1;
      if (weight === 0) continue;
      sum += value * weight;
      share += value * Math.sqrt(factor);
      if (isCounted) met += 1;
      if (isCounted && !isGuessed) isTyped = true;
    }
    const score = all > 0 ? sum * (share / all) * neighbours ** neighboured * lackShare ** lacking : 0;
    const loss = (data[start] === standings.placeholder ? placeholderLoss : 0) + (isTyped ? 0 : guessLoss);
    return {
      score: (data[start] === standings.deprecated ? deprecatedShare * score : score) - loss,
      met,
    };
  };
  const explain = (start: number) => {
    const found = readTerms(start);
    const has: (Instead & { readonly parts: number; readonly isWritten: boolean })[] = [];
    for (const [at, { typed, parts, isCounted }] of words.entries()) {
      let best: { weight: number; terms: readonly string[]; isWritten?: boolean } | undefined;
      for (const one of wanted[at] ?? []) {
        const weight = weigh(one, found, start);
        const isBetter = one.isWritten || (weight > (best?.weight ?? 0) && !best?.isWritten);
        if (weight > 0 && isBetter) best = { ...one, weight };
      }
      if (isCounted && best)
        has.push({ typed, parts, terms: best.terms, isWritten: best.isWritten === true });
    }
    const others = [...Map.groupBy(has, ({ typed }) => typed).values()].filter(
      (one) => one.filter(({ isWritten }) => isWritten).length < (one[0]?.parts ?? 0),
    );
    const matched = new Set(has.map(({ typed }) => typed)).size - others.length;
    return { matched, instead: others.flat() };
  };
  return { scoreOf, explain };
}
