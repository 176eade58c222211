import { sql } from 'kysely';
import { afterPrefix } from '../../after-prefix.ts';
import type { ListingReads } from '../../contract/listings.ts';
import type { Db } from '../../engine.ts';

/** Where the visible values of each part are read from. */
const valuesOf = {
  handle: sql`listing where withdrawn is null`,
  namespace: sql`publisher_count where listings > 0`,
} as const;

/** Distinct visible values that start with a prefix, in order. */
export async function readCompletions(
  db: Db,
  ...[part, prefix, limit]: Parameters<ListingReads['completions']>
): Promise<string[]> {
  const name = sql.ref(part);
  const query = sql<{ value: string }>`select ${name} as value from ${valuesOf[part]}
    and ${name} >= ${prefix} and ${name} < ${afterPrefix(prefix)} order by ${name} limit ${limit}`;
  return (await query.execute(db)).rows.map(({ value }) => value);
}
