import { sql } from 'kysely';
import { claimTable } from '../claims/claim.ts';
import { readCapabilities, readClaimHistory, readReceiptKeys } from '../claims/table.ts';
import { dayText, lastOf } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { importRunTable } from '../imports/import-run.ts';
import { createChangeReads } from '../listings/changes.ts';
import {
  type Listing,
  listingTable,
  type NewPlace,
  toStoredVersion,
  withoutHidden,
} from '../listings/listing.ts';
import { readShared, sharedColumn } from '../listings/references/shared.ts';
import type { ShownRecord } from '../listings/version-moves.ts';
import { readPastRecord, shownVersions } from '../listings/writes.ts';
import { toNotice } from '../moderation/moderation.ts';
import { readModerationOf } from '../moderation/table.ts';
import { toFacts as toStanding } from '../observations/known/standing.ts';
import { createObservationReads, decodeObservations } from '../observations/known/table.ts';
import { toCheckedNow } from '../observations/known/to-observations.ts';
import { noNativeCounts, readNativeCounts, readNextChange } from '../ratings/counts.ts';
import { readRecentRatings } from '../ratings/records.ts';
import { precompileQuery } from '../store/query.ts';
import type { HitFacts } from './hit.ts';
import {
  copyLacksOf,
  type ListingFacts,
  nothingNative,
  readHandlesWithEvidence,
  readLastEntry,
  toPastClaim,
  toReading,
} from './record.ts';
import { recordedFacts } from './recorded-facts.ts';
import type { Db, DocumentSchema } from './schema.ts';

const hasRow = (table: keyof DocumentSchema, column = 'handle') =>
  sql<
    boolean | number
  >`exists (select 1 from ${sql.table(table)} as other where ${sql.ref(`other.${column}`)} = listing.handle)`;

const doneRunsOfSource = sql`import_run as other where other.source = import_run.source and other.state = 'done'`;
/** `isBy` leaves out runs that ended later. */
const runColumns = (isBy = sql``) =>
  [
    'import_run.source as run_source',
    'import_run.progress as run_progress',
    sql<string | null>`(select finished_at from ${doneRunsOfSource} ${isBy} order by id desc limit 1)`.as(
      'read_at',
    ),
    sql<
      string | null
    >`(select progress from import_run as other where true ${isBy} order by id desc limit 1)`.as(
      'newest_progress',
    ),
    sql<
      string | null
    >`(select progress from ${doneRunsOfSource} and kind = 'full' ${isBy} order by id desc limit 1)`.as(
      'full_run_progress',
    ),
  ] as const;

/** Of a saved copy, a later run may have read the listing again, unchanged (`readAgain`). */
async function readRunsUntil(db: Db, id: number, at: string) {
  const run = db.selectFrom('import_run').select(runColumns(sql`and other.finished_at <= ${at}`));
  const ended = run.where('import_run.finished_at', '<=', at).where('import_run.state', '=', 'done');
  const none = { run_source: null, run_progress: null, read_at: null };
  const last = ended.where('import_run.id', '<=', id).orderBy('import_run.id', 'desc').limit(1);
  const found =
    (await last.executeTakeFirst()) ?? (await run.where('import_run.id', '=', id).executeTakeFirst());
  return found ?? { ...none, newest_progress: null, full_run_progress: null };
}

/** `readModerationOf` leaves out namespaces and accounts that are not those of the listing. */
const standing = sql`moderation as other where other.ended_by is null and (other.handle = listing.handle or other.target_kind in ('namespace', 'account'))`;

/** Each further statement costs as much as reading the listing. */
const selectFacts = precompileQuery((db: Db, handles: readonly string[]) =>
  db
    .selectFrom('listing')
    .leftJoin('observation', 'observation.handle', 'listing.handle')
    .leftJoin('publisher_count', 'publisher_count.namespace', 'listing.namespace')
    .leftJoin('import_run', 'import_run.id', 'listing.import_run')
    .leftJoin('listing_version as shown', (join) =>
      join.onRef('shown.handle', '=', 'listing.handle').onRef('shown.version', '=', 'listing.version'),
    )
    .where('listing.handle', 'in', [...handles])
    .selectAll('listing')
    .select([
      'observation.observed_at',
      'observation.due_since',
      'observation.observations',
      'publisher_count.listings as publisher_listings',
      ...runColumns(),
      'shown.digest as shown_digest',
      'shown.shown',
      sql<number>`(select count(*) from listing_version as other where other.handle = listing.handle)`.as(
        'stored_versions',
      ),
      sql<boolean | number>`(${hasRow('claim')} or ${hasRow('claim_event')})`.as('has_claims'),
      hasRow('rating', 'subject_handle').as('has_ratings'),
      sql<boolean | number>`exists (select 1 from evidence_change as other
        where other.handle = listing.handle and other.type = 'listing.restored')`.as('has_returned'),
      sql<boolean | number>`exists (select 1 from ${standing})`.as('has_moderation'),
      sharedColumn.as('shared'),
    ]),
);

