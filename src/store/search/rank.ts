import { parseQuery } from '../../evidence/search/query.ts';
import type { Scored } from '../../evidence/search/score.ts';
import type { SearchHit, SearchQuery, SearchRanking, SearchSort } from '../contract/listings.ts';
import type { Db, SearchIndex } from '../engine.ts';
import { countFacets } from './count-facets.ts';
import { findScored, nextTurn } from './gather.ts';
import { findHandle } from './handle.ts';
import { readWords } from './words.ts';

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

/** Ranks what a query finds. The listing whose handle the query is comes first, whatever else matches. */
export async function rankListings(
  db: Db,
  index: SearchIndex,
  { text, facets, sort }: SearchQuery,
): Promise<SearchRanking> {
  const query = parseQuery(text);
  const handle = await findHandle(db, text, facets);
  const { words, counted, unknown, total } = await readWords(db, index, query);
  const { scored, isAll } = await findScored(db, index, { words, facets, total, query });
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
