import { setTimeout as sleep } from 'node:timers/promises';

const longestPause_ms = 2 ** 31 - 1;

interface Job {
  /** Ends it: no further round begins. */
  readonly signal: AbortSignal;
  /** Between two rounds, and after one that failed. */
  readonly pause_ms: number;
  /** Before the first round; 0 if absent. */
  readonly first_ms?: number;
  /** One round. It may return another pause than the usual one, or `ended` if no further round is needed. */
  run(): Promise<number | 'ended'> | Promise<void>;
  /** Reports a round that failed, but not one that the signal ended. */
  onError(error: unknown): void;
}

/**
 * Repeats a job in the background until the signal. Never throws; resolves once the round under way has
 * ended.
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

/**
 * Resolves as `work` does, or rejects with the signal's reason as soon as it is aborted; what comes of `work`
 * is dropped then.
 */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
