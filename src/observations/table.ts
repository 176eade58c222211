import { sql } from 'kysely';
import { inChunks, precompileQuery } from '../store/query.ts';
import type { Db, Json, Time } from '../store/store.ts';
import type { ObservationChange, StoredObservation } from './observation.ts';

/** What was observed of one listing. Times are RFC 3339 UTC with milliseconds. */
interface ObservedListing {
  readonly handle: string;
  /** When the last look ended. */
  readonly observed_at: string;
  readonly observations: readonly StoredObservation[];
  /** When the record that was looked at changed since; absent if it is the same. */
  readonly due_since?: string;
}

/** When a listing was last looked at, and when its record changed after that. */
export interface LastLook {
  readonly observed_at: string | undefined;
  readonly due_since?: string | undefined;
}

/** What one look found changed. */
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
  /** The set's digest (evidence/kinds/tools/digest.ts), hex. */
  readonly digest: string;
  readonly first_seen_at: string;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}

interface ObservationReads {
  /** Listings that were looked at at least once. Reads the whole table. */
  count(): Promise<number>;
  /** When a look last ended, RFC 3339; undefined before the first. */
  lastLookAt(): Promise<string | undefined>;
  ofListing(handle: string): Promise<ObservedListing | undefined>;
  /** Changes of a listing, newest first, at most `limit`, before a log index if one is given. */
  history(
    handle: string,
    page: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<RecordedChange[]>;
  /** The sets of tools stored for an endpoint, newest first. */
  surfaces(handle: string, remote: string): Promise<ToolSurface[]>;
  /** One set of tools stored for an endpoint, as its JSON text. */
  surfaceText(handle: string, remote: string, digest: string): Promise<string | undefined>;
  /** Visible listings after an id, in its order, with the time of their last look, and of a change of the record since. */
  looks(
    afterId: number,
    limit: number,
  ): Promise<({ readonly id: number; readonly handle: string; readonly origin: string } & LastLook)[]>;
  /** When requests may be sent again to a host and to addresses of it that asked to be left alone, by host and address. */
  pauses(host: string): Promise<ReadonlyMap<string, string>>;
}

/** Writes of observations inside a transaction. */
interface ObservationWrites extends ObservationReads {
  /** Replaces what was observed of a listing; a change of its record after the one that was looked at was read stays due. */
  put(observed: Omit<ObservedListing, 'due_since'>, imported_at?: string): Promise<void>;
  /** Makes listings that were looked at due for another look. */
  setDue(handles: readonly string[], at: string): Promise<void>;
  addChange(change: RecordedChange): Promise<void>;
  /** Stores a set of tools, and deletes all but the five newest of its endpoint. */
  putSurface(surface: ToolSurface): Promise<void>;
  putPauses(host: string, pauses: ReadonlyMap<string, string>): Promise<void>;
  /** Deletes pauses that ended before a time (RFC 3339). */
  purgePauses(before: string): Promise<void>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly observations: ObservationReads;
  }
  interface Transaction {
    readonly observations: ObservationWrites;
  }
}

/** What this service last observed of a listing, in one row, because every reader wants all of it. */
export interface ObservationRow {
  handle: string;
  /** When the last look ended, whatever it found. */
  observed_at: Time;
  /** StoredObservation[] (evidence/observation). */
  observations: Json;
  /** When an import changed what is to be looked at; null once a look at that record has ended. */
  due_since: Time | null;
}

/** What one look found changed; the log commits to it. */
export interface ObservationChangeRow {
  log_index: number;
  handle: string;
  at: Time;
  vantage: string;
  /** ObservationChange[] (evidence/observation). */
  changes: Json;
}

