import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readCursor, toCursor } from '../../core/cursor.ts';
import { Problem } from '../../core/problem.ts';
import type { ListingVersion } from '../../listings/listing.ts';
import type { VersionQuery } from '../../listings/table.ts';
import { toEntries } from './entries.ts';

const defaultLimit = 30;
const maxLimit = 100;
const longestSearch = 200;

const limit = z.coerce
  .number()
  .int()
  .min(1)
  .transform((most) => Math.min(most, maxLimit))
  .default(defaultLimit);

/** What a list is asked by, as the registry API names it; parameters that it does not know are ignored. */
const query = z.object({
  cursor: z.string().max(2000).optional(),
  limit,
  search: z
    .string()
    .transform((text) => text.trim().slice(0, longestSearch))
    .optional(),
  updated_since: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .optional(),
  version: z.string().max(255).optional(),
  include_deleted: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
});

/** A cursor holds the whole question: hosts leave out the search on later pages. */
const position = z.object({
  search: z.string().optional(),
  offset: z.int().min(0).optional(),
  after: z.object({ handle: z.string(), version: z.string(), listed_at: z.string() }).optional(),
  updatedSince: z.iso.datetime().optional(),
  version: z.string().optional(),
  withDeleted: z.boolean(),
});
/** Where a page of a list begins, and what is asked. */
type Position = z.output<typeof position>;

/** The position that a cursor holds as JSON text. Throws invalid_input. */
const toPosition = (cursor: string | undefined): Position | undefined => {
  const held = () => z.string().transform((text): unknown => JSON.parse(text));
  const [at] = readCursor(cursor, () => z.tuple([held().pipe(position)])) ?? [];
  return at;
};

function parse<T extends z.ZodType>(schema: T, sent: unknown): z.output<T> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  throw new Problem('invalid_input', {
    fields,
    detail: `${fields.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`,
  });
}

/** How many entries a page may have, 1 to 100. Throws invalid_input. */
export const readLimit = (sent: unknown): number => parse(z.object({ limit }), sent).limit;

function readQuery(sent: unknown): { limit: number; at: Position } {
  const { cursor, limit: most, search, updated_since, version, include_deleted } = parse(query, sent);
  return {
    limit: most,
    at: toPosition(cursor || undefined) ?? {
      search: search || undefined,
      updatedSince: updated_since,
      version: version ?? (search ? 'latest' : undefined),
      withDeleted: include_deleted ?? updated_since !== undefined,
    },
  };
}

/** Listings that a search found whose versions are read at once. */
const mostHandles = 100;
/** Of so many a page may have less than it could, or nothing: few listings have had a version, or changed of late. */
const mostHits = 1000;

/** Where the listings begin that no search finds, because nothing of them is left but their name. */
const beforeGone = { handle: '', version: '', listed_at: '' };

/**
 * The versions asked for of the listings that a search ranks, best match first; if deleted ones are asked for, listings follow that
 * are gone and whose name has the text. A named version is one a listing at most.
 */
async function searchPage(at: Position, limit: number, { store, searches, caller, clock }: Context) {
  const { search: text = '', offset = 0, updatedSince, version, withDeleted } = at;
  const { hits } = await searches.run({ network: caller.network, now_ms: clock().getTime() }, () =>
    store.listings.search({ text, facets: [], sort: 'relevance' }),
  );
  const versions: ListingVersion[] = [];
  const end = Math.min(hits.length, offset + mostHits);
  let next = offset;
  while (versions.length < limit && next < end) {
    if (next > offset) await setImmediate();
    const listings = await store.listings.briefs(hits.slice(next, next + mostHandles).map(({ id }) => id));
    const handles = listings.map(({ handle }) => handle);
    const query = { after: undefined, limit: mostHandles, handles, version, updatedSince, withDeleted };
    const found = new Map((await store.listings.versionPage(query)).map((one) => [one.handle, one]));
    versions.push(...handles.flatMap((handle) => found.get(handle) ?? []).slice(0, limit - versions.length));
    const last =
      versions.length === limit
        ? listings.find(({ handle }) => handle === versions.at(-1)?.handle)
        : undefined;
    next = last ? hits.findIndex(({ id }) => id === last.id) + 1 : next + mostHandles;
  }
  if (next < hits.length) return { versions, next: { ...at, offset: next } };
  return { versions, next: withDeleted ? { ...at, after: beforeGone } : undefined };
}

async function listPage(at: Position, limit: number, { store }: Context) {
  const { after, updatedSince, version, withDeleted, search: goneNamed } = at;
  const query = { after, limit: limit + 1, version, updatedSince, withDeleted, goneNamed };
  const versions = await store.listings.versionPage(query);
  const shown = versions.slice(0, limit);
  const last = shown.at(-1);
  if (versions.length <= limit || !last) return { versions: shown, next: undefined };
  const { handle, listed_at } = last;
  return { versions: shown, next: { ...at, after: { handle, version: last.version, listed_at } } };
}

/** A page of the list in the shape of the registry API. Throws invalid_input. */
export async function readServers(sent: Readonly<Record<string, string>>, context: Context) {
  const { limit, at } = readQuery(sent);
  const isSearch = at.search && !at.after;
  const page = await (isSearch ? searchPage : listPage)(at, limit, context);
  const servers = await toEntries(page.versions, context);
  return {
    servers,
    metadata: {
      ...(page.next && { nextCursor: toCursor([JSON.stringify(page.next)]) }),
      count: servers.length,
    },
  };
}

const mostVersions = 100;

type VersionsQuery = Pick<VersionQuery, 'withDeleted'> & { readonly handle: string };

const versionsOf = (
  { handle, withDeleted }: VersionsQuery,
  which: Pick<VersionQuery, 'version' | 'versions'>,
  { store }: Context,
): Promise<ListingVersion[]> =>
  store.listings.versionPage({
    ...{ after: undefined, limit: mostVersions, handles: [handle], updatedSince: undefined, withDeleted },
    ...which,
  });

/** The versions of one listing in the shape of the registry API, newest first; undefined for none. Throws invalid_input. */
export async function readVersionEntries(cursor: string | undefined, query: VersionsQuery, context: Context) {
  const { handle, withDeleted } = query;
  const [published_at, version] = readCursor(cursor, () => z.tuple([z.string(), z.string()])) ?? [];
  const after = published_at === undefined || version === undefined ? undefined : { published_at, version };
  const page = { withDeleted, after, limit: mostVersions + 1 };
  const summaries = await context.store.listings.newestVersions(handle, page);
  const shown = summaries.slice(0, mostVersions);
  const names = shown.map((one) => one.version);
  const versions = await versionsOf(query, { version: undefined, versions: names }, context);
  if (versions.length === 0) return undefined;
  const ordered = versions.toSorted((a, b) => names.indexOf(a.version) - names.indexOf(b.version));
  const servers = await toEntries(ordered, context);
  const last = summaries.length > shown.length ? shown.at(-1) : undefined;
  const nextCursor = last && toCursor([last.published_at, last.version]);
  return { servers, metadata: { ...(last && { nextCursor }), count: servers.length } };
}

/** One version of a listing in the shape of the registry API; `latest` is the one shown. Undefined for none. */
export async function readVersionEntry(version: string, query: VersionsQuery, context: Context) {
  const [entry] = await toEntries(await versionsOf(query, { version }, context), context);
  return entry;
}
