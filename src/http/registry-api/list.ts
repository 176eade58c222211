import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import type { Listing, ListingVersion, VersionSummary } from '../../evidence/listing/listing.ts';
import { toCursor } from '../../evidence/text/cursor.ts';
import { evidenceKey, readLogHead, toEntry } from './evidence.ts';
import { type Position, readQuery } from './query.ts';

/** A page: its versions, and where the next one begins. */
interface Page {
  readonly versions: readonly ListingVersion[];
  readonly next: Position | undefined;
}

/** Listings that a search found whose versions are read at once. */
const mostHandles = 100;
/** Of so many a page may have less than it could, or nothing: few listings have had a version, or changed of late. */
const mostHits = 1000;

/** The versions asked for of the listings that a search ranks, best match first. A named version is one a listing at most. */
async function searchPage(
  at: Position,
  limit: number,
  { store, searches, caller, clock }: Context,
): Promise<Page> {
  const { search: text = '', offset = 0, updatedSince, version, withDeleted } = at;
  const asked = { network: caller.network, now_ms: clock().getTime() };
  const { hits } = await searches.run(asked, () =>
    store.listings.search({ text, facets: [], sort: 'relevance' }),
  );
  const versions: ListingVersion[] = [];
  const end = Math.min(hits.length, offset + mostHits);
  let next = offset;
  while (versions.length < limit && next < end) {
    if (next > offset) await setImmediate();
    const listings = await store.listings.byIds(hits.slice(next, next + mostHandles).map(({ id }) => id));
    const handles = listings.map(({ handle }) => handle);
    const query = { after: undefined, limit: mostHandles, handles, version, updatedSince, withDeleted };
    const found = new Map((await store.listings.versionPage(query)).map((one) => [one.handle, one]));
    const ranked = handles.flatMap((handle) => found.get(handle) ?? []).slice(0, limit - versions.length);
    versions.push(...ranked);
    const last =
      versions.length === limit
        ? listings.find(({ handle }) => handle === versions.at(-1)?.handle)
        : undefined;
    next = last ? hits.findIndex(({ id }) => id === last.id) + 1 : next + mostHandles;
  }
  return { versions, next: next < hits.length ? { ...at, offset: next } : undefined };
}

async function listPage(at: Position, limit: number, { store }: Context): Promise<Page> {
  const { after, updatedSince, version, withDeleted } = at;
  const query = { after, limit: limit + 1, version, updatedSince, withDeleted };
  const versions = await store.listings.versionPage(query);
  const shown = versions.slice(0, limit);
  const last = shown.at(-1);
  if (versions.length <= limit || !last) return { versions: shown, next: undefined };
  const { handle, listed_at } = last;
  return { versions: shown, next: { ...at, after: { handle, version: last.version, listed_at } } };
}

/** Newest first. */
export const byPublication = (a: VersionSummary, b: VersionSummary) =>
  a.published_at < b.published_at || (a.published_at === b.published_at && a.version < b.version) ? 1 : -1;

/** The latest version of each of some listings: the one shown, or the newest of one whose versions are all deleted. */
async function latestOf(listings: readonly Listing[], { store }: Context): Promise<Map<string, string>> {
  const gone = listings.filter(({ version }) => version === '').map(({ handle }) => handle);
  const newestLast = (await store.listings.versionSummaries(gone)).toSorted(byPublication).reverse();
  return new Map([...listings, ...newestLast].map(({ handle, version }) => [handle, version]));
}

/** Entries of versions, each with the evidence about its listing if it is the version shown. */
export async function toEntries(versions: readonly ListingVersion[], context: Context) {
  const { store, config, clock } = context;
  const key = evidenceKey(config.publicUrl);
  const now = clock();
  const log = await readLogHead(context);
  const handles = [...new Set(versions.map(({ handle }) => handle))];
  const read = await store.listings.factsOfAll(handles, now.toISOString());
  const factsOf = new Map(read.map((facts) => [facts.listing.handle, facts]));
  const latest = await latestOf(
    read.map(({ listing }) => listing),
    context,
  );
  return versions.map((version) => {
    const facts = factsOf.get(version.handle);
    const isLatest = latest.get(version.handle) === version.version;
    const document =
      isLatest && facts && !facts.listing.withdrawn ? toListingDocument(facts, config, now) : undefined;
    return toEntry(version, { isLatest, document, key, isHidden: facts?.listing.hidden === true, log });
  });
}

/** A page of the list in the shape of the registry API. Throws invalid_input. */
export async function listServers(sent: Readonly<Record<string, string>>, context: Context) {
  const { limit, at } = readQuery(sent);
  const page = at.search ? await searchPage(at, limit, context) : await listPage(at, limit, context);
  const servers = await toEntries(page.versions, context);
  return {
    servers,
    metadata: {
      ...(page.next && { nextCursor: toCursor([JSON.stringify(page.next)]) }),
      count: servers.length,
    },
  };
}
