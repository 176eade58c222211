import { isHandle } from '../core/handle.ts';
import { inTurns, nextTurn } from '../core/turns.ts';
import { type Documents, type FoundDocuments, firstTermOf } from './document.ts';
import { readBeginnings, readNearWords, readWords } from './index-words.ts';
import { enoughCandidates, mostProbes, type Probe, toGroupOfAny, toSteps } from './plan.ts';
import {
  type Facet,
  type FacetChoice,
  isLabelOf,
  ownerFacets,
  type ParsedQuery,
  parseQuery,
  readVersions,
  type SearchCounts,
  type SearchHit,
  type SearchQuery,
  type SearchSort,
  toId,
  toNamingWords,
  toOwnerFacets,
  toPosition,
} from './query.ts';
import type { Db } from './schema.ts';
import { createScorer, isPhraseAt, type RankedWord, toPhrase } from './score.ts';
import type { IndexSearch, SearchIndex } from './search-index.ts';
import { readToolNames } from './tool-names.ts';

/** Of more, a part is read and scored. */
const mostMatches = 20_000;
/** With more, too few documents are in memory to read thousands. */
const mostListings = 100_000;
/** Entries read, after which too few candidates have to do. */
const mostRead = 40_000;
const mostReadWithSome = 20_000;
const someCandidates = 60;

/** Later reads may find known listings again. */
const fewestFound = 100;

/** `isAll`: nothing that matches is missing. */
async function gatherPositions(
  db: Db,
  index: SearchIndex,
  { steps, hasAllWords }: ReturnType<typeof toSteps>,
  conditions: Pick<Probe, 'facets' | 'excluded'>,
): Promise<{ positions: number[]; isAll: boolean }> {
  const found = new Set<number>();
  let read = 0;
  let isAll = hasAllWords;
  for (const [at, step] of steps.entries()) {
    const isEnough = found.size >= enoughCandidates || at >= mostProbes;
    if (isEnough || read > (found.size >= someCandidates ? mostReadWithSome : mostRead))
      return { positions: [...found], isAll: false };
    const wanted = at === 0 ? step.limit : Math.max(fewestFound, enoughCandidates - found.size);
    const limit = Math.min(step.limit, wanted);
    const matches = await index.find(db, { ...step, ...conditions, limit });
    for (const position of matches) found.add(position);
    if (matches.length < limit) read += step.read;
    else isAll = false;
  }
  return { positions: [...found], isAll };
}

function toGroups({ phrases }: ParsedQuery, counting: readonly RankedWord[]): Probe['groups'] {
  if (phrases.length > 0) return phrases.map((terms) => [{ terms, strong: false }]);
  return counting.length > 0 ? [toGroupOfAny(counting)] : [];
}

/** With all words of phrases, or else a word that counts, and none that is excluded. */
async function findPositions(
  db: Db,
  index: SearchIndex,
  query: ParsedQuery,
  { words, facets, total }: { words: readonly RankedWord[]; facets: readonly FacetChoice[]; total: number },
): Promise<{ positions: number[]; isAll: boolean }> {
  const { phrases, excluded } = query;
  const counting = words.filter(({ isCounted }) => isCounted);
  const groups = toGroups(query, counting);
  if (groups.length === 0 && (query.words.length > 0 || excluded.length === 0))
    return { positions: [], isAll: true };
  const conditions = { facets, excluded: excluded.flatMap((terms) => (terms.length === 1 ? terms : [])) };
  const expected = counting.reduce((sum, { listings }) => sum + listings, 0);
  const isMany = Math.min(expected, total) > mostMatches || total > mostListings;
  if (phrases.length === 0 && counting.length > 0 && isMany)
    return gatherPositions(db, index, toSteps(counting, total), conditions);
  const limit = mostMatches + 1;
  const positions = await index.find(db, { groups, ...conditions, limit, expected: limit });
  return { positions, isAll: positions.length < limit };
}

