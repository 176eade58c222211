import { sql } from 'kysely';
import { inChunks, precompileQuery } from '../store/query.ts';
import type { Db, Json, Time } from '../store/store.ts';
import type { Tool } from './kind.ts';
import type { ObservationChange, StoredObservation } from './observation.ts';

/** What one run found changed. */
export interface RecordedChange {
  readonly log_index: number;
  readonly handle: string;
  readonly at: string;
  readonly vantage: string;
  readonly changes: readonly ObservationChange[];
}

/** A set of tools as an endpoint sent it. */
export interface ToolSurface {
  readonly handle: string;
  readonly remote: string;
  /** The set's digest, hex. */
  readonly digest: string;
  readonly first_seen_at: string;
  readonly tools: readonly Tool[];
}

declare module '../store/store.ts' {
  interface Reads {
    readonly observations: ReturnType<typeof createObservationReads>;
  }
  interface Transaction {
    readonly observations: ReturnType<typeof createObservationWrites>;
  }
}

/** What this service last observed of a listing, in one row, because every reader wants all of it. */
export interface ObservationRow {
  handle: string;
  /** When the last run ended, whatever it found. */
  observed_at: Time;
  /** StoredObservation[] */
  observations: Json;
  /** When an import changed what is to be checked; null once a run on that record has ended. */
  due_since: Time | null;
}

/** What one run found changed; the log commits to it. */
export interface ObservationChangeRow extends Omit<RecordedChange, 'changes'> {
  /** ObservationChange[] */
  changes: Json;
}

/** Tool objects as an endpoint sent them; the five newest sets of each endpoint are stored. */
export interface ToolSurfaceRow extends Omit<ToolSurface, 'tools'> {
  tools: Json;
}

/** A host, or an address of it, that asked to be left alone for a while. */
export interface ObservedPauseRow {
  host: string;
  /** The host itself, or the address. */
  place: string;
  not_before: Time;
}

declare module '../store/store.ts' {
  interface Schema {
    observation: ObservationRow;
    observation_change: ObservationChangeRow;
    tool_surface: ToolSurfaceRow;
    observed_pause: ObservedPauseRow;
  }
}

const storedSurfaces = 5;

const readObserved = precompileQuery((db, handle: string) =>
  db.selectFrom('observation').selectAll().where('handle', '=', handle),
);

/** The observations of a listing from the column of that name. */
export const decodeObservations = (stored: string) => JSON.parse(stored) as StoredObservation[];

const readSurfaces = (db: Db, handle: string, remote: string) =>
  db
    .selectFrom('tool_surface')
    .selectAll()
    .where('handle', '=', handle)
    .where('remote', '=', remote)
    .orderBy('first_seen_at', 'desc')
    .execute();

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
    return row && { ...row, observations: decodeObservations(row.observations) };
  },
  /** Changes of a listing, newest first, at most `limit`, before a log index if one is given. */
  async history(
    handle: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<RecordedChange[]> {
    const all = db.selectFrom('observation_change').selectAll().where('handle', '=', handle);
    const page = before === undefined ? all : all.where('log_index', '<', before);
    const rows = await page.orderBy('log_index', 'desc').limit(limit).execute();
    return rows.map(({ changes, ...row }) => ({
      ...row,
      changes: JSON.parse(changes) as ObservationChange[],
    }));
  },
  /** The sets of tools stored for an endpoint, newest first. */
  surfaces: async (handle: string, remote: string): Promise<ToolSurface[]> =>
    (await readSurfaces(db, handle, remote)).map(({ tools, ...row }) => ({
      ...row,
      tools: JSON.parse(tools) as Tool[],
    })),
  /** One set of tools stored for an endpoint, as its JSON text. */
  async surfaceText(handle: string, remote: string, digest: string) {
    const stored = db.selectFrom('tool_surface').select('tools').where('handle', '=', handle);
    const row = stored.where('remote', '=', remote).where('digest', '=', digest).executeTakeFirst();
    return (await row)?.tools;
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
    {
      handle,
      observed_at,
      observations,
    }: {
      readonly handle: string;
      readonly observed_at: string;
      readonly observations: readonly StoredObservation[];
    },
    imported_at = observed_at,
  ) {
    touch(handle);
    const change = { observed_at, observations: JSON.stringify(observations) };
    const due_since = sql<
      string | null
    >`case when observation.due_since > ${imported_at} then observation.due_since end`;
    await db
      .insertInto('observation')
      .values({ handle, ...change, due_since: null })
      .onConflict((conflict) => conflict.column('handle').doUpdateSet({ ...change, due_since }))
      .execute();
  },
  /** Makes listings that were observed due for another run. */
  setDue: (handles: readonly string[], at: string) =>
    inChunks(handles, async (chunk) => {
      await db.updateTable('observation').set({ due_since: at }).where('handle', 'in', chunk).execute();
    }),
  async addChange({ changes, ...change }: RecordedChange) {
    await db
      .insertInto('observation_change')
      .values({ ...change, changes: JSON.stringify(changes) })
      .execute();
  },
  /** Stores a set of tools, and deletes all but the five newest of its endpoint. */
  async putSurface({ tools: sent, ...surface }: ToolSurface) {
    const { handle, remote, first_seen_at } = surface;
    const tools = JSON.stringify(sent);
    await db
      .insertInto('tool_surface')
      .values({ ...surface, tools })
      .onConflict((conflict) =>
        conflict.columns(['handle', 'remote', 'digest']).doUpdateSet({ first_seen_at, tools }),
      )
      .execute();
    const old = (await readSurfaces(db, handle, remote)).slice(storedSurfaces).map(({ digest }) => digest);
    if (old.length === 0) return;
    const stored = db.deleteFrom('tool_surface').where('handle', '=', handle).where('remote', '=', remote);
    await stored.where('digest', 'in', old).execute();
  },
  async putPauses(host: string, pauses: ReadonlyMap<string, string>) {
    for (const [place, not_before] of pauses)
      await db
        .insertInto('observed_pause')
        .values({ host, place, not_before })
        .onConflict((conflict) => conflict.columns(['host', 'place']).doUpdateSet({ not_before }))
        .execute();
  },
  /** Deletes pauses that ended before a time (RFC 3339). */
  async purgePauses(before: string) {
    await db.deleteFrom('observed_pause').where('not_before', '<', before).execute();
  },
});
