import { currentFlag, precompileQuery } from '../store/query.ts';
import type { Db } from './schema.ts';

const selectNative = precompileQuery((db: Db, handle: string) =>
  db.selectNoFrom(({ exists, selectFrom }) => [
    selectFrom('claim').select('state').where('handle', '=', handle).as('state'),
    exists(
      selectFrom('rating')
        .select('id')
        .where('subject_handle', '=', handle)
        .where('is_current', '=', currentFlag),
    ).as('is_rated'),
  ]),
);

export async function readNativeFacts(db: Db, handle: string) {
  const [row] = await selectNative(db, handle);
  return { state: row?.state ?? undefined, isRated: Boolean(row?.is_rated) };
}
