import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readCursor, toCursor } from '../../core/paging/cursor.ts';
import { Problem } from '../../core/problem.ts';
import type { PagedVersion } from '../../listings/registry-entries.ts';
import type { VersionQuery } from '../../listings/table.ts';
import { toEntries, toPage } from './entries.ts';

export const defaultLimit = 30;
export const maxLimit = 100;
const longestSearch = 200;

const limit = z.coerce
  .number()
  .int()
  .min(1)
  .transform((most) => Math.min(most, maxLimit))
  .default(defaultLimit);

/** Unknown parameters are ignored. */
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

/** All parameters except the limit, because some clients leave out the search on later pages. */
const position = z.object({
  search: z.string().optional(),
  after: z.object({ handle: z.string(), version: z.string(), listed_at: z.string() }).optional(),
  updatedSince: z.iso.datetime().optional(),
  version: z.string().optional(),
  withDeleted: z.boolean(),
});
type Position = z.output<typeof position>;

/** Throws invalid_input. */
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

/** Throws invalid_input. */
export const readLimit = (sent: unknown): number => parse(z.object({ limit }), sent).limit;

function readQuery(sent: unknown): { limit: number; at: Position } {
  const { cursor, limit: most, search, updated_since, version, include_deleted } = parse(query, sent);
  return {
    limit: most,
    at: toPosition(cursor || undefined) ?? {
      search: search || undefined,
      updatedSince: updated_since,
      version,
      withDeleted: include_deleted ?? updated_since !== undefined,
    },
  };
}

/** A search waits for its turn, because it reads every name. */
async function listPage(at: Position, limit: number, { store, searches, caller, clock }: Context) {
  const { after, updatedSince, version, withDeleted, search: named } = at;
  const read = () =>
    store.listings.versionPage({ after, limit: limit + 1, version, updatedSince, withDeleted, named });
  const versions = await (named === undefined
    ? read()
    : searches.run({ network: caller.network, now_ms: clock().getTime() }, read));
  const shown = versions.slice(0, limit);
  const last = shown.at(-1);
  if (versions.length <= limit || !last) return { versions: shown, next: undefined };
  const { handle, listed_at } = last;
  return { versions: shown, next: { ...at, after: { handle, version: last.version, listed_at } } };
}

/** Throws invalid_input. */
export async function readServers(sent: Readonly<Record<string, string>>, context: Context) {
  const { limit, at } = readQuery(sent);
  const page = await listPage(at, limit, context);
  const entries = await toEntries(page.versions, context);
  return toPage(entries, page.next && toCursor([JSON.stringify(page.next)]));
}

const mostVersions = 100;

type VersionsQuery = Pick<VersionQuery, 'withDeleted'> & { readonly handle: string };

const versionsOf = (
  { handle, withDeleted }: VersionsQuery,
  which: Pick<VersionQuery, 'version' | 'versions'>,
  { store }: Context,
): Promise<PagedVersion[]> =>
  store.listings.versionPage({
    after: undefined,
    limit: mostVersions,
    handles: [handle],
    updatedSince: undefined,
    withDeleted,
    ...which,
  });

/** Newest first; undefined if there are none. Throws invalid_input. */
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
  const last = summaries.length > shown.length ? shown.at(-1) : undefined;
  return toPage(await toEntries(ordered, context), last && toCursor([last.published_at, last.version]));
}

/** `latest` stands for the version shown. Undefined if there is none such. */
export async function readVersionEntry(version: string, query: VersionsQuery, context: Context) {
  const [entry] = await toEntries(await versionsOf(query, { version }, context), context);
  return entry;
}
