import { isHandle } from '../core/handle.ts';
import type { Db } from '../store/store.ts';
import { toTermText } from './document.ts';
import { type Facet, type FacetChoice, toOwnerFacets } from './facets.ts';
import { readWords } from './index-words.ts';
import { enoughCandidates, mostProbes, type Probe, toGroupOfAny, toSteps } from './plan.ts';
import {
  type ParsedQuery,
  parseQuery,
  type SearchCounts,
  type SearchHit,
  type SearchQuery,
  type SearchSort,
} from './query.ts';
import { type Candidate, createScorer, isPhraseIn, type RankedWord, type Scored } from './score.ts';
import type { SearchIndex } from './search-index.ts';

/** So many matches are all read and scored; of more, those that the plan finds. */
const mostMatches = 20_000;
/** Of more listings than this, most documents are not in memory, and reading thousands of them takes too long. */
const mostListings = 100_000;
/** Documents that are scored at once. */
const pieceSize = 1000;

/** Entries of the index that are read before a search gives up on finding more, with few candidates and with some. */
const [mostRead, mostReadWithSome, someCandidates] = [40_000, 20_000, 60];

/**
 * The first look finds every listing with a rare word. A later one asks for no more listings than are still wanted, but
 * for so many, as some of them are known already.
 */
const fewestFound = 100;

let turn = Promise.resolve();

/** Waits for the next turn of the event loop; of all searches that wait, one goes on in each turn. */
function nextTurn(): Promise<void> {
  turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turn;
}

/** Looks into the index until there are enough candidates; `isAll` if no listing that matches was left out. */
async function gatherCandidates(
  db: Db,
  index: SearchIndex,
  steps: ReturnType<typeof toSteps>,
  conditions: Pick<Probe, 'facets' | 'excluded'>,
): Promise<{ candidates: Candidate[]; isAll: boolean }> {
  const found = new Map<number, Candidate>();
  let read = 0;
  let isAll = true;
  for (const [at, step] of steps.entries()) {
    const isEnough = found.size >= enoughCandidates || at >= mostProbes;
    if (isEnough || read > (found.size >= someCandidates ? mostReadWithSome : mostRead))
      return { candidates: [...found.values()], isAll: false };
    const wanted = at === 0 ? step.limit : Math.max(fewestFound, enoughCandidates - found.size);
    const limit = Math.min(step.limit, wanted);
    const matches = await index.find(db, { ...step, ...conditions, limit });
    for (const candidate of matches) found.set(candidate.position, candidate);
    if (matches.length < limit) read += step.read;
    else isAll = false;
  }
  return { candidates: [...found.values()], isAll };
}

/** The groups that a listing must match: those of the phrases, else one of all words that count. */
function toGroups({ phrases }: ParsedQuery, counting: readonly RankedWord[]): Probe['groups'] {
  if (phrases.length > 0) return phrases.map((terms) => [{ terms, strong: false }]);
  return counting.length > 0 ? [toGroupOfAny(counting)] : [];
}

/**
 * The listings that match a query, scored, in no particular order: all of them (`isAll`), or, of very many, the most
 * promising ones. A listing matches that has any of the words that count, all phrases, and nothing that is excluded.
 */
async function findScored(
  db: Db,
  index: SearchIndex,
  query: ParsedQuery,
  { words, facets, total }: { words: readonly RankedWord[]; facets: readonly FacetChoice[]; total: number },
): Promise<{ scored: Scored[]; isAll: boolean }> {
  const { phrases, excluded } = query;
  const counting = words.filter(({ isCounted }) => isCounted);
  const groups = toGroups(query, counting);
  if (groups.length === 0 && (query.words.length > 0 || excluded.length === 0))
    return { scored: [], isAll: true };
  const conditions = { facets, excluded: excluded.flatMap((terms) => (terms.length === 1 ? terms : [])) };
  const score = createScorer(words);
  const scored: Scored[] = [];
  const add = (candidates: readonly Candidate[]) => {
    for (const candidate of candidates) {
      const text = toTermText(candidate.text);
      const fits = phrases.every((terms) => isPhraseIn(text, terms));
      if (fits && !excluded.some((terms) => isPhraseIn(text, terms))) scored.push(score(candidate));
    }
  };
  const expected = counting.reduce((sum, { listings }) => sum + listings, 0);
  const isMany = Math.min(expected, total) > mostMatches || total > mostListings;
  if (phrases.length === 0 && counting.length > 0 && isMany) {
    const { candidates, isAll } = await gatherCandidates(db, index, toSteps(counting, total), conditions);
    add(candidates);
    return { scored, isAll };
  }
  let read = 0;
  const limit = mostMatches + 1;
  for await (const matches of index.findInPieces(db, { groups, ...conditions, limit, expected: limit }))
    for (let at = 0; at < matches.length; at += pieceSize) {
      if (read > 0) await nextTurn();
      const piece = matches.slice(at, at + pieceSize);
      add(piece);
      read += piece.length;
    }
  return { scored, isAll: read < limit };
}

