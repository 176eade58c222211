import { sql } from 'kysely';
import { handleParts } from '../core/handle.ts';
import { Holder } from '../core/identity.ts';
import { findOne } from '../store/query.ts';
import {
  type Feedback,
  feedbackTable,
  type Moderation,
  type ModerationTarget,
  moderationTable,
  reportCategory,
} from './moderation.ts';
import type { Db } from './schema.ts';

export interface Writer {
  readonly handle: string;
  readonly capability_id?: string | undefined;
  readonly roots: readonly string[];
  /** As whoever withdraws a rating. */
  readonly isTakingBack?: boolean;
}

const selectActive = (db: Db) =>
  db.selectFrom('moderation').selectAll().where('ended_by', 'is', null).orderBy('log_index');

const namespacesAbove = (namespace: string) =>
  namespace
    .toLowerCase()
    .split('.')
    .map((_, at, labels) => labels.slice(0, at + 1).join('.'));

const isOfRoot = (root: string) =>
  sql<boolean>`(${root} = target or ${root} = 'dns:' || target or ${root} like 'dns:%.' || target)`;

/** Adds identities, such as codeberg.org/alice for alice.codeberg.page. */
const withHolders = (roots: readonly string[]): string[] => [
  ...new Set(roots.flatMap((root) => [root.toLowerCase(), new Holder(root).id])),
];

/** With namespaces or domains below. */
const isBlocked = ({ handle, roots }: Pick<Writer, 'handle' | 'roots'>) =>
  sql<boolean>`(
    (target_kind = 'namespace' and target in (${sql.join(namespacesAbove(handleParts(handle).namespace))}))
    or (target_kind = 'account' and (${sql.join([sql`1 = 0`, ...withHolders(roots).map(isOfRoot)], sql` or `)})))`;

/** Against it, its capabilities, namespace, or the accounts and domains of its claim. */
export async function readModerationOf(
  db: Db,
  listing: Pick<Writer, 'handle' | 'roots'>,
): Promise<Moderation[]> {
  const rows = await selectActive(db)
    .where(({ eb, and, or }) =>
      or([
        and([eb('handle', '=', listing.handle), eb('target_kind', 'in', ['listing', 'capability'])]),
        isBlocked(listing),
      ]),
    )
    .execute();
  return rows.map(moderationTable.decode);
}

/** With older versions and responses, by log index of the record. */
export async function readModerationOfRatings(db: Db, subject: string): Promise<Map<number, Moderation[]>> {
  const found = new Map<number, Moderation[]>();
  const rows = selectActive(db)
    .where('target_kind', 'in', ['rating', 'response'])
    .where('handle', '=', subject);
  for (const one of (await rows.execute()).map(moderationTable.decode))
    for (const index of one.record_indexes) found.set(index, [...(found.get(index) ?? []), one]);
  return found;
}

/** Names of actions, by handle. */
export async function readModeratedListings(db: Db, handles: readonly string[]) {
  const found = new Map<string, Set<string>>();
  const rows = selectActive(db)
    .where('target_kind', '=', 'listing')
    .where('target', 'in', [...handles]);
  for (const { target, action } of await rows.execute())
    found.set(target, (found.get(target) ?? new Set()).add(action));
  return found;
}

const selectAgainst = (db: Db, { roots, handle, capability_id = '' }: Writer) =>
  selectActive(db).where(({ eb, and, or }) =>
    or([
      eb('target_kind', '=', 'network'),
      isBlocked({ handle, roots }),
      and([eb('target_kind', '=', 'capability'), eb('target', '=', capability_id)]),
      and([eb('target_kind', '=', 'listing'), eb('target', '=', handle), eb('action', '=', 'withdraw')]),
    ]),
  );

