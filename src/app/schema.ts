import type { Kysely } from 'kysely';
import { claimTables } from '../claims/schema.ts';
import { importTables } from '../imports/schema.ts';
import { limitTables } from '../limits/schema.ts';
import { listingTables } from '../listings/schema.ts';
import { logTables } from '../log/schema.ts';
import { moderationTables } from '../moderation/schema.ts';
import { observationTables } from '../observations/known/schema.ts';
import { ratingTables } from '../ratings/schema.ts';
import { searchTables } from '../search/schema.ts';
import type { EngineIndex } from '../search/search-index.ts';
import { selectionTables } from '../selections/schema.ts';
import { storeTables } from '../store/schema.ts';
import type { Engine } from '../store/store.ts';
import type { AnyTable } from '../store/table.ts';
import { type WebhookSchema, webhookTables } from '../webhooks/schema.ts';

/** The order of a backup. */
export const tables: readonly AnyTable[] = [
  ...storeTables,
  ...searchTables,
  ...limitTables,
  ...listingTables,
  ...importTables,
  ...claimTables,
  ...ratingTables,
  ...observationTables,
  ...selectionTables,
  ...webhookTables,
  ...moderationTables,
  ...logTables,
];

/** Of webhooks/, the highest of the modules with tables. */
export type Schema = WebhookSchema;
export type Db = Kysely<Schema>;

export interface SqlEngine extends Engine<Schema> {
  readonly search: EngineIndex;
}
