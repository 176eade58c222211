import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Webhook, WebhookFilter } from '../evidence/webhook.ts';
import type { Limit } from '../limits/limit.ts';
import { takeLimits, takeNetworkLimits } from '../limits/shared.ts';
import { Problem } from '../problem.ts';
import type { Transaction } from '../store/store.ts';
import { invalidInput, plainMessage } from '../tools/support/plain-words.ts';
import { toFilter, webhookFilterFields } from './filter.ts';
import { createWebhookClient, isAllowedUrl } from './post.ts';
import { proveAddress } from './prove-address.ts';
import { createWebhookSecret } from './signature.ts';

const mostOfAll = 1000;
const mostOfHost = 10;

/** Registrations by one network: ten an hour, five at once. */
const registrationLimit: Limit = { name: 'webhook', burst: 5, refill_s: 1800 };
/** Challenges sent to one host, whoever asks. */
const hostLimit: Limit = { name: 'webhook_host', burst: 10, refill_s: 3600 };
/** The limits of registering, for settings and documents. */
export const webhookLimits: readonly Limit[] = [registrationLimit, hostLimit];

/** What registers a webhook. */
export const registrationInput = z.strictObject({
  url: z.string().max(500),
  secret: z
    .string()
    .regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/)
    .optional(),
  ...webhookFilterFields,
});

/** The largest body of a registration. */
export const registrationLimit_bytes = 4096;

function toUrl(text: string, { config }: Context): URL {
  const url = URL.parse(text);
  if (url && isAllowedUrl(url, config)) return url;
  const message = 'must be an https address with a host name, without a user';
  throw new Problem('invalid_input', { fields: [{ field: 'url', message }], detail: `url ${message}.` });
}

/** Throws rate_limited if there are as many webhooks as are taken, of the host or of all. */
async function requireRoom(tx: Pick<Transaction, 'webhooks'>, host: string): Promise<void> {
  const { all, ofHost } = await tx.webhooks.counts(host);
  const refuse = (most: string) =>
    new Problem('rate_limited', { retry_after_s: 3600, detail: `There are ${most}, and no more are taken.` });
  if (ofHost >= mostOfHost) throw refuse(`${mostOfHost} webhooks of this host`);
  if (all >= mostOfAll) throw refuse(`${mostOfAll} webhooks in all`);
}

async function add(url: URL, secret: string, filter: WebhookFilter, context: Context): Promise<Webhook> {
  return context.store.write(async (tx) => {
    await requireRoom(tx, url.host);
    const [newest] = await tx.changes.newest(1);
    const webhook: Webhook = {
      ...{ id: uuidv7(), url: url.href, host: url.host, secret, filter },
      ...{ created_at: context.clock().toISOString(), state: 'active', position: newest?.seq ?? 0 },
      ...{ delivered: 0, failures: 0, failing_since: undefined, rest_until: undefined },
      ...{ delivered_at: undefined, last_result: undefined, owner: undefined },
    };
    await tx.webhooks.put(webhook);
    return webhook;
  });
}

/**
 * Subscribes an address to the changes after this moment, once it has answered a challenge. Throws invalid_input,
 * unknown_handle, not_found (a view), rate_limited or address_not_proven.
 */
export async function registerWebhook(sent: unknown, context: Context): Promise<Webhook> {
  const parsed = registrationInput.safeParse(sent, { error: plainMessage });
  if (!parsed.success) throw invalidInput(parsed.error);
  const url = toUrl(parsed.data.url, context);
  const filter = await toFilter(parsed.data, context);
  await takeNetworkLimits(context, [registrationLimit]);
  await context.store.write(async (tx) => {
    await requireRoom(tx, url.host);
    await takeLimits(tx, [{ limit: hostLimit, key: url.host }], context);
  });
  const secret = parsed.data.secret ?? createWebhookSecret();
  await proveAddress(createWebhookClient(context.config), { url, secret }, context);
  return add(url, secret, filter, context);
}
