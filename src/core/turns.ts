import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

const networks = new AsyncLocalStorage<string>();

/** For all pieces of this work, however deep. */
export const asNetwork = <Result>(network: string, work: () => Result): Result => networks.run(network, work);

/** The first is next, and then goes to the end. */
const waiting = new Map<string, (() => void)[]>();

function giveTurn(): void {
  const [[network, own] = ['', []]] = waiting;
  const next = own.shift();
  waiting.delete(network);
  if (own.length > 0) waiting.set(network, own);
  if (waiting.size > 0) setImmediate(giveTurn);
  next?.();
}

/** A turn of the event loop continues one piece of work, of each network in its turn. */
export const nextTurn = (network = networks.getStore() ?? ''): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.size === 0) setImmediate(giveTurn);
    const own = waiting.get(network);
    if (own) own.push(resolve);
    else waiting.set(network, [resolve]);
  });

/** Other work of the thread goes in between. */
export async function inTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (results.length > 0) await nextTurn();
    results.push(await work(item));
  }
  return results;
}
