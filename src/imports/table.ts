import type { Db } from '../store/store.ts';
import type { RowOf } from '../store/table.ts';
import { type ImportRun, importRunTable, type QuarantinedRecord } from './import-run.ts';

declare module '../store/store.ts' {
  interface Schema {
    import_run: RowOf<typeof importRunTable>;
    quarantine: QuarantinedRecord;
  }
}

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
    return { run: run && importRunTable.decode(run), done: done && importRunTable.decode(done) };
  },
  /** The latest run of a source that read all of it, and completed. */
  lastFull: async (source: string) => {
    const run = await readNewest(db, { source, state: 'done', kind: 'full' });
    return run && importRunTable.decode(run);
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
      .values(importRunTable.encode({ id, ...run }))
      .execute();
    return id;
  },
  /** Changes the given fields of a run; a field given as undefined is cleared. */
  async saveRun(id: number, change: Partial<Omit<ImportRun, 'id'>>) {
    // The snapshot date of every listing is that of the last completed import.
    if (change.state === 'done') touchAll();
    await db
      .updateTable('import_run')
      .set(importRunTable.encodeChange(change))
      .where('id', '=', id)
      .execute();
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
