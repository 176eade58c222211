import type { Kysely } from 'kysely';
import type { ImportSchema, ImportTransaction } from '../imports/schema.ts';
import type { TransactionPart } from '../store/store.ts';

export interface DocumentSchema extends ImportSchema {}
export type Db = Kysely<DocumentSchema>;
export interface DocumentTransaction extends ImportTransaction, TransactionPart<'documents'> {}
