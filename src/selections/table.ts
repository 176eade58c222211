import { sql } from 'kysely';
import { decodeChange, selectChanges } from '../listings/changes.ts';
import { upsert } from '../store/query.ts';
import type { Db, SelectionSchema } from './schema.ts';

const selectMembers = (db: Db, view: string) =>
  db
    .selectFrom('view_member')
    .innerJoin('listing', 'listing.handle', 'view_member.handle')
    .where('view', '=', view)
    .where('left_seq', 'is', null)
    .where('listing.withdrawn', 'is', null);

const lastMove = sql<number>`coalesce(view_member.left_seq, view_member.joined_seq)`;

/** `view` is `keyOf` (config/files.ts). */
export const createSelectionReads = (db: Db) => ({
  passes: () => db.selectFrom('view_pass').selectAll().execute(),
  /** Without withdrawn ones. */
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
  async spans(view: string, handles: readonly string[]) {
    if (handles.length === 0) return [];
    return db
      .selectFrom('view_member')
      .select(['handle', 'joined_seq', 'left_seq'])
      .where('view', '=', view)
      .where('handle', 'in', [...handles])
      .execute();
  },
  /** Last joining or leaving of each, newest first. */
  async moves(view: string, limit: number) {
    const seqs = db
      .selectFrom('view_member')
      .select(lastMove.as('seq'))
      .where('view', '=', view)
      .orderBy(lastMove, 'desc')
      .limit(limit);
    const rows = selectChanges(db)
      .where('evidence_change.seq', 'in', seqs)
      .orderBy('evidence_change.seq', 'desc');
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

/** `touch` receives listings that joined or left, and the selection's key. */
export const createSelectionWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createSelectionReads(db),
  async putSpan(span: SelectionSchema['view_member']) {
    touch(span.handle);
    touch(span.view);
    await upsert(db, 'view_member', span, 'view', 'handle').execute();
  },
  /** Forgets selections that no node has judged since `before`. */
  async putPass(pass: SelectionSchema['view_pass'], before: string) {
    touch(pass.view);
    await upsert(db, 'view_pass', pass, 'view').execute();
    const unused = db.selectFrom('view_pass').select('view').where('passed_at', '<', before);
    await db.deleteFrom('view_member').where('view', 'in', unused).execute();
    await db.deleteFrom('view_pass').where('passed_at', '<', before).execute();
  },
});