type FactsRow = Awaited<ReturnType<typeof selectFacts>>[number];

const shownRatings = 5;

const readVersions = precompileQuery((db: Db, handle: string) =>
  db
    .selectFrom('listing_version')
    .select(['version', 'status', 'published_at', 'updated_at', 'status_message'])
    .where('handle', '=', handle)
    .orderBy('published_at', 'desc')
    .limit(shownVersions),
);

const readClaim = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('claim').selectAll().where('handle', '=', handle),
);

async function readNative(db: Db, handle: string, now: string) {
  const counts = await readNativeCounts(db, handle, now);
  const recent = await readRecentRatings(db, handle, { limit: shownRatings, now });
  const changesAt = counts.flags.new_source ? await readNextChange(db, handle, now) : undefined;
  return { native: { ...counts, recent }, ...(changesAt && { changesAt }) };
}

async function readClaims(db: Db, handle: string) {
  const [[claim], claimHistory, receiptKeys, capabilities] = await Promise.all([
    readClaim(db, handle),
    readClaimHistory(db, handle),
    readReceiptKeys(db, handle),
    readCapabilities(db, handle),
  ]);
  return { claim: claim && claimTable.decode(claim), claimHistory, receiptKeys, capabilities };
}

const hasOtherVersions = ({ stored_versions, shown_digest }: FactsRow) =>
  Number(stored_versions) > (shown_digest === null ? 0 : 1);

/** Most listings have one version, and no claim, rating or action of the operator: nothing more is read. */
async function readParts(db: Db, row: FactsRow, now: string) {
  const { handle, version, origin_status: status, published_at } = row;
  const [versions, claims, native, away] = await Promise.all([
    hasOtherVersions(row)
      ? readVersions(db, handle).then((all) => all.map(toStoredVersion))
      : [{ version, status, published_at }],
    row.has_claims ? readClaims(db, handle) : undefined,
    row.has_ratings ? readNative(db, handle, now) : undefined,
    row.has_returned ? createChangeReads(db).away(handle) : undefined,
  ]);
  const roots = claims?.claim ? [claims.claim.root] : [];
  const moderation = row.has_moderation ? await readModerationOf(db, { handle, roots }) : [];
  return { ...nothingNative, versions, ...claims, ...native, away, moderation: moderation.map(toNotice) };
}

const toProgress = (progress: string | null) =>
  progress === null ? undefined : importRunTable.decode({ progress }).progress;

/** `full` is left out if it is the same run, so that its progress is not decoded twice. */
function toRuns({ run_source, run_progress, read_at, full_run_progress, newest_progress }: FactsRow) {
  const progress = toProgress(run_progress);
  return {
    own: run_source !== null && progress ? { source: run_source, progress } : undefined,
    read_at: read_at ?? undefined,
    full: full_run_progress === run_progress ? undefined : toProgress(full_run_progress),
    recorded: toProgress(newest_progress)?.recorded ?? {},
  };
}

const toObserved = (
  { observed_at, due_since, observations }: Pick<FactsRow, 'observed_at' | 'due_since' | 'observations'>,
  listing: Listing,
): ListingFacts['observed'] =>
  observed_at === null || observations === null
    ? undefined
    : { observed_at, due_since, ...toCheckedNow(listing, decodeObservations(observations)) };

function toRecord(row: FactsRow, all: ListingFacts['versions']) {
  const isHidden = row.hidden === 1;
  const versions = all.map(({ deleted, ...one }) =>
    deleted ? { ...one, deleted: isHidden ? { at: deleted.at } : deleted } : one,
  );
  const listing = withoutHidden(listingTable.decode(row));
  const { shown_digest, run_source: source } = row;
  const lastPublished = versions[0]?.published_at ?? row.published_at;
  const shown = row.shown === null ? undefined : (JSON.parse(row.shown) as ShownRecord);
  const stored = { versions: Number(row.stored_versions), lastPublished, source, shown };
  const reading = toReading(listing, toRuns(row));
  const imported = shown_digest === null ? [] : recordedFacts(listing, stored, reading);
  const others = shown?.after?.others ?? [];
  return { listing, versions, imported, reading, others };
}

const withOthers = (away: ListingFacts['away'], others: readonly NewPlace[]): ListingFacts['away'] =>
  away && others.length > 0 ? { ...away, others: [...others] } : away;

async function toFacts(db: Db, row: FactsRow, now: string): Promise<ListingFacts> {
  const parts = await readParts(db, row, now);
  const { others, ...record } = toRecord(row, parts.versions);
  return {
    ...parts,
    ...record,
    away: withOthers(parts.away, others),
    observed: toObserved(row, record.listing),
    publisherListings: row.publisher_listings ?? 0,
    shared: await readShared(db, row.handle, row.shared),
  };
}

