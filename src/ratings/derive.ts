import { type RawBuilder, sql } from 'kysely';
import type { Holder } from '../core/identity.ts';
import { isRelated, toRelationSides } from './groups.ts';
import type { Db } from './schema.ts';
import { praises, type RatingRow } from './table.ts';

const listingsOf = (holder: RawBuilder<unknown>) =>
  sql`(select handle from recorded_identity where kind = 'proven' and value = ${holder})`;
const holdersOf = (handle: RawBuilder<unknown>) =>
  sql`(select value from recorded_identity where kind = 'proven' and handle = ${handle})`;

const isPaired = sql<boolean>`exists (
  select 1 from rating as back
  where back.source_identity in ${holdersOf(sql`rating.subject_handle`)}
    and back.subject_handle in ${listingsOf(sql`rating.source_identity`)}
    and back.source_identity <> rating.source_identity
    and back.withdrawn_at is null
    and back.first_created_at <= rating.pair_until
    and rating.first_created_at <= back.pair_until)`;

/** Reads the claim once for all ratings of the source. */
const isInForce = (source: string) => sql<boolean>`(rating.source_root, rating.source_root_generation) in (
  select root, root_generation from claim where handle = ${source} and state = 'claimed')`;

const oneIf = (condition: RawBuilder<boolean>) => sql<number>`case when ${condition} then 1 else 0 end`;

const derived = {
  is_current: oneIf(
    sql`rating.superseded_by is null and rating.withdrawn_at is null and rating.voided_at is null`,
  ),
  reciprocal: oneIf(sql`${praises} and ${isPaired}`),
  source_ended_at: (source: string, at: string) =>
    sql<string>`case when not ${isInForce(source)} then coalesce(rating.source_ended_at, cast(${at} as text)) end`,
};

async function writeDerived(
  db: Db,
  ids: RawBuilder<unknown>,
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
): Promise<string[]> {
  const named = Object.entries(columns).map(([name, value]) => ({ name: sql.ref(name), value }));
  const changes = sql.join(named.map(({ name, value }) => sql`${name} = ${value}`));
  const differs = named.map(({ name, value }) => sql`rating.${name} is distinct from ${value}`);
  const { rows } = await sql<Pick<RatingRow, 'subject_handle'>>`update rating set ${changes}
    where rating.id in (${ids}) and (${sql.join(differs, sql` or `)})
    returning subject_handle`.execute(db);
  return rows.map(({ subject_handle }) => subject_handle);
}

const withPairsOf = ({ id, source_identity, subject_handle, first_created_at, pair_until }: RatingRow) =>
  sql`select cast(${id} as text) union all select id from rating as back
    where back.source_identity in ${holdersOf(sql`${subject_handle}`)}
    and back.subject_handle in ${listingsOf(sql`${source_identity}`)}
    and back.first_created_at <= ${pair_until}
    and back.pair_until >= ${first_created_at}`;

async function relateSubject(db: Db, handle: string): Promise<void> {
  const sources = await db
    .selectFrom('rating')
    .select(['source_handle', 'source_root', 'subject_handle'])
    .distinct()
    .where('subject_handle', '=', handle)
    .where('related', '=', 0)
    .execute();
  const proven = db.selectFrom('recorded_identity').selectAll().where('handle', '=', handle);
  const recorded = await proven.where('kind', '=', 'proven').execute();
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

export type RatingCause =
  /** Superseded, voided or erased, or counts again. */
  | { readonly rating: string }
  /** Made or withdrawn, so pairs may have begun or ended. */
  | { readonly half: RatingRow }
  | { readonly source: string; readonly at: string }
  /** A claim showed who holds a rated listing. */
  | { readonly subject: string; readonly holder: Holder };

/**
 * Nothing else writes `is_current`, `reciprocal`, `source_ended_at` and `related` of a stored rating. Returns
 * the rated listings whose ratings may have changed.
 */
export async function rederive(db: Db, cause: RatingCause): Promise<string[]> {
  const { is_current, reciprocal, source_ended_at } = derived;
  if ('rating' in cause) return writeDerived(db, sql`${cause.rating}`, { is_current });
  if ('half' in cause) return writeDerived(db, withPairsOf(cause.half), { is_current, reciprocal });
  if ('source' in cause) {
    const { source, at } = cause;
    const ids = sql`select id from rating where source_handle = ${source}`;
    return writeDerived(db, ids, { source_ended_at: source_ended_at(source, at) });
  }
  const { subject, holder } = cause;
  await relateSubject(db, subject);
  const ids = sql`select id from rating where subject_handle = ${subject}
    union all select id from rating where source_identity = ${holder.id}`;
  return [subject, ...(await writeDerived(db, ids, { reciprocal }))];
}
