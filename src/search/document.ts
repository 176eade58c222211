import { isPlaceholder, toPosition } from './query.ts';
import { stem, stopWords, toWords, type Word } from './words.ts';

/**
 * The text of a search document, all that ranking and counting read: `!` for a placeholder, the facets, a line end, and in
 * their order each term as ` term:` and a letter for its weight; ` |` divides fields.
 */
interface DocumentText {
  readonly isPlaceholder: boolean;
  readonly facets: string;
  /** In their order, with weights from 0 to 1; fields one after the other. */
  readonly fields: readonly (readonly (readonly [term: string, weight: number])[])[];
}

/** A weight is stored as one of so many letters. */
const steps = 64;
const firstLetter = 63;

const toLetter = (weight: number) => String.fromCharCode(firstLetter + Math.round(weight * (steps - 1)));

/** The weight that a letter stands for. */
export const toWeight = (letterCode: number): number => (letterCode - firstLetter) / (steps - 1);

/** Writes the text of a document. */
function toDocumentText({ isPlaceholder, facets, fields }: DocumentText): string {
  const written = fields
    .filter((terms) => terms.length > 0)
    .map((terms) => terms.map(([term, weight]) => ` ${term}:${toLetter(weight)}`).join(''));
  return `${isPlaceholder ? '!' : ''}${facets}\n${written.join(' |')} `;
}

/** The part of a document's text that has its terms: facets (`state:unclaimed`) look like terms and are none. */
export const toTermText = (text: string): string => text.slice(text.indexOf('\n') + 1);

/** A term has this weight where it is one of those that say most about the listing, mostly words of its name. */
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

/** What of a listing is searched in; `tags` and `facets` as they are stored. */
interface SearchableListing {
  readonly id: number;
  readonly handle: string;
  readonly title: string | null;
  readonly description: string;
  readonly tags: string;
  readonly facets: string;
  /** What it can be found by besides its words and facets, each as a facet. */
  readonly keys: readonly string[];
}

/** What the index stores of a listing. */
export interface SearchDocument {
  readonly id: number;
  readonly position: number;
  /** Each term once. */
  readonly terms: readonly string[];
  /** Those that say most about the listing, mostly words of its name. */
  readonly strong: readonly string[];
  /** With the keys. */
  readonly facets: readonly string[];
  /** All that ranking and counting read; see search/document.ts. */
  readonly text: string;
}

/** How much a field counts, how far its length is evened out, and the length that is neither long nor short. */
const fields = {
  name: { weight: 1.6, evening: 0.6, usual: 3 },
  namespace: { weight: 0.5, evening: 0.4, usual: 2 },
  tags: { weight: 0.6, evening: 0.3, usual: 2 },
  description: { weight: 1, evening: 0.3, usual: 10 },
} as const;
type Field = keyof typeof fields;

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

interface FieldTerms {
  readonly field: Field;
  /** In their order. */
  readonly terms: readonly string[];
  /** Terms that have no place in the text. */
  readonly joined: readonly string[];
}

function toFieldTerms(listing: SearchableListing): FieldTerms[] {
  const slash = listing.handle.indexOf('/');
  const name = toWords(listing.handle.slice(slash + 1));
  const tags = (JSON.parse(listing.tags) as { tag: string }[]).flatMap(({ tag }) => toWords(tag));
  const description = toWords(listing.description).filter(({ text }) => !stopWords.has(text));
  return [
    { field: 'name', terms: toTerms(name), joined: toJoined(name) },
    { field: 'name', terms: toTerms(toWords(listing.title ?? '')), joined: [] },
    {
      field: 'namespace',
      terms: toTerms(toWords(toNamespaceText(listing.handle.slice(0, slash)))),
      joined: [],
    },
    { field: 'tags', terms: toTerms(tags), joined: [] },
    { field: 'description', terms: toTerms(description), joined: [] },
  ];
}

function toWeights(texts: readonly FieldTerms[]): Map<string, number> {
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

/** What the index stores of a listing. A term's weight is BM25F without the part that depends on other listings. */
export function toSearchDocument(listing: SearchableListing): SearchDocument {
  const texts = toFieldTerms(listing);
  const weights = toWeights(texts);
  const weigh = (terms: readonly string[]) => terms.map((term) => [term, weights.get(term) ?? 0] as const);
  return {
    id: listing.id,
    position: toPosition(listing.id),
    terms: [...weights.keys()],
    strong: [...weights].filter(([, weight]) => isStrong(weight)).map(([term]) => term),
    facets: [...listing.facets.split(' ').filter(Boolean), ...listing.keys],
    text: toDocumentText({
      isPlaceholder: isPlaceholder(listing.description),
      facets: listing.facets,
      fields: texts.flatMap(({ terms, joined }) => [weigh(terms), weigh(joined)]),
    }),
  };
}
