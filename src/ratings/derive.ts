import { type RawBuilder, sql } from 'kysely';
import { Holder, namespaceIdentity, type RecordedIdentity } from '../core/identity.ts';
import { inChunks, precompileQuery } from '../store/query.ts';
import { isRelated, toRelationSides } from './groups.ts';
import type { Db } from './schema.ts';
import { praises, type RatingRow } from './table.ts';

/** Reads nothing else of the sources. */
const readNamed = precompileQuery(
  (
    db: Db,
    subject: string,
    sources: readonly string[],
    ofSubject: readonly string[],
    ofSources: readonly string[],
  ) => {
    const rows = db.selectFrom('recorded_identity');
    const proven = rows.where('handle', '=', subject).where('kind', '=', 'proven');
    const stated = rows.selectAll().where('kind', '=', 'stated');
    const bySources = stated.where('handle', 'in', sources);
    const shared = db
      .selectFrom('recorded_identity as one')
      .innerJoin('recorded_identity as other', 'other.value', 'one.value')
      .where('one.handle', '=', subject)
      .where('one.kind', '=', 'stated')
      .where('other.handle', 'in', sources)
      .where('other.kind', '=', 'stated');
    return proven
      .selectAll()
      .unionAll(bySources.where('value', 'in', proven.select('value')))
      .unionAll(bySources.where('value', 'in', ofSubject))
      .unionAll(stated.where('handle', '=', subject).where('value', 'in', ofSources))
      .unionAll(shared.selectAll('one'))
      .unionAll(shared.selectAll('other'));
  },
);

/** To a power of two, so that few queries are prepared. */
function padded(values: readonly string[]): string[] {
  const distinct = [...new Set(values)];
  const [last = ''] = distinct.slice(-1);
  const length = 2 ** Math.ceil(Math.log2(Math.max(distinct.length, 1)));
  return [...distinct, ...Array.from({ length: length - distinct.length }, () => last)];
}

type RatingSource = Pick<RatingRow, 'source_handle' | 'source_root'>;

export const readIdentities = (
  db: Db,
  subject: string,
  { sources, names = [] }: { readonly sources: readonly RatingSource[]; readonly names?: readonly string[] },
): Promise<RecordedIdentity[]> => {
  const proven = sources.flatMap(({ source_handle, source_root }) => [
    namespaceIdentity(source_handle),
    new Holder(source_root).id,
  ]);
  const handles = sources.map(({ source_handle }) => source_handle);
  return readNamed(
    ...([db, subject, padded(handles)] as const),
    ...([padded([namespaceIdentity(subject), ...names]), padded(proven)] as const),
  );
};

const mostStated = 200;

async function withinBounds(db: Db, identities: readonly RecordedIdentity[]): Promise<RecordedIdentity[]> {
  const stated = identities.filter(({ kind }) => kind === 'stated');
  if (stated.length === 0) return [...identities];
  const handles = [...new Set(stated.map(({ handle }) => handle))];
  const rows = db.selectFrom('recorded_identity').select(['handle', 'value']).where('kind', '=', 'stated');
  const known = new Map(handles.map((handle) => [handle, new Set<string>()]));
  for (const { handle, value } of await rows.where('handle', 'in', handles).execute())
    known.get(handle)?.add(value);
  return identities.filter(({ handle, kind, value }) => {
    const values = kind === 'stated' ? known.get(handle) : undefined;
    if (!values || values.has(value)) return true;
    return values.size < mostStated && values.add(value);
  });
}

/** Keeps first dates. Returns the listings with a new one. */
export async function writeIdentities(db: Db, identities: readonly RecordedIdentity[]): Promise<string[]> {
  const added = new Set<string>();
  await inChunks(await withinBounds(db, identities), async (chunk) => {
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

type RatingCause =
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
