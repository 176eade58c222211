import { inTurns } from '../core/turns.ts';
import { afterPrefix, precompileQuery } from '../store/query.ts';
import { formsOf } from './document.ts';
import { widestOf } from './plan.ts';
import type { ParsedQuery, QueryWord } from './query.ts';
import type { Db } from './schema.ts';
import type { IndexSearch, TermCount } from './search-index.ts';
import { type Alternative, isEnglish, isOnlyRelated, isTranslated, synonymsOf } from './synonyms.ts';
import {
  isCorrectable,
  isInflection,
  stem,
  swappedStems,
  toHalves,
  toSpellings,
  wordsOfAll,
} from './words.ts';

const mostBeginnings = 8;

const selectBeginnings = precompileQuery((db: Db, prefix: string, end: string, most: number) =>
  db
    .selectFrom('search_term')
    .selectAll()
    .where('term', '>', prefix)
    .where('term', '<', end)
    .where('listings', '>', 0)
    .orderBy('listings', 'desc')
    .orderBy('term')
    .limit(most),
);

export async function readBeginnings(
  db: Db,
  prefix: string,
  most = mostBeginnings,
): Promise<[string, TermCount][]> {
  const rows = await selectBeginnings(db, prefix, afterPrefix(prefix), most);
  return rows.map(({ term, ...count }) => [term, count]);
}

/** With fewer, the last word may be a beginning, and what it begins may be words run together. */
const fewListings = 3;
const mostCorrections = 6;
const correctedFactor = 0.9;

/** `texts` are forms that the terms may have. */
type Near = Readonly<Record<'terms' | 'texts', readonly string[]>>;

const mostFrequent = (counts: readonly [string, TermCount][]) =>
  counts
    .toSorted(([a, many], [b, more]) => more.listings - many.listings || (a < b ? -1 : 1))
    .slice(0, mostCorrections);

const lettersOfEnd = 2;
const shortestAlike = 8;

/** A shorter word is often a letter from one that means something else. */
const shortestSure = 7;
const clearly = 3;

/** The stemmer has fewer endings. */
const mostForms = 200;

/** How listings write a term: first as one of `texts`, then as forms of these, each by how many do. */
async function readForms(db: Db, term: string, texts: readonly string[]) {
  const start = formsOf(term);
  const forms = (await readBeginnings(db, start, mostForms)).map(([form, { listings }]) => {
    const words = form.slice(start.length).split('-');
    const isOther = !texts.some((text) => isInflection(text, words.join('')));
    return { text: words.join(' '), listings, isOther };
  });
  const rank = ({ text, isOther }: (typeof forms)[number]) => (texts.includes(text) ? 0 : isOther ? 2 : 1);
  return forms.sort((a, b) => rank(a) - rank(b));
}

/** Not if all that have its stem have it of another word, as that of `sever` of `several`. */
async function isWritten(db: Db, term: string, texts: readonly string[], counts: Counts) {
  const forms = await readForms(db, term, texts);
  // After an upgrade, not all are known yet.
  const known = forms.reduce((sum, { listings }) => sum + listings, 0);
  return known < (counts.get(term)?.listings ?? 0) || forms.some(({ isOther }) => !isOther);
}

/** Spellings in use, two words in one, and, if it is sure which was meant, its synonyms. */
async function readCorrections({ db, index }: IndexSearch, word: string, isOther: boolean) {
  const halves = toHalves(word);
  const spellings = toSpellings(word);
  spellings.delete(stem(word));
  const possible = new Set([...spellings.keys(), ...halves.flatMap(({ terms }) => terms)]);
  const known = new Map(await index.readTermCounts(db, [...possible]));
  const swaps = swappedStems(word);
  const nearest = mostFrequent([...known].filter(([term]) => spellings.has(term)));
  const written = await inTurns(nearest, ([term]) => isWritten(db, term, spellings.get(term) ?? [], known));
  const inUse = nearest.filter((_, at) => written[at]);
  const most = Math.max(...inUse.map(([, { listings }]) => listings));
  const swapped = inUse.filter(([term]) => swaps.has(term));
  const isSwapped = swapped.some(([, { listings }]) => clearly * listings >= most);
  const spelt = isSwapped ? swapped : inUse;
  const isAlike = ([term, { listings }]: [string, TermCount]) =>
    listings >= fewListings && Math.abs(term.length - word.length) <= lettersOfEnd;
  // As `playwrite` is for `playwright`.
  const start = spelt.length === 0 && word.length >= shortestAlike && word.slice(0, -lettersOfEnd);
  const alike = start ? (await readBeginnings(db, start)).filter(isAlike) : [];
  for (const [term, count] of alike) known.set(term, count);
  const found = [...spelt, ...mostFrequent(alike)].map(([term]) => term);
  const likely = isOther && found.length === 0 ? [stem(word)] : found;
  const split =
    isSwapped || isOther ? [] : halves.filter(({ terms }) => terms.every((term) => known.has(term)));
  const isLike = isSwapped || (!isOther && word.length >= shortestSure);
  const isSure = likely.length + split.length === 1 && isLike;
  const [first = 0, second = 0] = likely.map((term) => known.get(term)?.listings ?? 0);
  const synonyms = isSure ? likely.flatMap(synonymsOf) : [];
  const meant = [...likely.map((term) => ({ terms: [term], factor: 1 })), ...synonyms];
  const meantToo = synonyms.flatMap(({ terms }) => terms);
  const ofOthers = meantToo.length > 0 ? await index.readTermCounts(db, meantToo) : [];
  return {
    alternatives: [
      ...meant.map((one) => ({ ...one, factor: one.factor * correctedFactor })),
      ...split.map(({ terms }) => ({ terms, factor: correctedFactor })),
    ],
    /** Without synonyms. */
    near: [...likely.map((term) => ({ texts: spellings.get(term) ?? [], terms: [term] })), ...split],
    counts: new Map([...known, ...ofOthers]),
    isSure,
    isClear: first >= fewListings && first > clearly * second,
  };
}

