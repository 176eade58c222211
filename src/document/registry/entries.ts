import { z } from 'zod';
import type { Context } from '../../context.ts';
import { reversedHost } from '../../core/identity.ts';
import { asMembers, isJsonObject, type JsonObject } from '../../core/json.ts';
import { readCursor, toCursor } from '../../core/paging/cursor.ts';
import { Problem } from '../../core/problem.ts';
import { dayText, lastOf } from '../../core/text.ts';
import { inTurns } from '../../core/turns.ts';
import { toText } from '../../core/words.ts';
import {
  type ListingVersion,
  publisherMeta,
  registryMeta,
  statedDates,
  withoutHiddenText,
} from '../../listings/listing.ts';
import type { PagedVersion } from '../../listings/reads.ts';
import { type ReadRecord, readRecord } from '../../listings/record-form.ts';
import type { VersionQuery } from '../../listings/table.ts';
import { openLogKey } from '../../log/checkpoints.ts';
import { type Envelope, toEnvelope } from '../../log/envelope.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { predicateName, statementType } from '../../log/verify.ts';
import type { Kind } from '../../observations/known/kind.ts';
import { kinds } from '../../observations/known/kinds.ts';
import { saidAs } from '../../observations/known/malware.ts';
import { isDated, knowingOf } from '../../observations/known/observation.ts';
import { toStaleAt } from '../../observations/known/to-observations.ts';
import { toListingDocument } from '../document.ts';
import type { ListingDocument } from '../listing-document.ts';

const observationOf = ({ observations }: ListingDocument, { kind }: Kind) => {
  const found = observations.filter(isDated).find((one) => one.kind === kind);
  if (!found) return undefined;
  const { subject, outcome, value, first_seen_at, observed_at, missed_since } = found;
  return {
    ...(subject !== undefined && { at: subject.slice(0, 200) }),
    knowing: knowingOf(found),
    outcome,
    value: typeof value === 'string' ? value.slice(0, 200) : value,
    since: first_seen_at,
    checked_at: observed_at,
    ...(missed_since && { missed_since }),
  };
};

const readLogHead = async ({ store, config }: Context) => ({
  size: await store.log.size(),
  checkpoint: `${config.publicUrl}/log/checkpoint`,
});

function toDatedFacts(document: ListingDocument, log: object, observations: object) {
  const { claim, signals, state, evidence_snapshot, evidence_snapshot_date, observed_at } = document;
  const { native } = signals;
  return {
    as_of: evidence_snapshot_date,
    record_as_of: dayText(observed_at),
    snapshot: evidence_snapshot,
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
    note: 'Evidence, not verification and not a recommendation. Ratings are counted as of as_of, observations have their own dates; nothing is scored.',
  };
}

export const digestOf = (value: object) => `sha256:${canonicalDigest(value)}`;

/**
 * Digests are SHA-256 of RFC 8785 JSON. evidence_ref and evidence_digest are named as in
 * modelcontextprotocol/registry pull request 1404.
 */
function toReferences(document: ListingDocument, server: JsonObject, interval_s: number) {
  const checked_at = lastOf(document.observations.filter(isDated).map(({ observed_at }) => observed_at));
  return {
    subject_digest: digestOf(server),
    ...(checked_at && { checked_at, fresh_until: toStaleAt(checked_at, interval_s) }),
    evidence_ref: document.links.json,
    evidence_digest: digestOf(document),
  };
}

const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([own]) => own !== name));

const longestBlock_bytes = 2048;

const withoutMembers = (observations: object, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(observations).map(([kind, one]) => [kind, names.reduce(without, one as JsonObject)]),
  );

/** With each version, because a report names the one that it is about. */
function toReports({ observations }: ListingDocument): { malware: string[] } | undefined {
  const malware = saidAs(observations, ['malware', 'other_malware']).map(toText);
  return malware.length > 0 ? { malware } : undefined;
}

function toEvidence(document: ListingDocument, references: object, log: object) {
  const found = kinds.flatMap((kind) => {
    const one = kind.entryName && observationOf(document, kind);
    return one ? [[kind.entryName, one] as const] : [];
  });
  const observations = Object.fromEntries(found);
  const toBlock = (shown: object) => ({
    ...toReports(document),
    ...references,
    ...toDatedFacts(document, log, shown),
  });
  const blocks = [[], ['at'], ['at', 'value']].map((names) => toBlock(withoutMembers(observations, names)));
  const fits = blocks.find((block) => Buffer.byteLength(JSON.stringify(block)) <= longestBlock_bytes);
  return fits ?? toBlock({});
}

const isText = (value: unknown) => typeof value === 'string';

/** The schema requires a transport of packages and remotes. */
const isReachable = ({ type, url }: JsonObject) =>
  type === 'stdio' || ((type === 'streamable-http' || type === 'sse') && isText(url));

