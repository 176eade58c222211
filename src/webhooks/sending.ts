import type { Context } from '../context.ts';
import type { Change } from '../evidence/change.ts';
import { type Delivery, toWebhookMessage, type Webhook } from '../evidence/webhook.ts';
import { type Failed, restAfterSlow } from '../evidence/webhook-retries.ts';
import { webhookAttempts } from '../observability/events.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { type Account, openAccount } from './account.ts';
import type { HeldWebhook } from './hold.ts';
import { postMessage } from './post.ts';

/** Accepted changes that are stored together: so many are sent again if the node is killed. */
const savedTogether = 20;
/** Answers that say when to come back. */
const busyStatuses = [429, 502, 503, 504];

/** Sends changes to one address and keeps the account of it. */
export interface Sending extends Pick<Account, 'webhook' | 'queue' | 'advanceTo' | 'drop' | 'rest'> {
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
export function beginSending(held: HeldWebhook, sender: Sender): Sending {
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
