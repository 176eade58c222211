import type { ImportRun } from '../../evidence/import-run.ts';
import type { ImportReads, ImportWrites } from '../contract/imports.ts';
import type { Db } from '../engine.ts';
import { decodeRun, encodeChange, encodeRun } from './import-rows.ts';

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
export const createImportReads = (db: Db): ImportReads => ({
  last: async (source) => {
    const run = await readNewest(db, { source });
    const done = await readNewest(db, { source, state: 'done' });
    return { run: run && decodeRun(run), done: done && decodeRun(done) };
  },
  lastFull: async (source) => {
    const run = await readNewest(db, { source, state: 'done', kind: 'full' });
    return run && decodeRun(run);
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
