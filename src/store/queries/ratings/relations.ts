import { provenBy, type RecordedIdentity, rootIdentity } from '../../../evidence/rating/identity.ts';
import { isRelated, toRelationSides } from '../../../evidence/rating/relation.ts';
import type { SourceRoot } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
import { inChunks } from '../in-chunks.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { praises } from './group-case.ts';
import { settlePairsBy } from './pairs.ts';

/** What the records of two listings ever named, and what their namespaces and claims proved. */
export const readIdentities = precompileQuery((db, source: string, subject: string) =>
  db.selectFrom('recorded_identity').selectAll().where('handle', 'in', [source, subject]),
);

/** The same of some listings. */
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

/** Marks the ratings of a listing as related whose source has a proven account or domain in common with it. */
async function relateSubject(db: Db, handle: string): Promise<void> {
  const sources = await db
    .selectFrom('rating')
    .select(['source_handle', 'source_root', 'subject_handle'])
    .distinct()
    .where('subject_handle', '=', handle)
    .where('related', '=', 0)
    .execute();
  const recorded = await readIdentitiesOf(db, [handle]);
  for (const rating of sources) {
    const sides = toRelationSides(rating, recorded);
    const isAll = isRelated(sides, false);
    if (isAll || isRelated(sides, true))
      await db
        .updateTable('rating')
        .set({ related: 1 })
        .where('subject_handle', '=', handle)
        .where('source_handle', '=', rating.source_handle)
        .where('source_root', '=', rating.source_root)
        .$if(!isAll, (praise) => praise.where(praises))
        .execute();
  }
}

/** Records whom a claim proved to hold a listing; returns the handles whose ratings changed by that. */
export async function writeHolder(
  db: Db,
  handle: string,
  { root, at }: { readonly root: string; readonly at: string },
): Promise<string[]> {
  const proven = provenBy(root).map((value) => ({ value, kind: 'proven' as const }));
  const added = await writeIdentities(
    db,
    proven.map((one) => ({ ...one, handle, first_imported_at: at })),
  );
  if (added.length === 0) return [];
  await relateSubject(db, handle);
  return [handle, ...(await settlePairsBy(db, handle, rootIdentity(root)))];
}
