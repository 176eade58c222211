import { sql } from 'kysely';
import { namespacePrefix } from '../core/identity.ts';
import type { Json } from '../core/json.ts';
import { putPayees } from '../listings/references/payees.ts';
import { toReferenceKey } from '../listings/references/references.ts';
import { replaceChecked } from '../listings/references/shared.ts';
import { inChunks, precompileQuery, upsert } from '../store/query.ts';
import type { TableValue } from '../store/table.ts';
import { factsOf } from './kind.ts';
import { listedNames } from './kinds/lists/listed.ts';
import { toolsSurface } from './kinds/lists/tools.ts';
import type { StoredObservation } from './observation.ts';
import { payeesOf, quotedPayees } from './payees.ts';
import { changeTable, type Db, observationTable, surfaceTable, valueTable } from './schema.ts';
import { unpackValue } from './values.ts';

export type RecordedChange = TableValue<typeof changeTable>;

/** The five newest lists of each surface of an endpoint are stored. */
type StoredSurface = TableValue<typeof surfaceTable>;

export type SurfaceAt = Pick<StoredSurface, 'handle' | 'remote' | 'surface'>;

const storedSurfaces = 5;
const mostOfListing_bytes = 8 * 2 ** 20;
const mostOfDomain_bytes = 64 * 2 ** 20;

const readObserved = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('observation').selectAll().where('handle', '=', handle),
);

export const decodeObservations = (observations: string) =>
  observationTable.decode({ observations }).observations;

const selectSets = (db: Db, { handle, remote, surface }: SurfaceAt) =>
  db
    .selectFrom('listed_surface')
    .where('handle', '=', handle)
    .where('remote', '=', remote)
    .where('surface', '=', surface);

/**
 * Reads the stored lists of a surface, newest first. The members are left out, because each list may have 2
 * MiB.
 */
const readSets = async (db: Db, at: SurfaceAt) => {
  const size = sql<number>`octet_length(members)`.as('size_bytes');
  const sets = selectSets(db, at).select(['digest', 'first_seen_at', size]);
  const rows = await sets.orderBy('first_seen_at', 'desc').execute();
  return rows.map((row) => ({ ...row, size_bytes: Number(row.size_bytes) }));
};

/** Of the lists of these handles, the newest of each surface stay first, and the oldest go first. */
async function dropBeyond(
  db: Db,
  { from, to, most_bytes }: { readonly from: string; readonly to: string; readonly most_bytes: number },
): Promise<void> {
  await sql`delete from listed_surface where handle between ${from} and ${to}
    and (handle, remote, surface, digest) in (
      select handle, remote, surface, digest from (
        select handle, remote, surface, digest, age,
          sum(size_bytes) over (order by age, first_seen_at desc, handle, remote, surface, digest) as used_bytes
        from (
          select handle, remote, surface, digest, first_seen_at, octet_length(members) as size_bytes,
            row_number() over (partition by handle, remote, surface order by first_seen_at desc) as age
          from listed_surface where handle between ${from} and ${to}) as aged) as summed
      where age > ${sql.lit(storedSurfaces)} or used_bytes > ${sql.lit(most_bytes)})`.execute(db);
}

/** A listing that the registry or its publisher withdrew keeps no text of its endpoints. */
export const deleteSurfaces = (db: Db, handles: readonly string[]) =>
  inChunks(handles, async (chunk) => {
    for (const name of ['listed_surface', 'observed_value'] as const)
      await db.deleteFrom(name).where('handle', 'in', chunk).execute();
  });

/** Lists with fewer tools may be equal by chance. */
const fewestTools = 3;

