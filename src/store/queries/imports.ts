import type { Db } from '../engine.ts';
import type { ImportReads, ImportWrites } from '../store.ts';

const newestRun = (db: Db, source?: string) =>
  db
    .selectFrom('import_run')
    .selectAll()
    .$if(source !== undefined, (query) => query.where('source', '=', source ?? ''))
    .orderBy('id', 'desc')
    .limit(1);

/** Reasons are a few fixed texts; a store that holds more is not read to its end. */
const mostReasons = 100;

/** Reads of import runs and quarantine over any engine. */
export const createImportReads = (db: Db): ImportReads => ({
  last: async (source) => ({
    run: await newestRun(db, source).executeTakeFirst(),
    done: await newestRun(db, source).where('state', '=', 'done').executeTakeFirst(),
  }),
  running: () =>
    db.selectFrom('import_run').selectAll().where('state', '=', 'running').orderBy('id').execute(),
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

/** Writes of import runs and quarantine inside a transaction; `touchAll` learns of a run that ended well. */
export const createImportWrites = (db: Db, touchAll: () => void): ImportWrites => ({
  ...createImportReads(db),
  async startRun(run) {
    const id = ((await newestRun(db).executeTakeFirst())?.id ?? 0) + 1;
    await db
      .insertInto('import_run')
      .values({ id, ...run })
      .execute();
    return id;
  },
  async saveRun(id, change) {
    // Every listing's snapshot date moves with the last good import.
    if (change.state === 'done') touchAll();
    await db.updateTable('import_run').set(change).where('id', '=', id).execute();
  },
  async quarantine(rows) {
    if (rows.length === 0) return;
    await db
      .insertInto('quarantine')
      .values([...rows])
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
