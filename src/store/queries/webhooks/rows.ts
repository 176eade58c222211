import type { Delivery, Webhook } from '../../../evidence/webhook.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../../schema/webhooks.ts';

/** A subscription of its row. */
export const decodeWebhook = ({ kind, value, ...row }: WebhookRow): Webhook => ({
  ...row,
  filter: { kind, value },
  network: row.network ?? undefined,
  failing_since: row.failing_since ?? undefined,
  rest_until: row.rest_until ?? undefined,
  delivered_at: row.delivered_at ?? undefined,
  last_result: row.last_result ?? undefined,
});

/** The row of a subscription. */
export const encodeWebhook = ({ filter, ...webhook }: Webhook): WebhookRow => ({
  ...webhook,
  ...filter,
  network: webhook.network ?? null,
  failing_since: webhook.failing_since ?? null,
  rest_until: webhook.rest_until ?? null,
  delivered_at: webhook.delivered_at ?? null,
  last_result: webhook.last_result ?? null,
});

/** A delivery of its row. */
export const decodeDelivery = ({ result, ...row }: WebhookDeliveryRow): Delivery => ({
  ...row,
  result: result ?? undefined,
});