/** Counts listings and their facets, given the facets of each as text. */
export function countFacets(facetTexts: readonly string[], capped: boolean): SearchCounts {
  // Many listings have the same facets: each text is split once.
  const alike = new Map<string, number>();
  for (const text of facetTexts) alike.set(text, (alike.get(text) ?? 0) + 1);
  const counts = new Map<string, number>();
  for (const [text, listings] of alike)
    for (const facet of text.split(' ')) counts.set(facet, (counts.get(facet) ?? 0) + listings);
  counts.delete('');
  const facets: Record<Facet, number> = Object.fromEntries(counts);
  return { total: facetTexts.length, capped, facets };
}

/** The visible listing whose handle a text is, capitals aside where no handle is exactly so; it must have all facets. */
async function findHandle(db: Db, text: string, facets: readonly FacetChoice[]) {
  const handle = text.trim();
  if (!isHandle(handle)) return undefined;
  const rows = await db
    .selectFrom('listing')
    .select(['id', 'handle', 'namespace', 'facets'])
    .where('handle_folded', '=', handle.toLowerCase())
    .where('withdrawn', 'is', null)
    .orderBy('id')
    .execute();
  const found = rows.find((row) => row.handle === handle) ?? rows[0];
  const own = new Set<string>(found?.facets.split(' ')).add(`publisher:${found?.namespace.toLowerCase()}`);
  return facets.every((facet) => [facet].flat().some((one) => own.has(one))) ? found : undefined;
}

/** Listings of which the last updates are read at once. */
const timesAtOnce = 1000;

const byScore = (a: Scored, b: Scored) => b.score - a.score || a.id - b.id;

async function sortScored(db: Db, scored: readonly Scored[], sort: SearchSort): Promise<Scored[]> {
  if (sort === 'relevance') return scored.toSorted(byScore);
  if (sort === 'published') return scored.toSorted((a, b) => b.id - a.id);
  const updated = new Map<number, string>();
  for (let at = 0; at < scored.length; at += timesAtOnce) {
    const ids = scored.slice(at, at + timesAtOnce).map(({ id }) => id);
    const rows = db.selectFrom('listing').select(['id', 'updated_at']).where('id', 'in', ids);
    for (const row of await rows.execute()) updated.set(row.id, row.updated_at);
    if (ids.length === timesAtOnce) await nextTurn();
  }
  const timeOf = ({ id }: Scored) => updated.get(id) ?? '';
  return scored.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : b.id - a.id));
}

/** Listings of one publisher of that name; more are not found by it. */
const mostOwned = 200;

/** The visible listings of the publishers whose name, domain or namespace a query is. */
async function findOwned(db: Db, index: SearchIndex, text: string, facets: readonly FacetChoice[]) {
  const owned = new Map<number, Candidate>();
  for (const owner of toOwnerFacets(text)) {
    const probe = { groups: [], excluded: [], limit: mostOwned, expected: mostOwned };
    for (const one of await index.find(db, { ...probe, facets: [...facets, owner] }))
      owned.set(one.position, one);
  }
  return [...owned.values()];
}

/**
 * Ranks what a query finds: up to 20,000 hits, or the best of some hundred candidates (`counts.capped`), and how many `words`
 * of the query count. The listing whose handle the query is comes first, whatever else matches; then, by relevance, the
 * listings of the publisher whose name it is.
 */
export async function rankListings(db: Db, index: SearchIndex, search: SearchQuery<FacetChoice>) {
  const { text, facets, sort } = search;
  const query = parseQuery(text);
  const handle = await findHandle(db, text, facets);
  const { words, counted, unknown, total } = await readWords(db, index, query);
  const found = await findScored(db, index, query, { words, facets, total });
  const { isAll } = found;
  const owned = (await findOwned(db, index, text, facets)).map(createScorer(words));
  const ownedIds = new Set(owned.map(({ id }) => id));
  const scored = [...owned, ...found.scored.filter(({ id }) => !ownedIds.has(id))];
  const sorted = await sortScored(db, scored, sort);
  const ranked =
    sort === 'relevance' && owned.length > 0
      ? [...sorted.filter(({ id }) => ownedIds.has(id)), ...sorted.filter(({ id }) => !ownedIds.has(id))]
      : sorted;
  const hits: SearchHit[] = ranked.map(({ id, matched }) => ({ id, matched }));
  const facetTexts = scored.filter(({ id }) => id !== handle?.id).map((one) => one.facets);
  if (!handle) return { hits, words: counted, unknown, counts: countFacets(facetTexts, !isAll) };
  const first: SearchHit = { id: handle.id, matched: undefined };
  return {
    hits: [first, ...hits.filter(({ id }) => id !== handle.id)],
    words: counted,
    unknown: [],
    counts: countFacets([handle.facets, ...facetTexts], !isAll),
  };
}

/**
 * The listings that most likely have the words of a text, best first, and how many of the words count. At most some hundred
 * listings are read, however many have the words.
 */
export async function rankFew(
  db: Db,
  index: SearchIndex,
  text: string,
): Promise<{ readonly hits: readonly Scored[]; readonly counted: number }> {
  const { words, counted, total } = await readWords(db, index, parseQuery(text));
  const steps = toSteps(
    words.filter(({ isCounted }) => isCounted),
    total,
  );
  const { candidates } = await gatherCandidates(db, index, steps, { facets: [], excluded: [] });
  const owned = await findOwned(db, index, text, []);
  const score = createScorer(words);
  const ranked = [owned, candidates].flatMap((found) => found.map(score).toSorted(byScore));
  return { hits: [...new Map(ranked.map((one) => [one.id, one])).values()], counted };
}
