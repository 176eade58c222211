import type { Context } from '../context.ts';
import type { Webhook } from '../evidence/webhook.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { isKnown, matchesFilter, toChangeFilter } from './filter.ts';
import { holdWebhook } from './hold.ts';
import { beginSending, type Sending } from './sending.ts';

const page = 100;
/** Changes that wait for one address; then it gets no later ones until some of them ended. */
const mostWaiting = 1000;
const fullRest_ms = 300_000;
/** Then others have their turn. */
const longestTurn_ms = 5000;

/** What one turn at an address needs. */
export interface Turn {
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
export async function deliver(seen: Webhook, turn: Turn): Promise<void> {
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
