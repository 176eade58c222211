import { day_ms, day_s } from '../core/text.ts';
import type { Change } from '../log/change.ts';
import { integer, oneOf, optional, type TableValue, table, text } from '../store/table.ts';
import type { ChangeSubject } from '../tools/find/changes.ts';

export const webhookTable = table(
  'webhook',
  ['id'],
  {
    id: text,
    url: text,
    /** The receiver of the URL (receiver-key.ts), by which limits and delivery slots are shared. */
    domain: text,
    /**
     * The network that registered the webhook, as a pseudonym of that day; undefined if the service limits no
     * requests.
     */
    network: optional(text),
    /** `whsec_` and base64. It is stored in clear text, because it signs every message. */
    secret: text,
    /** `value` is a handle, a namespace, a tag or the name of a view, and empty for `all`. */
    kind: oneOf<ChangeSubject['kind']>(),
    value: text,
    created_at: text,
    /**
     * `gone`: the address answered 410. `failing`: it accepted nothing for five days. `paused`: the webhook
     * was restored from a backup, and not resumed since. Only an active webhook is sent anything.
     */
    state: oneOf<'active' | 'gone' | 'failing' | 'paused'>(),
    /** The time of its last turn; until the first turn, the time of registration. */
    served_at: text,
    /**
     * Every change up to this position that concerns the webhook was accepted, or has a row in
     * `webhook_delivery`.
     */
    position: integer,
    delivered: integer,
    /** Failed attempts in a row, for any changes. */
    failures: integer,
    failing_since: optional(text),
    rest_until: optional(text),
    delivered_at: optional(text),
    /** How the last attempt failed, for example `HTTP 500` or `host_timeout`. Absent if it was accepted. */
    last_result: optional(text),
  },
  {
    // A restored copy must not post to the addresses until the operator resumes them.
    toRestored: (row) => (row.state === 'active' ? { ...row, state: 'paused' } : row),
  },
);

/** Times are RFC 3339 UTC. */
export type Webhook = TableValue<typeof webhookTable>;
export const deliveryTable = table('webhook_delivery', ['webhook_id', 'seq'], {
  webhook_id: text,
  seq: integer,
  handle: text,
  /** `dead`: every attempt failed. The change is sent again only if an operator replays it. */
  state: oneOf<'waiting' | 'dead'>(),
  attempts: integer,
  next_at: text,
  result: optional(text),
});
/** A change that an address did not accept at once, or that waits behind an earlier change of its listing. */
export type Delivery = TableValue<typeof deliveryTable>;

export const toFirstDelivery = ({ id }: Webhook, { seq, handle }: Change, now: Date): Delivery => ({
  webhook_id: id,
  seq,
  handle,
  state: 'waiting',
  attempts: 0,
  next_at: now.toISOString(),
});

/** The form of Standard Webhooks. The id is the same at every attempt. */
export const toWebhookMessage = (change: Change) => ({
  id: `evt_${change.id}`,
  body: JSON.stringify({ ...change, timestamp: change.at }),
});

/** The schedule that Standard Webhooks suggests: ten attempts in about three days. */
const pauses_s = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, day_s];
/** An address rests from the third failure in a row on, or earlier after a slow answer or a Retry-After. */
const failuresBeforeRest = 3;
const rests_s = [5, 300, 1800, 3600];
const longestFailing_ms = 5 * day_ms;
/**
 * After a slow answer an address rests for this multiple of the time that the answer took. A thousand slow
 * addresses then have about 30 connections.
 */
const slowShare = 30;

export interface FailedDelivery {
  /** `HTTP 500`, or why there was no answer. */
  readonly result: string;
  readonly isGone: boolean;
  readonly retry_after_s: number | undefined;
}

const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

function restAfter({ failures }: Webhook, { retry_after_s }: FailedDelivery, now: Date): string | undefined {
  if (retry_after_s !== undefined) return later(now, retry_after_s);
  const rest_s = rests_s[Math.min(failures - failuresBeforeRest, rests_s.length - 1)];
  return rest_s === undefined ? undefined : later(now, rest_s);
}

export const restAfterSlow = (took_ms: number, now: Date): Date =>
  new Date(now.getTime() + slowShare * took_ms);

export const afterSuccess = (webhook: Webhook, now: Date): Webhook => ({
  ...webhook,
  delivered: webhook.delivered + 1,
  delivered_at: now.toISOString(),
  last_result: undefined,
  failures: 0,
  failing_since: undefined,
  rest_until: undefined,
});

export function afterFailure(webhook: Webhook, failed: FailedDelivery, now: Date): Webhook {
  const failing_since = webhook.failing_since ?? now.toISOString();
  const failing = { ...webhook, failures: webhook.failures + 1, failing_since, last_result: failed.result };
  const hasEnded = now.getTime() - Date.parse(failing_since) > longestFailing_ms;
  return {
    ...failing,
    state: failed.isGone ? 'gone' : hasEnded ? 'failing' : 'active',
    rest_until: restAfter(failing, failed, now),
  };
}

/** `spread` (0 to 1) moves the next attempt by up to a tenth of the pause. */
export function toRetried(
  delivery: Delivery,
  { result }: FailedDelivery,
  moment: { now: Date; spread: number },
): Delivery {
  const pause_s = pauses_s[delivery.attempts];
  const attempts = delivery.attempts + 1;
  if (pause_s === undefined) return { ...delivery, attempts, result, state: 'dead' };
  const next_at = later(moment.now, pause_s * (1 + moment.spread / 10));
  return { ...delivery, attempts, result, state: 'waiting', next_at };
}
