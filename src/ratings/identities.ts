import { Holder, namespaceIdentity, type RecordedIdentity } from '../core/identity.ts';
import { inChunks, precompileQuery } from '../store/query.ts';
import type { Db } from './schema.ts';
import type { RatingRow } from './table.ts';

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
