import { type RawBuilder, sql } from 'kysely';

/** `column = excluded.column` for every column of a row: on a conflict, the new row replaces the old one. */
export const excluded = (row: object | undefined): Record<string, RawBuilder<never>> =>
  Object.fromEntries(Object.keys(row ?? {}).map((name) => [name, sql.ref<never>(`excluded.${name}`)]));
