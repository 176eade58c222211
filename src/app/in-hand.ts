import { AsyncLocalStorage } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';

/** Memory that a working thread shares with the one that watches it: a heartbeat, and the piece of work in hand. */
export type SharedNotes = Int32Array<SharedArrayBuffer>;

const [heartbeat, inHand] = [0, 1];

export const createNotes = (): SharedNotes => new Int32Array(new SharedArrayBuffer(8));

/** Changes as long as the working thread answers. */
export const beatsOf = (notes: SharedNotes): number => Atomics.load(notes, heartbeat);

/** Whose work the thread is doing now; 0 for nobody's. */
export const inHandOf = (notes: SharedNotes): number => Atomics.load(notes, inHand);

/**
 * Notes from now on what this thread does. Returns a function that runs the work of somebody, a number above 0: whatever
 * that work awaits, and whatever else runs meanwhile, the notes name it exactly while JavaScript runs for it. No piece of
 * work can be forgotten, because V8 itself says when it continues a promise, and in whose context.
 */
export function startNoting(notes: SharedNotes, beat_ms: number) {
  const whose = new AsyncLocalStorage<number>();
  promiseHooks.createHook({
    before: () => void Atomics.store(notes, inHand, whose.getStore() ?? 0),
    after: () => void Atomics.store(notes, inHand, 0),
  });
  setInterval(() => Atomics.add(notes, heartbeat, 1), beat_ms).unref();
  return <T>(one: number, work: () => Promise<T>): Promise<T> => whose.run(one, work);
}
