import type { Change } from '../evidence/change.ts';
import { type Delivery, toFirstDelivery, type Webhook } from '../evidence/webhook.ts';
import { afterFailure, afterSuccess, type Failed, toRetried } from '../evidence/webhook-retries.ts';
import type { Progress } from './hold.ts';

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
