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
  /** Whether no other node can send to it now. */
  isOurs(): boolean;
  /** Stores what was sent; false if the subscription was removed or another node sends to it now. */
  save(progress: Progress): Promise<boolean>;
  /** The same, and lets go of the subscription. */
  release(progress: Progress): Promise<unknown>;
}

async function write(tx: Transaction, progress: Progress, now: string): Promise<void> {
  const { id } = progress.webhook;
  await tx.webhooks.put(progress.webhook);
  // Before the deliveries: one that failed just now waits its own time.
  if (progress.hasRecovered) await tx.webhooks.hasten(id, now);
  for (const delivery of progress.put) await tx.webhooks.putDelivery(delivery);
  for (const seq of progress.removed) await tx.webhooks.removeDelivery(id, seq);
}

/** Takes a subscription for this node; undefined while another one sends to it, or if it is no longer active. */
export async function holdWebhook(
  { id }: Webhook,
  { store, clock }: Context,
): Promise<HeldWebhook | undefined> {
  const lease = await store.leases.take(`webhook/${id}`);
  if (!lease) return undefined;
  const save = (progress: Progress) =>
    store.write(async (tx) => {
      const isThere = (await tx.webhooks.byId(id)) !== undefined;
      if (!isThere || !(await tx.leases.isHeldBy(lease))) return false;
      await write(tx, progress, clock().toISOString());
      return true;
    });
  const begin = async (tx: Transaction) => {
    const stored = await tx.webhooks.byId(id);
    if (stored?.state !== 'active') return undefined;
    const webhook = { ...stored, served_at: clock().toISOString() };
    await tx.webhooks.put(webhook);
    return webhook;
  };
  const webhook = await store.write(begin).catch(async (error: unknown) => {
    await lease.release();
    throw error;
  });
  if (!webhook) {
    await lease.release();
    return undefined;
  }
  return {
    webhook,
    isOurs: lease.isOurs,
    save,
    release: (progress) => save(progress).finally(lease.release),
  };
}
