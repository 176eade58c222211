import { createFairPool } from '../core/fair-pool.ts';
import type { Webhook } from './webhook.ts';

/** For webhooks not known to be slow. */
const quickSlots = 128;
/** For those whose last delivery was quick. */
const reservedSlots = 64;
/** At this many, no delivery begins to a webhook that was slow last. */
const slowSlots = 256;
/** Twice as many webhooks as there may be. */
const mostRemembered = 2000;

export interface DeliverySlot {
  /** Goes on without its quick slot. */
  moveToSlow(): void;
  note(how: 'quick' | 'slow'): void;
  release(): void;
}

/**
 * Slow receivers do not delay quick ones: they give back their slots, and some are reserved for receivers
 * known to be quick.
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
