import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Webhook } from '../evidence/webhook.ts';
import { Problem } from '../problem.ts';

const time = z.iso.datetime();

/** The document of a subscription, as its owner and the operator see it. */
export const shownWebhook = z.object({
  id: z.string(),
  url: z.string(),
  about: z.string().describe('all, or handle:, publisher:, tag: or view: and its value'),
  created_at: time,
  state: z
    .enum(['active', 'gone', 'failing', 'paused'])
    .describe(
      'gone: the address answered 410; failing: it accepted nothing for five days; paused: this service was restored from a backup, and its operator has not resumed it yet',
    ),
  position: z.int().describe('Every change up to this seq was accepted, or is tried again'),
  delivered: z.int().describe('Changes that the address accepted'),
  failures: z.int().describe('Attempts that failed in a row'),
  failing_since: time.optional(),
  rest_until: time.optional().describe('Nothing is sent before this time'),
  delivered_at: time.optional(),
  last_result: z.string().optional().describe('How the last attempt ended: HTTP 500, host_timeout'),
});

/** A subscription as its owner and the operator see it: without its secret and who registered it. */
export function toShownWebhook({
  secret: _secret,
  domain: _domain,
  network: _network,
  served_at: _servedAt,
  filter,
  ...webhook
}: Webhook): z.output<typeof shownWebhook> {
  const { kind, value } = filter;
  return { ...webhook, about: kind === 'all' ? 'all' : `${kind}:${value}` };
}

const isSame = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** The subscription of an id, for whoever has its secret. Throws not_found otherwise. */
export async function findOwned(id: string, secret: string, { store }: Context): Promise<Webhook> {
  const webhook = await store.webhooks.byId(id);
  if (webhook && isSame(webhook.secret, secret)) return webhook;
  throw new Problem('not_found', { detail: 'No webhook has this id and secret.' });
}
