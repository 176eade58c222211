import { sql } from 'kysely';
import { decodeChange, selectChanges } from '../log/changes.ts';
import type { Db, Time } from '../store/store.ts';

/** The time of a listing in a view, in positions of the stream of changes. */
export interface ViewSpan {
  readonly handle: string;
  /** The change with which it joined; 0 if it was there when the view was first judged. */
  readonly joined_seq: number;
  /** The change with which it left; undefined while it is in the view. */
  readonly left_seq: number | undefined;
}

export interface ViewPass {
  /** The view with its criteria (keyOf in config/files.ts). */
  readonly view: string;
  /** Changes after this position are not in it. */
  readonly seq: number;
  readonly passed_at: string;
}

declare module '../store/store.ts' {
  interface Schema {
    view_member: ViewMemberRow;
    view_pass: ViewPassRow;
  }
}

export interface ViewMemberRow {
  view: string;
  handle: string;
  joined_seq: number;
  left_seq: number | null;
}

export interface ViewPassRow {
  view: string;
  seq: number;
  passed_at: Time;
}

const selectMembers = (db: Db, view: string) =>
  db
    .selectFrom('view_member')
    .innerJoin('listing', 'listing.handle', 'view_member.handle')
    .where('view', '=', view)
    .where('left_seq', 'is', null)
    .where('listing.withdrawn', 'is', null);

const lastMove = sql<number>`coalesce(view_member.left_seq, view_member.joined_seq)`;

/** Which listings are in the operator's views, as they were last judged; a view is named by its key. */
export const createViewReads = (db: Db) => ({
  passes: () => db.selectFrom('view_pass').selectAll().execute(),
  /** Handles of listings in a view that are listed, after a handle and in their order. */
  async members(view: string, after: string, limit: number) {
    const rows = selectMembers(db, view).where('view_member.handle', '>', after);
    const page = rows.select('view_member.handle').orderBy('view_member.handle').limit(limit);
    return (await page.execute()).map(({ handle }) => handle);
  },
  async count(view: string) {
    const { listings } = await selectMembers(db, view)
      .select(({ fn }) => fn.countAll<number>().as('listings'))
      .executeTakeFirstOrThrow();
    return Number(listings);
  },
  /** Those of some listings that are or were in a view. */
  async spans(view: string, handles: readonly string[]) {
    if (handles.length === 0) return [];
    const rows = await db
      .selectFrom('view_member')
      .select(['handle', 'joined_seq', 'left_seq'])
      .where('view', '=', view)
      .where('handle', 'in', [...handles])
      .execute();
    return rows.map(({ left_seq, ...row }) => ({ ...row, left_seq: left_seq ?? undefined }));
  },
  /** The change with which each listing last joined or left a view, newest first. */
  async moves(view: string, limit: number) {
    const rows = selectChanges(db)
      .innerJoin('view_member', (join) => join.on('evidence_change.seq', '=', lastMove))
      .where('view_member.view', '=', view)
      .orderBy(lastMove, 'desc')
      .limit(limit);
    return (await rows.execute()).map(decodeChange);
  },
  /** Handles in any view that are not listed any more. */
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
export const createViewWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createViewReads(db),
  async putSpan(view: string, { handle, joined_seq, left_seq }: ViewSpan) {
    const change = { joined_seq, left_seq: left_seq ?? null };
    touch(handle);
    touch(view);
    await db
      .insertInto('view_member')
      .values({ view, handle, ...change })
      .onConflict((conflict) => conflict.columns(['view', 'handle']).doUpdateSet(change))
      .execute();
  },
  /** Records that all listings were judged, and forgets the views that no node judged since `before`. */
  async putPass({ view, seq, passed_at }: ViewPass, before: string) {
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
