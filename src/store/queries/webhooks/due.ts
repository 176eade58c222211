import { type ExpressionBuilder, sql } from 'kysely';
import type { Db } from '../../engine.ts';
import type { Schema } from '../../schema/schema.ts';

/** Deliveries that wait, are due, and have no earlier one of the same listing before them. */
export const selectFirstDue = (db: Db, now: string) =>
  db
    .selectFrom('webhook_delivery as due')
    .where('due.state', '=', 'waiting')
    .where('due.next_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_delivery as earlier')
            .select('earlier.seq')
            .whereRef('earlier.webhook_id', '=', 'due.webhook_id')
            .whereRef('earlier.handle', '=', 'due.handle')
            .where('earlier.state', '=', 'waiting')
            .whereRef('earlier.seq', '<', 'due.seq'),
        ),
      ),
    );

/** Whether a change after the position may concern the subscription; each kind has an index that answers it. */
export function isBehind({ and, or, eb, exists, selectFrom }: ExpressionBuilder<Schema, 'webhook'>) {
  const later = selectFrom('evidence_change as later')
    .select('later.seq')
    .whereRef('later.seq', '>', 'webhook.position');
  // '0' is the character after '/'.
  const ofPublisher = later
    .where('later.handle', '>', sql<string>`webhook.value || '/'`)
    .where('later.handle', '<', sql<string>`webhook.value || '0'`);
  return or([
    and([eb('kind', 'in', ['all', 'tag', 'view']), exists(later)]),
    and([eb('kind', '=', 'handle'), exists(later.whereRef('later.handle', '=', 'webhook.value'))]),
    and([eb('kind', '=', 'publisher'), exists(ofPublisher)]),
  ]);
}
