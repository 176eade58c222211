import type { Change } from './change.ts';

/** What a webhook is told about: every change, or those of a listing, a publisher, a tag or a view. */
export interface WebhookFilter {
  readonly kind: 'all' | 'handle' | 'publisher' | 'tag' | 'view';
  /** The handle, namespace, tag or name of the view; empty for `all`. */
  readonly value: string;
}

/** A subscription: an address that proved itself, and how far it was told. Times are RFC 3339 UTC. */
export interface Webhook {
  readonly id: string;
  /** Where changes are posted. */
  readonly url: string;
  /** Host and port of the URL, as limits count them. */
  readonly host: string;
  /** `whsec_` and base64; signs what is sent, and removes the subscription. */
  readonly secret: string;
  readonly filter: WebhookFilter;
  readonly created_at: string;
  /** `gone`: the address answered 410. `failing`: it accepted nothing for five days. Both are sent nothing more. */
  readonly state: 'active' | 'gone' | 'failing';
  /** Every change up to this position was accepted, or is a delivery of its own. */
  readonly position: number;
  /** Changes it accepted. */
  readonly delivered: number;
  /** Attempts that failed in a row, of whatever change. */
  readonly failures: number;
  readonly failing_since: string | undefined;
  /** Nothing is sent before this time. */
  readonly rest_until: string | undefined;
  readonly delivered_at: string | undefined;
  /** How the last attempt ended: `HTTP 500`, `host_timeout`. */
  readonly last_result: string | undefined;
  /** The lease of the node that sends to it. */
  readonly owner: string | undefined;
}

/** A change that an address did not accept at once, or that waits behind such a one of the same listing. */
export interface Delivery {
  readonly webhook_id: string;
  readonly seq: number;
  readonly handle: string;
  /** `dead`: every retry failed. It is sent again only when an operator replays it. */
  readonly state: 'waiting' | 'dead';
  readonly attempts: number;
  readonly next_at: string;
  readonly result: string | undefined;
}

/** The pauses between the ten attempts of a delivery, about three days (the schedule that Standard Webhooks suggests). */
const pauses_s = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** From the third failure in a row on, the address as a whole rests. */
const failuresBeforeRest = 3;
const rests_s = [5, 300, 1800, 3600];
const longestFailing_ms = 5 * 86_400_000;

/** How an attempt failed. */
export interface Failed {
  /** `HTTP 500`, or why there was no answer. */
  readonly result: string;
  /** The address answered 410. */
  readonly isGone: boolean;
  /** The address asks to be left alone so long. */
  readonly retry_after_s: number | undefined;
}

const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

function restAfter({ failures }: Webhook, { retry_after_s }: Failed, now: Date): string | undefined {
  if (retry_after_s !== undefined) return later(now, retry_after_s);
  const rest_s = rests_s[Math.min(failures - failuresBeforeRest, rests_s.length - 1)];
  return rest_s === undefined ? undefined : later(now, rest_s);
}

/** A subscription after an attempt that failed. */
export function afterFailure(webhook: Webhook, failed: Failed, now: Date): Webhook {
  const failing_since = webhook.failing_since ?? now.toISOString();
  const failing = { ...webhook, failures: webhook.failures + 1, failing_since, last_result: failed.result };
  const hasEnded = now.getTime() - Date.parse(failing_since) > longestFailing_ms;
  return {
    ...failing,
    state: failed.isGone ? 'gone' : hasEnded ? 'failing' : 'active',
    rest_until: restAfter(failing, failed, now),
  };
}

/** A delivery after one more attempt that failed; `spread` (0 to 1) moves the next one by up to a tenth. */
export function toRetried(
  delivery: Delivery,
  { result }: Failed,
  moment: { now: Date; spread: number },
): Delivery {
  const pause_s = pauses_s[delivery.attempts];
  const attempts = delivery.attempts + 1;
  if (pause_s === undefined) return { ...delivery, attempts, result, state: 'dead' };
  const next_at = later(moment.now, pause_s * (1 + moment.spread / 10));
  return { ...delivery, attempts, result, state: 'waiting', next_at };
}

/** The message of a change: its id, the same at every attempt, and its body (Standard Webhooks). */
export function toWebhookMessage(change: Change): { readonly id: string; readonly body: string } {
  return {
    id: `evt_${change.seq}_${Date.parse(change.at).toString(36)}`,
    body: JSON.stringify({ ...change, timestamp: change.at }),
  };
}
