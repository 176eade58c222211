/** Who waits for a turn. */
export interface Asker {
  /** The widest network of the caller. */
  readonly network: string;
  /** Whether the listing has a claim on record: some places are for these only. */
  readonly hasClaim: boolean;
}

/** How many checks run at the same time, and how many wait. */
export interface TurnLimits {
  readonly places: number;
  /** Of these, for listings with a claim on record. */
  readonly claimedPlaces: number;
  readonly placesOfNetwork: number;
  readonly waiting: number;
  readonly longestWait_ms: number;
}

/** Lets checks of repositories begin in turn. */
export interface Turns {
  /** Resolves when a check may begin, to what ends it; to undefined where too many wait, or after the longest wait. */
  enter(asker: Asker): Promise<(() => void) | undefined>;
}

/** As many as the client of claim checks has connections to one host. */
export const defaultTurnLimits: TurnLimits = {
  places: 16,
  claimedPlaces: 4,
  placesOfNetwork: 4,
  waiting: 64,
  longestWait_ms: 5000,
};

interface Waiting extends Asker {
  settle(leave: (() => void) | undefined): void;
}

const countOf = (list: readonly Asker[], network: string) =>
  list.filter((asker) => asker.network === network).length;

/** Who gives up where too many wait: the last one of the network that has the most waiting, the newcomer where none has more. */
function toGiveUp(waiting: readonly Waiting[], newcomer: Waiting): Waiting {
  const mayGo = waiting.filter(({ hasClaim }) => !hasClaim);
  const most = mayGo.reduce(
    (best, asker) => (countOf(mayGo, asker.network) > countOf(mayGo, best.network) ? asker : best),
    newcomer,
  );
  return mayGo.findLast(({ network }) => network === most.network) ?? newcomer;
}

/** The one that waits longest among those whose network has the fewest checks running and that a place is free for. */
function pickNext(waiting: readonly Waiting[], running: readonly Asker[], limits: TurnLimits) {
  const { places, claimedPlaces, placesOfNetwork } = limits;
  if (running.length >= places) return undefined;
  const isOpenToAll = running.filter(({ hasClaim }) => !hasClaim).length < places - claimedPlaces;
  const [first, ...others] = waiting
    .filter(({ hasClaim }) => hasClaim || isOpenToAll)
    .map((asker) => ({ asker, own: countOf(running, asker.network) }))
    .filter(({ own }) => own < placesOfNetwork);
  return first && others.reduce((best, one) => (one.own < best.own ? one : best), first).asker;
}

/**
 * Lets whole checks begin in turn, so that a check's time runs only while it is being made. The network with the fewest
 * running checks comes first. When too many wait, the network that has the most waiting gives one up.
 */
export function createTurns(limits: TurnLimits = defaultTurnLimits): Turns {
  const running: Asker[] = [];
  const waiting: Waiting[] = [];
  const remove = (list: Asker[], asker: Asker) => list.splice(list.indexOf(asker), 1);
  const begin = () => {
    for (;;) {
      const next = pickNext(waiting, running, limits);
      if (!next) return;
      remove(waiting, next);
      running.push(next);
      next.settle(() => {
        remove(running, next);
        begin();
      });
    }
  };
  const giveUp = (asker: Waiting) => {
    if (!waiting.includes(asker)) return;
    remove(waiting, asker);
    asker.settle(undefined);
  };
  return {
    enter(asker) {
      const { promise, resolve: settle } = Promise.withResolvers<(() => void) | undefined>();
      const entry = { ...asker, settle };
      waiting.push(entry);
      begin();
      if (waiting.length > limits.waiting) giveUp(toGiveUp(waiting, entry));
      const timer = setTimeout(giveUp, limits.longestWait_ms, entry).unref();
      return promise.finally(() => clearTimeout(timer));
    },
  };
}
