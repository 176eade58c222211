import type { Context } from '../context.ts';
import type { Change } from '../evidence/change.ts';
import {
  afterFailure,
  type Delivery,
  type Failed,
  toRetried,
  toWebhookMessage,
  type Webhook,
} from '../evidence/webhook.ts';
import { webhookAttempts } from '../observability/events.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { HeldWebhook, Progress } from './hold.ts';
import { postMessage } from './post.ts';

/** Accepted changes that are stored together: so many are sent again if the node is killed. */
const savedTogether = 20;
/** Answers that say when to come back. */
const busyStatuses = [429, 502, 503, 504];

/** Sends changes to one address and keeps the account of it. */
export interface Sending {
  readonly webhook: Webhook;
  /** Sends a change; it becomes, or stays, a delivery of its own if that fails. False: stop sending to the address. */
  send(change: Change, earlier?: Delivery): Promise<boolean>;
  /** Puts a change behind an earlier one of its listing. */
  queue(change: Change): void;
  /** Goes past a change that the address did not ask for. */
  skip(change: Change): void;
  /** Sends nothing more for a while. */
  rest(until: Date): void;
  /** Stores the account; false: stop, the address is another node's or gone. */
  save(): Promise<boolean>;
  /** Stores it and lets go of the subscription. */
  end(): Promise<void>;
}

async function attempt(
  { client, context }: { client: OutboundClient; context: Context },
  { url, secret }: Webhook,
  change: Change,
): Promise<Failed | 'accepted'> {
  const answer = await postMessage(client, { url, secret, ...toWebhookMessage(change) }, context);
  if (answer.result !== 'response') return { result: answer.result, isGone: false, retry_after_s: undefined };
  const { status, retry_after_s } = answer;
  if (status >= 200 && status < 300) return 'accepted';
  return {
    result: `HTTP ${status}`,
    isGone: status === 410,
    retry_after_s: busyStatuses.includes(status) ? retry_after_s : undefined,
  };
}

const toDelivery = ({ id }: Webhook, { seq, handle }: Change, now: Date): Delivery => ({
  ...{ webhook_id: id, seq, handle, state: 'waiting', attempts: 0 },
  ...{ next_at: now.toISOString(), result: undefined },
});

/** Begins to send to a subscription that this node holds. */
export function beginSending(held: HeldWebhook, client: OutboundClient, context: Context): Sending {
  // A rest is over, or the subscription would not be due.
  let webhook: Webhook = { ...held.webhook, rest_until: undefined };
  let hasRested = held.webhook.rest_until !== undefined;
  let [put, removed]: [Delivery[], number[]] = [[], []];
  let [unsaved, hasRecovered] = [0, false];
  const now = context.clock;
  const take = (): Progress => {
    const progress = { webhook, put, removed, hasRecovered };
    [put, removed] = [[], []];
    [unsaved, hasRecovered] = [0, false];
    return progress;
  };
  const save = () => held.save(take());
  const skip = ({ seq }: Change) => {
    webhook = { ...webhook, position: Math.max(webhook.position, seq) };
  };
  const accept = async (earlier: Delivery | undefined) => {
    hasRecovered ||= hasRested;
    hasRested = false;
    webhook = {
      ...webhook,
      ...{ delivered: webhook.delivered + 1, delivered_at: now().toISOString(), last_result: undefined },
      ...{ failures: 0, failing_since: undefined, rest_until: undefined },
    };
    if (earlier) removed.push(earlier.seq);
    unsaved += 1;
    return unsaved < savedTogether || save();
  };
  return {
    get webhook() {
      return webhook;
    },
    async send(change, earlier) {
      const outcome = await attempt({ client, context }, webhook, change);
      webhookAttempts.publish({ outcome: outcome === 'accepted' ? 'accepted' : 'failed' });
      skip(change);
      if (outcome === 'accepted') return accept(earlier);
      webhook = afterFailure(webhook, outcome, now());
      const delivery = earlier ?? toDelivery(webhook, change, now());
      put.push(toRetried(delivery, outcome, { now: now(), spread: Math.random() }));
      return true;
    },
    queue(change) {
      skip(change);
      put.push(toDelivery(webhook, change, now()));
    },
    skip,
    rest(until) {
      webhook = { ...webhook, rest_until: until.toISOString() };
    },
    save,
    end: () => held.release(take()),
  };
}
