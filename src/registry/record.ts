import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { cleanText, toLine } from '../evidence/text/sanitize.ts';
import type { VersionRow } from '../store/store.ts';
import { toRecordText } from './clean-record.ts';
import { toTime } from './times.ts';

const registryMeta = 'io.modelcontextprotocol.registry/official';
const publisherMeta = 'io.modelcontextprotocol.registry/publisher-provided';
const largestRecord_bytes = 64 * 1024;

/** One page of a registry's list; an absent or empty cursor ends it. Go registries write null for no entries. */
const listPage = Type.Object({
  servers: Type.Union([Type.Array(Type.Unknown()), Type.Null()]),
  metadata: Type.Optional(
    Type.Object({ nextCursor: Type.Optional(Type.Union([Type.String({ maxLength: 4096 }), Type.Null()])) }),
  ),
});
const pageCheck = Compile(listPage);

/** What an entry must have to be told apart, whatever else it says; enough for a deleted one. */
const entryHead = Type.Object({
  server: Type.Object({
    name: Type.String({ minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' }),
    version: Type.String({ minLength: 1, maxLength: 255 }),
  }),
});
const headCheck = Compile(entryHead);

const statusMeta = Type.Object({
  status: Type.Union([Type.Literal('active'), Type.Literal('deprecated'), Type.Literal('deleted')]),
  statusMessage: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  publishedAt: Type.String(),
  updatedAt: Type.Optional(Type.String()),
  isLatest: Type.Optional(Type.Boolean()),
});
const metaCheck = Compile(statusMeta);

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Optional(Type.Union([Type.Array(item), Type.Null()]));
/** What a caller has to bring along: read where it has its form (inputs.ts), never a reason to refuse the record. */
const asked = Type.Optional(Type.Unknown());
const transport = Type.Object({ type: Type.String(), url: text, headers: asked, variables: asked });

/** The parts of server.json that a listing is made of; the rest is kept as it is. */
const serverRecord = Type.Object({
  description: text,
  title: text,
  websiteUrl: text,
  repository: Type.Optional(Type.Union([Type.Object({ url: text }), Type.Null()])),
  remotes: listOf(transport),
  packages: listOf(
    Type.Object({
      registryType: text,
      identifier: text,
      version: text,
      transport: Type.Optional(transport),
      environmentVariables: asked,
      runtimeArguments: asked,
      packageArguments: asked,
    }),
  ),
  _meta: Type.Optional(
    Type.Union([Type.Object({ [publisherMeta]: Type.Optional(Type.Unknown()) }), Type.Null()]),
  ),
});
const serverCheck = Compile(serverRecord);

/** A server.json as it is kept: cleaned of what can hide or turn text. */
export type ServerRecord = Static<typeof serverRecord>;
type StatusMeta = Static<typeof statusMeta>;

/** Why an entry was not read, in our own words, and under which name it is kept; a wrong name is not repeated. */
export interface Unreadable {
  readonly name: string;
  readonly version: string;
  readonly reason: string;
}

/** An entry that can be told apart: its name, its version and the digest of all of it. */
export interface EntryHead {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the entry as received (its JSON without white space), hex. */
  readonly digest: string;
  readonly size_bytes: number;
  readonly entry: { readonly server: object; readonly _meta?: unknown };
}

/** A page taken apart. Throws TypeError where the value is not a list of a registry. */
export function readListPage(page: unknown): { entries: readonly unknown[]; nextCursor: string | undefined } {
  if (!pageCheck.Check(page)) throw new TypeError('not a page of a registry list');
  return { entries: page.servers ?? [], nextCursor: page.metadata?.nextCursor || undefined };
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // nested deeper than the stack
  }
}

const isShown = (version: string) => cleanText(version).text === version && toLine(version) === version;

/** Tells an entry apart; what cannot be told apart is unreadable. Never throws. */
export function readHead(entry: unknown): EntryHead | Unreadable {
  const json = toJson(entry);
  const digest = json === undefined ? '' : hash('sha256', json);
  const unknown = { name: `(unreadable ${digest.slice(0, 12)})`, version: '' };
  if (json === undefined) return { ...unknown, reason: 'nested too deeply' };
  if (!headCheck.Check(entry)) return { ...unknown, reason: 'name or version missing or malformed' };
  const { name, version } = entry.server;
  if (!isShown(version)) return { name, version: '', reason: 'version has characters that cannot be shown' };
  return { name, version, digest, size_bytes: Buffer.byteLength(json), entry };
}

function toRow(
  { name, version, digest }: EntryHead,
  meta: StatusMeta,
  record: string,
): VersionRow | undefined {
  const published_at = toTime(meta.publishedAt);
  if (!published_at) return undefined;
  const isDeleted = meta.status === 'deleted';
  return {
    handle: name,
    version,
    status: meta.status,
    status_message: isDeleted ? null : toLine(meta.statusMessage ?? '').slice(0, 500) || null,
    published_at,
    updated_at: toTime(meta.updatedAt) ?? published_at,
    is_latest: meta.isLatest ? 1 : 0,
    digest,
    record,
  };
}

/**
 * The row of one version: status and dates of the registry, the publisher's record cleaned (at most 64 KiB). A deleted
 * version keeps no publisher text and needs no readable record. Never throws: whatever does not fit is unreadable.
 */
export function toVersionRow(head: EntryHead): VersionRow | Unreadable {
  const { name, version, size_bytes, entry } = head;
  const unreadable = (reason: string): Unreadable => ({ name, version, reason });
  const meta = (entry._meta as Record<string, unknown> | undefined | null)?.[registryMeta];
  if (!metaCheck.Check(meta)) return unreadable('registry status or dates missing or malformed');
  const isDeleted = meta.status === 'deleted';
  if (!isDeleted && size_bytes > largestRecord_bytes) return unreadable('record larger than 64 KiB');
  if (!isDeleted && !serverCheck.Check(entry.server))
    return unreadable('a field of the record has the wrong type');
  const record = isDeleted ? '{}' : toRecordText(entry.server);
  if (record === undefined) return unreadable('nested too deeply');
  return toRow(head, meta, record) ?? unreadable('publication time is not RFC 3339');
}

/** Words the publisher describes the listing with, from its own `_meta`. */
export function publisherKeywords(record: ServerRecord): string[] {
  const provided = record._meta?.[publisherMeta];
  if (typeof provided !== 'object' || provided === null) return [];
  const { keywords, tags, categories } = provided as Record<string, unknown>;
  return [keywords, tags, categories]
    .flatMap((list) => (Array.isArray(list) ? (list.slice(0, 50) as unknown[]) : []))
    .filter((word) => typeof word === 'string')
    .filter((word) => word.length <= 64);
}
