import type { Context } from '../context.ts';
import type { Change } from '../log/change.ts';
import type { Transaction } from '../store/store.ts';
import {
  afterFailure,
  afterSuccess,
  type Delivery,
  type Failed,
  toFirstDelivery,
  toRetried,
  type Webhook,
} from './webhook.ts';

/** What changed since the last save. */
interface Progress {
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

/** What was sent to one address in this turn, until it is stored. */
export interface Account {
  readonly webhook: Webhook;
  /** Accepted changes that are not stored yet. */
  readonly unsaved: number;
  accept(change: Change, earlier: Delivery | undefined): void;
  /** The change becomes, or stays, a delivery of its own. */
  fail(change: Change, failed: Failed, earlier: Delivery | undefined): void;
  /** Puts a change behind an earlier one of its listing. */
  queue(change: Change): void;
  /** Moves the position of the subscription to this change, sent or not. */
  advanceTo(change: Change): void;
  /** Forgets a delivery that is not asked for any more. */
  drop(earlier: Delivery): void;
  /** Sends nothing more before a time, or a later one that was set already. */
  rest(until: Date): void;
  /** What is to be stored; the account begins anew. */
  take(): Progress;
}

/** The account of a subscription that is due: a rest of it is over. */
export function openAccount(held: Webhook, clock: () => Date): Account {
  let hasRested = held.rest_until !== undefined && held.failures > 0;
  let webhook: Webhook = { ...held, rest_until: undefined };
  let [put, removed, unsaved]: [Delivery[], number[], number] = [[], [], 0];
  const advanceTo = ({ seq }: Change) => {
    webhook = { ...webhook, position: Math.max(webhook.position, seq) };
  };
  return {
    get webhook() {
      return webhook;
    },
    get unsaved() {
      return unsaved;
    },
    accept(change, earlier) {
      advanceTo(change);
      webhook = afterSuccess(webhook, clock());
      if (earlier) removed.push(earlier.seq);
      unsaved += 1;
    },
    fail(change, failed, earlier) {
      advanceTo(change);
      const now = clock();
      webhook = afterFailure(webhook, failed, now);
      const delivery = earlier ?? toFirstDelivery(webhook, change, now);
      put.push(toRetried(delivery, failed, { now, spread: Math.random() }));
    },
    queue(change) {
      advanceTo(change);
      put.push(toFirstDelivery(webhook, change, clock()));
    },
    advanceTo,
    drop({ seq }) {
      removed.push(seq);
    },
    rest(until) {
      const [rest_until] = [until.toISOString(), webhook.rest_until ?? ''].toSorted().toReversed();
      webhook = { ...webhook, rest_until };
    },
    take() {
      const hasRecovered = hasRested && unsaved > 0;
      hasRested &&= !hasRecovered;
      const taken = { webhook, put, removed, hasRecovered };
      [put, removed, unsaved] = [[], [], 0];
      return taken;
    },
  };
}
