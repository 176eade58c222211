import { sql } from 'kysely';
import type { ListingVersion } from '../../../evidence/listing/listing.ts';
import { sampleOrigins } from '../../../evidence/listing/state/sample.ts';
import type { VersionQuery } from '../../contract/registry-entries.ts';
import type { Db } from '../../engine.ts';
import { decodeVersion } from './rows.ts';

const selectListed = (db: Db) =>
  db
    .selectFrom('listing_version')
    .innerJoin('listing', 'listing.handle', 'listing_version.handle')
    .selectAll('listing_version')
    .where('listing.origin', 'not in', [...sampleOrigins])
    .where(({ or, eb }) =>
      or([eb('listing.withdrawn', 'is', null), eb('listing.withdrawn', '=', 'deleted')]),
    );

type Listed = ReturnType<typeof selectListed>;

/** Keeps the versions that the query asks for by name. */
function ofVersion(query: Listed, version: string | undefined): Listed {
  if (version === undefined) return query;
  if (version === 'latest') return query.whereRef('listing.version', '=', 'listing_version.version');
  return query.where('listing_version.version', '=', version);
}

/** Orders, and continues after the last version of the page before. */
function inOrder(query: Listed, { after, updatedSince }: VersionQuery): Listed {
  const byName = ['listing_version.handle', 'listing_version.version'] as const;
  if (updatedSince === undefined) {
    const ordered = query.orderBy(byName[0]).orderBy(byName[1]);
    return after
      ? ordered.where(
          sql<boolean>`(listing_version.handle, listing_version.version) > (${after.handle}, ${after.version})`,
        )
      : ordered;
  }
  const ordered = query
    .where('listing_version.updated_at', '>=', updatedSince)
    .orderBy('listing_version.updated_at')
    .orderBy(byName[0])
    .orderBy(byName[1]);
  return after
    ? ordered.where(
        sql<boolean>`(listing_version.updated_at, listing_version.handle, listing_version.version) > (${after.updated_at}, ${after.handle}, ${after.version})`,
      )
    : ordered;
}

/** A page of versions, as the registry API lists them. */
export async function readVersionPage(db: Db, query: VersionQuery): Promise<ListingVersion[]> {
  const named = ofVersion(selectListed(db), query.version);
  const listed = query.withDeleted ? named : named.where('listing_version.status', '<>', 'deleted');
  const rows = await inOrder(listed, query).limit(query.limit).execute();
  return rows.map(decodeVersion);
}
