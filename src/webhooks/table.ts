import { sql } from 'kysely';
import { findOne, upsert } from '../store/query.ts';
import type { RowOf } from '../store/table.ts';
import type { Db } from './schema.ts';
import { type Delivery, deliveryTable, type Webhook, webhookTable } from './webhook.ts';

/** Due deliveries without an earlier waiting one of their listing. */
const firstDue = (now: string) =>
  sql`webhook_delivery as due where due.state = 'waiting' and due.next_at <= ${now} and not exists (
    select 1 from webhook_delivery as earlier where earlier.webhook_id = due.webhook_id
    and earlier.handle = due.handle and earlier.state = 'waiting' and earlier.seq < due.seq)`;

const later = sql`select 1 from evidence_change as later where later.seq > webhook.position`;

/** A later change may concern the subscription. '0' follows '/'. */
const isBehind = sql`(kind in ('all', 'tag', 'view') and exists (${later})
  or kind = 'handle' and exists (${later} and later.handle = webhook.value)
  or kind = 'publisher' and exists (${later} and later.handle > webhook.value || '/' and later.handle < webhook.value || '0'))`;

export const createWebhookReads = (db: Db) => ({
  byId: (id: string) => findOne(db, 'webhook', { id }, webhookTable),
  async list() {
    const rows = await db.selectFrom('webhook').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(webhookTable.decode);
  },
  /** Those that may have something to send, any change for a tag or view; the longest waiting first. */
  async due(now: string, limit: number) {
    const { rows } = await sql<RowOf<typeof webhookTable>>`select * from webhook
      where state = 'active' and (rest_until is null or rest_until <= ${now})
      and (exists (select 1 from ${firstDue(now)} and due.webhook_id = webhook.id) or ${isBehind})
      order by served_at, id limit ${limit}`.execute(db);
    return rows.map(webhookTable.decode);
  },
  /** Oldest first, one of each listing. */
  async dueDeliveries(id: string, now: string, limit: number) {
    const { rows } = await sql<RowOf<typeof deliveryTable>>`select due.* from ${firstDue(now)}
      and due.webhook_id = ${id} order by due.seq limit ${limit}`.execute(db);
    return rows.map(deliveryTable.decode);
  },
  async waiting(id: string) {
    const ofWebhook = db.selectFrom('webhook_delivery').select('handle').where('webhook_id', '=', id);
    const rows = await ofWebhook.where('state', '=', 'waiting').execute();
    return { handles: [...new Set(rows.map(({ handle }) => handle))], count: rows.length };
  },
  async dead(limit: number, id?: string) {
    const rows = db.selectFrom('webhook_delivery').selectAll().where('state', '=', 'dead');
    const chosen = id === undefined ? rows : rows.where('webhook_id', '=', id);
    return (await chosen.orderBy('webhook_id').orderBy('seq').limit(limit).execute()).map(
      deliveryTable.decode,
    );
  },
});

export const createWebhookWrites = (db: Db) => ({
  ...createWebhookReads(db),
  async put(webhook: Webhook) {
    await upsert(db, 'webhook', webhookTable.encode(webhook), 'id').execute();
  },
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
  async hasten(id: string, next_at: string) {
    const all = db.updateTable('webhook_delivery').set({ next_at }).where('webhook_id', '=', id);
    await all.where('state', '=', 'waiting').execute();
  },
  /** They wait again, with all their attempts. */
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
