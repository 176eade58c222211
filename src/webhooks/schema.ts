import type { Kysely } from 'kysely';
import type { SelectionSchema, SelectionTransaction } from '../selections/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import type { RowsOf } from '../store/table.ts';
import { deliveryTable, webhookTable } from './webhook.ts';

export const webhookTables = [webhookTable, deliveryTable] as const;
export interface WebhookSchema extends SelectionSchema, RowsOf<typeof webhookTables> {}
export type Db = Kysely<WebhookSchema>;
export interface WebhookTransaction extends SelectionTransaction, TransactionPart<'webhooks'> {}
