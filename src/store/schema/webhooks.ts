import type { Delivery, Webhook } from '../../evidence/webhook.ts';
import type { Time } from './columns.ts';

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
