import { createRandom, type Random } from '../../bench/random.ts';
import { type CopyListing, findTelling, wordsOf } from './listings.ts';

/** A question made of one listing, which is what it should find. */
export interface KnownItem {
  readonly query: string;
  readonly handle: string;
}

/** Questions of one kind. */
export interface KnownItems {
  readonly kind: string;
  readonly items: readonly KnownItem[];
}

const perKind = 300;
const letters = 'abcdefghijklmnopqrstuvwxyz';

const pick = <T>(values: readonly T[], random: Random): T =>
  values[Math.floor(random() * values.length)] as T;

/** Picks at random among the words that say something. */
interface Picking {
  readonly random: Random;
  readonly telling: ReadonlySet<string>;
}

/** So many different words of a listing's description, in their order. */
function pickWords(
  { description }: CopyListing,
  count: number,
  { random, telling }: Picking,
): string[] | undefined {
  const words = [...new Set(wordsOf(description))].filter((word) => telling.has(word));
  if (words.length < count) return undefined;
  const places = new Set<number>();
  while (places.size < count) places.add(Math.floor(random() * words.length));
  return [...places].sort((a, b) => a - b).map((at) => words[at] as string);
}

/** Plural for singular and the other way round. */
function switchNumber(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** One letter dropped, doubled, replaced or exchanged with the next one; never the first. */
function mistype(word: string, random: Random): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const before = word.slice(0, at);
  const letter = word[at] ?? '';
  const after = word.slice(at + 1);
  const typed = [
    before + after,
    before + letter + letter + after,
    before + pick([...letters], random) + after,
    before + (after[0] ?? '') + letter + after.slice(1),
  ];
  return pick(typed, random);
}

/** Words of names that say nothing: hundreds of listings are called `mcp`. */
const sayNothing: ReadonlySet<string> = new Set(['mcp', 'server', 'api']);

/** The name in a handle as words: separators are spaces, as people type them. */
function ownName({ handle }: CopyListing): string | undefined {
  const name = handle
    .slice(handle.indexOf('/') + 1)
    .replace(/[-_.]+/g, ' ')
    .trim();
  return wordsOf(name).some((word) => !sayNothing.has(word)) ? name : undefined;
}

type Make = (listing: CopyListing, picking: Picking) => string | undefined;

const withWords =
  (count: number, toQuery: (words: string[], random: Random) => string | undefined): Make =>
  (listing, picking) => {
    const words = pickWords(listing, count, picking);
    return words && toQuery(words, picking.random);
  };

const kinds: Readonly<Record<string, Make>> = {
  'two words': withWords(2, (words) => words.join(' ')),
  'three words': withWords(3, (words) => words.join(' ')),
  'switched number': withWords(3, (words, random) => {
    const at = Math.floor(random() * words.length);
    return words.map((word, place) => (place === at ? switchNumber(word) : word)).join(' ');
  }),
  question: withWords(3, ([x, y, z]) => `find a tool for ${x} and ${y} ${z}`),
  'own name': ownName,
  typo: withWords(2, (words, random) => {
    const at = (words[0]?.length ?? 0) >= (words[1]?.length ?? 0) ? 0 : 1;
    if ((words[at]?.length ?? 0) < 5) return undefined;
    return words.map((word, place) => (place === at ? mistype(word, random) : word)).join(' ');
  }),
};

function makeItems(listings: readonly CopyListing[], make: Make, picking: Picking): KnownItem[] {
  const items = new Map<string, KnownItem>();
  for (let tries = 0; items.size < perKind && tries < perKind * 20; tries++) {
    const listing = pick(listings, picking.random);
    const query = make(listing, picking);
    if (query) items.set(`${listing.handle} ${query}`, { query, handle: listing.handle });
  }
  return [...items.values()];
}

/**
 * Known-item questions of any registry copy, the same ones for the same seed; of every handle, the handle
 * itself.
 */
export function makeKnownItems(
  listings: readonly CopyListing[],
  { seed, mostHandles }: { readonly seed: number; readonly mostHandles: number },
): KnownItems[] {
  const telling = findTelling(listings);
  const made = Object.entries(kinds).map(([kind, make], at) => ({
    kind,
    items: makeItems(listings, make, { random: createRandom(seed * 100 + at), telling }),
  }));
  const handles = listings.slice(0, mostHandles).map(({ handle }) => ({ query: handle, handle }));
  return [...made, { kind: 'handle', items: handles }];
}
