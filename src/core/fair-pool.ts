/** One place counts for each key. */
interface Entrant {
  readonly keys: readonly string[];
  readonly isPreferred?: boolean;
}

/** Call it once. */
type Leave = () => void;

interface WaitingEntrant extends Entrant {
  settle(leave: Leave | undefined): void;
}

export type FairPool = ReturnType<typeof createFairPool>;

/**
 * A heavy user keeps nobody out: next is who has the fewest places (by the key with most), then who came
 * first. If too many wait, the newest unpreferred entrant of the key with most of them gives up, of equal
 * keys the newcomer's. A preferred newcomer gives up only if no unpreferred entrant waits.
 */
export function createFairPool({
  places,
  placesOfKey,
  preferredPlaces = 0,
  waiting: mostWaiting = Number.POSITIVE_INFINITY,
  longestWait_ms,
}: {
  readonly places: number;
  readonly placesOfKey: number;
  readonly preferredPlaces?: number;
  /** Unlimited by default. */
  readonly waiting?: number;
  /** Unlimited by default. */
  readonly longestWait_ms?: number;
}) {
  const taken = new Map<string, number>();
  const waiting: WaitingEntrant[] = [];
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
  const remove = (one: WaitingEntrant) => waiting.splice(waiting.indexOf(one), 1);
  const begin = () => {
    for (;;) {
      const [first, ...others] = waiting.filter(hasPlace);
      if (!first) return;
      const next = others.reduce((best, one) => (placesTaken(one) < placesTaken(best) ? one : best), first);
      remove(next);
      next.settle(take(next));
    }
  };
  const giveUp = (one: WaitingEntrant) => {
    if (!waiting.includes(one)) return;
    remove(one);
    one.settle(undefined);
  };
  const toGiveUp = (newcomer: WaitingEntrant): WaitingEntrant => {
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
    isFull: (key: string) => (taken.get(key) ?? 0) >= placesOfKey,
    tryEnter: (entrant: Entrant) => (hasPlace(entrant) ? take(entrant) : undefined),
    /** Undefined if too many wait and this entrant gives up, or after the longest wait. */
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
