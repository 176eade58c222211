import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { type ListedVersion, type VersionSummary, versionSummaryColumns, versionTable } from './listing.ts';
import type { Db } from './schema.ts';

export interface NewestVersions {
  readonly withDeleted: boolean;
  readonly after?: Pick<VersionSummary, 'published_at' | 'version'> | undefined;
  readonly offset?: number;
  readonly limit: number;
}

const selectVersions = (db: Db, handle: string, withDeleted: boolean) =>
  db
    .selectFrom('listing_version')
    .where('handle', '=', handle)
    .$if(!withDeleted, (rows) => rows.where('status', '<>', 'deleted'));

/** Newest first, without their records. */
export async function readNewestVersions(
  db: Db,
  handle: string,
  { withDeleted, after, offset = 0, limit }: NewestVersions,
): Promise<VersionSummary[]> {
  const rows = selectVersions(db, handle, withDeleted)
    .select(versionSummaryColumns)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(published_at, version) < (${after?.published_at ?? ''}, ${after?.version ?? ''})`,
      ),
    )
    .orderBy('published_at', 'desc')
    .orderBy('version', 'desc')
    .limit(limit)
    .offset(offset);
  return (await rows.execute()).map(versionTable.decode);
}

/** Dated by the registry, newest first, without deleted ones. */
export async function readDatedVersions(db: Db, handle: string, limit: number): Promise<ListedVersion[]> {
  const rows = selectVersions(db, handle, false).selectAll().where('undated', 'is', null);
  const newest = rows.orderBy('published_at', 'desc').orderBy('version', 'desc').limit(limit);
  return (await newest.execute()).map(versionTable.decode);
}

export async function readVersionSpan(db: Db, handle: string) {
  const { versions, first, last } = await selectVersions(db, handle, false)
    .select(({ fn }) => [
      fn.countAll<number>().as('versions'),
      fn.min('published_at').as('first'),
      fn.max('published_at').as('last'),
    ])
    .executeTakeFirstOrThrow();
  return { count: Number(versions), first, last };
}

export async function readVersionsPage(
  handle: string,
  { page, perPage }: { readonly page: number; readonly perPage: number },
  { store }: Pick<Context, 'store'>,
) {
  const { newestVersions, versionSpan } = store.listings;
  const query = { withDeleted: false, offset: (page - 1) * perPage, limit: perPage };
  const [versions, span] = await Promise.all([newestVersions(handle, query), versionSpan(handle)]);
  return { versions, page, span };
}
