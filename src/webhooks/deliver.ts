import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import { every } from '../core/every.ts';
import { createFairPool } from '../core/fair-pool.ts';
import type { Change } from '../log/change.ts';
import type { OutboundClient } from '../net/client.ts';
import type { Lease } from '../store/store.ts';
import { measure } from '../telemetry/metrics.ts';
import { isAbout, toChangeFilter } from '../tools/find/changes.ts';
import { createWebhookClient, isKnownSubject, postMessage } from './register.ts';
import {
  afterFailure,
  afterSuccess,
  type Delivery,
  type FailedDelivery,
  restAfterSlow,
  toFirstDelivery,
  toRetried,
  type Webhook,
} from './webhook.ts';

/** For webhooks not known to be slow. */
const quickSlots = 128;
/** For those whose last delivery was quick. */
const reservedSlots = 64;
/** At this many, no delivery begins to a webhook that was slow last. */
const slowSlots = 256;
/** Twice as many webhooks as there may be. */
const mostRemembered = 2000;

type DeliverySlot = NonNullable<ReturnType<ReturnType<typeof createDeliverySlots>['tryEnter']>>;

/**
 * Slow receivers do not delay quick ones: they give back their slots, and some are reserved for receivers
 * known to be quick.
 */
function createDeliverySlots() {
  const quick = createFairPool({ places: quickSlots, placesOfKey: 1, preferredPlaces: reservedSlots });
  const known = new LRUCache<string, 'quick' | 'slow'>({ max: mostRemembered });
  const busy = new Set<string>();
  let slow = 0;
  const enterSlow = () => {
    slow += 1;
    return () => {
      slow -= 1;
    };
  };
  const findSlot = ({ id, domain }: Webhook) => {
    const how = known.get(id);
    if (how !== 'slow') return quick.tryEnter({ keys: [domain], isPreferred: how === 'quick' });
    return slow < slowSlots ? enterSlow() : undefined;
  };
  return {
    tryEnter(webhook: Webhook) {
      const { id, domain } = webhook;
      let leave = busy.has(domain) ? undefined : findSlot(webhook);
      if (!leave) return undefined;
      busy.add(domain);
      return {
        /** Goes on without its quick slot. */
        moveToSlow() {
          leave?.();
          leave = enterSlow();
        },
        note: (how: 'quick' | 'slow') => void known.set(id, how),
        release() {
          busy.delete(domain);
          leave?.();
        },
      };
    },
  };
}

/** So many accepted changes may be sent again after a node was killed. */
const savedTogether = 20;
const busyStatuses = [429, 502, 503, 504];

interface DeliveryTurn {
  readonly client: OutboundClient;
  readonly context: Context;
  readonly signal: AbortSignal;
  readonly slot: DeliverySlot;
}

async function attempt(
  { url, secret }: Webhook,
  change: Change,
  { client, context, signal }: DeliveryTurn,
): Promise<FailedDelivery | undefined> {
  const { clock, timeouts } = context;
  // Standard Webhooks: the id is the same at every attempt.
  const id = `evt_${change.id}`;
  const post = { url, secret, id, body: JSON.stringify({ ...change, timestamp: change.at }) };
  const answer = await postMessage(client, post, { clock, timeouts, signal });
  if (answer.result !== 'response') return { result: answer.result, isGone: false, retry_after_s: undefined };
  const { status, retry_after_s } = answer;
  if (status >= 200 && status < 300) return undefined;
  return {
    result: `HTTP ${status}`,
    isGone: status === 410,
    retry_after_s: busyStatuses.includes(status) ? retry_after_s : undefined,
  };
}

type Sending = ReturnType<typeof createSending>;

/** Collects what `save` stores about the subscription. */
function createSending(stored: Webhook, lease: Lease, turn: DeliveryTurn) {
  const { store, clock, timeouts } = turn.context;
  let hasRested = stored.rest_until !== undefined && stored.failures > 0;
  let webhook: Webhook = { ...stored, rest_until: undefined };
  let put: Delivery[] = [];
  let removed: number[] = [];
  let accepted = 0;
  const advanceTo = ({ seq }: Change) => {
    webhook = { ...webhook, position: Math.max(webhook.position, seq) };
  };
  const rest = (until: Date) => {
    const [rest_until] = [until.toISOString(), webhook.rest_until ?? ''].toSorted().toReversed();
    webhook = { ...webhook, rest_until };
  };
  const save = async (): Promise<boolean> => {
    const hasRecovered = hasRested && accepted > 0;
    const isOurs = await store.write(async (tx) => {
      const { id } = stored;
      if (!(await tx.webhooks.byId(id)) || !(await tx.leases.isHeldBy(lease))) return false;
      await tx.webhooks.put(webhook);
      // The address works again. A change that has just failed waits its own time.
      if (hasRecovered) await tx.webhooks.hasten(id, clock().toISOString());
      for (const delivery of put) await tx.webhooks.putDelivery(delivery);
      for (const seq of removed) await tx.webhooks.removeDelivery(id, seq);
      return true;
    });
    hasRested &&= !hasRecovered;
    put = [];
    removed = [];
    accepted = 0;
    return isOurs;
  };
  return {
    get webhook() {
      return webhook;
    },
    /** A change that is not accepted becomes a delivery. False stops sending to the address. */
    async send(change: Change, earlier?: Delivery): Promise<boolean> {
      if (!lease.isOurs()) return false;
      const began_ms = performance.now();
      const failed = await attempt(webhook, change, turn);
      // A request that we aborted says nothing about the address.
      if (failed && turn.signal.aborted) return false;
      const took_ms = performance.now() - began_ms;
      turn.slot.note(took_ms <= timeouts.webhookLate_ms ? 'quick' : 'slow');
      measure('dossier_webhook_attempts_total', { outcome: failed ? 'failed' : 'accepted' });
      advanceTo(change);
      const now = clock();
      if (failed) {
        webhook = afterFailure(webhook, failed, now);
        const delivery = earlier ?? toFirstDelivery(webhook, change, now);
        put.push(toRetried(delivery, failed, { now, spread: Math.random() }));
      } else {
        webhook = afterSuccess(webhook, now);
        if (earlier) removed.push(earlier.seq);
        accepted += 1;
      }
      if (took_ms > timeouts.webhookSlow_ms) rest(restAfterSlow(took_ms, now));
      return accepted < savedTogether || save();
    },
    queue(change: Change) {
      advanceTo(change);
      put.push(toFirstDelivery(webhook, change, clock()));
    },
    advanceTo,
    drop: ({ seq }: Delivery) => void removed.push(seq),
    /** Until this time, or a later one that was set already. */
    rest,
    /** False, to stop sending, if another node holds the subscription or it is gone. */
    save,
  };
}

