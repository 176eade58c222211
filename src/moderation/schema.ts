import type { Kysely } from 'kysely';
import type { LogSchema, LogTransaction } from '../log/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import type { RowsOf } from '../store/table.ts';
import { feedbackTable, moderationTable } from './moderation.ts';

export const moderationTables = [moderationTable, feedbackTable] as const;
export interface ModerationSchema extends LogSchema, RowsOf<typeof moderationTables> {}
export type Db = Kysely<ModerationSchema>;
export interface ModerationTransaction extends LogTransaction, TransactionPart<'moderation' | 'feedback'> {}
