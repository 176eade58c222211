import { afterPrefix } from '../after-prefix.ts';
import type { Db, TermCount } from '../engine.ts';

const mostBeginnings = 8;

/** The most frequent terms that begin so. */
export async function readBeginnings(db: Db, prefix: string): Promise<[string, TermCount][]> {
  const rows = await db
    .selectFrom('search_term')
    .selectAll()
    .where('term', '>', prefix)
    .where('term', '<', afterPrefix(prefix))
    .where('listings', '>', 0)
    .orderBy('listings', 'desc')
    .orderBy('term')
    .limit(mostBeginnings)
    .execute();
  return rows.map(({ term, ...count }) => [term, count]);
}