export const createModerationReads = (db: Db) => ({
  /** Oldest first. */
  async active({ target_kind, target }: ModerationTarget): Promise<Moderation[]> {
    const rows = selectActive(db).where('target_kind', '=', target_kind).where('target', '=', target);
    return (await rows.execute()).map(moderationTable.decode);
  },
  /** Oldest first. Without a writer, those against networks. */
  async against(writer: Writer | undefined): Promise<Moderation[]> {
    const rows = writer ? selectAgainst(db, writer) : selectActive(db).where('target_kind', '=', 'network');
    return (await rows.execute()).map(moderationTable.decode);
  },
  /** Of a subject's rating, or of the response. */
  async hiding(subject: string, recordIndex: number): Promise<Moderation | undefined> {
    const rows = await readModerationOfRatings(db, subject);
    return rows.get(recordIndex)?.find(({ action }) => action === 'hide');
  },
  /** In force, newest first. */
  async list(limit: number): Promise<Moderation[]> {
    const rows = db.selectFrom('moderation').selectAll().where('ended_by', 'is', null);
    return (await rows.orderBy('log_index', 'desc').limit(limit).execute()).map(moderationTable.decode);
  },
  /** By month (YYYY-MM, UTC), newest first. `undone`: ended ones. */
  async counts() {
    const rows = await db
      .selectFrom('moderation')
      .select(({ fn, lit }) => [
        fn<string>('substr', ['at', lit(1), lit(7)]).as('month'),
        'action',
        'target_kind',
        'reason',
        fn.countAll<number>().as('applied'),
        fn.count<number>('ended_by').as('undone'),
      ])
      .groupBy(['month', 'action', 'target_kind', 'reason'])
      .execute();
    const order = ({ month, action, target_kind, reason }: (typeof rows)[number]) =>
      [month, action, target_kind, reason].join(' ');
    return rows
      .map((row) => ({ ...row, applied: Number(row.applied), undone: Number(row.undone) }))
      .toSorted((a, b) => (order(a) < order(b) ? 1 : -1));
  },
});

/** `touch` receives the listing that shows the action, or undefined for all. */
export const createModerationWrites = (db: Db, touch: (handle: string | undefined) => void) => ({
  ...createModerationReads(db),
  /** Ratings and listings are written separately. */
  async add(moderation: Moderation): Promise<void> {
    touch(moderation.handle);
    await db.insertInto('moderation').values(moderationTable.encode(moderation)).execute();
  },
  async end(
    { log_index, handle }: Moderation,
    end: { ended_by: number; ended_at: string; end_reason: string },
  ): Promise<void> {
    touch(handle);
    await db.updateTable('moderation').set(end).where('log_index', '=', log_index).execute();
  },
});

/** Without `kind`, all pass. */
export interface FeedbackFilter {
  readonly state: 'open' | 'all';
  readonly kind?: 'report' | 'feedback' | undefined;
}

const selectFeedback = (db: Db, { state, kind }: FeedbackFilter) =>
  db
    .selectFrom('feedback')
    .$if(state === 'open', (query) => query.where('state', '=', 'open'))
    .$if(kind === 'report', (query) => query.where('category', '=', reportCategory))
    .$if(kind === 'feedback', (query) =>
      query.where(({ eb, or }) => or([eb('category', 'is', null), eb('category', '<>', reportCategory)])),
    );

export const createFeedbackReads = (db: Db) => ({
  async list(filter: FeedbackFilter, limit: number): Promise<Feedback[]> {
    const rows = selectFeedback(db, filter).selectAll().orderBy('received_at', 'desc').orderBy('id', 'desc');
    return (await rows.limit(limit).execute()).map(feedbackTable.decode);
  },
  async count(filter: FeedbackFilter): Promise<number> {
    const counted = selectFeedback(db, filter).select(({ fn }) => fn.countAll<number>().as('feedbacks'));
    return Number((await counted.executeTakeFirstOrThrow()).feedbacks);
  },
  /** `n` counts from 1, the newest. */
  async receivedAt(n: number): Promise<string | undefined> {
    const newest = db.selectFrom('feedback').select('received_at').orderBy('received_at', 'desc').limit(1);
    return (await newest.offset(n - 1).executeTakeFirst())?.received_at;
  },
  byId: (id: string): Promise<Feedback | undefined> => findOne(db, 'feedback', { id }, feedbackTable),
});

export const createFeedbackWrites = (db: Db) => ({
  ...createFeedbackReads(db),
  async add(feedback: Feedback): Promise<void> {
    await db.insertInto('feedback').values(feedbackTable.encode(feedback)).execute();
  },
  /** False if there is none. */
  async close(id: string): Promise<boolean> {
    const closing = db.updateTable('feedback').set({ state: 'closed' }).where('id', '=', id);
    return (await closing.executeTakeFirst()).numUpdatedRows > 0n;
  },
});