/** Tool objects as an endpoint sent them; the five newest sets of each endpoint are stored. */
export interface ToolSurfaceRow {
  handle: string;
  remote: string;
  digest: string;
  first_seen_at: Time;
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

async function readObservations(db: Db, handle: string) {
  const [row] = await readObserved(db, handle);
  if (!row) return undefined;
  const { due_since, observations, ...rest } = row;
  return {
    ...rest,
    observations: decodeObservations(observations),
    ...(due_since !== null && { due_since }),
  };
}

const decodeChange = ({ changes, ...row }: ObservationChangeRow): RecordedChange => ({
  ...row,
  changes: JSON.parse(changes) as ObservationChange[],
});

const decodeSurface = ({ tools, ...row }: ToolSurfaceRow): ToolSurface => ({
  ...row,
  tools: JSON.parse(tools) as ToolSurface['tools'],
});

async function readPauses(db: Db, host: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('observed_pause').selectAll().where('host', '=', host).execute();
  return new Map(rows.map(({ place, not_before }) => [place, not_before]));
}

const readSurfaces = (db: Db, handle: string, remote: string) =>
  db
    .selectFrom('tool_surface')
    .selectAll()
    .where('handle', '=', handle)
    .where('remote', '=', remote)
    .orderBy('first_seen_at', 'desc')
    .execute();

/** Reads of observations over any engine. */
export const createObservationReads = (db: Db): ObservationReads => ({
  async count() {
    const { listings } = await db
      .selectFrom('observation')
      .select(({ fn }) => fn.countAll<number>().as('listings'))
      .executeTakeFirstOrThrow();
    return Number(listings);
  },
  async lastLookAt() {
    const newest = db.selectFrom('observation').select('observed_at').orderBy('observed_at', 'desc').limit(1);
    return (await newest.executeTakeFirst())?.observed_at;
  },
  ofListing: (handle) => readObservations(db, handle),
  async history(handle, { before, limit }) {
    const all = db.selectFrom('observation_change').selectAll().where('handle', '=', handle);
    const page = before === undefined ? all : all.where('log_index', '<', before);
    return (await page.orderBy('log_index', 'desc').limit(limit).execute()).map(decodeChange);
  },
  surfaces: async (handle, remote) => (await readSurfaces(db, handle, remote)).map(decodeSurface),
  async surfaceText(handle, remote, digest) {
    const row = await db
      .selectFrom('tool_surface')
      .select('tools')
      .where('handle', '=', handle)
      .where('remote', '=', remote)
      .where('digest', '=', digest)
      .executeTakeFirst();
    return row?.tools;
  },
  async looks(afterId, limit) {
    const rows = await db
      .selectFrom('listing')
      .leftJoin('observation', 'observation.handle', 'listing.handle')
      .select([
        'listing.id',
        'listing.handle',
        'listing.origin',
        'observation.observed_at',
        'observation.due_since',
      ])
      .where('listing.id', '>', afterId)
      .where('listing.withdrawn', 'is', null)
      .orderBy('listing.id')
      .limit(limit)
      .execute();
    return rows.map(({ observed_at, due_since, ...row }) => ({
      ...row,
      observed_at: observed_at ?? undefined,
      due_since: due_since ?? undefined,
    }));
  },
  pauses: (host) => readPauses(db, host),
});

async function putSurface(db: Db, { tools, ...surface }: ToolSurface): Promise<void> {
  const row = { ...surface, tools: JSON.stringify(tools) };
  await db
    .insertInto('tool_surface')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['handle', 'remote', 'digest'])
        .doUpdateSet({ first_seen_at: row.first_seen_at, tools: row.tools }),
    )
    .execute();
  const stored = await readSurfaces(db, row.handle, row.remote);
  const old = stored.slice(storedSurfaces).map(({ digest }) => digest);
  if (old.length === 0) return;
  await db
    .deleteFrom('tool_surface')
    .where('handle', '=', row.handle)
    .where('remote', '=', row.remote)
    .where('digest', 'in', old)
    .execute();
}

/** Writes of observations inside a transaction; `touch` names each listing whose facts changed. */
export const createObservationWrites = (db: Db, touch: (handle: string) => void): ObservationWrites => ({
  ...createObservationReads(db),
  async put({ handle, observed_at, observations }, imported_at = observed_at) {
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
  setDue: (handles, at) =>
    inChunks(handles, async (chunk) => {
      await db.updateTable('observation').set({ due_since: at }).where('handle', 'in', chunk).execute();
    }),
  async addChange({ changes, ...change }) {
    await db
      .insertInto('observation_change')
      .values({ ...change, changes: JSON.stringify(changes) })
      .execute();
  },
  putSurface: (surface) => putSurface(db, surface),
  async putPauses(host, pauses) {
    for (const [place, not_before] of pauses)
      await db
        .insertInto('observed_pause')
        .values({ host, place, not_before })
        .onConflict((conflict) => conflict.columns(['host', 'place']).doUpdateSet({ not_before }))
        .execute();
  },
  purgePauses: async (before) =>
    void (await db.deleteFrom('observed_pause').where('not_before', '<', before).execute()),
});
