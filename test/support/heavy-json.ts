import { isMainThread } from 'node:worker_threads';

/*
 * Faults of the engine, injected into threads where they parse and serialise JSON: some texts take for ever,
 * take all memory, or end the thread. No real input is known that does so, because each one that was found is
 * fixed.
 */
const { parse, stringify } = JSON;

/** Blocks the thread as an endless loop does, without the processor time. */
function block(): string {
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function exhaustHeap(): never {
  const kept: number[][] = [];
  for (;;) kept.push(new Array(500_000).fill(0.5));
}

if (!isMainThread) {
  JSON.parse = (text: string, ...rest: []) => {
    if (text.includes('spins-when-read')) block();
    if (text.includes('exhausts-memory')) exhaustHeap();
    // It is thrown outside of any check, where nothing catches it.
    if (text.includes('ends-the-thread')) setTimeout(() => process.exit(1));
    return parse(text, ...rest) as unknown;
  };
  JSON.stringify = (value: unknown, ...rest: []) => {
    const text = stringify(value, ...rest);
    const isStored = text?.includes('spins-when-stored') && new Error().stack?.includes('packValue');
    return isStored ? block() : text;
  };
}
