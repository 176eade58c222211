import { distance } from 'fastest-levenshtein';
import { tokenize } from '../../../evidence/text/tokenize.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import { afterPrefix } from '../after-prefix.ts';

const mostCandidates = 200;
const mostWords = 5;

/** Visible handles that start alike, in any case. */
const readAlike = (db: Db, folded: string) => {
  const start = folded.slice(0, Math.max(3, folded.indexOf('/')));
  return db
    .selectFrom('listing')
    .select('handle')
    .where('withdrawn', 'is', null)
    .where('handle_folded', '>=', start)
    .where('handle_folded', '<', afterPrefix(start))
    .orderBy('handle_folded')
    .limit(mostCandidates)
    .execute();
};

/** Visible handles similar to an unknown one, by edit distance without regard to case. */
export async function readNearHandles(db: Db, search: SearchIndex, handle: string): Promise<string[]> {
  const folded = handle.toLowerCase();
  const alike = await readAlike(db, folded);
  const words = tokenize(handle.slice(handle.indexOf('/') + 1)).slice(0, mostWords);
  const named = await search.named(db, words, mostCandidates);
  return [...new Set([...alike, ...named].map((row) => row.handle))]
    .map((candidate) => ({ candidate, edits: distance(folded, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(3, candidate.length * 0.4))
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}