/** Undefined without phrases and exclusions. */
function createFilter({ phrases, excluded }: ParsedQuery, documents: Documents) {
  if (phrases.length + excluded.length === 0) return undefined;
  const toTest = (terms: readonly string[]) => {
    const phrase = toPhrase(terms, documents);
    return (start: number) => phrase !== undefined && isPhraseAt(documents, start, phrase);
  };
  const wanted = phrases.map(toTest);
  const unwanted = excluded.map(toTest);
  return (start: number) => wanted.every((isIn) => isIn(start)) && !unwanted.some((isIn) => isIn(start));
}

export function countFacets(facetTexts: readonly string[], capped: boolean): SearchCounts {
  // Many listings have the same text, which is split once.
  const counts = new Map<string, number>();
  for (const [text, { length }] of Map.groupBy(facetTexts, (one) => one))
    for (const facet of text.split(' ')) counts.set(facet, (counts.get(facet) ?? 0) + length);
  counts.delete('');
  const facets: Record<Facet, number> = Object.fromEntries(counts);
  return { total: facetTexts.length, capped, facets };
}

function isFacetted(
  { handle, facets: stored, namespace }: Record<'handle' | 'facets' | 'namespace', string>,
  facets: readonly FacetChoice[],
): boolean {
  const publishers = [`publisher:${namespace.toLowerCase()}`, ...ownerFacets(handle)];
  const own = new Set<string>([...stored.split(' '), ...publishers]);
  return facets.every((facet) => [facet].flat().some((one) => own.has(one)));
}

/** In this order; an exact handle before one in other capitals. */
async function findHandles(
  { listings }: IndexSearch,
  handles: readonly string[],
  facets: readonly FacetChoice[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const handle of handles.filter(isHandle)) {
    const rows = await listings.withFoldedHandle(handle.toLowerCase());
    const found = rows.find((row) => row.handle === handle) ?? rows[0];
    if (found && isFacetted(found, facets)) ids.push(found.id);
  }
  return [...new Set(ids)];
}

const timesAtOnce = 1000;

async function readUpdates({ listings }: IndexSearch, ids: readonly number[]): Promise<Map<number, string>> {
  const updated = new Map<number, string>();
  for (let at = 0; at < ids.length; at += timesAtOnce) {
    const some = ids.slice(at, at + timesAtOnce);
    for (const row of await listings.updates(some)) updated.set(row.id, row.updated_at);
    if (some.length === timesAtOnce) await nextTurn();
  }
  return updated;
}

/** For more, sorting all is faster. */
const fewSorted = 300;

/** Of the numbers below `count`. */
function firstOf(count: number, compare: (a: number, b: number) => number, most = count): number[] {
  if (most > Math.min(fewSorted, count))
    return Array.from({ length: count }, (_, at) => at)
      .sort(compare)
      .slice(0, most);
  const first: number[] = [];
  for (let one = 0; one < count; one += 1) {
    if (first.length === most && compare(one, first[most - 1] ?? 0) > 0) continue;
    let at = first.length;
    while (at > 0 && compare(one, first[at - 1] ?? 0) < 0) at -= 1;
    first.splice(at, 0, one);
    if (first.length > most) first.pop();
  }
  return first;
}

const scoreOfFirst = 1e6;
const scoreOfTool = 1e4;

/**
 * By relevance, positions `first` lead, `foremost` before others, and with all words those of `named`. Those
 * of `tooled` follow those with all words.
 */
