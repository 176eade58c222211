import { createFairPool } from '../core/fair-pool.ts';
import type { Webhook } from './webhook.ts';

/** Slots for webhooks that are not known to be slow. */
const quickSlots = 128;
/** This many quick slots are reserved for webhooks whose last delivery was quick. */
const reservedSlots = 64;
/** While this many slow deliveries run, no delivery begins to a webhook whose last one was slow. */
const slowSlots = 256;
/** The last speed is remembered for at most this many webhooks, twice as many as there may be. */
const mostRemembered = 2000;

export interface DeliverySlot {
  /** Frees a quick slot for others. The delivery continues as a slow one. */
  moveToSlow(): void;
  note(how: 'quick' | 'slow'): void;
  release(): void;
}

/**
 * The delivery slots of one node. Each receiver has one turn of deliveries at a time. A delivery that turns
 * out slow gives its quick slot back (`moveToSlow`) and goes on, so slow receivers do not delay quick ones.
 * Receivers known to be quick do not wait behind unknown ones either, because slots are reserved for them.
 */
export function createDeliverySlots() {
  const quick = createFairPool({ places: quickSlots, placesOfKey: 1, preferredPlaces: reservedSlots });
  const known = new Map<string, 'quick' | 'slow'>();
  const busy = new Set<string>();
  let slow = 0;
  const note = (id: string, how: 'quick' | 'slow') => {
    known.delete(id);
    known.set(id, how);
    const [oldest] = known.keys();
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
  };
  const enterSlow = () => {
    slow += 1;
    return () => {
      slow -= 1;
    };
  };
  const findSlot = ({ id, domain }: Webhook) => {
    const how = known.get(id);
    if (how !== 'slow') return quick.tryEnter({ keys: [domain], isPreferred: how === 'quick' });
    return slow < slowSlots ? enterSlow() : undefined;
  };
  return {
    /** Undefined if no slot is free for this webhook now. */
    tryEnter(webhook: Webhook): DeliverySlot | undefined {
      const { id, domain } = webhook;
      let leave = busy.has(domain) ? undefined : findSlot(webhook);
      if (!leave) return undefined;
      busy.add(domain);
      return {
        moveToSlow() {
          leave?.();
          leave = enterSlow();
        },
        note: (how) => note(id, how),
        release() {
          busy.delete(domain);
          leave?.();
        },
      };
    },
  };
}
