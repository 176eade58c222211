import type { Kysely } from 'kysely';
import type { ListingSchema, ListingTransaction } from '../listings/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, json, noBackup, oneOf, optional, type RowsOf, table, text } from '../store/table.ts';
import { type ClaimEvent, type ClaimKind, capabilityTable, claimTable, optOutTable } from './claim.ts';
import { receiptKeyTable } from './receipt-keys.ts';

/** For an opt-out line, only if the control root of the claim holds its location. */
export const eventTable = table('claim_event', ['log_index'], {
  log_index: integer,
  handle: text,
  type: oneOf<ClaimEvent['type']>(),
  at: text,
  kind: oneOf<ClaimKind>(),
  place: text,
  root: optional(text),
  root_generation: optional(integer),
  commit: optional(text),
  reason: optional(text),
  capability_id: optional(text),
  keys: optional(json<NonNullable<ClaimEvent['keys']>>()),
});

/** The secret is base64. */
const signingKeyTable = table('claim_key', ['kid'], { kid: integer, secret: text, created_at: text });

/** Of locations (checks/shared.ts). `place` is a name of `toCheckName`. */
export const checkTable = table('claim_check', noBackup, {
  handle: text,
  place: text,
  begun_at: text,
  /** Of the check's lease, which tells two checks apart. */
  owner: text,
  outcome: json<object>(),
});

export const claimTables = [
  claimTable,
  eventTable,
  signingKeyTable,
  receiptKeyTable,
  capabilityTable,
  optOutTable,
  checkTable,
] as const;
export interface ClaimSchema extends ListingSchema, RowsOf<typeof claimTables> {}
export type Db = Kysely<ClaimSchema>;
export interface ClaimTransaction
  extends ListingTransaction,
    TransactionPart<'claims' | 'checks' | 'optOuts'> {}
