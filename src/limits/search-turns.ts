/** Searches that wait for the database at the same time. */
const mostRunning = 20;
/** Share of its limit from which a caller waits for those who ask for anything else. */
const heavy = 0.5;

interface Waiting {
  /** Share of its limit that the caller's network had used, 0 to 1. */
  readonly used: number;
  readonly answer: (isTurn: boolean) => void;
}

/** In what order the searches of one process begin. */
export interface SearchTurns {
  /** Resolves to true when a search may begin, which `end` has to follow, or to false if it gave up its place. */
  wait(used: number): Promise<boolean>;
  end(): void;
}

/**
 * One search begins in a turn of the event loop: on SQLite it computes for some milliseconds at a stretch, and what else arrived
 * meanwhile is answered before the next one. The caller that used the least of its limit is next, and within that the one
 * that waits longest. One that used half of its limit begins only after a rest as long as the first turn of the search
 * before, which leaves time to others. When more than `mostWaiting` wait, the one that used most
 * gives up its place, of equals the newest.
 */
export function createSearchTurns(mostWaiting: number): SearchTurns {
  const waiting: Waiting[] = [];
  let running = 0;
  let hasBegun = false;
  let restUntil_ms = 0;
  let isResting = false;
  const begin = ({ answer }: Waiting) => {
    const began_ms = performance.now();
    running += 1;
    hasBegun = true;
    setImmediate(() => {
      hasBegun = false;
      restUntil_ms = 2 * performance.now() - began_ms;
      beginNext();
    });
    answer(true);
  };
  const beginNext = () => {
    const [next] = waiting;
    if (!next || hasBegun || running >= mostRunning) return;
    const rest_ms = next.used < heavy ? 0 : restUntil_ms - performance.now();
    if (rest_ms <= 0) begin(waiting.shift() ?? next);
    else if (!isResting) {
      isResting = true;
      setTimeout(() => {
        isResting = false;
        beginNext();
      }, rest_ms);
    }
  };
  const enqueue = (one: Waiting) => {
    const at = waiting.findIndex(({ used }) => used > one.used);
    waiting.splice(at === -1 ? waiting.length : at, 0, one);
    if (waiting.length > mostWaiting) waiting.pop()?.answer(false);
  };
  return {
    wait: (used) =>
      new Promise((resolve) => {
        enqueue({ used, answer: resolve });
        beginNext();
      }),
    end() {
      running -= 1;
      beginNext();
    },
  };
}
