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
  /** The registrable domain of the URL, by which places and turns are shared. */
  readonly domain: string;
  /** The network that registered it, as a pseudonym of that day; undefined for the operator's. */
  readonly network: string | undefined;
  /** `whsec_` and base64; signs what is sent, and removes the subscription. */
  readonly secret: string;
  readonly filter: WebhookFilter;
  readonly created_at: string;
  /**
   * `gone`: the address answered 410. `failing`: it accepted nothing for five days. `paused`: restored from a backup, and
   * not resumed since. Only an active one is sent anything.
   */
  readonly state: 'active' | 'gone' | 'failing' | 'paused';
  /** When it last had a turn; at first, when it was registered. */
  readonly served_at: string;
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

/** A change as a delivery that was not tried yet. */
export const toFirstDelivery = ({ id }: Webhook, { seq, handle }: Change, now: Date): Delivery => ({
  ...{ webhook_id: id, seq, handle, state: 'waiting', attempts: 0 },
  ...{ next_at: now.toISOString(), result: undefined },
});

/** The message of a change: its id, the same at every attempt, and its body (Standard Webhooks). */
export function toWebhookMessage(change: Change): { readonly id: string; readonly body: string } {
  return {
    id: `evt_${change.id}`,
    body: JSON.stringify({ ...change, timestamp: change.at }),
  };
}
