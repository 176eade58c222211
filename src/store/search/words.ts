import type { Alternative } from '../../evidence/search/alternative.ts';
import { isCorrectable, toHalves, toSpellings } from '../../evidence/search/misspelling.ts';
import type { ParsedQuery, QueryWord } from '../../evidence/search/query.ts';
import type { RankedWord } from '../../evidence/search/score.ts';
import { synonymsOf } from '../../evidence/search/synonym-lookup.ts';
import { afterPrefix } from '../after-prefix.ts';
import type { Db, SearchIndex } from '../engine.ts';

const mostWords = 24;
/** Words that count no more are not among those an answer counts. */
const questionWordShare = 0.3;
const mostCorrected = 3;
const mostCorrections = 6;
const correctedFactor = 0.9;
const mostBeginnings = 8;
const beginningFactor = 0.4;
const shortestBeginning = 3;
/** A last word that fewer listings have is also taken for a beginning. */
const fewListings = 3;

type Counts = ReadonlyMap<string, number>;

/** How many listings have an alternative, at the most. */
const listingsOf = ({ terms }: Alternative, counts: Counts) =>
  Math.min(...terms.map((term) => counts.get(term) ?? 0));

/** The most frequent terms that begin so. */
async function readBeginnings(db: Db, prefix: string): Promise<[string, number][]> {
  const rows = await db
    .selectFrom('search_term')
    .selectAll()
    .where('term', '>', prefix)
    .where('term', '<', afterPrefix(prefix))
    .where('listings', '>', 0)
    .orderBy('listings', 'desc')
    .orderBy('term')
    .limit(mostBeginnings)
    .execute();
  return rows.map(({ term, listings }) => [term, listings]);
}

const toSingle =
  (factor: number) =>
  (term: string): Alternative => ({ terms: [term], factor });

const mostFrequent = (counts: Counts, most: number) =>
  [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).slice(0, most);

/** Other spellings of an unknown word that listings have, and the two words it may be. */
async function readCorrections(db: Db, index: SearchIndex, word: string, counts: Map<string, number>) {
  const halves = toHalves(word);
  const spellings = new Set(toSpellings(word));
  const known = await index.readTermCounts(db, [...new Set([...spellings, ...halves.flat()])]);
  const likely = mostFrequent(new Map([...known].filter(([term]) => spellings.has(term))), mostCorrections);
  for (const [term, listings] of known) counts.set(term, listings);
  const split = halves.filter(([start, end]) => known.has(start) && known.has(end));
  const meant = likely.flatMap(([term]) => [toSingle(1)(term), ...synonymsOf(term)]);
  const more = await index.readTermCounts(
    db,
    meant.flatMap((one) => one.terms),
  );
  for (const [term, listings] of more) counts.set(term, listings);
  return [
    ...meant.map((one) => ({ ...one, factor: one.factor * correctedFactor })),
    ...split.map((terms): Alternative => ({ terms, factor: correctedFactor })),
  ];
}

interface Expanded extends QueryWord {
  readonly found: readonly Alternative[];
}

/** The alternatives that any listing has; where there is none, beginnings and corrections. */
async function expand(
  db: Db,
  index: SearchIndex,
  words: readonly QueryWord[],
  counts: Map<string, number>,
): Promise<Expanded[]> {
  const expanded: Expanded[] = [];
  let corrected = 0;
  for (const [at, word] of words.entries()) {
    const found = word.alternatives.filter((one) => listingsOf(one, counts) > 0);
    const few = (counts.get(word.term) ?? 0) < fewListings;
    if (few && at === words.length - 1 && [...word.text].length >= shortestBeginning)
      for (const [term, listings] of await readBeginnings(db, word.text)) {
        if (found.some(({ terms }) => terms.length === 1 && terms[0] === term)) continue;
        counts.set(term, listings);
        found.push(toSingle(beginningFactor)(term));
      }
    if (found.length === 0 && isCorrectable(word.text) && corrected < mostCorrected) {
      corrected += 1;
      found.push(...(await readCorrections(db, index, word.text, counts)));
    }
    expanded.push({ ...word, found });
  }
  return expanded;
}

/** Rare words count more (the idf of BM25). */
const toValue = (listings: number, total: number) =>
  Math.log(1 + (total - listings + 0.5) / (listings + 0.5));

function toRanked({ term, found, share }: Expanded, counts: Counts, total: number): RankedWord {
  const own = counts.get(term) ?? Math.max(...found.map((one) => listingsOf(one, counts)));
  const listings = found.reduce((sum, one) => sum + listingsOf(one, counts), 0);
  return {
    term,
    alternatives: found,
    listings,
    value: toValue(Math.min(own, total), total) * share,
    isCounted: share > questionWordShare,
  };
}

async function readTotal(db: Db): Promise<number> {
  const everything = db.selectFrom('facet_count').select('listings').where('facet', '=', '*');
  return (await everything.executeTakeFirst())?.listings ?? 0;
}

/** The words of a query as the index knows them, without those that no listing has; of many, the rarest ones. */
export async function readWords(
  db: Db,
  index: SearchIndex,
  query: ParsedQuery,
): Promise<{ words: RankedWord[]; counted: number; total: number }> {
  if (query.words.length === 0) return { words: [], counted: 0, total: 0 };
  const terms = new Set(query.words.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.terms)));
  const counts = new Map(await index.readTermCounts(db, [...terms]));
  const total = Math.max(1, await readTotal(db));
  const expanded = await expand(db, index, query.words, counts);
  const known = expanded.filter(({ found }) => found.length > 0).map((word) => toRanked(word, counts, total));
  const rarest = new Set(known.toSorted((a, b) => b.value - a.value).slice(0, mostWords));
  return {
    words: known.filter((word) => rarest.has(word)),
    counted:
      query.words.filter(({ share }) => share > questionWordShare).length - (known.length - rarest.size),
    total,
  };
}
