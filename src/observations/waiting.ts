export interface WaitingListing {
  readonly handle: string;
  readonly why: 'asked' | 'read' | 'due';
  /** The control root of the claim whose holder asked for the check. */
  readonly root?: string;
  readonly reader?: { readonly network: string; readonly domains: readonly string[] };
  /** The check takes a place of each while it runs. */
  keys?: readonly string[];
  notBefore_ms: number;
  wasTried?: true;
  /** The time-out `observerSlow_ms` is over, and the check still runs. */
  isSlow?: true;
}

/** A listing waits behind a key that is in a pause, or has as many running checks as it may. */
export function createQueue() {
  const all = new Map<string, WaitingListing>();
  const next = new Set<WaitingListing>();
  const behind = new Map<string, Set<WaitingListing>>();
  return {
    size: () => all.size,
    has: (handle: string) => all.has(handle),
    values: () => all.values(),
    add(one: WaitingListing) {
      all.set(one.handle, one);
      next.add(one);
    },
    take: (one: WaitingListing) => next.delete(one),
    putBack: (one: WaitingListing) => next.add(one),
    putBehind(one: WaitingListing, key: string) {
      next.delete(one);
      behind.set(key, (behind.get(key) ?? new Set()).add(one));
    },
    delete(one: WaitingListing) {
      next.delete(one);
      for (const ones of behind.values()) ones.delete(one);
      all.delete(one.handle);
    },
    *candidates(isFull: (key: string) => boolean) {
      for (const [key, ones] of behind) {
        for (const one of ones) {
          if (isFull(key)) break;
          // Otherwise a large namespace would keep the others of its domain waiting.
          behind.delete(key);
          behind.set(key, ones);
          ones.delete(one);
          next.add(one);
          yield one;
        }
        if (ones.size === 0) behind.delete(key);
      }
      yield* next;
    },
  };
}
