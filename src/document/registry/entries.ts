import type { Context } from '../../context.ts';
import { reversedHost } from '../../core/identity.ts';
import { asMembers, isJsonObject, type JsonObject } from '../../core/json.ts';
import { dayText } from '../../core/text.ts';
import { inTurns } from '../../core/turns.ts';
import { toText } from '../../core/words.ts';
import {
  type ListingVersion,
  publisherMeta,
  registryMeta,
  statedDates,
  withoutHiddenText,
} from '../../listings/listing.ts';
import { type ReadRecord, readRecord } from '../../listings/record-form.ts';
import type { PagedVersion } from '../../listings/registry-entries.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import type { Kind } from '../../observations/known/kind.ts';
import { kinds } from '../../observations/known/kinds.ts';
import { malwareWords } from '../../observations/known/malware.ts';
import { isDated, knowingOf } from '../../observations/known/observation.ts';
import { toStaleAt } from '../../observations/known/to-observations.ts';
import { toListingDocument } from '../document.ts';
import type { ListingDocument } from '../listing-document.ts';

/** Of our block in `_meta`. */
const evidenceKey = (publicUrl: string): string => `${reversedHost(publicUrl)}/evidence`;

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

function toObservations(document: ListingDocument) {
  const found = kinds.flatMap((kind) => {
    const one = kind.entryName && observationOf(document, kind);
    return one ? [[kind.entryName, one] as const] : [];
  });
  return Object.fromEntries(found);
}

export const readLogHead = async ({ store, config }: Context) => ({
  size: await store.log.size(),
  checkpoint: `${config.publicUrl}/log/checkpoint`,
});

export function toDatedFacts(document: ListingDocument, log: object, observations: object) {
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
  const times = document.observations.filter(isDated).map(({ observed_at }) => observed_at);
  const checked_at = times.toSorted().at(-1);
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
  const malware = malwareWords(observations).map(toText);
  return malware.length > 0 ? { malware } : undefined;
}

function toEvidence(document: ListingDocument, references: object, log: object) {
  const observations = toObservations(document);
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
  key: evidenceKey(context.config.publicUrl),
  log: await readLogHead(context),
  interval_s: context.config.observeInterval_s,
});

/** As JSON, because a hundred entries take ten times as much memory, and would be written in one piece. */
export async function toEntries(
  versions: readonly PagedVersion[],
  context: Context,
): Promise<readonly string[]> {
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
