import { sql } from 'kysely';
import type { WebhookReads } from '../../contract/webhooks.ts';
import type { Db } from '../../engine.ts';
import { isBehind, selectFirstDue } from './due.ts';
import { decodeDelivery, decodeWebhook } from './rows.ts';

/** Reads of webhooks over any engine. */
export const createWebhookReads = (db: Db): WebhookReads => ({
  async byId(id) {
    const row = await db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();
    return row && decodeWebhook(row);
  },
  async list() {
    return (await db.selectFrom('webhook').selectAll().orderBy('created_at').orderBy('id').execute()).map(
      decodeWebhook,
    );
  },
  async due(now, limit) {
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
    return rows.map(decodeWebhook);
  },
  async dueDeliveries(id, now, limit) {
    const due = selectFirstDue(db, now).selectAll('due').where('due.webhook_id', '=', id);
    return (await due.orderBy('due.seq').limit(limit).execute()).map(decodeDelivery);
  },
  async waiting(id) {
    const rows = await db
      .selectFrom('webhook_delivery')
      .select('handle')
      .where('webhook_id', '=', id)
      .where('state', '=', 'waiting')
      .execute();
    return { handles: [...new Set(rows.map(({ handle }) => handle))], count: rows.length };
  },
  async dead(limit, id) {
    const rows = db.selectFrom('webhook_delivery').selectAll().where('state', '=', 'dead');
    const chosen = id === undefined ? rows : rows.where('webhook_id', '=', id);
    return (await chosen.orderBy('webhook_id').orderBy('seq').limit(limit).execute()).map(decodeDelivery);
  },
});
