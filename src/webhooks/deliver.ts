import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Change } from '../log/change.ts';
import type { OutboundClient } from '../net/client.ts';
import { webhookAttempts } from '../telemetry/events.ts';
import { type Account, type HeldWebhook, holdWebhook, openAccount } from './account.ts';
import { createWebhookClient, postMessage } from './post.ts';
import {
  type Delivery,
  type Failed,
  isKnown,
  matchesFilter,
  restAfterSlow,
  toChangeFilter,
  toWebhookMessage,
  type Webhook,
} from './webhook.ts';

/** Accepted changes that are stored together: so many are sent again if the node is killed. */
const savedTogether = 20;
/** Answers that say when to come back. */
const busyStatuses = [429, 502, 503, 504];

/** Sends changes to one address and keeps the account of it. */
interface Sending extends Pick<Account, 'webhook' | 'queue' | 'advanceTo' | 'drop' | 'rest'> {
  /** Sends a change; it becomes, or stays, a delivery of its own if that fails. False: stop sending to the address. */
  send(change: Change, earlier?: Delivery): Promise<boolean>;
  /** Stores the account; false: stop, the address is another node's or gone. */
  save(): Promise<boolean>;
  /** Stores it and lets go of the subscription. */
  end(): Promise<void>;
}

/** What sends: the client, the clock and time-outs of the service, and what stops it. */
interface Sender {
  readonly client: OutboundClient;
  readonly context: Context;
  readonly signal: AbortSignal;
}

async function attempt(
  { client, context, signal }: Sender,
  { url, secret }: Webhook,
  change: Change,
): Promise<Failed | undefined> {
  const { clock, timeouts } = context;
  const post = { url, secret, ...toWebhookMessage(change) };
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

/** Begins to send to a subscription that this node holds. */
function beginSending(held: HeldWebhook, sender: Sender): Sending {
  const account = openAccount(held.webhook, sender.context.clock);
  const save = () => held.save(account.take());
  return {
    get webhook() {
      return account.webhook;
    },
    async send(change, earlier) {
      if (!held.isOurs()) return false;
      const began_ms = performance.now();
      const failed = await attempt(sender, account.webhook, change);
      // What we cut off ourselves says nothing about the address.
      if (failed && sender.signal.aborted) return false;
      const took_ms = performance.now() - began_ms;
      webhookAttempts.publish({ outcome: failed ? 'failed' : 'accepted' });
      if (failed) account.fail(change, failed, earlier);
      else account.accept(change, earlier);
      const { clock, timeouts } = sender.context;
      if (took_ms > timeouts.webhookSlow_ms) account.rest(restAfterSlow(took_ms, clock()));
      return account.unsaved < savedTogether || save();
    },
    queue: account.queue,
    advanceTo: account.advanceTo,
    drop: account.drop,
    rest: account.rest,
    save,
    end: async () => void (await held.release(account.take())),
  };
}

const page = 100;
/** Changes that wait for one address; then it gets no later ones until some of them ended. */
const mostWaiting = 1000;
const fullRest_ms = 300_000;
/** Then others have their turn. */
const longestTurn_ms = 5000;

/** What one turn at an address needs. */
interface Turn {
  readonly client: OutboundClient;
  readonly context: Context;
  /** The node stops. */
  readonly signal: AbortSignal;
}

const isAtRest = ({ webhook }: Sending) => webhook.state !== 'active' || webhook.rest_until !== undefined;

/** Sends what waited, is due now and still asked for. Whether there was any; false too if sending has to stop. */
async function retry(sending: Sending, { context, signal }: Turn): Promise<boolean> {
  const { store, clock } = context;
  const due = await store.webhooks.dueDeliveries(sending.webhook.id, clock().toISOString(), page);
  for (const delivery of due) {
    const change = await store.changes.at(delivery.seq);
    if (signal.aborted || !change) return false;
    if (!(await matchesFilter(sending.webhook.filter, change, context))) sending.drop(delivery);
    else if (!(await sending.send(change, delivery)) || isAtRest(sending)) return false;
  }
  return due.length > 0;
}

/** Sends the changes after the position, one after the other. Whether there may be more; false too if sending has to stop. */
async function advance(sending: Sending, { context, signal }: Turn): Promise<boolean> {
  const { store } = context;
  const { id, filter, position } = sending.webhook;
  const { handles, count } = await store.webhooks.waiting(id);
  const blocked = new Set(handles);
  if (count >= mostWaiting) sending.rest(new Date(context.clock().getTime() + fullRest_ms));
  const changes = await store.changes.after(position, page, toChangeFilter(filter));
  for (const change of changes) {
    if (signal.aborted || isAtRest(sending)) return false;
    if (!(await matchesFilter(filter, change, context))) sending.advanceTo(change);
    else if (blocked.has(change.handle)) sending.queue(change);
    else {
      if (!(await sending.send(change))) return false;
      if (sending.webhook.failures > 0) blocked.add(change.handle);
    }
  }
  return changes.length === page;
}

/**
 * Sends to one address what it is due, in order for each listing, while this node alone holds it. A change that is not
 * accepted is tried again later, and holds back only later changes of the same listing.
 */
async function deliver(seen: Webhook, turn: Turn): Promise<void> {
  const { client, context, signal } = turn;
  if (!(await isKnown(seen.filter, context))) return;
  const held = await holdWebhook(seen, context);
  if (!held) return;
  const sending = beginSending(held, { client, context, signal });
  const end_ms = performance.now() + longestTurn_ms;
  try {
    for (let isMore = true; isMore && !isAtRest(sending) && performance.now() < end_ms; ) {
      const hasRetried = await retry(sending, turn);
      const hasMore = !isAtRest(sending) && (await advance(sending, turn));
      isMore = (hasRetried || hasMore) && !signal.aborted && (await sending.save());
    }
  } finally {
    await sending.end();
  }
}

const pause_ms = 1000;
/** Domains that one node sends to at a time; the subscriptions of one domain take turns. */
const domainsAtOnce = 64;
const readAtOnce = 500;

/** Sends to webhooks. */
interface WebhookSender {
  /** Begins turns at addresses that are due and not being sent to, first at the one whose last turn is longest ago. */
  begin(): Promise<void>;
  /** Waits until all turns have ended. */
  idle(): Promise<void>;
}

/** The sender of one node; it stops within a request when the signal comes. */
export function createWebhookSender(context: Context, signal: AbortSignal): WebhookSender {
  const { store, clock, log, config } = context;
  const turn: Turn = { client: createWebhookClient(config), context, signal };
  const turns = new Map<string, Promise<void>>();
  return {
    async begin() {
      for (const webhook of await store.webhooks.due(clock().toISOString(), readAtOnce)) {
        const { id, domain } = webhook;
        if (turns.has(domain) || turns.size >= domainsAtOnce) continue;
        const ending = deliver(webhook, turn)
          .catch((error: unknown) =>
            log.warn({ err: error, webhook: id }, 'a turn at a webhook failed; it is tried again'),
          )
          .finally(() => turns.delete(domain));
        turns.set(domain, ending);
      }
    },
    idle: async () => void (await Promise.all(turns.values())),
  };
}

/** Sends changes to webhooks until the signal. Never throws; resolves once the requests under way have ended. */
export async function startWebhooks(context: Context, signal: AbortSignal): Promise<void> {
  const sender = createWebhookSender(context, signal);
  while (!signal.aborted) {
    await sender.begin().catch((error: unknown) => {
      if (!signal.aborted)
        context.log.warn({ err: error }, 'webhooks that are due could not be read; tried again');
    });
    await wait(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
  await sender.idle();
}
