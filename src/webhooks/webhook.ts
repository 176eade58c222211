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
    /** The receiver (`receiverKey`), by which limits and slots are shared. */
    domain: text,
    /** Who registered, as a pseudonym of that day; undefined if the service limits no requests. */
    network: optional(text),
    /** `whsec_` and base64, in clear text because it signs every message. */
    secret: text,
    /** A handle, namespace, tag or name of a view; empty for `all`. */
    kind: oneOf<ChangeSubject['kind']>(),
    value: text,
    created_at: text,
    /**
     * `gone`: answered 410. `failing`: accepted nothing for five days. `paused`: restored from a backup, not
     * yet resumed. Only `active` is sent anything.
     */
    state: oneOf<'active' | 'gone' | 'failing' | 'paused'>(),
    /** Its last turn, or else its registration. */
    served_at: text,
    /** Every change of the webhook up to here was accepted, or has a row in `webhook_delivery`. */
    position: integer,
    delivered: integer,
    /** In a row, for any changes. */
    failures: integer,
    failing_since: optional(text),
    rest_until: optional(text),
    delivered_at: optional(text),
    /** `HTTP 500` or `host_timeout`; absent if the last attempt was accepted. */
    last_result: optional(text),
  },
  {
    // A restored copy posts nothing before the operator resumes it.
    toRestored: (row) => (row.state === 'active' ? { ...row, state: 'paused' } : row),
  },
);

/** Times are RFC 3339 UTC. */
export type Webhook = TableValue<typeof webhookTable>;
export const deliveryTable = table('webhook_delivery', ['webhook_id', 'seq'], {
  webhook_id: text,
  seq: integer,
  handle: text,
  /** `dead`: every attempt failed; only an operator replays it. */
  state: oneOf<'waiting' | 'dead'>(),
  attempts: integer,
  next_at: text,
  result: optional(text),
});
/** Not accepted at once, or behind an earlier change of its listing. */
export type Delivery = TableValue<typeof deliveryTable>;

export const toFirstDelivery = ({ id }: Webhook, { seq, handle }: Change, now: Date): Delivery => ({
  webhook_id: id,
  seq,
  handle,
  state: 'waiting',
  attempts: 0,
  next_at: now.toISOString(),
});

/** Ten attempts in about three days, as Standard Webhooks suggests. */
const pauses_s = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, day_s];
/** In a row; a slow answer or a Retry-After rests earlier. */
const failuresBeforeRest = 3;
const rests_s = [5, 300, 1800, 3600] as const;
const longestFailing_ms = 5 * day_ms;
/** Multiple of the time that a slow answer took: a thousand slow addresses then have about 30 connections. */
const slowShare = 30;

const inUnit = (s: number) =>
  s < 60 ? `${s} seconds` : s < 3600 ? `${s / 60} minutes` : s === 3600 ? 'an hour' : `${s / 3600} hours`;

/** What becomes of a message that is not accepted. */
export const messageLife = `A message that fails is sent up to ${pauses_s.length} more times, after ${pauses_s.map(inUnit).join(', ')}. Later
changes of its listing wait. Then it is given up: it is a dead letter, which only the operator can send again, and the
next change is sent. After ${failuresBeforeRest} failures in a row the address gets nothing for ${inUnit(rests_s[0])}, then longer, up to ${inUnit(rests_s[3])}.
A webhook whose attempts all fail for ${longestFailing_ms / day_ms} days ends.`;

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

/** `spread` (0 to 1) adds up to a tenth of the pause. */
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