function toReferences(observations: readonly StoredObservation[]) {
  const seen = observations.filter(({ outcome }) => outcome === 'seen');
  const toReference = (of: 'tools' | 'pay_to', text: string, as_of: string) => ({
    key: toReferenceKey(of, text),
    kind: of,
    as_of,
  });
  const all = [
    ...quotedPayees(seen).flatMap(({ fact, payees }) =>
      payees.map(({ address }) => toReference('pay_to', address, fact.observed_at)),
    ),
    ...factsOf(toolsSurface, seen).flatMap((one) => {
      const isLong = listedNames(one.details?.tools).length >= fewestTools;
      return isLong && one.value !== null ? [toReference('tools', one.value, one.observed_at)] : [];
    }),
  ];
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

export const createObservationReads = (db: Db) => ({
  /** Reads the whole table. */
  async count() {
    const { listings } = await db
      .selectFrom('observation')
      .select(({ fn }) => fn.countAll<number>().as('listings'))
      .executeTakeFirstOrThrow();
    return Number(listings);
  },
  async lastRunAt() {
    const newest = db.selectFrom('observation').select('observed_at').orderBy('observed_at', 'desc').limit(1);
    return (await newest.executeTakeFirst())?.observed_at;
  },
  async ofListing(handle: string) {
    const [row] = await readObserved(db, handle);
    return row && observationTable.decode(row);
  },
  /** The changes are newest first. `before` is a log index. */
  async history(
    handle: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<RecordedChange[]> {
    const all = db.selectFrom('observation_change').selectAll().where('handle', '=', handle);
    const page = before === undefined ? all : all.where('log_index', '<', before);
    return (await page.orderBy('log_index', 'desc').limit(limit).execute()).map(changeTable.decode);
  },
  /** The lists are newest first. */
  surfaces: (at: SurfaceAt) => readSets(db, at),
  async surfaceText(at: SurfaceAt, digest: string) {
    const stored = selectSets(db, at).select('members').where('digest', '=', digest);
    return (await stored.executeTakeFirst())?.members;
  },
  /** Returns undefined if the value is not stored any more. */
  async whole(handle: string, digest: string): Promise<Json | undefined> {
    const stored = db.selectFrom('observed_value').select('value').where('handle', '=', handle);
    const row = await stored.where('digest', '=', digest).executeTakeFirst();
    return row && unpackValue(row.value);
  },
  /** Listings after an id that are not withdrawn, in the order of ids. */
  lastRuns: (afterId: number, limit: number) =>
    db
      .selectFrom('listing')
      .leftJoin('observation', 'observation.handle', 'listing.handle')
      .select(['listing.id', 'listing.handle', 'origin', 'observed_at', 'due_since'])
      .where('listing.id', '>', afterId)
      .where('listing.withdrawn', 'is', null)
      .orderBy('listing.id')
      .limit(limit)
      .execute(),
  /** The times at which requests may be sent again, by `place`. */
  async pauses(host: string): Promise<ReadonlyMap<string, string>> {
    const rows = await db.selectFrom('observed_pause').selectAll().where('host', '=', host).execute();
    return new Map(rows.map(({ place, not_before }) => [place, not_before]));
  },
});

/** Writes observations inside a transaction; `touch` names each listing whose facts changed. */
export const createObservationWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createObservationReads(db),
  /** The listing stays due if an import changed its record after `imported_at`. */
  async put(
    { handle, observed_at, observations }: Omit<TableValue<typeof observationTable>, 'due_since'>,
    imported_at = observed_at,
  ) {
    touch(handle);
    const { due_since: _, ...row } = observationTable.encode({ handle, observed_at, observations });
    const due_since = sql<
      string | null
    >`case when observation.due_since > ${imported_at} then observation.due_since end`;
    await db
      .insertInto('observation')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doUpdateSet({ ...row, due_since }))
      .execute();
    await putPayees(db, handle, payeesOf(observations));
    for (const one of await replaceChecked(db, handle, toReferences(observations))) touch(one);
  },
  setDue: (handles: readonly string[], at: string) =>
    inChunks(handles, async (chunk) => {
      await db.updateTable('observation').set({ due_since: at }).where('handle', 'in', chunk).execute();
    }),
  async addChange(change: RecordedChange) {
    touch(change.handle);
    await db.insertInto('observation_change').values(changeTable.encode(change)).execute();
  },
  async putWhole(value: TableValue<typeof valueTable>) {
    await upsert(db, 'observed_value', valueTable.encode(value), 'handle', 'digest').execute();
  },
  async putSurface(stored: StoredSurface) {
    const key = ['handle', 'remote', 'surface', 'digest'] as const;
    await upsert(db, 'listed_surface', surfaceTable.encode(stored), ...key).execute();
  },
  /** Deletes the lists of other endpoints than the recorded ones. */
  async dropSurfaces(handle: string, recorded: readonly string[]) {
    const stored = db.deleteFrom('listed_surface').where('handle', '=', handle);
    await (recorded.length > 0 ? stored.where('remote', 'not in', recorded) : stored).execute();
  },
  /** Deletes lists beyond the bounds of each surface, of the listing and of its owner. */
  async trimSurfaces(handle: string) {
    const domain = namespacePrefix(handle);
    await dropBeyond(db, { from: handle, to: handle, most_bytes: mostOfListing_bytes });
    // `.` and `/` sort before `0`.
    await dropBeyond(db, { from: `${domain}.`, to: `${domain}0`, most_bytes: mostOfDomain_bytes });
  },
  async putPauses(host: string, pauses: ReadonlyMap<string, string>) {
    for (const [place, not_before] of pauses)
      await upsert(db, 'observed_pause', { host, place, not_before }, 'host', 'place').execute();
  },
  async purgePauses(before: string) {
    await db.deleteFrom('observed_pause').where('not_before', '<', before).execute();
  },
});
