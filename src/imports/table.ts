import type { Db, Json, Time } from '../store/store.ts';
import { type ImportRun, type QuarantinedRecord, type RunProgress, zeroImportCounts } from './import-run.ts';

declare module '../store/store.ts' {
  interface Schema {
    import_run: ImportRunRow;
    quarantine: QuarantineRow;
  }
  interface Reads {
    readonly imports: ReturnType<typeof createImportReads>;
  }
  interface Transaction {
    readonly imports: ReturnType<typeof createImportWrites>;
  }
}

/** One run of the import: its public report, and the place to resume from. */
export interface ImportRunRow {
  id: number;
  kind: 'full' | 'incremental';
  source: string;
  state: 'running' | 'done' | 'failed' | 'held';
  started_at: Time;
  finished_at: Time | null;
  updated_since: Time | null;
  cursor: string | null;
  /** RunProgress (imports/import-run.ts). */
  counts: Json;
  error: string | null;
}

/** A record that could not be read, with the reason; replaced when it is sent again. */
export interface QuarantineRow {
  name: string;
  version: string;
  reason: string;
  run_id: number;
  seen_at: Time;
}

/** Progress as the `counts` column holds it: one object, in which only the counts are numbers. */
const encodeProgress = ({ counts, newestUpdatedAt, recorded }: RunProgress): string =>
  JSON.stringify({ ...counts, ...(newestUpdatedAt && { newest_updated_at: newestUpdatedAt }), recorded });

/** Progress from the `counts` column; counts that a stored run does not have are zero. */
export function decodeProgress(json: string): RunProgress {
  const {
    newest_updated_at,
    recorded = {},
    ...counts
  } = JSON.parse(json) as Partial<RunProgress['counts']> & {
    newest_updated_at?: string;
    recorded?: RunProgress['recorded'];
  };
  return {
    counts: { ...zeroImportCounts, ...counts },
    newestUpdatedAt: newest_updated_at,
    recorded,
  };
}

/** A run without nulls. */
const decodeRun = ({ counts, ...row }: ImportRunRow): ImportRun => ({
  ...row,
  finished_at: row.finished_at ?? undefined,
  updated_since: row.updated_since ?? undefined,
  cursor: row.cursor ?? undefined,
  progress: decodeProgress(counts),
  error: row.error ?? undefined,
});

const optionalColumns = ['finished_at', 'updated_since', 'cursor', 'error'] as const;

/** The columns that a change sets; a field that is present and undefined becomes null. */
function encodeChange({ progress, ...change }: Partial<Omit<ImportRun, 'id'>>): Partial<ImportRunRow> {
  const cleared = optionalColumns.filter((column) => column in change && change[column] === undefined);
  return {
    ...change,
    ...Object.fromEntries(cleared.map((column) => [column, null])),
    ...(progress && { counts: encodeProgress(progress) }),
  };
}

/** A run as a row. */
const encodeRun = ({ id, kind, source, state, started_at, progress, ...run }: ImportRun): ImportRunRow => ({
  ...{ id, kind, source, state, started_at },
  finished_at: run.finished_at ?? null,
  updated_since: run.updated_since ?? null,
  cursor: run.cursor ?? null,
  counts: encodeProgress(progress),
  error: run.error ?? null,
});

interface RunFilter {
  readonly source?: string | undefined;
  readonly state?: ImportRun['state'];
  readonly kind?: ImportRun['kind'];
}

const readNewest = (db: Db, { source, state, kind }: RunFilter) =>
  db
    .selectFrom('import_run')
    .selectAll()
    .$if(source !== undefined, (query) => query.where('source', '=', source ?? ''))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'done'))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'full'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Reasons are a few fixed texts; the limit only bounds the read. */
const mostReasons = 100;

/** Reads of import runs and quarantine over any engine. */
export const createImportReads = (db: Db) => ({
  /** The latest run, and the latest one that completed; of one source if it is given. */
  last: async (source?: string) => {
    const run = await readNewest(db, { source });
    const done = await readNewest(db, { source, state: 'done' });
    return { run: run && decodeRun(run), done: done && decodeRun(done) };
  },
  /** The latest run of a source that read all of it, and completed. */
  lastFull: async (source: string) => {
    const run = await readNewest(db, { source, state: 'done', kind: 'full' });
    return run && decodeRun(run);
  },
  /** All runs in state `running`, whether or not a process still works on them. */
  running: async () => {
    const running = db.selectFrom('import_run').selectAll().where('state', '=', 'running');
    return (await running.orderBy('id').execute()).map(decodeRun);
  },
  /** How many records are quarantined for each reason, most first. */
  quarantineReasons: async () => {
    const counted = await db
      .selectFrom('quarantine')
      .select(({ fn }) => ['reason', fn.countAll<number>().as('records')])
      .groupBy('reason')
      .orderBy('records', 'desc')
      .orderBy('reason')
      .limit(mostReasons)
      .execute();
    return counted.map(({ reason, records }) => ({ reason, records: Number(records) }));
  },
  /** Quarantined records, newest first. */
  quarantined: (limit: number) =>
    db.selectFrom('quarantine').selectAll().orderBy('seen_at', 'desc').orderBy('name').limit(limit).execute(),
});

/** Writes of import runs and quarantine inside a transaction; `touchAll` is called when a run is done. */
export const createImportWrites = (db: Db, touchAll: () => void) => ({
  ...createImportReads(db),
  /** Adds a run and returns its id. */
  async startRun(run: Omit<ImportRun, 'id'>) {
    const id = ((await readNewest(db, {}))?.id ?? 0) + 1;
    await db
      .insertInto('import_run')
      .values(encodeRun({ id, ...run }))
      .execute();
    return id;
  },
  /** Changes the given fields of a run; a field given as undefined is cleared. */
  async saveRun(id: number, change: Partial<Omit<ImportRun, 'id'>>) {
    // The snapshot date of every listing is that of the last completed import.
    if (change.state === 'done') touchAll();
    await db.updateTable('import_run').set(encodeChange(change)).where('id', '=', id).execute();
  },
  async quarantine(records: readonly QuarantinedRecord[]) {
    if (records.length === 0) return;
    await db
      .insertInto('quarantine')
      .values([...records])
      .onConflict((conflict) =>
        conflict.columns(['name', 'version']).doUpdateSet(({ ref }) => ({
          reason: ref('excluded.reason'),
          run_id: ref('excluded.run_id'),
          seen_at: ref('excluded.seen_at'),
        })),
      )
      .execute();
  },
  /** Removes records from quarantine that have since been read. */
  async release(names: readonly { name: string; version: string }[]) {
    if (names.length === 0) return;
    await db
      .deleteFrom('quarantine')
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('name', 'version'),
          'in',
          names.map(({ name, version }) => tuple(name, version)),
        ),
      )
      .execute();
  },
});
