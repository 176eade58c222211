import { createFairPool } from '../core/fair-pool.ts';
import type { Webhook } from './webhook.ts';

/** Slots for webhooks that are not known to be slow. */
const quickSlots = 128;
/** How many of them are reserved for webhooks whose last answer came in time. */
const reservedSlots = 64;
/** While this many slow deliveries run, none begins to a webhook whose last answer was slow. */
const slowSlots = 256;
/** The number of webhooks whose last speed is remembered: twice as many as there may be. */
const mostRemembered = 2000;

/** The right to deliver to one webhook now. Release it when the delivery ends. */
export interface DeliverySlot {
  /** Frees a quick slot for others. The delivery continues as a slow one. */
  moveToSlow(): void;
  note(how: 'quick' | 'slow'): void;
  release(): void;
}

/**
 * Creates the delivery slots of one node, with one turn of deliveries at a time to each domain. A delivery
 * that turns out slow gives its quick slot back (`moveToSlow`) and goes on, so slow receivers cannot delay
 * quick ones, however many they are. Slots are reserved for receivers known to be quick, so these do not wait
 * behind unknown ones either.
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
    /** Takes a slot; undefined if none is free for this webhook now. */
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
