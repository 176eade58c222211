import { type ImportRun, type RunProgress, zeroImportCounts } from '../../evidence/import-run.ts';
import type { ImportReads, ImportWrites } from '../contract/imports.ts';
import type { Db } from '../engine.ts';
import type { ImportRunRow } from '../schema.ts';

/** Progress as the `counts` column holds it: one object, in which only the counts are numbers. */
const encodeProgress = ({ counts, newestUpdatedAt }: RunProgress): string =>
  JSON.stringify({ ...counts, ...(newestUpdatedAt && { newest_updated_at: newestUpdatedAt }) });

/** Counts that a stored run does not have are zero. */
function decodeProgress(json: string): RunProgress {
  const { newest_updated_at, ...counts } = JSON.parse(json) as Partial<RunProgress['counts']> & {
    newest_updated_at?: string;
  };
  return { counts: { ...zeroImportCounts, ...counts }, newestUpdatedAt: newest_updated_at };
}

const decodeRun = ({ counts, ...row }: ImportRunRow): ImportRun => ({
  ...row,
  finished_at: row.finished_at ?? undefined,
  updated_since: row.updated_since ?? undefined,
  cursor: row.cursor ?? undefined,
  progress: decodeProgress(counts),
  error: row.error ?? undefined,
  lease_owner: row.lease_owner ?? undefined,
  lease_at: row.lease_at ?? undefined,
});

const optionalColumns = [
  'finished_at',
  'updated_since',
  'cursor',
  'error',
  'lease_owner',
  'lease_at',
] as const;

/** The columns that a change sets; a field that is present and undefined becomes null. */
function encodeChange({ progress, ...change }: Partial<Omit<ImportRun, 'id'>>): Partial<ImportRunRow> {
  const cleared = optionalColumns.filter((column) => column in change && change[column] === undefined);
  return {
    ...change,
    ...Object.fromEntries(cleared.map((column) => [column, null])),
    ...(progress && { counts: encodeProgress(progress) }),
  };
}

const encodeRun = ({ id, kind, source, state, started_at, progress, ...run }: ImportRun): ImportRunRow => ({
  ...{ id, kind, source, state, started_at },
  finished_at: run.finished_at ?? null,
  updated_since: run.updated_since ?? null,
  cursor: run.cursor ?? null,
  counts: encodeProgress(progress),
  error: run.error ?? null,
  lease_owner: run.lease_owner ?? null,
  lease_at: run.lease_at ?? null,
});

const readNewest = (db: Db, { source, state }: { source?: string | undefined; state?: ImportRun['state'] }) =>
  db
    .selectFrom('import_run')
    .selectAll()
    .$if(source !== undefined, (query) => query.where('source', '=', source ?? ''))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'done'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Reasons are a few fixed texts; the limit only bounds the read. */
const mostReasons = 100;

/** Reads of import runs and quarantine over any engine. */
export const createImportReads = (db: Db): ImportReads => ({
  last: async (source) => {
    const run = await readNewest(db, { source });
    const done = await readNewest(db, { source, state: 'done' });
    return { run: run && decodeRun(run), done: done && decodeRun(done) };
  },
  running: async () => {
    const running = db.selectFrom('import_run').selectAll().where('state', '=', 'running');
    return (await running.orderBy('id').execute()).map(decodeRun);
  },
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
  quarantined: (limit) =>
    db.selectFrom('quarantine').selectAll().orderBy('seen_at', 'desc').orderBy('name').limit(limit).execute(),
});

/** Writes of import runs and quarantine inside a transaction; `touchAll` is called when a run is done. */
export const createImportWrites = (db: Db, touchAll: () => void): ImportWrites => ({
  ...createImportReads(db),
  async startRun(run) {
    const id = ((await readNewest(db, {}))?.id ?? 0) + 1;
    await db
      .insertInto('import_run')
      .values(encodeRun({ id, ...run }))
      .execute();
    return id;
  },
  async saveRun(id, change) {
    // The snapshot date of every listing is that of the last completed import.
    if (change.state === 'done') touchAll();
    await db.updateTable('import_run').set(encodeChange(change)).where('id', '=', id).execute();
  },
  async quarantine(records) {
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
  async release(names) {
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
