import { sql } from 'kysely';
import { type ListedVersion, listedColumns, sampleOrigins, versionTable } from './listing.ts';
import type { Db } from './schema.ts';
import type { VersionQuery } from './table.ts';

/** The version that the listing shows, or last showed. */
const isLatest = sql<boolean>`(listing.version = listing_version.version or listing.version = '' and
  listing_version.version = (select other.version from listing_version as other
    where other.handle = listing_version.handle order by other.published_at desc, other.version desc limit 1))`;

const selectListed = (db: Db) =>
  db
    .selectFrom('listing_version')
    .innerJoin('listing', 'listing.handle', 'listing_version.handle')
    .select(listedColumns.map((name) => `listing_version.${name}` as const))
    .select(['listing.withdrawn', isLatest.as('isLatest')])
    .where('listing.origin', 'not in', [...sampleOrigins]);

type ListedQuery = ReturnType<typeof selectListed>;

/** LIKE would have wildcards. */
const isNamed = (text: string) =>
  sql<boolean>`listing_version.handle in (select named.handle from listing as named
    where replace(named.handle_folded, ${text.toLowerCase()}, '') <> named.handle_folded)`;

function filter(
  listed: ListedQuery,
  { version, versions, handles, withDeleted, named }: VersionQuery,
): ListedQuery {
  return listed
    .$if(version === 'latest', (query) => query.where(isLatest))
    .$if(version !== undefined && version !== 'latest', (query) =>
      query.where('listing_version.version', '=', version ?? ''),
    )
    .$if(versions !== undefined, (query) =>
      query.where('listing_version.version', 'in', [...(versions ?? [])]),
    )
    .$if(handles !== undefined, (query) => query.where('listing_version.handle', 'in', [...(handles ?? [])]))
    .$if(named !== undefined, (query) => query.where(isNamed(named ?? '')))
    .$if(!withDeleted, (query) =>
      query.where('listing_version.status', '<>', 'deleted').where('listing.withdrawn', 'is', null),
    );
}

export interface PagedVersion extends ListedVersion {
  readonly isLatest: boolean;
}

const withdrawnHere = 'Withdrawn from this directory.';

/** What was being written when the caller read the time may become visible with an earlier one. */
const overlap_ms = 60_000;

function inOrder(listed: ListedQuery, { after, updatedSince }: VersionQuery): ListedQuery {
  const byName = (some: ListedQuery) =>
    some.orderBy('listing_version.handle').orderBy('listing_version.version');
  const place = sql`listing_version.handle, listing_version.version`;
  if (updatedSince === undefined) {
    if (!after) return byName(listed);
    // Follows from the first bound, but without it PostgreSQL reads listings from the beginning.
    return byName(listed)
      .where(sql<boolean>`(${place}) > (${after.handle}, ${after.version})`)
      .where('listing.handle', '>=', after.handle);
  }
  const since = new Date(Date.parse(updatedSince) - overlap_ms).toISOString();
  const changed = listed.where('listing_version.listed_at', '>=', since).orderBy('listing_version.listed_at');
  const next = sql<boolean>`(listing_version.listed_at, ${place}) > (${after?.listed_at}, ${after?.handle}, ${after?.version})`;
  return byName(after ? changed.where(next) : changed);
}

export async function readVersionPage(db: Db, query: VersionQuery): Promise<PagedVersion[]> {
  if (query.handles?.length === 0 || query.versions?.length === 0) return [];
  const rows = await inOrder(filter(selectListed(db), query), query)
    .limit(query.limit)
    .execute();
  return rows.map(({ withdrawn, isLatest, ...row }) => ({
    ...versionTable.decode(row),
    isLatest: Boolean(isLatest),
    ...((withdrawn === 'optout' || withdrawn === 'operator') && {
      status: 'deleted' as const,
      status_message: undefined,
      record: JSON.stringify({ name: row.handle, version: row.version, description: withdrawnHere }),
    }),
  }));
}
