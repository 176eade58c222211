import { sql } from 'kysely';
import { toReferenceKey } from '../listings/references.ts';
import { replaceChecked } from '../listings/shared.ts';
import { inChunks, precompileQuery, upsert } from '../store/query.ts';
import type { Db } from '../store/store.ts';
import { integer, json, optional, type RowOf, table, text, type ValueOf } from '../store/table.ts';
import type { Tool } from './endpoint/surface.ts';
import { factsOf } from './kind.ts';
import { pricePayTo, readPayees } from './kinds/price.ts';
import { toolNames, toolsSurface } from './kinds/tools.ts';
import type { ObservationChange, StoredObservation } from './observation.ts';

const observationTable = table({
  handle: text,
  /** When the last run ended, whatever it found. */
  observed_at: text,
  observations: json<readonly StoredObservation[]>(),
  /** When an import changed what is to be checked; null once a run on that record has ended. */
  due_since: optional(text),
});
const changeTable = table({
  log_index: integer,
  handle: text,
  at: text,
  vantage: text,
  changes: json<readonly ObservationChange[]>(),
});
/** What one run found changed; the log commits to it. */
export type RecordedChange = ValueOf<typeof changeTable>;

const surfaceTable = table({
  handle: text,
  remote: text,
  /** Merkle root over the tools without their form, hex: the value of the fact. */
  digest: text,
  first_seen_at: text,
  tools: json<readonly Tool[]>(),
});
/** A set of tools as an endpoint sent it last; the five newest of each endpoint are stored, the one that its fact names first. */
export type ToolSurface = ValueOf<typeof surfaceTable>;

declare module '../store/store.ts' {
  interface Schema {
    observation: RowOf<typeof observationTable>;
    observation_change: RowOf<typeof changeTable>;
    tool_surface: RowOf<typeof surfaceTable>;
    /** When requests may be sent again to a host that asked to be left alone; `place` is the host itself, or an address of it. */
    observed_pause: { host: string; place: string; not_before: string };
  }
}

const storedSurfaces = 5;

const readObserved = precompileQuery((db, handle: string) =>
  db.selectFrom('observation').selectAll().where('handle', '=', handle),
);

/** The observations of a listing from the column of that name. */
export const decodeObservations = (observations: string) =>
  observationTable.decode({ observations }).observations;

/** The sets of tools stored for an endpoint, newest first, without their tools: each set may have 2 MiB. */
const readSets = async (db: Db, handle: string, remote: string) => {
  const sets = db.selectFrom('tool_surface').where('handle', '=', handle).where('remote', '=', remote);
  const size = sql<number>`octet_length(tools)`.as('size_bytes');
  const rows = sets.select(['digest', 'first_seen_at', size]).orderBy('first_seen_at', 'desc');
  return (await rows.execute()).map((row) => ({ ...row, size_bytes: Number(row.size_bytes) }));
};

/** Fewer tools are the same by chance. */
const fewestTools = 3;

