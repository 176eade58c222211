import { toTermText } from '../../evidence/search/document-text.ts';
import {
  enoughCandidates,
  mostProbes,
  type Probe,
  toGroupOfAny,
  toSteps,
} from '../../evidence/search/plan.ts';
import type { ParsedQuery } from '../../evidence/search/query.ts';
import {
  type Candidate,
  createScorer,
  isPhraseIn,
  type RankedWord,
  type Scored,
} from '../../evidence/search/score.ts';
import type { Db, SearchIndex } from '../engine.ts';

/** What is searched for. */
export interface Gathering {
  readonly query: ParsedQuery;
  readonly words: readonly RankedWord[];
  readonly facets: readonly string[];
  /** Visible listings in all. */
  readonly total: number;
}

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
export function nextTurn(): Promise<void> {
  turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turn;
}

/** What every look into the index asks for. */
type Conditions = Pick<Probe, 'facets' | 'excluded'>;

/** Looks into the index until there are enough candidates; `isAll` if no listing that matches was left out. */
async function gatherCandidates(
  db: Db,
  index: SearchIndex,
  steps: ReturnType<typeof toSteps>,
  conditions: Conditions,
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
export async function findScored(
  db: Db,
  index: SearchIndex,
  { query, words, facets, total }: Gathering,
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
