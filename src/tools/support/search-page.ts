import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ShortListing, toShortListing } from '../../evidence/listing/short-listing.ts';
import { readCursor, toCursor } from '../../evidence/text/cursor.ts';
import type {
  ListingReads,
  SearchCounts,
  SearchHit,
  SearchQuery,
  UnknownWord,
} from '../../store/contract/listings.ts';
import { findNearMisses, type NearMisses } from './near-misses.ts';

/** A page of what was found. */
export interface SearchPage {
  readonly listings: ShortListing[];
  readonly counts: SearchCounts;
  /** The cursor of the next page. */
  readonly next: string | undefined;
  /** Words that no listing has. */
  readonly unknown: readonly UnknownWord[];
  /** Only where nothing matches. */
  readonly no_match: NearMisses | undefined;
}

/** How many to return, and the cursor they stand behind. */
interface Place {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** A cursor works for the search that it was given for, and for no other one. */
const digestOf = ({ text, facets, sort }: SearchQuery) =>
  z.literal(
    createHash('sha256')
      .update(JSON.stringify([text.trim(), facets.toSorted(), sort]))
      .digest('base64url')
      .slice(0, 8),
  );

/** The place of the last hit shown, and its id: what was written since may have moved or withdrawn it. */
const toRankedPlace = (search: SearchQuery) => z.tuple([digestOf(search), z.int().min(0), z.int().min(0)]);
const toListedPlace = (search: SearchQuery) =>
  z.tuple([digestOf(search), z.int().min(0), z.string().max(40)]);

function hitsBehind(hits: readonly SearchHit[], search: SearchQuery, cursor: string | undefined): number {
  const [, place, last] = readCursor(cursor, toRankedPlace(search)) ?? [];
  if (place === undefined) return 0;
  const at = hits.findIndex(({ id }) => id === last);
  return at < 0 ? place : at + 1;
}

async function findRanked(listings: ListingReads, search: SearchQuery, place: Place): Promise<SearchPage> {
  const { hits, words, unknown, counts } = await listings.search(search);
  const from = hitsBehind(hits, search, place.cursor);
  const shown = hits.slice(from, from + place.limit);
  const matchedOf = new Map(shown.map(({ id, matched }) => [id, matched]));
  const rows = await listings.byIds(shown.map(({ id }) => id));
  const last = hits.length > from + place.limit ? shown.at(-1) : undefined;
  return {
    listings: rows.map((row) => toShortListing(row, { words, matched: matchedOf.get(row.id) })),
    counts,
    next: last && toCursor([digestOf(search).value, from + place.limit - 1, last.id]),
    unknown,
    no_match: hits.length === 0 ? await findNearMisses(listings, search) : undefined,
  };
}

async function findListed(listings: ListingReads, search: SearchQuery, place: Place): Promise<SearchPage> {
  const { facets, sort } = search;
  const position = readCursor(place.cursor, toListedPlace(search));
  const after = position && { id: position[1], updated_at: position[2] };
  const rows = await listings.list({ facets, sort, after, limit: place.limit + 1 });
  const shown = rows.slice(0, place.limit);
  const last = rows.length > place.limit ? shown.at(-1) : undefined;
  return {
    listings: shown.map((row) => toShortListing(row)),
    counts: await listings.listCounts(facets),
    next: last && toCursor([digestOf(search).value, last.id, last.updated_at]),
    unknown: [],
    no_match: rows.length === 0 && !after ? await findNearMisses(listings, search) : undefined,
  };
}

/** A page of a search, or of a list where there are no words. Throws invalid_input for a cursor of another search. */
export const findPage = (listings: ListingReads, search: SearchQuery, place: Place): Promise<SearchPage> =>
  search.text.trim() ? findRanked(listings, search, place) : findListed(listings, search, place);
