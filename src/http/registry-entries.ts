import { z } from 'zod';
import { keyOf, type SavedView } from '../config/files.ts';
import type { Context } from '../context.ts';
import { readCursor } from '../core/cursor.ts';
import { isJsonObject } from '../core/json.ts';
import { Problem } from '../core/problem.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { type ListingVersion, withoutHiddenText } from '../listings/listing.ts';
import { isDated, knowingOf } from '../observations/observation.ts';
import { findMember, type Member, readMembers } from '../tools/views.ts';
import { reversedHost } from '../views/html.ts';
import type { Face, Request } from './call.ts';
import { fromPlace, toPlace, viewOf } from './request.ts';
import { answerJson } from './response.ts';

/** The key of our own block in `_meta`: the host of PUBLIC_URL with its labels reversed, then `/evidence`. */
export const evidenceKey = (publicUrl: string): string => `${reversedHost(publicUrl)}/evidence`;

const observationOf = ({ observations }: ListingDocument, kind: string) => {
  const found = observations.filter(isDated).find((one) => one.kind === kind);
  if (!found) return undefined;
  const { subject, state, value, first_seen_at, observed_at, missed_since } = found;
  const shown = typeof value === 'string' ? value.slice(0, 200) : value;
  return {
    ...(subject !== undefined && { at: subject.slice(0, 200) }),
    knowing: knowingOf(found),
    state,
    value: shown,
    since: first_seen_at,
    checked_at: observed_at,
    ...(missed_since && { missed_since }),
  };
};

/** Kinds of fact that hosts can decide by; everything else is in the document. */
const sharedKinds = {
  endpoint: 'endpoint.answers',
  tools: 'tools.surface',
  auth: 'auth.required',
  price: 'price.challenge',
  repository: 'repository.exists',
  package: 'package.exists',
} as const;

function toObservations(document: ListingDocument) {
  const found = Object.entries(sharedKinds).map(
    ([name, kind]) => [name, observationOf(document, kind)] as const,
  );
  return Object.fromEntries(found.filter(([, one]) => one !== undefined));
}

/** How many entries the log has, and where its newest checkpoint is. */
interface LogHead {
  readonly size: number;
  readonly checkpoint: string;
}

export const readLogHead = async ({ store, config }: Context): Promise<LogHead> => ({
  size: await store.log.size(),
  checkpoint: `${config.publicUrl}/log/checkpoint`,
});

function toBlock(document: ListingDocument, log: LogHead, observations: object) {
  const { claim, signals, state, evidence_snapshot, evidence_snapshot_date, observed_at, links } = document;
  const { native } = signals;
  return {
    as_of: evidence_snapshot_date,
    record_as_of: observed_at.slice(0, 10),
    snapshot: evidence_snapshot,
    document: links.json,
    claim: {
      state,
      ...(claim && { kind: claim.kind, claimed_at: claim.claimed_at, checked_at: claim.checked_at }),
    },
    native: {
      independent_sources: native.independent.sources,
      independent: native.independent.ratings,
      ratings: native.ratings,
    },
    observations,
    log: { ...(claim && { index: claim.history.at(-1)?.log_index }), ...log },
    note: 'Evidence, not verification and not a recommendation. Ratings and observations are facts with dates; nothing is scored.',
  };
}

type Json = Record<string, unknown>;

const without = (object: Json, name: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([own]) => own !== name));

const longestBlock_bytes = 2048;

const withoutMembers = (observations: object, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(observations).map(([kind, one]) => [kind, names.reduce(without, one as Json)]),
  );

/** The same in at most 2 KB, for hosts that read a registry: long addresses are left out, then long values. */
function toEvidence(document: ListingDocument, log: LogHead) {
  const observations = toObservations(document);
  const blocks = [[], ['at'], ['at', 'value']].map((names) =>
    toBlock(document, log, withoutMembers(observations, names)),
  );
  const fits = blocks.find((block) => Buffer.byteLength(JSON.stringify(block)) <= longestBlock_bytes);
  return fits ?? toBlock(document, log, {});
}

const official = 'io.modelcontextprotocol.registry/official';
const publisherProvided = 'io.modelcontextprotocol.registry/publisher-provided';

/**
 * A record as published, without what only others than the publisher may say: the stars and licence that hosts show as facts,
 * and a block under our own key.
 */
function toServer({ record, handle, version }: ListingVersion, isHidden: boolean, key: string): Json {
  const recorded = JSON.parse(record) as Json;
  const server: Json = isHidden ? withoutHiddenText(recorded) : recorded;
  if (Object.keys(recorded).length === 0)
    return { name: handle, version, description: 'Deleted from the registry.' };
  const meta = server._meta;
  const provided = isJsonObject(meta) ? meta[publisherProvided] : undefined;
  if (!isJsonObject(meta)) return server;
  const own = without(meta, key);
  if (!isJsonObject(provided)) return { ...server, _meta: own };
  return { ...server, _meta: { ...own, [publisherProvided]: without(without(provided, 'github'), key) } };
}

