import { createInterface } from 'node:readline/promises';
import { SingleBar } from 'cli-progress';
import { openStore } from '../app/open.ts';
import type { Store } from '../store/store.ts';

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export const isTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** Asks on a terminal; without one, the answer is no. */
export async function isWanted(question: string): Promise<boolean> {
  if (!isTerminal()) return false;
  using lines = createInterface({ input: process.stdin, output: process.stdout });
  return /^y(?:es)?$/i.test(await lines.question(`${question} [y/N] `));
}

/** On standard error: a bar, or without a terminal a line every 2 s. `form` names members of `payload`. */
export function createBar(form: string) {
  const bar = new SingleBar({
    format: form,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 2000,
    stream: process.stderr,
  });
  let isBegun = false;
  return {
    show(value: number, total: number, payload: object = {}) {
      if (!isBegun) bar.start(total, 0, { ...payload });
      isBegun = true;
      bar.setTotal(total);
      bar.update(value, payload);
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}

export async function withStore<T>(
  config: Parameters<typeof openStore>[0],
  work: (store: Store) => Promise<T>,
): Promise<T> {
  await using store = await openStore(config);
  return await work(store);
}
