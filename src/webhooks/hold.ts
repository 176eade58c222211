import type { Context } from '../context.ts';
import type { Delivery, Webhook } from '../evidence/webhook.ts';
import type { Transaction } from '../store/store.ts';

/** What changed since the last save. */
export interface Progress {
  /** The members of the subscription that sending changes. */
  readonly webhook: Webhook;
  /** Deliveries that were put off, or ended. */
  readonly put: readonly Delivery[];
  /** Positions of deliveries that were accepted. */
  readonly removed: readonly number[];
  /** The address works again: what waits is sent now. */
  readonly hasRecovered: boolean;
}

/** A subscription that this node alone sends to. */
export interface HeldWebhook {
  readonly webhook: Webhook;
  /** Stores what was sent; false if the subscription was removed or another node sends to it now. */
  save(progress: Progress): Promise<boolean>;
  /** The same, and lets go of the subscription. */
  release(progress: Progress): Promise<void>;
}

async function write(tx: Transaction, stored: Webhook, progress: Progress, now: string): Promise<void> {
  const { id } = stored;
  await tx.webhooks.put({ ...progress.webhook, served_at: stored.served_at, owner: stored.owner });
  // Before the deliveries: one that failed just now waits its own time.
  if (progress.hasRecovered) await tx.webhooks.hasten(id, now);
  for (const delivery of progress.put) await tx.webhooks.putDelivery(delivery);
  for (const seq of progress.removed) await tx.webhooks.removeDelivery(id, seq);
}

/** Takes a subscription for this node; undefined while another one sends to it, or if it is no longer active. */
export async function holdWebhook(
  seen: Webhook,
  { store, clock }: Context,
): Promise<HeldWebhook | undefined> {
  if (seen.owner !== undefined && (await store.leases.isHeld(seen.owner))) return undefined;
  const lease = store.leases.take();
  const { id } = seen;
  const webhook = await store.write(async (tx) => {
    const stored = await tx.webhooks.byId(id);
    if (stored?.state !== 'active' || stored.owner !== seen.owner) return undefined;
    await tx.webhooks.put({ ...stored, served_at: clock().toISOString(), owner: lease.owner });
    return stored;
  });
  if (!webhook) {
    lease.end();
    return undefined;
  }
  const whileOurs = (work: (tx: Transaction, stored: Webhook) => Promise<void>) =>
    store.write(async (tx) => {
      const stored = await tx.webhooks.byId(id);
      if (stored?.owner !== lease.owner) return false;
      await work(tx, stored);
      return true;
    });
  return {
    webhook,
    save: (progress) => whileOurs((tx, stored) => write(tx, stored, progress, clock().toISOString())),
    async release(progress) {
      try {
        const free = (stored: Webhook) => ({ ...stored, owner: undefined });
        await whileOurs((tx, stored) => write(tx, free(stored), progress, clock().toISOString()));
      } finally {
        lease.end();
      }
    },
  };
}