const mostWords = 24;
/** Up to this share, a word does not count as matched. */
const questionWordShare = 0.3;
const mostCorrected = 3;
const beginningFactor = 0.4;
const shortestBeginning = 3;

type Counts = ReadonlyMap<string, TermCount>;

/** An upper bound. */
const listingsOf = ({ terms }: Alternative, counts: Counts, count: keyof TermCount = 'listings') =>
  Math.min(...terms.map((term) => counts.get(term)?.[count] ?? 0));

/** Without one that is found as written, words of all listings find nothing. */
const isTelling = ({ share }: QueryWord): boolean => share === 1;

type Expanded = Awaited<ReturnType<typeof expand>>[number];

/** What is found, words that begin with a rare last word, and corrections of up to three unknown ones. */
async function expand(search: IndexSearch, { words, phrases }: ParsedQuery, counts: Map<string, TermCount>) {
  const { db } = search;
  const expanded = [];
  let corrected = 0;
  const quoted = new Set(phrases.flat());
  const lastTelling = words.findLastIndex(isTelling);
  const isAlone = words.filter(isTelling).length === 1;
  for (const [at, word] of words.entries()) {
    const own = counts.get(word.term)?.listings ?? 0;
    const isQuoted = quoted.has(word.term);
    const inUse = word.alternatives.filter((one) => listingsOf(one, counts) > 0);
    const isOnly = inUse.every((one) => !one.isWritten || one.terms.includes(word.term));
    const isOurs = isEnglish(word.text) || isTranslated(word.text) || !isCorrectable(word.text);
    const mayBeOther = own > 0 && !isQuoted && isOnly && !isOurs && corrected < mostCorrected;
    const isOther = mayBeOther && !(await isWritten(db, word.term, [word.text], counts));
    const isUnknown = isOther || inUse.length === 0;
    const few = isOther || own < fewListings;
    const mayBegin = at === words.length - 1 ? few : isUnknown && at === lastTelling;
    const isLong = [...word.text].length >= shortestBeginning;
    const begun = mayBegin && isLong && !isQuoted ? await readBeginnings(db, word.text) : [];
    const isBegun = isQuoted || begun.some(([, { listings }]) => listings >= fewListings);
    const isWrong = isUnknown && !isBegun && isCorrectable(word.text) && corrected < mostCorrected;
    const corrections = isWrong ? await readCorrections(search, word.text, isOther) : undefined;
    corrected += Number(isWrong);
    const beginnings = begun.map(([term]) => ({ texts: [], terms: [term], factor: beginningFactor }));
    for (const [term, count] of [...(corrections?.counts ?? []), ...begun]) counts.set(term, count);
    const found = [...(isUnknown ? [] : inUse), ...(corrections?.alternatives ?? []), ...beginnings];
    /** Undefined if an alternative is found. */
    const near: Near[] | undefined = isUnknown ? [...(corrections?.near ?? []), ...beginnings] : undefined;
    /** It is in no listing, and what is found instead may be about something else. */
    const isGuessed = corrections ? !corrections.isSure : found.every(isOnlyRelated);
    /** Not guessed, or, if it is alone, a letter from a word that far more listings have than others. */
    const isMeant = !isGuessed || (isAlone && corrections?.isClear === true);
    expanded.push({ ...word, found, near, isGuessed, isMeant });
  }
  return expanded;
}

/** The idf of BM25. */
const toValue = (listings: number, total: number) =>
  Math.log(1 + (total - listings + 0.5) / (listings + 0.5));

