import { isPlaceholder, toPosition } from './query.ts';
import { type SearchWord, stem, stopWords, toWords } from './words.ts';

const weightBits = 6;
const steps = 2 ** weightBits;
const firstLetter = 63;

const toLetter = (weight: number) => String.fromCharCode(firstLetter + Math.round(weight * (steps - 1)));

export const toWeight = (letterCode: number): number => (letterCode - firstLetter) / (steps - 1);

/**
 * `!` for a placeholder, facets, a line end, and in order each ` term:` with a letter for its weight and its
 * form; ` |` between fields.
 */
function toDocumentText({ description, facets }: SearchableListing, fields: readonly (readonly string[])[]) {
  const written = fields.map((terms) => terms.join('')).filter(Boolean);
  return `${isPlaceholder(description) ? '!' : ''}${facets}\n${written.join(' |')} `;
}

/** A facet looks like a term (`state:unclaimed`). */
export const toTermText = (text: string): string => text.slice(text.indexOf('\n') + 1);

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

export const standings = { active: 0, placeholder: 1, deprecated: 2 } as const;

/**
 * One array is read faster than thousands of objects. A document begins with its standing, the numbers of
 * facets and of entries, its facets, and an entry for each term (`termOf`, `weightOf`), 0 between fields.
 */
export function createDocuments() {
  const terms = createNumbers();
  const facets = createNumbers();
  let data = new Int32Array(firstSize);
  let end = 0;
  const toEntry = (written: string) => {
    const end = written.indexOf(':');
    return (terms.add(written.slice(0, end)) << weightBits) | (written.charCodeAt(end + 1) - firstLetter);
  };
  return {
    terms,
    facets,
    size: () => end,
    /** `add` may replace it. */
    data: () => data,
    add(text: string): number {
      const isPlaceholder = text.startsWith('!');
      const own = text.slice(isPlaceholder ? 1 : 0, text.indexOf('\n')).split(' ');
      const ownFacets = own.filter(Boolean).map(facets.add);
      const written = toTermText(text).split(' ').filter(Boolean);
      const entries = written.map((term) => (term === '|' ? 0 : toEntry(term)));
      const listed = own.includes('is:active') ? standings.active : standings.deprecated;
      const document = [
        isPlaceholder ? standings.placeholder : listed,
        ownFacets.length,
        entries.length,
        ...ownFacets,
        ...entries,
      ];
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

/** `starts` are in `documents`, in the same order. */
export interface FoundDocuments {
  readonly documents: Documents;
  readonly positions: number[];
  readonly starts: number[];
}

export const firstTermOf = (data: Int32Array, start: number): number => start + 3 + (data[start + 1] ?? 0);
export const endOf = (data: Int32Array, start: number, firstTerm: number): number =>
  firstTerm + (data[start + 2] ?? 0);

export const termOf = (entry = 0): number => entry >> weightBits;
export const weightOf = (entry: number): number => (entry & (steps - 1)) / (steps - 1);

/** From here a term, such as one of the name, says much about the listing. */
const strongStep = 39;

export const isStrong = (weight: number): boolean => Math.round(weight * (steps - 1)) >= strongStep;

/** Before each form of a term, which is counted as a term that no query has. */
export const formsOf = (term: string): string => `=${term}=`;

/** With forms, which one of an earlier version lacks. */
export function toTermsOfText(text: string): Map<string, number> {
  const terms = new Map<string, number>();
  for (const entry of toTermText(text).split(' ')) {
    const [term = '', written = ''] = entry.split(':');
    if (written === '') continue;
    const form = written.slice(1);
    terms.set(term, toWeight(written.charCodeAt(0)));
    if (form) terms.set(formsOf(term) + form, 0);
  }
  return terms;
}

export interface SearchedRow {
  readonly id: number;
  readonly handle: string;
  readonly title: string | null;
  readonly description: string;
  /** JSON with reasons. */
  readonly tags: string;
  /** Between spaces. */
  readonly facets: string;
}

/** `keys` are facets to find it by, in no count. */
type SearchableListing = SearchedRow & { readonly keys: readonly string[] };

/** BM25F: `evening` is `b`, `usual` the average length. */
const fields = {
  name: { weight: 1.6, evening: 0.6, usual: 3 },
  namespace: { weight: 0.5, evening: 0.4, usual: 2 },
  tags: { weight: 0.6, evening: 0.3, usual: 2 },
  description: { weight: 1, evening: 0.3, usual: 10 },
} as const;

/** Many later terms of a description are side remarks ("pay per call in USDC"). */
const firstTerms = 9;
const laterShare = 0.92;
/** `k1` of BM25. */
const saturation = 0.8;
const forgePrefix = /^(io|com)\.(github|gitlab)\./i;
/** A forge or a top-level domain names nobody. */
const toNamespaceText = (namespace: string) =>
  forgePrefix.test(namespace) ? namespace.replace(forgePrefix, '') : namespace.replace(/^[^.]*\./, '');

/** Each with how it is written. */
type Terms = readonly (readonly [term: string, form: string])[];

const toTerms = (words: readonly SearchWord[]): Terms =>
  words.flatMap(({ text, parts }) => [text, ...parts].map((form) => [stem(form), form] as const));

const nameEndings: ReadonlySet<string> = new Set(['mcp', 'server', 'api']);

/** `huggingface` for `hugging-face`. */
function toJoined(words: readonly SearchWord[]): Terms {
  const texts = words.map(({ text }) => text).filter((text) => !nameEndings.has(text));
  return texts.length === 2 || texts.length === 3 ? [[stem(texts.join('')), texts.join('-')]] : [];
}

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
    for (const [at, [term]] of terms.entries()) {
      const share = field === 'description' && at >= firstTerms ? laterShare : 1;
      sums.set(term, (sums.get(term) ?? 0) + each * share);
    }
    for (const [term] of joined) sums.set(term, (sums.get(term) ?? 0) + each);
  }
  for (const [term, sum] of sums) sums.set(term, sum / (saturation + sum));
  return sums;
}

export type SearchDocument = ReturnType<typeof toSearchDocument>;

/** BM25F but for the factor of other listings. */
export function toSearchDocument(listing: SearchableListing) {
  const texts = toFieldTerms(listing);
  const weights = toWeights(texts);
  const write = (terms: Terms) =>
    terms.map(([term, form]) => ` ${term}:${toLetter(weights.get(term) ?? 0)}${form}`);
  const written = texts.flatMap(({ terms, joined }) => [write(terms), write(joined)]);
  return {
    id: listing.id,
    position: toPosition(listing.id),
    terms: [...weights.keys()],
    strong: [...weights].filter(([, weight]) => isStrong(weight)).map(([term]) => term),
    facets: [...listing.facets.split(' ').filter(Boolean), ...listing.keys],
    text: toDocumentText(listing, written),
  };
}
