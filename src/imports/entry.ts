import { hash } from 'node:crypto';
import compare from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import type { Static } from 'typebox';
import { Compile } from 'typebox/schema';
import { asMembers, attempt, isDeeperThan, mapTexts } from '../core/json.ts';
import { cleanText, toLine } from '../core/text.ts';
import { type ListingVersion, registryMeta, type VersionSummary } from '../listings/listing.ts';

// typebox's builder would delay every start.
const text = { type: ['string', 'null'] } as const;
const entryList = <const T>(items: T) => ({ type: ['array', 'null'], items }) as const;

/** Go writes null for an empty list. The last page has no cursor, or an empty one. */
const listPageForm = Compile({
  type: 'object',
  required: ['servers'],
  properties: {
    servers: entryList({}),
    metadata: { type: 'object', properties: { nextCursor: { type: ['string', 'null'], maxLength: 4096 } } },
  },
});

/** A deleted entry needs no other members. */
const entryHeadForm = Compile({
  type: 'object',
  required: ['server'],
  properties: {
    server: {
      type: 'object',
      required: ['name', 'version'],
      properties: {
        name: {
          type: 'string',
          minLength: 3,
          maxLength: 200,
          // Only dots would change the path of the page's address.
          pattern: '^(?!\\.+/)[a-zA-Z0-9.-]+/(?!\\.+$)[a-zA-Z0-9._-]+$',
        },
        version: { type: 'string', minLength: 1, maxLength: 255 },
      },
    },
  },
});

const statusMeta = {
  type: 'object',
  properties: {
    status: { enum: ['active', 'deprecated', 'deleted', '', null] },
    statusMessage: text,
    publishedAt: text,
    updatedAt: text,
    isLatest: { type: ['boolean', 'null'] },
  },
} as const;
/** Not required by the API (ServerResponse), and left out by some registries. */
const statusMetaForm = Compile(statusMeta);

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** In UTC with milliseconds, since 1970. */
function toTime(recorded: string | undefined): string | undefined {
  const time = recorded && form.test(recorded) ? Date.parse(recorded) : Number.NaN;
  return time > 0 ? new Date(time).toISOString() : undefined;
}

const deepest = 32;
const nothingToClean = /^(?:[\x20-\x5b\x5d-\x7e]|\\["\\])*$/;

/** docs/contract.md. Undefined if it is nested too deeply. */
function toCleanJson(server: object): string | undefined {
  const json = toJson(server);
  if (json === undefined || nothingToClean.test(json)) return json;
  if (isDeeperThan(deepest, server)) return undefined;
  return JSON.stringify(mapTexts(server, (text) => cleanText(text).text));
}

const longestRecord_bytes = 64 * 1024;

/** Too large a `_meta` of the publisher costs no listing. */
function toStored(server: object): string | undefined {
  const isLarge = Buffer.byteLength(toJson(server) ?? '') > longestRecord_bytes;
  return toCleanJson(isLarge && '_meta' in server ? { ...server, _meta: 'left out: too large' } : server);
}

/** A malformed name has a substitute such as `(unreadable 0123456789ab)`. */
export type UnreadableEntry = Readonly<Record<'name' | 'version' | 'reason', string>>;

export interface EntryHead {
  readonly name: string;
  readonly version: string;
  /** SHA-256 (hex) of the JSON as received, without white space. */
  readonly digest: string;
  readonly entry: { readonly server: object; readonly _meta?: unknown };
}

export function readListPage(page: unknown) {
  if (!listPageForm.Check(page)) return undefined;
  return { entries: page.servers ?? [], nextCursor: page.metadata?.nextCursor || undefined };
}

/** Undefined if it is nested more deeply than the stack allows. */
const toJson = (value: unknown): string | undefined => attempt(() => JSON.stringify(value));

/** Never throws: what cannot be identified is unreadable. */
export function readHead(entry: unknown): EntryHead | UnreadableEntry {
  const json = toJson(entry);
  const digest = json === undefined ? '' : hash('sha256', json);
  const unknown = { name: `(unreadable ${digest.slice(0, 12)})`, version: '' };
  if (json === undefined) return { ...unknown, reason: 'nested too deeply' };
  if (!entryHeadForm.Check(entry)) return { ...unknown, reason: 'name or version missing or malformed' };
  const { name, version } = entry.server;
  if (cleanText(version).text !== version || toLine(version) !== version)
    return { name, version: '', reason: 'version has characters that cannot be shown' };
  return { name, version, digest, entry };
}

const isAbsent = (time: string | null | undefined) => !time || time.startsWith('0001-01-01T00:00:00');

/** RFC 3339. `first_read_at` is of this version. */
export type ReadTimes = Readonly<Record<'at' | 'first_read_at', string>>;

function toVersion(
  { name, version, digest }: EntryHead,
  meta: Static<typeof statusMeta>,
  { record, at, first_read_at }: ReadTimes & { readonly record: string },
): ListingVersion | undefined {
  const undated = isAbsent(meta.publishedAt) || undefined;
  const published_at = undated ? first_read_at : toTime(meta.publishedAt ?? '');
  if (!published_at) return undefined;
  return {
    handle: name,
    version,
    status: meta.status || 'active',
    status_message: toLine(meta.statusMessage ?? '').slice(0, 500) || undefined,
    published_at,
    updated_at: undated ? at : (toTime(meta.updatedAt ?? '') ?? published_at),
    undated,
    is_latest: meta.isLatest ?? false,
    digest,
    record,
  };
}

/**
 * Never throws: what is malformed is unreadable. A deleted record is stored empty, and need not be
 * readable.
 */
export function readVersion(head: EntryHead, times: ReadTimes): ListingVersion | UnreadableEntry {
  const { name, version, entry } = head;
  const unreadable = (reason: string): UnreadableEntry => ({ name, version, reason });
  const meta = asMembers(entry._meta)[registryMeta] ?? {};
  if (!statusMetaForm.Check(meta)) return unreadable('registry status or dates malformed');
  const record = meta.status === 'deleted' ? '{}' : toStored(entry.server);
  if (record === undefined) return unreadable('nested too deeply');
  if (Buffer.byteLength(record) > longestRecord_bytes) return unreadable('record larger than 64 KiB');
  return (
    toVersion(head, meta, { ...times, record }) ??
    unreadable('publication time is not an RFC 3339 time since 1970')
  );
}

const later = (a: VersionSummary, b: VersionSummary): number =>
  `${a.published_at} ${a.version}` < `${b.published_at} ${b.version}` ? -1 : 1;

const loose = { loose: true };

/** By semantic version if all are semantic, otherwise by publication. */
function order(versions: readonly VersionSummary[]): (a: VersionSummary, b: VersionSummary) => number {
  if (!versions.every(({ version }) => valid(version, loose))) return later;
  return (a, b) => compare(a.version, b.version, loose) || later(a, b);
}

/**
 * Marked latest, and of these published last, because an older row keeps its mark until it is imported
 * again. Otherwise the highest by `order`.
 */
export function pickShown(versions: readonly VersionSummary[]): VersionSummary | undefined {
  const listed = versions.filter(({ status }) => status !== 'deleted');
  const latest = listed.filter(({ is_latest }) => is_latest);
  const candidates = latest.length > 0 ? latest : listed;
  const compare = latest.length > 0 ? later : order(listed);
  return candidates.length < 2 ? candidates[0] : candidates.reduce((a, b) => (compare(a, b) > 0 ? a : b));
}
