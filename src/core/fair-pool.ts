/** Who takes a place: on behalf of each of these keys. */
interface Entrant {
  readonly keys: readonly string[];
  readonly isPreferred?: boolean;
}

/** To be called once when the work has ended. */
type Leave = () => void;

interface Waiting extends Entrant {
  settle(leave: Leave | undefined): void;
}

/** Lets work begin by turns, so that nobody who asks for much keeps others out. */
export type FairPool = ReturnType<typeof createFairPool>;

/**
 * Creates a pool. Next is the one whose key has the fewest places, and of those the one that waits longest.
 * If too many wait, the key with the most waiting gives its last one up, the newcomer if none has more; who
 * is preferred gives up only as the newcomer.
 */
export function createFairPool({
  places,
  placesOfKey,
  preferredPlaces = 0,
  waiting: mostWaiting = Number.POSITIVE_INFINITY,
  longestWait_ms,
}: {
  readonly places: number;
  /** Of one key: a network, a host, a domain. */
  readonly placesOfKey: number;
  /** Places that are reserved for those who are preferred; none if absent. */
  readonly preferredPlaces?: number;
  /** Who waits at most; any number if absent. */
  readonly waiting?: number;
  /** After this time who waits gives up; never if absent. */
  readonly longestWait_ms?: number;
}) {
  const taken = new Map<string, number>();
  const waiting: Waiting[] = [];
  let running = 0;
  let runningUnpreferred = 0;
  const count = ({ keys, isPreferred }: Entrant, by: 1 | -1) => {
    running += by;
    if (!isPreferred) runningUnpreferred += by;
    for (const key of keys) {
      const left = (taken.get(key) ?? 0) + by;
      if (left === 0) taken.delete(key);
      else taken.set(key, left);
    }
  };
  const placesTaken = ({ keys }: Entrant) => Math.max(0, ...keys.map((key) => taken.get(key) ?? 0));
  const hasPlace = (one: Entrant) =>
    running < places &&
    (one.isPreferred || runningUnpreferred < places - preferredPlaces) &&
    placesTaken(one) < placesOfKey;
  const take = (one: Entrant): Leave => {
    count(one, 1);
    return () => {
      count(one, -1);
      begin();
    };
  };
  const remove = (one: Waiting) => waiting.splice(waiting.indexOf(one), 1);
  const begin = () => {
    for (;;) {
      const [first, ...others] = waiting.filter(hasPlace);
      if (!first) return;
      const next = others.reduce((best, one) => (placesTaken(one) < placesTaken(best) ? one : best), first);
      remove(next);
      next.settle(take(next));
    }
  };
  const giveUp = (one: Waiting) => {
    if (!waiting.includes(one)) return;
    remove(one);
    one.settle(undefined);
  };
  const toGiveUp = (newcomer: Waiting): Waiting => {
    const mayGo = waiting.filter(({ isPreferred }) => !isPreferred);
    const ofSame = ({ keys }: Entrant) =>
      mayGo.filter((other) => other.keys.some((key) => keys.includes(key)));
    const most = mayGo.reduce(
      (best, one) => (ofSame(one).length > ofSame(best).length ? one : best),
      newcomer,
    );
    return ofSame(most).at(-1) ?? newcomer;
  };
  return {
    /** Whether a key has all the places that one may have. */
    isFull: (key: string) => (taken.get(key) ?? 0) >= placesOfKey,
    /** Takes a place if one is free now. */
    tryEnter: (entrant: Entrant) => (hasPlace(entrant) ? take(entrant) : undefined),
    /** Resolves when a place is free; to undefined if too many wait, or after the longest wait. */
    async enter(entrant: Entrant) {
      const { promise, resolve: settle } = Promise.withResolvers<Leave | undefined>();
      const one = { ...entrant, settle };
      waiting.push(one);
      begin();
      if (waiting.length > mostWaiting) giveUp(toGiveUp(one));
      if (longestWait_ms === undefined) return promise;
      const timer = setTimeout(giveUp, longestWait_ms, one).unref();
      return promise.finally(() => clearTimeout(timer));
    },
  };
}
