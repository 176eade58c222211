import type { RecordedIdentity } from '../../../evidence/rating/identity.ts';
import { isRelated } from '../../../evidence/rating/relation.ts';
import type { OppositeRatings, SourceRoot } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
import { inChunks } from '../in-chunks.ts';
import { precompileQuery } from '../precompiled-query.ts';

const readPair = precompileQuery((db, source: string, subject: string) =>
  db.selectFrom('recorded_identity').selectAll().where('handle', 'in', [source, subject]),
);

/** What the records of some listings ever named, and every account that claims of them proved. */
export const readIdentitiesOf = (db: Db, handles: readonly string[]): Promise<RecordedIdentity[]> =>
  db
    .selectFrom('recorded_identity')
    .selectAll()
    .where('handle', 'in', [...handles])
    .execute();

/** The listings that some listings rate or rated. */
export const readRatedBy = async (db: Db, handles: readonly string[]): Promise<string[]> => {
  if (handles.length === 0) return [];
  const rows = db.selectFrom('rating').select('subject_handle').distinct();
  return (await rows.where('source_handle', 'in', [...handles]).execute()).map(
    ({ subject_handle }) => subject_handle,
  );
};

/** Every account and host that the records of two listings ever named, and every account that claims proved. */
export const readIdentities = (db: Db, source: string, subject: string): Promise<RecordedIdentity[]> =>
  readPair(db, source, subject);

/** Adds identities that are not stored yet; the first date stays. Returns the handles that got one. */
export async function writeIdentities(db: Db, identities: readonly RecordedIdentity[]): Promise<string[]> {
  const added = new Set<string>();
  await inChunks(identities, async (chunk) => {
    const rows = await db
      .insertInto('recorded_identity')
      .values([...chunk])
      .onConflict((conflict) => conflict.columns(['handle', 'kind', 'value']).doNothing())
      .returning('handle')
      .execute();
    for (const { handle } of rows) added.add(handle);
  });
  return [...added];
}

/** Ratings in the other direction whose first version was made between two times, withdrawn ones included. */
export const readOpposites = (db: Db, { root, by, from, until }: OppositeRatings) =>
  db
    .selectFrom('rating')
    .select(['id', 'subject_handle', 'outcome', 'is_current', 'reciprocal', 'first_created_at'])
    .where('source_root', '=', by)
    .where('first_created_at', '>=', from)
    .where('first_created_at', '<=', until)
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('subject_root', '=', root),
        eb('subject_handle', 'in', selectFrom('claim').select('handle').where('root', '=', root)),
      ]),
    )
    .execute();

/** Marks ratings as halves of a reciprocal pair; returns the rated handles. */
export async function markReciprocal(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .updateTable('rating')
    .set({ reciprocal: 1 })
    .where('id', 'in', [...ids])
    .returning('subject_handle')
    .execute();
  return rows.map(({ subject_handle }) => subject_handle);
}

const rowsOfSource = (db: Db, handle: string) => db.updateTable('rating').where('source_handle', '=', handle);

/** Records which control root holds a listing from a time on; returns the handles that ratings by it are about. */
export async function writeSourceRoot(
  db: Db,
  handle: string,
  { held, at }: { readonly held: SourceRoot | undefined; readonly at: string },
): Promise<string[]> {
  const root = held?.root ?? '';
  const generation = held?.root_generation ?? -1;
  const ended = await rowsOfSource(db, handle)
    .set({ source_ended_at: at })
    .where('source_ended_at', 'is', null)
    .where(({ or, eb }) =>
      or([eb('source_root', '<>', root), eb('source_root_generation', '<>', generation)]),
    )
    .returning('subject_handle')
    .execute();
  const resumed = await rowsOfSource(db, handle)
    .set({ source_ended_at: null })
    .where('source_ended_at', 'is not', null)
    .where('source_root', '=', root)
    .where('source_root_generation', '=', generation)
    .returning('subject_handle')
    .execute();
  return [...ended, ...resumed].map(({ subject_handle }) => subject_handle);
}

/** Marks the ratings of a listing whose source has a proven namespace or account in common with a root it proved. */
export async function relateSubject(db: Db, handle: string, root: string): Promise<void> {
  const sources = await db
    .selectFrom('rating')
    .select(['source_handle', 'source_root'])
    .distinct()
    .where('subject_handle', '=', handle)
    .where('related', '=', 0)
    .execute();
  const subject = { handle, roots: [root], recorded: [] };
  for (const { source_handle, source_root } of sources)
    if (isRelated({ handle: source_handle, roots: [source_root], recorded: [] }, subject))
      await db
        .updateTable('rating')
        .set({ related: 1 })
        .where('subject_handle', '=', handle)
        .where('source_handle', '=', source_handle)
        .where('source_root', '=', source_root)
        .execute();
}
