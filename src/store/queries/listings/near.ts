import { distance } from 'fastest-levenshtein';
import { toId } from '../../../evidence/search/position.ts';
import { stem } from '../../../evidence/search/stem.ts';
import { toWords } from '../../../evidence/search/words.ts';
import { afterPrefix } from '../../after-prefix.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import { readByIds } from './lists.ts';

const mostCandidates = 200;
const mostWords = 5;

/** Visible handles that are the same but for their case, or those of a repository `owner/name` of GitHub. */
const readSame = (db: Db, folded: string) =>
  db
    .selectFrom('listing')
    .select('handle')
    .where('withdrawn', 'is', null)
    .where('handle_folded', 'in', [folded, `io.github.${folded}`])
    .orderBy('handle_folded')
    .execute();

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

/** Visible listings that have any word of a name in their own. */
async function readNamed(db: Db, search: SearchIndex, name: string) {
  const words = toWords(name).slice(0, mostWords);
  if (words.length === 0) return [];
  const atoms = words.map(({ text }) => ({ terms: [stem(text)], strong: true }));
  const limits = { limit: mostCandidates, expected: mostCandidates };
  const found = await search.find(db, { groups: [atoms], facets: [], excluded: [], ...limits });
  return readByIds(
    db,
    found.map(({ position }) => toId(position)),
  );
}

/** Visible handles similar to an unknown one, by edit distance without regard to case. */
export async function readNearHandles(db: Db, search: SearchIndex, handle: string): Promise<string[]> {
  const folded = handle.toLowerCase();
  const same = await readSame(db, folded);
  const alike = await readAlike(db, folded);
  const named = await readNamed(db, search, handle.slice(handle.indexOf('/') + 1));
  return [...new Set([...same, ...alike, ...named].map((row) => row.handle))]
    .map((candidate) => {
      const own = candidate.toLowerCase();
      return { candidate, edits: own === `io.github.${folded}` ? 0 : distance(folded, own) };
    })
    .filter(({ candidate, edits }) => edits <= Math.max(3, candidate.length * 0.4))
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}
