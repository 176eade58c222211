import type { Facet, SearchSort } from '../search/query.ts';
import { precompileQuery } from '../store/query.ts';
import {
  type ListedVersion,
  type ListingSummary,
  listingTable,
  summaryTable,
  withoutHidden,
} from './listing.ts';
import type { Db, ListingRow } from './schema.ts';

export interface VersionQuery {
  readonly after: Pick<ListedVersion, 'handle' | 'version' | 'listed_at'> | undefined;
  readonly limit: number;
  readonly handles?: readonly string[] | undefined;
  /** `latest`: the one that the listing shows, or last showed. */
  readonly version: string | undefined;
  readonly versions?: readonly string[];
  /** RFC 3339. Selects what changed here since a minute before, in the order of changes. */
  readonly updatedSince: string | undefined;
  readonly withDeleted: boolean;
  /** A part of the handle, ignoring case. */
  readonly named?: string | undefined;
}

export interface ListQuery {
  readonly facets: readonly Facet[];
  readonly sort: SearchSort;
  readonly after: Pick<ListingSummary, 'id' | 'updated_at'> | undefined;
  readonly limit: number;
}

export const decodeShown = (row: ListingRow): ListingSummary => withoutHidden(summaryTable.decode(row));

export const visible = (db: Db) => db.selectFrom('listing').where('withdrawn', 'is', null);

const visibleOf = (db: Db, ids: readonly number[]) => visible(db).where('id', 'in', [...ids]);

function inIdOrder<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export async function readByIds(db: Db, ids: readonly number[]): Promise<ListingRow[]> {
  const rows = ids.length === 0 ? [] : await visibleOf(db, ids).selectAll().execute();
  return inIdOrder(ids, rows);
}

const selectBriefs = precompileQuery((db: Db, ids: readonly number[]) =>
  visibleOf(db, ids).select(['id', 'handle', 'title', 'hidden', 'tags', 'repository_key', 'packages']),
);

export async function readBriefs(db: Db, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await selectBriefs(db, ids);
  return inIdOrder(ids, rows)
    .map((row) => listingTable.decode(row))
    .map((one) => (one.hidden ? { ...one, title: undefined } : one));
}
