import type { Kysely } from 'kysely';
import type { ClaimSchema, ClaimTransaction } from '../claims/schema.ts';
import type { RecordedIdentity } from '../core/identity.ts';
import type { TransactionPart } from '../store/store.ts';
import { oneOf, type RowsOf, table, text } from '../store/table.ts';
import { type RatingRow, ratingTable, responseTable } from './table.ts';

/** SHA-256 (hex) of a proof's identity; deleted when its rating is erased. */
const proofTable = table('spent_proof', ['digest'], { digest: text, rating_id: text });

/** core/identity.ts */
const identityTable = table('recorded_identity', ['handle', 'kind', 'value'], {
  handle: text,
  kind: oneOf<RecordedIdentity['kind']>(),
  value: text,
  first_imported_at: text,
});

export const ratingTables = [ratingTable, identityTable, responseTable, proofTable] as const;
export interface RatingSchema extends ClaimSchema, RowsOf<typeof ratingTables> {
  rating: RatingRow;
}
export type Db = Kysely<RatingSchema>;
export interface RatingTransaction extends ClaimTransaction, TransactionPart<'ratings'> {}
