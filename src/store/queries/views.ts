import { sql } from 'kysely';
import type { ViewReads, ViewWrites } from '../contract/views.ts';
import type { Db } from '../engine.ts';
import { decodeChange, selectChanges } from './changes.ts';

/** Rows of view_member whose listing is in the view and listed. */
const selectMembers = (db: Db, view: string) =>
  db
    .selectFrom('view_member')
    .innerJoin('listing', 'listing.handle', 'view_member.handle')
    .where('view', '=', view)
    .where('left_seq', 'is', null)
    .where('listing.withdrawn', 'is', null);

const lastMove = sql<number>`coalesce(view_member.left_seq, view_member.joined_seq)`;

/** Reads of the members of views over any engine. */
export const createViewReads = (db: Db): ViewReads => ({
  passes: () => db.selectFrom('view_pass').selectAll().execute(),
  async members(view, after, limit) {
    const rows = selectMembers(db, view).where('view_member.handle', '>', after);
    const page = rows.select('view_member.handle').orderBy('view_member.handle').limit(limit);
    return (await page.execute()).map(({ handle }) => handle);
  },
  async count(view) {
    const { listings } = await selectMembers(db, view)
      .select(({ fn }) => fn.countAll<number>().as('listings'))
      .executeTakeFirstOrThrow();
    return Number(listings);
  },
  async spans(view, handles) {
    if (handles.length === 0) return [];
    const rows = await db
      .selectFrom('view_member')
      .select(['handle', 'joined_seq', 'left_seq'])
      .where('view', '=', view)
      .where('handle', 'in', [...handles])
      .execute();
    return rows.map(({ left_seq, ...row }) => ({ ...row, left_seq: left_seq ?? undefined }));
  },
  async moves(view, limit) {
    const rows = selectChanges(db)
      .innerJoin('view_member', (join) => join.on('evidence_change.seq', '=', lastMove))
      .where('view_member.view', '=', view)
      .orderBy(lastMove, 'desc')
      .limit(limit);
    return (await rows.execute()).map(decodeChange);
  },
  async unlisted() {
    const rows = await db
      .selectFrom('view_member')
      .leftJoin('listing', 'listing.handle', 'view_member.handle')
      .select('view_member.handle')
      .distinct()
      .where('left_seq', 'is', null)
      .where(({ or, eb }) => or([eb('listing.handle', 'is', null), eb('listing.withdrawn', 'is not', null)]))
      .execute();
    return rows.map(({ handle }) => handle);
  },
});

/** Writes of the members of views inside a transaction; `touch` names each listing that joined or left, and the view. */
export const createViewWrites = (db: Db, touch: (handle: string) => void): ViewWrites => ({
  ...createViewReads(db),
  async putSpan(view, { handle, joined_seq, left_seq = null }) {
    touch(handle);
    touch(view);
    await db
      .insertInto('view_member')
      .values({ view, handle, joined_seq, left_seq })
      .onConflict((conflict) => conflict.columns(['view', 'handle']).doUpdateSet({ joined_seq, left_seq }))
      .execute();
  },
  async putPass({ view, seq, passed_at }, before) {
    touch(view);
    await db
      .insertInto('view_pass')
      .values({ view, seq, passed_at })
      .onConflict((conflict) => conflict.column('view').doUpdateSet({ seq, passed_at }))
      .execute();
    const unused = db.selectFrom('view_pass').select('view').where('passed_at', '<', before);
    await db.deleteFrom('view_member').where('view', 'in', unused).execute();
    await db.deleteFrom('view_pass').where('passed_at', '<', before).execute();
  },
});