/** What may be the same of another listing: its sets of tools, and the addresses that are paid. */
function toReferences(observations: readonly StoredObservation[]) {
  const seen = observations.filter(({ outcome }) => outcome === 'seen');
  const toReference = (of: 'tools' | 'pay_to', text: string, as_of: string) => ({
    ...{ key: toReferenceKey(of, text), kind: of, as_of },
  });
  const all = [
    ...factsOf(pricePayTo, seen).flatMap((one) =>
      readPayees(one.value).map((payee) => toReference('pay_to', payee, one.observed_at)),
    ),
    ...factsOf(toolsSurface, seen).flatMap((one) => {
      const isLong = toolNames(one.details?.tools).length >= fewestTools;
      return isLong && one.value !== null ? [toReference('tools', one.value, one.observed_at)] : [];
    }),
  ];
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

/** Reads of observations over any engine. */
export const createObservationReads = (db: Db) => ({
  /** Listings that were observed at least once. Reads the whole table. */
  async count() {
    const { listings } = await db
      .selectFrom('observation')
      .select(({ fn }) => fn.countAll<number>().as('listings'))
      .executeTakeFirstOrThrow();
    return Number(listings);
  },
  /** When a run last ended, RFC 3339; undefined before the first. */
  async lastRunAt() {
    const newest = db.selectFrom('observation').select('observed_at').orderBy('observed_at', 'desc').limit(1);
    return (await newest.executeTakeFirst())?.observed_at;
  },
  /** What was observed of a listing, as `observed_at` says when, and since when its record is another (`due_since`). */
  async ofListing(handle: string) {
    const [row] = await readObserved(db, handle);
    return row && observationTable.decode(row);
  },
  /** Changes of a listing, newest first, at most `limit`, before a log index if one is given. */
  async history(
    handle: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<RecordedChange[]> {
    const all = db.selectFrom('observation_change').selectAll().where('handle', '=', handle);
    const page = before === undefined ? all : all.where('log_index', '<', before);
    return (await page.orderBy('log_index', 'desc').limit(limit).execute()).map(changeTable.decode);
  },
  /** The digests of the sets of tools stored for an endpoint, newest first, with the size of each set as JSON. */
  surfaces: (handle: string, remote: string) => readSets(db, handle, remote),
  /** One set of tools stored for an endpoint, as its JSON text. */
  async surfaceText(handle: string, remote: string, digest: string) {
    const stored = db.selectFrom('tool_surface').select('tools').where('handle', '=', handle);
    return (await stored.where('remote', '=', remote).where('digest', '=', digest).executeTakeFirst())?.tools;
  },
  /** Visible listings after an id, in its order, with the time of their last run, and of a change of the record since. */
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
  /** When requests may be sent again to a host and to addresses of it that asked to be left alone, by host and address. */
  async pauses(host: string): Promise<ReadonlyMap<string, string>> {
    const rows = await db.selectFrom('observed_pause').selectAll().where('host', '=', host).execute();
    return new Map(rows.map(({ place, not_before }) => [place, not_before]));
  },
});

/** Writes of observations inside a transaction; `touch` names each listing whose facts changed. */
export const createObservationWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createObservationReads(db),
  /** Replaces what was observed of a listing; a change of its record after the one that was checked was read stays due. */
  async put(
    { handle, observed_at, observations }: Omit<ValueOf<typeof observationTable>, 'due_since'>,
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
    for (const one of await replaceChecked(db, handle, toReferences(observations))) touch(one);
  },
  /** Makes listings that were observed due for another run. */
  setDue: (handles: readonly string[], at: string) =>
    inChunks(handles, async (chunk) => {
      await db.updateTable('observation').set({ due_since: at }).where('handle', 'in', chunk).execute();
    }),
  async addChange(change: RecordedChange) {
    touch(change.handle);
    await db.insertInto('observation_change').values(changeTable.encode(change)).execute();
  },
  /** Stores a set of tools, and deletes all but the five newest of its endpoint. */
  async putSurface(surface: ToolSurface) {
    const { handle, remote } = surface;
    await upsert(db, 'tool_surface', surfaceTable.encode(surface), 'handle', 'remote', 'digest').execute();
    const old = (await readSets(db, handle, remote)).slice(storedSurfaces).map(({ digest }) => digest);
    if (old.length === 0) return;
    const stored = db.deleteFrom('tool_surface').where('handle', '=', handle).where('remote', '=', remote);
    await stored.where('digest', 'in', old).execute();
  },
  async putPauses(host: string, pauses: ReadonlyMap<string, string>) {
    for (const [place, not_before] of pauses)
      await upsert(db, 'observed_pause', { host, place, not_before }, 'host', 'place').execute();
  },
  /** Deletes pauses that ended before a time (RFC 3339). */
  async purgePauses(before: string) {
    await db.deleteFrom('observed_pause').where('not_before', '<', before).execute();
  },
});
