import { hash } from 'node:crypto';
import type { ListingVersion } from '../../evidence/listing/listing.ts';
import { cleanText, toLine } from '../../evidence/text/sanitize.ts';
import {
  entryHeadForm,
  listPageForm,
  registryMeta,
  type StatusMeta,
  serverJsonForm,
  statusMetaForm,
} from './server-json.ts';
import { toTime } from './times.ts';

const deepest = 32;
const nothingToClean = /^(?:[\x20-\x5b\x5d-\x7e]|\\["\\])*$/;

function clean(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new RangeError('too deep');
  if (typeof value === 'string') return cleanText(value).text;
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key).text, clean(item, depth + 1)]),
  );
}

/**
 * A server.json as JSON text with every string in it cleaned (docs/trust.md section 6). Most need no cleaning, which
 * their JSON shows at once. Undefined if it is nested too deeply.
 */
function toCleanJson(server: object): string | undefined {
  try {
    const json = JSON.stringify(server);
    return nothingToClean.test(json) ? json : JSON.stringify(clean(server));
  } catch {
    return undefined;
  }
}

const largestRecord_bytes = 64 * 1024;

/** An entry that was not read: the name it is quarantined under and the reason. A malformed name is not repeated. */
export interface Unreadable {
  readonly name: string;
  readonly version: string;
  readonly reason: string;
}

/** An identified entry: its name, its version and the digest of all of it. */
export interface EntryHead {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the entry as received (its JSON without white space), hex. */
  readonly digest: string;
  readonly size_bytes: number;
  readonly entry: { readonly server: object; readonly _meta?: unknown };
}

/** The entries of a page and the next cursor; undefined if the value is not a page of a registry's list. */
export function readListPage(
  page: unknown,
): { entries: readonly unknown[]; nextCursor: string | undefined } | undefined {
  if (!listPageForm.Check(page)) return undefined;
  return { entries: page.servers ?? [], nextCursor: page.metadata?.nextCursor || undefined };
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // nested deeper than the stack
  }
}

const isPrintable = (version: string) => cleanText(version).text === version && toLine(version) === version;

/** Identifies an entry. Never throws: an entry without name and version is unreadable. */
export function readHead(entry: unknown): EntryHead | Unreadable {
  const json = toJson(entry);
  const digest = json === undefined ? '' : hash('sha256', json);
  const unknown = { name: `(unreadable ${digest.slice(0, 12)})`, version: '' };
  if (json === undefined) return { ...unknown, reason: 'nested too deeply' };
  if (!entryHeadForm.Check(entry)) return { ...unknown, reason: 'name or version missing or malformed' };
  const { name, version } = entry.server;
  if (!isPrintable(version))
    return { name, version: '', reason: 'version has characters that cannot be shown' };
  return { name, version, digest, size_bytes: Buffer.byteLength(json), entry };
}

function toVersion(
  { name, version, digest }: EntryHead,
  meta: StatusMeta,
  record: string,
): ListingVersion | undefined {
  const published_at = toTime(meta.publishedAt);
  if (!published_at) return undefined;
  const isDeleted = meta.status === 'deleted';
  return {
    handle: name,
    version,
    status: meta.status,
    status_message: isDeleted ? undefined : toLine(meta.statusMessage ?? '').slice(0, 500) || undefined,
    published_at,
    updated_at: toTime(meta.updatedAt) ?? published_at,
    is_latest: meta.isLatest ?? false,
    digest,
    record,
  };
}

/**
 * One version: the registry's status and dates, and the publisher's record (at most 64 KiB), cleaned. A
 * deleted version stores no publisher text and needs no readable record. Never throws: anything malformed is unreadable.
 */
export function readVersion(head: EntryHead): ListingVersion | Unreadable {
  const { name, version, size_bytes, entry } = head;
  const unreadable = (reason: string): Unreadable => ({ name, version, reason });
  const meta = (entry._meta as Record<string, unknown> | undefined | null)?.[registryMeta];
  if (!statusMetaForm.Check(meta)) return unreadable('registry status or dates missing or malformed');
  const isDeleted = meta.status === 'deleted';
  if (!isDeleted && size_bytes > largestRecord_bytes) return unreadable('record larger than 64 KiB');
  if (!isDeleted && !serverJsonForm.Check(entry.server))
    return unreadable('a field of the record has the wrong type');
  const record = isDeleted ? '{}' : toCleanJson(entry.server);
  if (record === undefined) return unreadable('nested too deeply');
  return toVersion(head, meta, record) ?? unreadable('publication time is not RFC 3339');
}
