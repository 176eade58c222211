import type { Context } from '../../context.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import type { ListingVersion } from '../../evidence/listing/listing.ts';
import { toCursor } from '../../evidence/text/cursor.ts';
import { evidenceKey, toEntry } from './evidence.ts';
import { type Position, readQuery } from './query.ts';

/** A page: its versions, and where the next one begins. */
interface Page {
  readonly versions: readonly ListingVersion[];
  readonly next: Position | undefined;
}

/** The shown versions of the listings that a search ranks, best match first. */
async function searchPage(
  at: Position,
  limit: number,
  { store, searches, caller, clock }: Context,
): Promise<Page> {
  const { search: text = '', offset = 0 } = at;
  const asked = { network: caller.network, now_ms: clock().getTime() };
  const { hits } = await searches.run(asked, () =>
    store.listings.search({ text, facets: [], sort: 'relevance' }),
  );
  const shown = hits.slice(offset, offset + limit);
  const listings = await store.listings.byIds(shown.map(({ id }) => id));
  const versions = await Promise.all(
    listings.map(({ handle, version }) => store.listings.version(handle, version)),
  );
  const isMore = offset + limit < hits.length;
  return {
    versions: versions.filter((version) => version !== undefined),
    next: isMore ? { ...at, offset: offset + limit } : undefined,
  };
}

async function listPage(at: Position, limit: number, { store }: Context): Promise<Page> {
  const { after, updatedSince, version, withDeleted } = at;
  const versions = await store.listings.versionPage({
    after,
    limit: limit + 1,
    version,
    updatedSince,
    withDeleted,
  });
  const shown = versions.slice(0, limit);
  const last = shown.at(-1);
  if (versions.length <= limit || !last) return { versions: shown, next: undefined };
  const { handle, updated_at } = last;
  return { versions: shown, next: { ...at, after: { handle, version: last.version, updated_at } } };
}

/** Entries of versions, each with the evidence about its listing where it is the version shown. */
export async function toEntries(versions: readonly ListingVersion[], context: Context) {
  const { store, config, clock } = context;
  const key = evidenceKey(config.publicUrl);
  const now = clock();
  const handles = [...new Set(versions.map(({ handle }) => handle))];
  const read = await store.listings.factsOfAll(handles, now.toISOString());
  const factsOf = new Map(read.map((facts) => [facts.listing.handle, facts]));
  return versions.map((version) => {
    const facts = factsOf.get(version.handle);
    const isShown = facts !== undefined && !facts.listing.withdrawn;
    const isLatest = isShown && facts.listing.version === version.version;
    const document = isLatest ? toListingDocument(facts, config, now) : undefined;
    return toEntry(version, { isLatest, document, key, isHidden: facts?.listing.hidden === true });
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
