import type { Delivery, Webhook } from '../../evidence/webhook.ts';

export interface WebhookReads {
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
export interface WebhookWrites extends WebhookReads {
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