/** Actions of the operator count as they stand now, so that what is hidden stays so. */
async function readPast(db: Db, handle: string, at: string): Promise<ListingFacts | undefined> {
  const [row] = await selectFacts(db, [handle]);
  if (!row) return undefined;
  const past = await readPastRecord(db, handle, dayText(at));
  const { hidden, withdrawn } = row;
  const known = { ...row, ...past?.row, hidden, withdrawn };
  const then = { ...known, ...(await readRunsUntil(db, known.import_run, at)) };
  const parts = await readParts(db, row, at);
  const { others, ...record } = toRecord(then, past?.versions ?? parts.versions);
  const observations = toStanding(await createObservationReads(db).until(handle, at));
  const observed_at = lastOf(observations.map((one) => one.observed_at)) ?? at;
  const counts = row.has_ratings ? await readNativeCounts(db, handle, at, true) : noNativeCounts;
  return {
    ...record,
    ...toPastClaim(parts, at),
    capabilities: [],
    away: withOthers(parts.away, others),
    moderation: parts.moderation,
    native: { ...counts, recent: [] },
    observed:
      observations.length > 0
        ? { observed_at, due_since: null, ...toCheckedNow(record.listing, observations) }
        : undefined,
    publisherListings: undefined,
    shared: [],
  };
}

async function readFactsOf(db: Db, handles: readonly string[], now: string): Promise<ListingFacts[]> {
  if (handles.length === 0) return [];
  const found = new Map((await selectFacts(db, handles)).map((row) => [row.handle, row]));
  const rows = handles.flatMap((handle) => found.get(handle) ?? []);
  return inTurns(rows, (row) => toFacts(db, row, now));
}

/** The time has no space. */
const newestColumn = sql<
  string | null
>`(select other.published_at || ' ' || other.version from listing_version as other
  where other.handle = listing.handle and other.status <> 'deleted' order by other.published_at desc limit 1)`;

function toNewest(newest: string | null): HitFacts['versions'] {
  if (newest === null) return [];
  const [published_at = ''] = newest.split(' ', 1);
  return [{ version: newest.slice(published_at.length + 1), status: 'active', published_at }];
}

const readNewestRun = precompileQuery((db: Db, _: undefined) =>
  db.selectFrom('import_run').select('progress').orderBy('id', 'desc').limit(1),
);

const selectHits = (by: 'id' | 'handle') =>
  precompileQuery((db: Db, keys: readonly (number | string)[]) =>
    db
      .selectFrom('listing')
      .leftJoin('observation', 'observation.handle', 'listing.handle')
      .selectAll('listing')
      .select(['observation.observed_at', 'observation.due_since', 'observation.observations'])
      .select([newestColumn.as('newest')])
      .where(`listing.${by}`, 'in', [...keys])
      .where('listing.withdrawn', 'is', null),
  );
const selectHitsBy = { id: selectHits('id'), handle: selectHits('handle') };

async function readHits(db: Db, by: 'id' | 'handle', keys: readonly (number | string)[], now: string) {
  const rows = keys.length === 0 ? [] : await selectHitsBy[by](db, keys);
  const found = new Map(rows.map((row) => [row[by], row]));
  const known = keys.flatMap((key) => found.get(key) ?? []);
  const hasNothing = known.some(({ remotes, packages }) => remotes === '[]' && packages === '[]');
  const [run] = hasNothing ? await readNewestRun(db, undefined) : [];
  const recorded = toProgress(run?.progress ?? null)?.recorded ?? {};
  return inTurns(known, async (row) => {
    const listing = withoutHidden(listingTable.decode(row));
    const isRated = listing.facets.includes('has:ratings');
    return {
      listing,
      observations: toObserved(row, listing)?.observations ?? [],
      versions: toNewest(row.newest),
      copyLacks: copyLacksOf(listing, recorded),
      native: isRated ? await readNativeCounts(db, row.handle, now) : undefined,
    };
  });
}

export const createDocumentReads = (db: Db) => ({
  /** At the end of a past day (RFC 3339), without texts of ratings and what other listings share. */
  past: (handle: string, at: string) => readPast(db, handle, at),
  /** `at` is RFC 3339. */
  lastEntry: (handle: string, at: string) => readLastEntry(db, handle, at),
  /** Of withdrawn listings too; undefined if unknown. `now` (RFC 3339) decides the groups of ratings. */
  facts: async (handle: string, now: string = new Date().toISOString()) =>
    (await readFactsOf(db, [handle], now))[0],
  /**
   * In the given order, without unknown ones. Not cached, because reading every listing once would displace
   * those that are read often.
   */
  factsOfAll: (handles: readonly string[], now: string) => readFactsOf(db, handles, now),
  /** In the given order, without unknown and withdrawn ones. */
  hitsOf: (handles: readonly string[], now: string) => readHits(db, 'handle', handles, now),
  hitsById: (ids: readonly number[], now: string) => readHits(db, 'id', ids, now),
  withEvidence: (afterHandle: string, limit: number) => readHandlesWithEvidence(db, afterHandle, limit),
});
