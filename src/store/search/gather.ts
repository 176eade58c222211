import { enoughCandidates, mostProbes, type Probe, toSteps } from '../../evidence/search/plan.ts';
import type { ParsedQuery } from '../../evidence/search/query.ts';
import type { Candidate, RankedWord } from '../../evidence/search/score.ts';
import type { Db, SearchIndex } from '../engine.ts';

/** What candidates are gathered for. */
export interface Gathering {
  readonly query: ParsedQuery;
  readonly words: readonly RankedWord[];
  readonly facets: readonly string[];
  /** Visible listings in all. */
  readonly total: number;
}

/** Entries of the index that are read before a search gives up on finding more, with few candidates and with some. */
const [mostRead, mostReadWithSome, someCandidates] = [40_000, 20_000, 60];

/**
 * The first look finds every listing with a rare word. A later one asks for no more listings than are still wanted, but
 * for so many, as some of them are known already.
 */
const fewestFound = 100;

/** Looks into the index until there are enough candidates; `isAll` where no listing that matches was left out. */
export async function gatherCandidates(
  db: Db,
  index: SearchIndex,
  { query, words, facets, total }: Gathering,
): Promise<{ candidates: Candidate[]; isAll: boolean }> {
  const found = new Map<number, Candidate>();
  const steps = toSteps(words, total);
  let read = 0;
  let isAll = true;
  for (const [at, step] of steps.entries()) {
    const isEnough = found.size >= enoughCandidates || at >= mostProbes;
    if (isEnough || read > (found.size >= someCandidates ? mostReadWithSome : mostRead))
      return { candidates: [...found.values()], isAll: false };
    const wanted = at === 0 ? step.limit : Math.max(fewestFound, enoughCandidates - found.size);
    const limit = Math.min(step.limit, wanted);
    const probe: Probe = { ...step, limit, facets, excluded: query.excluded };
    const matches = await index.find(db, probe);
    for (const candidate of matches) found.set(candidate.position, candidate);
    if (matches.length < probe.limit) read += step.read;
    else isAll = false;
  }
  return { candidates: [...found.values()], isAll };
}
