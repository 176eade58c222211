import { toTermText } from '../../evidence/search/document-text.ts';
import { parseQuery } from '../../evidence/search/query.ts';
import { isPhraseIn, type Scored, scoreCandidate } from '../../evidence/search/score.ts';
import type { SearchHit, SearchQuery, SearchRanking, SearchSort } from '../contract/listings.ts';
import type { Db, SearchIndex } from '../engine.ts';
import { countFacets } from './count-facets.ts';
import { gatherCandidates } from './gather.ts';
import { findHandle } from './handle.ts';
import { readWords } from './words.ts';

const byScore = (a: Scored, b: Scored) => b.score - a.score || a.id - b.id;

async function sortScored(db: Db, scored: readonly Scored[], sort: SearchSort): Promise<Scored[]> {
  if (sort === 'relevance') return scored.toSorted(byScore);
  if (sort === 'published') return scored.toSorted((a, b) => b.id - a.id);
  const ids = scored.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('listing').select(['id', 'updated_at']).where('id', 'in', ids).execute();
  const updated = new Map(rows.map(({ id, updated_at }) => [id, updated_at]));
  const timeOf = ({ id }: Scored) => updated.get(id) ?? '';
  return scored.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : b.id - a.id));
}

/** Ranks what a query finds. The listing whose handle the query is comes first, whatever else matches. */
export async function rankListings(
  db: Db,
  index: SearchIndex,
  { text, facets, sort }: SearchQuery,
): Promise<SearchRanking> {
  const query = parseQuery(text);
  const handle = await findHandle(db, text, facets);
  const { words, counted, unknown, total } = await readWords(db, index, query);
  const { candidates, isAll } = await gatherCandidates(db, index, { words, facets, total, query });
  const scored = candidates
    .filter((candidate) => query.phrases.every((phrase) => isPhraseIn(toTermText(candidate.text), phrase)))
    .map((candidate) => scoreCandidate(candidate, words));
  const ranked = await sortScored(db, scored, sort);
  const hits: SearchHit[] = ranked.map(({ id, matched }) => ({ id, matched }));
  const facetTexts = scored.filter(({ id }) => id !== handle?.id).map((one) => one.facets);
  if (!handle) return { hits, words: counted, unknown, counts: countFacets(facetTexts, !isAll) };
  return {
    hits: [{ id: handle.id, matched: undefined }, ...hits.filter(({ id }) => id !== handle.id)],
    words: counted,
    unknown: [],
    counts: countFacets([handle.facets, ...facetTexts], !isAll),
  };
}
