import type { Schema } from '../store/store.ts';
import { isPlaceholder, toPosition } from './query.ts';
import { stem, stopWords, toWords, type Word } from './words.ts';

/** A weight is stored as one of so many letters. */
const weightBits = 6;
const steps = 2 ** weightBits;
const firstLetter = 63;

const toLetter = (weight: number) => String.fromCharCode(firstLetter + Math.round(weight * (steps - 1)));

/** The weight that a letter stands for. */
export const toWeight = (letterCode: number): number => (letterCode - firstLetter) / (steps - 1);

/**
 * The text of a search document, all that ranking and counting read: `!` for a placeholder, the facets, a
 * line end, and in their order each term as ` term:` and a letter for its weight; ` |` divides fields.
 */
function toDocumentText({ description, facets }: SearchableListing, fields: readonly (readonly string[])[]) {
  const written = fields.map((terms) => terms.join('')).filter(Boolean);
  return `${isPlaceholder(description) ? '!' : ''}${facets}\n${written.join(' |')} `;
}

/**
 * The part of a document's text that has its terms: facets (`state:unclaimed`) look like terms and are none.
 */
export const toTermText = (text: string): string => text.slice(text.indexOf('\n') + 1);

/** Texts by number, from 1. */
function createNumbers() {
  const numbers = new Map<string, number>();
  const texts = [''];
  return {
    texts: texts as readonly string[],
    find: (text: string): number | undefined => numbers.get(text),
    add(text: string): number {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
  };
}

const firstSize = 2 ** 16;

/**
 * Search documents as they are scored, all in one array of numbers: thousands of objects would take several
 * times as long to read. A document begins with three numbers: 1 if its description is a placeholder, how
 * many facets it has, and how many terms. Its facets follow, then its terms in their order, each with its
 * weight (`termOf`, `weightOf`); a term 0 divides fields.
 */
export function createDocuments() {
  const terms = createNumbers();
  const facets = createNumbers();
  let data = new Int32Array(firstSize);
  let end = 0;
  const toEntry = (term: string) =>
    (terms.add(term.slice(0, -2)) << weightBits) | (term.charCodeAt(term.length - 1) - firstLetter);
  return {
    terms,
    facets,
    /** How many numbers there are. */
    size: () => end,
    /** Another array after each `add`. */
    data: () => data,
    /** Returns where the document begins. */
    add(text: string): number {
      const isPlaceholder = text.startsWith('!');
      const own = text.slice(isPlaceholder ? 1 : 0, text.indexOf('\n')).split(' ');
      const ownFacets = own.filter(Boolean).map(facets.add);
      const written = toTermText(text).split(' ').filter(Boolean);
      const entries = written.map((term) => (term === '|' ? 0 : toEntry(term)));
      const document = [isPlaceholder ? 1 : 0, ownFacets.length, entries.length, ...ownFacets, ...entries];
      const start = end;
      end += document.length;
      if (end > data.length) {
        const larger = new Int32Array(2 * end);
        larger.set(data);
        data = larger;
      }
      data.set(document, start);
      return start;
    },
  };
}
export type Documents = ReturnType<typeof createDocuments>;

/** Some documents of the index: the place of each in it, and where it begins in `documents`. */
export interface FoundDocuments {
  readonly documents: Documents;
  readonly positions: number[];
  readonly starts: number[];
}

/** Where the terms of a document begin that begins at a place. */
export const firstTermOf = (data: Int32Array, start: number): number => start + 3 + (data[start + 1] ?? 0);
/** Where a document ends, given where its terms begin. */
export const endOf = (data: Int32Array, start: number, firstTerm: number): number =>
  firstTerm + (data[start + 2] ?? 0);

/** The number of the term of an entry, 0 of what divides fields. */
export const termOf = (entry = 0): number => entry >> weightBits;
export const weightOf = (entry: number): number => (entry & (steps - 1)) / (steps - 1);

/**
 * A term has this weight where it is one of those that say most about the listing, mostly words of its name.
 */
const strongStep = 39;

/** Whether a term with a weight is one of those that say most about the listing. */
export const isStrong = (weight: number): boolean => Math.round(weight * (steps - 1)) >= strongStep;

/** The terms of a document by its text, each once, with their weights. */
export function toTermsOfText(text: string): Map<string, number> {
  const terms = toTermText(text).split(' ');
  return new Map(
    terms
      .filter((term) => term.length > 2)
      .map((term) => [term.slice(0, -2), toWeight(term.charCodeAt(term.length - 1))]),
  );
}

/**
 * A listing's row as it is searched in. `keys`: what it can be found by besides its words and facets, each as
 * a facet.
 */
type SearchableListing = Pick<
  Schema['listing'],
  'id' | 'handle' | 'title' | 'description' | 'tags' | 'facets'
> & { readonly keys: readonly string[] };

/**
 * How much a field counts, how far its length is evened out, and the length that is neither long nor short.
 */
const fields = {
  name: { weight: 1.6, evening: 0.6, usual: 3 },
  namespace: { weight: 0.5, evening: 0.4, usual: 2 },
  tags: { weight: 0.6, evening: 0.3, usual: 2 },
  description: { weight: 1, evening: 0.3, usual: 10 },
} as const;

/** What a description is about stands first; side remarks ("pay per call in USDC") follow, and count less. */
const firstTerms = 9;
const laterShare = 0.92;
/** A term of which there is so much has half of the greatest weight. */
const saturation = 0.8;
const forgePrefix = /^(io|com)\.(github|gitlab)\./i;
/** The parts of a namespace that name somebody: neither the forge nor the top-level domain. */
const toNamespaceText = (namespace: string) =>
  forgePrefix.test(namespace) ? namespace.replace(forgePrefix, '') : namespace.replace(/^[^.]*\./, '');

/** The terms of words in their order: each word, then the parts of a camel-case one. */
const toTerms = (words: readonly Word[]) =>
  words.flatMap(({ text, parts }) => [stem(text), ...parts.map(stem)]);

/** Words that names have beside what they name. */
const nameEndings: ReadonlySet<string> = new Set(['mcp', 'server', 'api']);

/** A name of two or three words also stands as one, so that `hugging-face` is found as `huggingface`. */
function toJoined(words: readonly Word[]): string[] {
  const texts = words.map(({ text }) => text).filter((text) => !nameEndings.has(text));
  return texts.length === 2 || texts.length === 3 ? [stem(texts.join(''))] : [];
}

/** The terms of each field, in their order, and terms that have no place in its text (`joined`). */
function toFieldTerms(listing: SearchableListing) {
  const slash = listing.handle.indexOf('/');
  const name = toWords(listing.handle.slice(slash + 1));
  const namespace = toWords(toNamespaceText(listing.handle.slice(0, slash)));
  const tags = (JSON.parse(listing.tags) as { tag: string }[]).flatMap(({ tag }) => toWords(tag));
  const description = toWords(listing.description).filter(({ text }) => !stopWords.has(text));
  return [
    { field: 'name', terms: toTerms(name), joined: toJoined(name) },
    { field: 'name', terms: toTerms(toWords(listing.title ?? '')), joined: [] },
    { field: 'namespace', terms: toTerms(namespace), joined: [] },
    { field: 'tags', terms: toTerms(tags), joined: [] },
    { field: 'description', terms: toTerms(description), joined: [] },
  ] as const;
}

function toWeights(texts: ReturnType<typeof toFieldTerms>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { field, terms, joined } of texts) {
    const { weight, evening, usual } = fields[field];
    const each = weight / (1 - evening + (evening * terms.length) / usual);
    for (const [at, term] of terms.entries()) {
      const share = field === 'description' && at >= firstTerms ? laterShare : 1;
      sums.set(term, (sums.get(term) ?? 0) + each * share);
    }
    for (const term of joined) sums.set(term, (sums.get(term) ?? 0) + each);
  }
  for (const [term, sum] of sums) sums.set(term, sum / (saturation + sum));
  return sums;
}

export type SearchDocument = ReturnType<typeof toSearchDocument>;

/**
 * What the index stores of a listing. A term's weight is BM25F without the part that depends on other
 * listings.
 */
export function toSearchDocument(listing: SearchableListing) {
  const texts = toFieldTerms(listing);
  const weights = toWeights(texts);
  const write = (terms: readonly string[]) =>
    terms.map((term) => ` ${term}:${toLetter(weights.get(term) ?? 0)}`);
  return {
    id: listing.id,
    position: toPosition(listing.id),
    /** Each term once. */
    terms: [...weights.keys()],
    /** Those that say most about the listing, mostly words of its name. */
    strong: [...weights].filter(([, weight]) => isStrong(weight)).map(([term]) => term),
    /** With the keys. */
    facets: [...listing.facets.split(' ').filter(Boolean), ...listing.keys],
    text: toDocumentText(
      listing,
      texts.flatMap(({ terms, joined }) => [write(terms), write(joined)]),
    ),
  };
}