function withinSchema({ server, unread }: ReadRecord): JsonObject {
  // It would be started without the part that was not read.
  const isWhole = (at: number) => !unread.some((path) => path.startsWith(`packages.${at}.`));
  const lists = {
    packages: (one: JsonObject, at: number) =>
      isText(one.registryType) && isReachable(asMembers(one.transport)) && isWhole(at),
    remotes: (one: JsonObject) => one.type !== 'stdio' && isReachable(one),
  };
  const kept = Object.entries(lists).flatMap(([name, fits]) => {
    const list = server[name];
    return Array.isArray(list) ? [[name, list.filter(isJsonObject).filter(fits)]] : [];
  });
  return { ...server, ...Object.fromEntries(kept) };
}

/**
 * Without packages and remotes that do not fit the schema, because typed clients would refuse the whole page.
 * Also without what a publisher may not state: stars and licence, which hosts show as facts, and a block
 * under our key.
 */
export function toServer(
  { record, handle, version }: ListingVersion,
  isHidden: boolean,
  key: string,
): JsonObject {
  const recorded = withinSchema(readRecord(JSON.parse(record) as object));
  const server: JsonObject = isHidden ? withoutHiddenText(recorded) : recorded;
  if (Object.keys(recorded).length === 0)
    return { name: handle, version, description: 'Deleted from the registry.' };
  const meta = server._meta;
  const provided = isJsonObject(meta) ? meta[publisherMeta] : undefined;
  if (!isJsonObject(meta)) return server;
  const own = without(meta, key);
  if (!isJsonObject(provided)) return { ...server, _meta: own };
  return { ...server, _meta: { ...own, [publisherMeta]: without(without(provided, 'github'), key) } };
}

interface About extends Awaited<ReturnType<typeof readShared>> {
  readonly isLatest: boolean;
  readonly document: ListingDocument | undefined;
  readonly isHidden: boolean;
}

export function toEntry(
  version: ListingVersion,
  { isLatest, document, isHidden, key, log, interval_s }: About,
): { server: JsonObject; _meta: Record<string, object> } {
  const { status, status_message } = version;
  const { published_at, updated_at } = statedDates(version);
  const server = toServer(version, isHidden, key);
  const evidence = () => document && toEvidence(document, toReferences(document, server, interval_s), log);
  const block = isLatest ? evidence() : document && toReports(document);
  return {
    server,
    _meta: {
      [registryMeta]: {
        status,
        ...(status_message && !isHidden && { statusMessage: status_message }),
        ...(published_at && { publishedAt: published_at, updatedAt: updated_at }),
        isLatest,
      },
      ...(block && { [key]: block }),
    },
  };
}

export const readShared = async (context: Context) => ({
  /** Of our block in `_meta`. */
  key: `${reversedHost(context.config.publicUrl)}/evidence`,
  log: await readLogHead(context),
  interval_s: context.config.observeInterval_s,
});

/** As JSON, because a hundred entries take ten times as much memory, and would be written in one piece. */
async function toEntries(versions: readonly PagedVersion[], context: Context): Promise<readonly string[]> {
  const { store, config, clock } = context;
  const now = clock();
  const shared = await readShared(context);
  const handles = [...new Set(versions.map(({ handle }) => handle))];
  const read = await store.documents.factsOfAll(handles, now.toISOString());
  const factsOf = new Map(read.map((facts) => [facts.listing.handle, facts]));
  const documents = new Map<string, ListingDocument>();
  return inTurns(versions, (version) => {
    const facts = factsOf.get(version.handle);
    const known = documents.get(version.handle);
    const document =
      known ?? (facts && !facts.listing.withdrawn ? toListingDocument(facts, config, now) : undefined);
    if (document) documents.set(version.handle, document);
    const isHidden = facts?.listing.hidden === true;
    return JSON.stringify(toEntry(version, { isLatest: version.isLatest, document, isHidden, ...shared }));
  });
}

export const toPage = (entries: readonly string[], nextCursor?: string): string =>
  `{"servers":[${entries.join()}],"metadata":${JSON.stringify({ nextCursor, count: entries.length })}}`;

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

/**
 * An in-toto Statement v1 in a DSSE envelope, signed with the current key of the log. Its subject is the
 * document, by the SHA-256 of its RFC 8785 JSON. Throws not_found for the sample.
 */
export async function toSignedStatement(document: ListingDocument, context: Context): Promise<Envelope> {
  const { handle, sample, links, observations, origin, origin_note, moderation } = document;
  if (sample) throw new Problem('not_found', 'Nothing is stated about a listing of the sample.');
  const facts = toDatedFacts(document, await readLogHead(context), observations.filter(isDated));
  const statement = {
    _type: statementType,
    subject: [{ name: handle, uri: links.json, digest: { sha256: canonicalDigest(document) } }],
    predicateType: `${context.config.publicUrl}${predicateName}`,
    predicate: {
      stated_at: context.clock().toISOString(),
      ...(document.as_of && { as_of: document.as_of.day }),
      origin,
      origin_note,
      moderation,
      ...facts,
      untrusted_fields: ['observations'],
    },
  };
  const log = (await context.store.log.heads()).at(-1);
  return toEnvelope(JSON.stringify(statement), await openLogKey(context, log?.id ?? 1));
}
