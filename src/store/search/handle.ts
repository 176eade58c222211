import { isHandle } from '../../evidence/handle.ts';
import type { Db } from '../engine.ts';

/** The visible listing whose handle a text is, capitals aside where no handle is exactly so; it must have all facets. */
export async function findHandle(db: Db, text: string, facets: readonly string[]) {
  const handle = text.trim();
  if (!isHandle(handle)) return undefined;
  const rows = await db
    .selectFrom('listing')
    .select(['id', 'handle', 'facets'])
    .where('handle_folded', '=', handle.toLowerCase())
    .where('withdrawn', 'is', null)
    .orderBy('id')
    .execute();
  const found = rows.find((row) => row.handle === handle) ?? rows[0];
  const own = new Set(found?.facets.split(' '));
  return facets.every((facet) => own.has(facet)) ? found : undefined;
}
