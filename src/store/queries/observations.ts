import { sql } from 'kysely';
import type { ObservationChange, StoredObservation } from '../../evidence/observation/observation.ts';
import type {
  ObservationReads,
  ObservationWrites,
  RecordedChange,
  ToolSurface,
} from '../contract/observations.ts';
import type { Db } from '../engine.ts';
import type { ObservationChangeRow, ToolSurfaceRow } from '../schema/observations.ts';
import { inChunks } from './in-chunks.ts';
import { precompileQuery } from './precompiled-query.ts';

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
