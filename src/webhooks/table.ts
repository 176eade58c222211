import { type ExpressionBuilder, sql } from 'kysely';
import type { Db, Schema, Time } from '../store/store.ts';
import type { Delivery, Webhook } from './webhook.ts';

interface WebhookReads {
  byId(id: string): Promise<Webhook | undefined>;
  /** All, oldest first. */
  list(): Promise<Webhook[]>;
  /**
   * Active subscriptions that do not rest and may have something to send at a time: those of tags and views whenever
   * there is any later change. The one whose last turn is longest ago comes first.
   */
  due(now: string, limit: number): Promise<Webhook[]>;
  /** Waiting deliveries whose time has come, oldest first; of each listing only the first. */
  dueDeliveries(id: string, now: string, limit: number): Promise<Delivery[]>;
  /** Listings of which a delivery waits, and how many wait in all. */
  waiting(id: string): Promise<{ readonly handles: readonly string[]; readonly count: number }>;
  /** Dead letters, of one subscription or of all, oldest first. */
  dead(limit: number, id?: string): Promise<Delivery[]>;
}

/** Writes of webhooks inside a transaction; they change no listing. */
interface WebhookWrites extends WebhookReads {
  /** Adds or replaces a subscription. */
  put(webhook: Webhook): Promise<void>;
  /** Deletes it with its deliveries; whether there was one. */
  remove(id: string): Promise<boolean>;
  putDelivery(delivery: Delivery): Promise<void>;
  removeDelivery(id: string, seq: number): Promise<void>;
  /** Makes every waiting delivery due. */
  hasten(id: string, now: string): Promise<void>;
  /** Makes dead letters wait again, due at once with all their attempts; returns how many. */
  revive(id: string, now: string, seq?: number): Promise<number>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly webhooks: WebhookReads;
  }
  interface Transaction {
    readonly webhooks: WebhookWrites;
  }
}

/** A subscription to changes. */
export interface WebhookRow {
  id: string;
  url: string;
  domain: string;
  network: string | null;
  /** In clear text, because every message is signed with it. */
  secret: string;
  kind: Webhook['filter']['kind'];
  value: string;
  created_at: Time;
  state: Webhook['state'];
  served_at: Time;
  position: number;
  delivered: number;
  failures: number;
  failing_since: Time | null;
  rest_until: Time | null;
  delivered_at: Time | null;
  last_result: string | null;
}

/** A change that an address has not accepted yet. What changed is read from evidence_change. */
export interface WebhookDeliveryRow {
  webhook_id: string;
  seq: number;
  handle: string;
  state: Delivery['state'];
  attempts: number;
  next_at: Time;
  result: string | null;
}

declare module '../store/store.ts' {
  interface Schema {
    webhook: WebhookRow;
    webhook_delivery: WebhookDeliveryRow;
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

/** A subscription of its row. */
const decodeWebhook = ({ kind, value, ...row }: WebhookRow): Webhook => ({
  ...row,
  filter: { kind, value },
  network: row.network ?? undefined,
  failing_since: row.failing_since ?? undefined,
  rest_until: row.rest_until ?? undefined,
  delivered_at: row.delivered_at ?? undefined,
  last_result: row.last_result ?? undefined,
});

/** The row of a subscription. */
const encodeWebhook = ({ filter, ...webhook }: Webhook): WebhookRow => ({
  ...webhook,
  ...filter,
  network: webhook.network ?? null,
  failing_since: webhook.failing_since ?? null,
  rest_until: webhook.rest_until ?? null,
  delivered_at: webhook.delivered_at ?? null,
  last_result: webhook.last_result ?? null,
});

/** A delivery of its row. */
const decodeDelivery = ({ result, ...row }: WebhookDeliveryRow): Delivery => ({
  ...row,
  result: result ?? undefined,
});

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