const page = 100;
/** With so many waiting, an address rests after each turn and gets no later changes. */
const mostWaiting = 1000;
const fullRest_ms = 300_000;
/** After this, a turn begins no further page of changes. */
const longestTurn_ms = 5000;

const isAtRest = ({ webhook }: Sending) => webhook.state !== 'active' || webhook.rest_until !== undefined;

/** Whether a change was due; false to stop. */
async function retry(sending: Sending, { context, signal }: DeliveryTurn): Promise<boolean> {
  const { store, clock } = context;
  const due = await store.webhooks.dueDeliveries(sending.webhook.id, clock().toISOString(), page);
  for (const delivery of due) {
    const change = await store.changes.at(delivery.seq);
    if (signal.aborted || !change) return false;
    if (!(await isAbout(sending.webhook, change, context))) sending.drop(delivery);
    else if (!(await sending.send(change, delivery)) || isAtRest(sending)) return false;
  }
  return due.length > 0;
}

/** Whether there may be more; false to stop. */
async function advance(sending: Sending, { context, signal }: DeliveryTurn): Promise<boolean> {
  const { store } = context;
  const { id, position } = sending.webhook;
  const { handles, count } = await store.webhooks.waiting(id);
  const blocked = new Set(handles);
  if (count >= mostWaiting) sending.rest(new Date(context.clock().getTime() + fullRest_ms));
  const changes = await store.changes.after(position, page, toChangeFilter(sending.webhook));
  for (const change of changes) {
    if (signal.aborted || isAtRest(sending)) return false;
    if (!(await isAbout(sending.webhook, change, context))) sending.advanceTo(change);
    else if (blocked.has(change.handle)) sending.queue(change);
    else {
      if (!(await sending.send(change))) return false;
      if (sending.webhook.failures > 0) blocked.add(change.handle);
    }
  }
  return changes.length === page;
}

/** A change that is not accepted delays only those of its listing. */
async function deliver(due: Webhook, turn: DeliveryTurn): Promise<void> {
  const { context, signal } = turn;
  const { store, clock } = context;
  if (!(await isKnownSubject(due, context))) return;
  await using lease = await store.leases.take(`webhook/${due.id}`);
  if (!lease) return;
  const webhook = await store.write(async (tx) => {
    const stored = await tx.webhooks.byId(due.id);
    if (stored?.state !== 'active') return undefined;
    const served = { ...stored, served_at: clock().toISOString() };
    await tx.webhooks.put(served);
    return served;
  });
  if (!webhook) return;
  const sending = createSending(webhook, lease, turn);
  const end_ms = performance.now() + longestTurn_ms;
  try {
    for (let isMore = true; isMore && !isAtRest(sending) && performance.now() < end_ms; ) {
      const hasRetried = await retry(sending, turn);
      const hasMore = !isAtRest(sending) && (await advance(sending, turn));
      isMore = (hasRetried || hasMore) && !signal.aborted && (await sending.save());
    }
  } finally {
    await sending.save();
  }
}

const pause_ms = 1000;
/** As many as may exist: otherwise those without a free slot could hide one with a slot. */
const readAtOnce = 1000;

/** The signal aborts running requests. */
export function createWebhookSender(context: Context, signal: AbortSignal) {
  const { store, clock, log, config, timeouts } = context;
  const client = createWebhookClient(config);
  const slots = createDeliverySlots();
  const turns = new Set<Promise<void>>();
  return {
    /** The longest waiting address comes first. */
    async begin() {
      for (const webhook of await store.webhooks.due(clock().toISOString(), readAtOnce)) {
        const slot = slots.tryEnter(webhook);
        if (!slot) continue;
        const late = setTimeout(slot.moveToSlow, timeouts.webhookLate_ms);
        const ending = deliver(webhook, { client, context, signal, slot })
          .catch((err: unknown) =>
            log.warn({ err, webhook: webhook.id }, 'a turn at a webhook failed; it is tried again'),
          )
          .finally(() => {
            clearTimeout(late);
            slot.release();
            turns.delete(ending);
          });
        turns.add(ending);
      }
    },
    idle: async () => void (await Promise.all(turns)),
  };
}

/** Never rejects. Resolves after the running requests. */
export async function startWebhooks(context: Context, signal: AbortSignal): Promise<void> {
  const sender = createWebhookSender(context, signal);
  await every({
    signal,
    pause_ms,
    run: () => sender.begin(),
    onError: (err) =>
      context.log.warn({ err }, 'webhooks that are due could not be read; this is tried again'),
  });
  await sender.idle();
}
