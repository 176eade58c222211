import { upsert } from '../store/query.ts';
import { type ImportRun, importRunTable } from './import-run.ts';
import type { Db, ImportSchema } from './schema.ts';

async function readNewest(db: Db, where: Partial<Pick<ImportRun, 'source' | 'state' | 'kind'>>) {
  const runs = db.selectFrom('import_run').selectAll();
  const found = runs
    .where(({ and }) => and(where))
    .orderBy('id', 'desc')
    .limit(1);
  const row = await found.executeTakeFirst();
  return row && importRunTable.decode(row);
}

export const createImportReads = (db: Db) => ({
  /** `done`: the latest one completed. */
  last: async (source?: string) => {
    const where = source === undefined ? {} : { source };
    return { run: await readNewest(db, where), done: await readNewest(db, { ...where, state: 'done' }) };
  },
  lastFull: (source: string) => readNewest(db, { source, state: 'done', kind: 'full' }),
  /** The most frequent first; a few fixed texts. */
  quarantineReasons: async () => {
    const counted = await db
      .selectFrom('quarantine')
      .select(({ fn }) => ['reason', fn.countAll<number>().as('records')])
      .groupBy('reason')
      .orderBy('records', 'desc')
      .orderBy('reason')
      .execute();
    return counted.map(({ reason, records }) => ({ reason, records: Number(records) }));
  },
  quarantined: (limit: number) =>
    db.selectFrom('quarantine').selectAll().orderBy('seen_at', 'desc').orderBy('name').limit(limit).execute(),
});

/** `touchAll`: a run is done. */
export const createImportWrites = (db: Db, touchAll: () => void) => ({
  ...createImportReads(db),
  async startRun(run: Omit<ImportRun, 'id'>) {
    const id = ((await readNewest(db, {}))?.id ?? 0) + 1;
    await db
      .insertInto('import_run')
      .values(importRunTable.encode({ id, ...run }))
      .execute();
    return id;
  },
  /** Undefined clears a field. */
  async saveRun(id: number, change: Partial<Omit<ImportRun, 'id'>>) {
    // Every listing shows its date.
    if (change.state === 'done') touchAll();
    await db
      .updateTable('import_run')
      .set(importRunTable.encodeChange(change))
      .where('id', '=', id)
      .execute();
  },
  async quarantine(records: readonly ImportSchema['quarantine'][]) {
    if (records.length > 0) await upsert(db, 'quarantine', records, 'name', 'version').execute();
  },
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
