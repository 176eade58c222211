import { setImmediate } from 'node:timers/promises';

let turn = Promise.resolve();

/** Waits for a turn of the event loop. Each turn continues one piece of all long work that waits here. */
export function nextTurn(): Promise<void> {
  turn = turn.then(() => setImmediate());
  return turn;
}

/** Works through a list in its order. Between two items, other work of the thread gets its turn. */
export async function inTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (results.length > 0) await setImmediate();
    results.push(await work(item));
  }
  return results;
}
