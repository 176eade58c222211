import { type ExpressionBuilder, sql } from 'kysely';
import { upsert } from '../store/query.ts';
import type { Db, Schema } from '../store/store.ts';
import type { RowOf } from '../store/table.ts';
import { type Delivery, deliveryTable, type Webhook, webhookTable } from './webhook.ts';

declare module '../store/store.ts' {
  interface Schema {
    webhook: RowOf<typeof webhookTable>;
    /** A change that an address has not accepted yet. What changed is read from evidence_change. */
    webhook_delivery: RowOf<typeof deliveryTable>;
  }
}

/** Deliveries that wait, are due, and have no earlier one of the same listing before them. */
const selectFirstDue = (db: Db, now: string) =>
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
function isBehind({ and, or, eb, exists, selectFrom }: ExpressionBuilder<Schema, 'webhook'>) {
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

/** Reads of webhooks over any engine. */
export const createWebhookReads = (db: Db) => ({
  async byId(id: string) {
    const row = await db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();
    return row && webhookTable.decode(row);
  },
  /** All, oldest first. */
  async list() {
    const rows = await db.selectFrom('webhook').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(webhookTable.decode);
  },
  /**
   * Active subscriptions that do not rest and may have something to send at a time: those of tags and views whenever
   * there is any later change. The one whose last turn is longest ago comes first.
   */
  async due(now: string, limit: number) {
    const rows = await db
      .selectFrom('webhook')
      .selectAll()
      .where('state', '=', 'active')
      .where(({ or, eb }) => or([eb('rest_until', 'is', null), eb('rest_until', '<=', now)]))
      .where((eb) => {
        const retries = selectFirstDue(db, now)
          .select('due.seq')
          .where('due.webhook_id', '=', sql.ref<string>('webhook.id'));
        return eb.or([eb.exists(retries), isBehind(eb)]);
      })
      .orderBy('served_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(webhookTable.decode);
  },
  /** Waiting deliveries whose time has come, oldest first; of each listing only the first. */
  async dueDeliveries(id: string, now: string, limit: number) {
    const due = selectFirstDue(db, now).selectAll('due').where('due.webhook_id', '=', id);
    return (await due.orderBy('due.seq').limit(limit).execute()).map(deliveryTable.decode);
  },
  /** Listings of which a delivery waits, and how many wait in all. */
  async waiting(id: string) {
    const ofWebhook = db.selectFrom('webhook_delivery').select('handle').where('webhook_id', '=', id);
    const rows = await ofWebhook.where('state', '=', 'waiting').execute();
    return { handles: [...new Set(rows.map(({ handle }) => handle))], count: rows.length };
  },
  /** Dead letters, of one subscription or of all, oldest first. */
  async dead(limit: number, id?: string) {
    const rows = db.selectFrom('webhook_delivery').selectAll().where('state', '=', 'dead');
    const chosen = id === undefined ? rows : rows.where('webhook_id', '=', id);
    return (await chosen.orderBy('webhook_id').orderBy('seq').limit(limit).execute()).map(
      deliveryTable.decode,
    );
  },
});

/** Writes of webhooks inside a transaction; they change no listing. */
export const createWebhookWrites = (db: Db) => ({
  ...createWebhookReads(db),
  /** Adds or replaces a subscription. */
  async put(webhook: Webhook) {
    await upsert(db, 'webhook', webhookTable.encode(webhook), 'id').execute();
  },
  /** Deletes it with its deliveries; whether there was one. */
  async remove(id: string) {
    await db.deleteFrom('webhook_delivery').where('webhook_id', '=', id).execute();
    const { numDeletedRows } = await db.deleteFrom('webhook').where('id', '=', id).executeTakeFirst();
    return numDeletedRows > 0n;
  },
  async putDelivery(delivery: Delivery) {
    await upsert(db, 'webhook_delivery', deliveryTable.encode(delivery), 'webhook_id', 'seq').execute();
  },
  async removeDelivery(id: string, seq: number) {
    await db.deleteFrom('webhook_delivery').where('webhook_id', '=', id).where('seq', '=', seq).execute();
  },
  /** Makes every waiting delivery due. */
  async hasten(id: string, next_at: string) {
    const all = db.updateTable('webhook_delivery').set({ next_at }).where('webhook_id', '=', id);
    await all.where('state', '=', 'waiting').execute();
  },
  /** Makes dead letters wait again, due at once with all their attempts; returns how many. */
  async revive(id: string, next_at: string, seq?: number) {
    const all = db
      .updateTable('webhook_delivery')
      .set({ state: 'waiting', attempts: 0, next_at })
      .where('webhook_id', '=', id)
      .where('state', '=', 'dead');
    const chosen = seq === undefined ? all : all.where('seq', '=', seq);
    return Number((await chosen.executeTakeFirst()).numUpdatedRows);
  },
});
