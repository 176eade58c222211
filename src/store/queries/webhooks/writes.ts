import type { WebhookWrites } from '../../contract/webhooks.ts';
import type { Db } from '../../engine.ts';
import { createWebhookReads } from './reads.ts';
import { encodeWebhook } from './rows.ts';

async function revive(db: Db, id: string, at: { now: string; seq: number | undefined }): Promise<number> {
  const all = db
    .updateTable('webhook_delivery')
    .set({ state: 'waiting', attempts: 0, next_at: at.now })
    .where('webhook_id', '=', id)
    .where('state', '=', 'dead');
  const chosen = at.seq === undefined ? all : all.where('seq', '=', at.seq);
  return Number((await chosen.executeTakeFirst()).numUpdatedRows);
}

/** Writes of webhooks inside a transaction. */
export const createWebhookWrites = (db: Db): WebhookWrites => ({
  ...createWebhookReads(db),
  async put(webhook) {
    const { id, ...change } = encodeWebhook(webhook);
    await db
      .insertInto('webhook')
      .values({ id, ...change })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
      .execute();
  },
  async remove(id) {
    await db.deleteFrom('webhook_delivery').where('webhook_id', '=', id).execute();
    const { numDeletedRows } = await db.deleteFrom('webhook').where('id', '=', id).executeTakeFirst();
    return numDeletedRows > 0n;
  },
  async putDelivery({ webhook_id, seq, ...delivery }) {
    const change = { ...delivery, result: delivery.result ?? null };
    await db
      .insertInto('webhook_delivery')
      .values({ webhook_id, seq, ...change })
      .onConflict((conflict) => conflict.columns(['webhook_id', 'seq']).doUpdateSet(change))
      .execute();
  },
  async removeDelivery(id, seq) {
    await db.deleteFrom('webhook_delivery').where('webhook_id', '=', id).where('seq', '=', seq).execute();
  },
  async hasten(id, now) {
    await db
      .updateTable('webhook_delivery')
      .set({ next_at: now })
      .where('webhook_id', '=', id)
      .where('state', '=', 'waiting')
      .execute();
  },
  revive: (id, now, seq) => revive(db, id, { now, seq }),
});
