import type { Kysely } from 'kysely';
import type { SelectionSchema } from '../selections/schema.ts';
import type { RowsOf } from '../store/table.ts';
import { deliveryTable, webhookTable } from './webhook.ts';

export const webhookTables = [webhookTable, deliveryTable] as const;
export interface WebhookSchema extends SelectionSchema, RowsOf<typeof webhookTables> {}
export type Db = Kysely<WebhookSchema>;