function toRanked(word: Expanded, counts: Counts, total: number) {
  const { term, typed, alternatives, found, share, isGuessed } = word;
  const [itself = { terms: [term], factor: 1 }] = alternatives;
  const strong = listingsOf(itself, counts, 'strong');
  const own = listingsOf(itself, counts) || Math.max(...found.map((one) => listingsOf(one, counts)));
  const widest = widestOf(found);
  return {
    term,
    typed,
    alternatives: found,
    listings: widest.reduce((sum, one) => sum + listingsOf(one, counts), 0),
    strong: widest.reduce((sum, one) => sum + listingsOf(one, counts, 'strong'), 0),
    value: toValue(Math.min(own, total), total) * share,
    isCounted: share > questionWordShare,
    isSubject: isTelling(word) && !isGuessed && strong > 0 && 2 * strong >= own,
    isGuessed,
    isTelling: isTelling(word),
  };
}

/** A guess in the name of one listing decides less than a typed word in the description of another. */
const guessShare = 0.5;

function withGuesses(words: readonly ReturnType<typeof toRanked>[]) {
  const typed = words.filter((word) => word.isCounted && !word.isGuessed);
  const most = guessShare * Math.min(...typed.map(({ value }) => value));
  return words.map((word) => (word.isGuessed ? { ...word, value: Math.min(word.value, most) } : word));
}

/** Of a script without spaces, what is typed as one is several pairs of characters, found or not. */
function toUnknown(word: string, parts: readonly Expanded[], searched: ReadonlySet<string>) {
  const near = parts
    .filter(({ term }) => searched.has(term))
    .flatMap((one): Near[] => one.near ?? one.found.map(({ terms }) => ({ texts: [], terms })));
  const isSure = parts.every(({ near, isMeant }) => near === undefined || isMeant);
  return parts.some((one) => one.near) ? [{ word, near, isSure }] : [];
}

const isCounted = ({ share }: QueryWord) => share > questionWordShare;

export async function readWords(search: IndexSearch, query: ParsedQuery) {
  const { db, index, listings } = search;
  if (query.words.length === 0) return { words: [], counted: 0, unknown: [], total: 0 };
  const terms = new Set(query.words.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.terms)));
  const counts = new Map(await index.readTermCounts(db, [...terms]));
  const total = Math.max(1, await listings.count());
  const expanded = await expand(search, query, counts);
  const isFound = ({ found }: Expanded) => found.length > 0;
  const telling = expanded.filter(isTelling);
  const isForeign = 2 * telling.filter((word) => !isFound(word)).length > telling.length;
  const hasWritten = telling.some(({ near }) => near === undefined);
  const isLost = (word: Expanded) =>
    isTelling(word) ? word.near && isForeign : !hasWritten && wordsOfAll.has(word.text);
  const known = withGuesses(
    expanded.filter((word) => isFound(word) && !isLost(word)).map((word) => toRanked(word, counts, total)),
  );
  const rarest = new Set(known.toSorted((a, b) => b.value - a.value).slice(0, mostWords));
  const searched = new Set([...rarest].map(({ term }) => term));
  const left = new Set(known.flatMap((word) => (rarest.has(word) ? [] : word.term)));
  const counting = expanded.filter((word) => isCounted(word) && !left.has(word.term));
  const typed = Map.groupBy(counting, (word) => word.typed);
  return {
    /** Found ones, and of more than 24 the weightiest. */
    words: known
      .filter((word) => rarest.has(word))
      .map((word) => ({ ...word, parts: typed.get(word.typed)?.length ?? 0 })),
    /** As typed, with unknown ones. */
    counted: typed.size,
    unknown: [...typed].flatMap(([word, parts]) => toUnknown(word, parts, searched)),
    total,
  };
}

/** Undefined if no listing has all terms. */
async function readSpelt({ db, index }: IndexSearch, { terms, texts }: Near) {
  const probe = { groups: [[{ terms, strong: false }]], facets: [], excluded: [], limit: 1, expected: 1 };
  const isFound = terms.length === 1 || (await index.find(db, probe)).length > 0;
  const forms = await Promise.all(terms.map(async (term) => (await readForms(db, term, texts))[0]?.text));
  return isFound && !forms.includes(undefined) ? forms.join(' ') : undefined;
}

/** What was searched for instead, as listings spell it. */
export const readNearWords = (
  search: IndexSearch,
  unknown: Awaited<ReturnType<typeof readWords>>['unknown'],
) =>
  Promise.all(
    unknown.map(async ({ word, near, isSure }) => {
      const written = await Promise.all(near.map((one) => readSpelt(search, one)));
      return { word, near: [...new Set(written.filter((one) => one !== undefined))], isSure };
    }),
  );