async function sortFound(
  search: IndexSearch,
  { documents, positions, starts }: FoundDocuments,
  {
    words,
    sort,
    first,
    foremost,
    named,
    tooled = new Set(),
    most,
  }: {
    words: readonly RankedWord[];
    first: readonly number[];
    foremost: ReadonlySet<number>;
    named: ReadonlySet<number>;
    tooled?: ReadonlySet<number>;
  } & Pick<SearchQuery, 'sort' | 'most'>,
) {
  const ids = positions.map(toId);
  const updates = sort === 'updated' ? await readUpdates(search, ids) : undefined;
  const { scoreOf, explain } = createScorer(words, documents);
  const counted = words.filter(({ isCounted }) => isCounted).length;
  const leading = new Set(first);
  const scores = Float64Array.from(starts, (start, at) => {
    const { score, met } = scoreOf(start);
    const position = positions[at] ?? 0;
    const isFirst = leading.has(position) || (met >= counted && named.has(position));
    const ofTool = tooled.size > 0 ? 2 * Number(met >= counted) + Number(tooled.has(position)) : 0;
    return score + scoreOfFirst * (Number(isFirst) + Number(foremost.has(position))) + scoreOfTool * ofTool;
  });
  const idOf = (at: number) => ids[at] ?? 0;
  const updateOf = (at: number) => updates?.get(idOf(at)) ?? '';
  const orders: Readonly<Record<SearchSort, (a: number, b: number) => number>> = {
    relevance: (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || idOf(a) - idOf(b),
    published: (a, b) => idOf(b) - idOf(a),
    updated: (a, b) => (updateOf(a) < updateOf(b) ? 1 : updateOf(a) > updateOf(b) ? -1 : idOf(b) - idOf(a)),
  };
  return firstOf(positions.length, orders[sort], most).map((at) => ({
    id: idOf(at),
    ...explain(starts[at] ?? 0),
  }));
}

const mostOwned = 200;
const mostBegun = 2;

async function findOwned({ db, index }: IndexSearch, text: string, facets: readonly FacetChoice[]) {
  const probe = { groups: [], excluded: [], limit: mostOwned, expected: mostOwned };
  const owned: number[] = [];
  for (const owner of toOwnerFacets(text))
    owned.push(...(await index.find(db, { ...probe, facets: [...facets, owner] })));
  return owned;
}

async function findForemost({ listings }: IndexSearch, text: string, owned: readonly number[]) {
  if (owned.length < 2) return new Set<number>();
  const rows = await listings.handles(owned.map(toId));
  return new Set(rows.filter(({ handle }) => isLabelOf(handle, text)).map(({ id }) => toPosition(id)));
}

/** By a word that is the publisher's name, or by all that begin labels, as in com.googleapis.mapstools. */
async function findNamed({ db, index, listings }: IndexSearch, text: string, facets: readonly FacetChoice[]) {
  const words = toNamingWords(text);
  if (words.length === 0) return new Set<number>();
  const owners = words.map((word): Facet => `owner:${word}`);
  const probe = { groups: [], excluded: [], limit: mostOwned, expected: mostOwned };
  const named = await index.find(db, { ...probe, facets: [...facets, owners] });
  if (words.length > mostBegun) return new Set(named);
  const groups = await inTurns(words, async (word) =>
    (await readBeginnings(db, word)).map(([term]) => ({ terms: [term], strong: false })),
  );
  if (groups.some(({ length }) => length === 0)) return new Set(named);
  const begun = await listings.handles((await index.find(db, { ...probe, groups, facets })).map(toId));
  const isBegun = ({ handle }: { readonly handle: string }) => {
    const labels = handle.slice(0, handle.indexOf('/')).toLowerCase().split('.');
    return words.every((word) => labels.some((label) => label.startsWith(word)));
  };
  return new Set([...named, ...begun.filter(isBegun).map(({ id }) => toPosition(id))]);
}

function countFacetsOf({ documents, starts }: FoundDocuments) {
  const data = documents.data();
  const { texts } = documents.facets;
  const counts = new Uint32Array(texts.length);
  for (const start of starts) {
    const end = firstTermOf(data, start);
    for (let at = start + 3; at < end; at += 1) {
      const facet = data[at] ?? 0;
      counts[facet] = (counts[facet] ?? 0) + 1;
    }
  }
  const counted = texts
    .map((facet, at) => [facet, counts[at] ?? 0] as const)
    .filter(([, count]) => count > 0);
  return Object.fromEntries(counted) as Record<Facet, number>;
}

const findTooled = async (
  { listings }: IndexSearch,
  tools: readonly string[],
  facets: readonly FacetChoice[],
) =>
  (await listings.withTools(tools)).filter((row) => isFacetted(row, facets)).map(({ id }) => toPosition(id));

/** Positions `named` stay. */
function filterFound(found: FoundDocuments, query: ParsedQuery, named: readonly number[]): FoundDocuments {
  const { documents, positions, starts } = found;
  const isMatching = createFilter(query, documents);
  if (!isMatching) return found;
  const isWanted = (at: number) => named.includes(positions[at] ?? 0) || isMatching(starts[at] ?? 0);
  const places = [...starts.keys()].filter(isWanted);
  return {
    documents,
    positions: places.map((at) => positions[at] ?? 0),
    starts: places.map((at) => starts[at] ?? 0),
  };
}

/**
 * First the listings named, then by relevance those of the publisher named; behind those with all
 * words, those with a tool named. `words`: how many count. `counts.capped`: not all were read.
 */
export async function rankListings(
  search: IndexSearch,
  { text: asked, facets, sort, most, named: handles = [], meant }: SearchQuery<FacetChoice>,
) {
  const { db, index } = search;
  const { text, tools } = readToolNames(readVersions(asked).text);
  const query = parseQuery(text, meant);
  const { words, counted, unknown, total } = await readWords(search, query);
  const { positions, isAll } = await findPositions(db, index, query, { words, facets, total });
  const owned = await findOwned(search, text, facets);
  const tooled = await findTooled(search, tools, facets);
  const own = await findHandles(search, [text.trim()], facets);
  // Those of a publisher stay in the order of relevance.
  const others = (await findHandles(search, handles, facets)).filter((id) => !owned.includes(toPosition(id)));
  const leading = [...new Set([...own, ...others])];
  const named = [...leading.map(toPosition), ...owned, ...tooled];
  const wanted = named.length > 0 ? [...new Set([...named, ...positions])] : positions;
  const found = filterFound(await index.readDocuments(db, wanted), query, named);
  const facetCounts = countFacetsOf(found);
  const ranked = await sortFound(search, found, {
    words,
    sort,
    first: owned,
    foremost: await findForemost(search, text, owned),
    named: await findNamed(search, text, facets),
    tooled: new Set(tooled),
    most: most && most + leading.length,
  });
  const behind = ranked.filter(({ id }) => !leading.includes(id));
  const first = leading.map((id): SearchHit => ({ id, matched: undefined, instead: [] }));
  return {
    hits: [...first, ...behind].slice(0, most),
    words: counted,
    unknown: leading.length > 0 ? [] : await readNearWords(search, unknown),
    counts: { total: found.starts.length, capped: !isAll, facets: facetCounts } satisfies SearchCounts,
  };
}

/** Best first. Reads about 1,000 listings, however many match. `counted`: words that count. */
export async function rankFew(search: IndexSearch, asked: string, most?: number) {
  const { db, index } = search;
  const { text } = readVersions(asked);
  const { words, counted, total } = await readWords(search, parseQuery(text));
  const counting = words.filter(({ isCounted }) => isCounted);
  const conditions = { facets: [], excluded: [] };
  const { positions } = await gatherPositions(db, index, toSteps(counting, total), conditions);
  const owned = await findOwned(search, text, []);
  const found = await index.readDocuments(db, [...new Set([...owned, ...positions])]);
  return {
    hits: await sortFound(search, found, {
      words,
      sort: 'relevance',
      first: owned,
      foremost: await findForemost(search, text, owned),
      named: await findNamed(search, text, []),
      most,
    }),
    counted,
  };
}
