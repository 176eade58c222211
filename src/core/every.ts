import { setTimeout as sleep } from 'node:timers/promises';

const longestPause_ms = 2 ** 31 - 1;

interface Job {
  readonly signal: AbortSignal;
  readonly pause_ms: number;
  /** Before the first round; default 0. */
  readonly first_ms?: number;
  /** Returns the next pause, if not `pause_ms`, or `ended`. */
  run(): Promise<number | 'ended'> | Promise<void>;
  /** Not called after the signal is aborted. */
  onError(error: unknown): void;
}

/**
 * Resolves when the round that runs at the signal, or returns `ended`, has ended. Rejects only if `onError`
 * throws.
 */
export async function every({ signal, pause_ms, first_ms = 0, run, onError }: Job): Promise<void> {
  for (let wait_ms = first_ms; ; ) {
    if (wait_ms > 0)
      await sleep(Math.min(wait_ms, longestPause_ms), undefined, { signal, ref: false }).catch(
        () => undefined,
      );
    if (signal.aborted) return;
    try {
      const next = await run();
      if (next === 'ended') return;
      wait_ms = next ?? pause_ms;
    } catch (error) {
      wait_ms = pause_ms;
      if (!signal.aborted) onError(error);
    }
  }
}

/** As `work`, or rejects with the signal's reason as soon as that is aborted. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
