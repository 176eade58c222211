import { createFairPool } from '../core/fair-pool.ts';
import type { Webhook } from './webhook.ts';

/** Turns at a time at addresses that are not known to be slow. */
const quickPlaces = 128;
/** How many of them are only for addresses that answered in time when they were last sent something. */
const placesOfKnown = 64;
/** While so many turns go on among the slow ones, none begins at an address that was slow the last time. */
const slowPlaces = 256;
/** Of how many addresses it is remembered how they answered last: twice as many as there are webhooks. */
const mostRemembered = 2000;

/** The place of a turn at a webhook. */
export interface Place {
  /** The turn goes on among the slow ones: it has taken as long as one among the quick ones may. */
  giveBack(): void;
  /** Remembers how the address answered. */
  note(how: 'quick' | 'slow'): void;
  leave(): void;
}

/**
 * The places of turns at webhooks on one node, one for each key of a webhook. Addresses that are slow have the places of the quick ones only as
 * long as `giveBack` says, however many they are, and one that was quick does not wait for those of which nothing is known. A turn that
 * gives its place back goes on, so that there may be as many connections as there are webhooks.
 */
export function createPlaces() {
  const quick = createFairPool({ places: quickPlaces, placesOfKey: 1, preferredPlaces: placesOfKnown });
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
  const findPlace = ({ id, domain }: Webhook) => {
    const how = known.get(id);
    if (how !== 'slow') return quick.tryEnter({ keys: [domain], isPreferred: how === 'quick' });
    return slow < slowPlaces ? enterSlow() : undefined;
  };
  return {
    /** A place, if one is free for this webhook now. */
    tryEnter(webhook: Webhook): Place | undefined {
      const { id, domain } = webhook;
      let leave = busy.has(domain) ? undefined : findPlace(webhook);
      if (!leave) return undefined;
      busy.add(domain);
      return {
        giveBack() {
          leave?.();
          leave = enterSlow();
        },
        note: (how) => note(id, how),
        leave() {
          busy.delete(domain);
          leave?.();
        },
      };
    },
  };
}
