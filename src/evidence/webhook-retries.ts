import type { Delivery, Webhook } from './webhook.ts';

/** The pauses between the ten attempts of a delivery, about three days (the schedule that Standard Webhooks suggests). */
const pauses_s = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** From the third failure in a row on, the address as a whole rests. */
const failuresBeforeRest = 3;
const rests_s = [5, 300, 1800, 3600];
const longestFailing_ms = 5 * 86_400_000;
/** A slow address rests so many times as long as it took: a thousand of them take half of a node's 64 places. */
const slowShare = 30;

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

/** Until when an address rests that took long to answer, however it answered. */
export const restAfterSlow = (took_ms: number, now: Date): Date =>
  new Date(now.getTime() + slowShare * took_ms);

/** A subscription after a change was accepted. */
export const afterSuccess = (webhook: Webhook, now: Date): Webhook => ({
  ...webhook,
  ...{ delivered: webhook.delivered + 1, delivered_at: now.toISOString(), last_result: undefined },
  ...{ failures: 0, failing_since: undefined, rest_until: undefined },
});

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
