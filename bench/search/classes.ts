import { readJudged } from '../../eval/search/judged.ts';
import type { Facet } from '../../src/search/query.ts';
import { stopWords } from '../../src/search/words.ts';
import { readDistributions } from '../distributions.ts';
import { createPicker, createRandom, type Random } from '../random.ts';
import { toSearches } from '../search-mix.ts';
import { createSynthetic, type Synthetic } from '../synthetic.ts';

/** A search: its words, and facets that every hit must have. */
export interface ClassifiedSearch {
  readonly text: string;
  readonly facets: readonly Facet[];
}

const eachClass = 300;
const frequentWords = 60;

const words = readDistributions().words.filter(([word]) => /^[a-z]{4,}$/.test(word) && !stopWords.has(word));
const pickFrequent = createPicker(words.toSorted(([, a], [, b]) => b - a).slice(0, frequentWords));
const consonants = 'bcdfghjkmpqrtvwxz';

const plain = (text: string): ClassifiedSearch => ({ text, facets: [] });

/** Words of a listing's description, a few of them in their order. */
function wordsOfListing(synthetic: Synthetic, random: Random, count: number): string[] {
  for (;;) {
    const [entry] = synthetic.entries(Math.floor(random() * synthetic.listings));
    const described = String(entry?.server.description).split(' ').slice(0, -1);
    const telling = [...new Set(described)].filter(
      (word) => /^[a-z]{4,}$/.test(word) && !stopWords.has(word),
    );
    const first = Math.floor(random() * (telling.length - count));
    if (first >= 0) return telling.slice(first, first + count);
  }
}

/** A word that nothing has, nor any word one edit away. */
const toUnknown = (random: Random) =>
  Array.from({ length: 9 }, () => consonants[Math.floor(random() * consonants.length)]).join('');

function toFrequent(random: Random): string {
  const chosen = new Set<string>();
  while (chosen.size < 10) chosen.add(pickFrequent(random));
  return [...chosen].join(' ');
}

function toQuestion(synthetic: Synthetic, random: Random): string {
  const [a, b, c] = wordsOfListing(synthetic, random, 3);
  return `find a tool for ${a} and ${b} ${c}`;
}

/** Searches of each class of the design's table, the same ones for the same number of listings. */
export function toClasses(listings: number, rareFacet: Facet): Readonly<Record<string, ClassifiedSearch[]>> {
  const synthetic = createSynthetic({ listings });
  const random = createRandom(11);
  const repeat = (make: () => ClassifiedSearch) => Array.from({ length: eachClass }, make);
  return {
    'the mix': toSearches(1000, listings).map((search) => plain(search.words.join(' '))),
    'two words of a listing': repeat(() => plain(wordsOfListing(synthetic, random, 2).join(' '))),
    'question form': repeat(() => plain(toQuestion(synthetic, random))),
    'judged queries': readJudged('tune').map(({ query }) => plain(query)),
    server: [plain('server')],
    'ten frequent words': repeat(() => plain(toFrequent(random))),
    'unknown words, no match': repeat(() => plain(`${toUnknown(random)} ${toUnknown(random)}`)),
    'with a rare filter': repeat(() => ({ text: pickFrequent(random), facets: [rareFacet] })),
    'with a filter nobody passes': repeat(() => ({ text: pickFrequent(random), facets: ['has:ratings'] })),
  };
}
