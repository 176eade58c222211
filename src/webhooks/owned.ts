import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import type { Webhook } from '../evidence/webhook.ts';
import { Problem } from '../problem.ts';

/** A subscription as its owner and the operator see it: without its secret and who sends to it. */
export function toShownWebhook({ secret: _secret, owner: _owner, host: _host, filter, ...webhook }: Webhook) {
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