/** What stands beside a record in an entry. */
interface EntryContext {
  readonly isLatest: boolean;
  /** The listing's document; undefined for one that the registry deleted. */
  readonly document: ListingDocument | undefined;
  readonly key: string;
  /** Whether the operator has hidden the texts of the listing. */
  readonly isHidden: boolean;
  readonly log: LogHead;
}

/** An entry of the registry API: the record, the registry's own facts, and our evidence apart from both. */
export function toEntry(
  version: ListingVersion,
  { isLatest, document, key, isHidden, log }: EntryContext,
): { server: Json; _meta: Record<string, object> } {
  const { status, status_message, published_at, updated_at } = version;
  return {
    server: toServer(version, isHidden, key),
    _meta: {
      [official]: {
        status,
        ...(status_message && !isHidden && { statusMessage: status_message }),
        publishedAt: published_at,
        updatedAt: updated_at,
        isLatest,
      },
      ...(document && { [key]: toEvidence(document, log) }),
    },
  };
}

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
export type Position = z.output<typeof position>;

/** The position that a cursor holds as JSON text. Throws invalid_input. */
const toPosition = (cursor: string | undefined): Position | undefined => {
  const held = z.string().transform((text): unknown => JSON.parse(text));
  const [at] = readCursor(cursor, z.tuple([held.pipe(position)])) ?? [];
  return at;
};

type Sent = Readonly<Record<string, string>>;

function parse<T extends z.ZodType>(schema: T, sent: Sent): z.output<T> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  throw new Problem('invalid_input', {
    fields,
    detail: `${fields.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`,
  });
}

/** How many entries a page may have, 1 to 100. Throws invalid_input. */
const readLimit = (sent: Sent): number => parse(z.object({ limit }), sent).limit;

/** What a list is asked for. Throws invalid_input. */
export function readQuery(sent: Sent): { limit: number; at: Position } {
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

/** Entries of the listings of a view; each also says which fact met which criterion on which date. */
async function toViewEntries(members: readonly Member[], context: Context) {
  const key = evidenceKey(context.config.publicUrl);
  const log = await readLogHead(context);
  const entries = await Promise.all(
    members.map(async ({ listing, answers }) => {
      const version = await context.store.listings.version(listing.handle, listing.version);
      if (!version) return undefined;
      const isHidden = listing.moderation?.some(({ action }) => action === 'hide') === true;
      const { server, _meta } = toEntry(version, { isLatest: true, document: listing, key, isHidden, log });
      const criteria = answers.map(({ criterion, result, fact, as_of }) => ({
        criterion,
        result,
        fact,
        as_of,
      }));
      return { server, _meta: { ..._meta, [key]: { ...(_meta[key] as object), criteria } } };
    }),
  );
  return entries.filter((entry) => entry !== undefined);
}

/** A page of a view's listings in the shape of the registry API. */
export async function listEntries(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const limit = readLimit(c.req.query());
  const page = await readMembers(view, { after: toPlace(c.req.query('cursor')), limit }, c.get('context'));
  const servers = await toViewEntries(page.members, c.get('context'));
  const nextCursor = fromPlace(page.next);
  return answerJson(
    c,
    { servers, metadata: { ...(nextCursor && { nextCursor }), count: servers.length } },
    { cacheTags: [keyOf(view), ...page.members.map(({ listing }) => listing.handle)] },
  );
}

const cachePolicy = (view: SavedView, { listing }: Member) => ({
  cacheTags: [keyOf(view), listing.handle],
});

const notInView = (c: Request) => c.json({ error: 'Server not found in this view' }, 404);

/** The versions of a listing of a view: the one that the view judged. 404 if the listing does not meet the view. */
export async function showVersions(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const member = await findMember(view, c.req.param('name') ?? '', c.get('context'));
  const servers = member ? await toViewEntries([member], c.get('context')) : [];
  if (!member || servers.length === 0) return notInView(c);
  return answerJson(c, { servers, metadata: { count: servers.length } }, cachePolicy(view, member));
}

/** One listing of a view in the shape of the registry API; 404 if it does not meet the view. */
export async function showEntry(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const member = await findMember(view, c.req.param('name') ?? '', c.get('context'));
  const { version = 'latest' } = c.req.param() as { version?: string };
  const isShown = member && (version === 'latest' || version === member.listing.version);
  const [entry] = isShown ? await toViewEntries([member], c.get('context')) : [];
  return member && entry ? answerJson(c, entry, cachePolicy(view, member)) : notInView(c);
}
