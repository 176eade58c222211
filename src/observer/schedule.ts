import { setTimeout as wait } from 'node:timers/promises';
import { observeDue } from './observe-due.ts';
import { createObserver, type ObserverContext } from './observer.ts';

const longestPause_s = 600;
const passesPerInterval = 20;

/** Pause between two passes of one node. */
const pauseOf_ms = ({ observeInterval_s }: ObserverContext['config']) =>
  Math.min(longestPause_s, observeInterval_s / passesPerInterval) * 1000;

/** Looks at all listings every OBSERVE_INTERVAL until the signal. Never throws; resolves once the current looks have ended. */
export async function startObserving(context: ObserverContext, signal: AbortSignal): Promise<void> {
  const observer = createObserver(context);
  context.log.info(`observing: every listing is looked at about every ${context.config.observeInterval_s} s`);
  while (!signal.aborted) {
    try {
      const counts = await observeDue(observer, context, { signal });
      if (counts.looked + counts.failed > 0) context.log.info(counts, 'a pass of the observer ended');
      await wait(pauseOf_ms(context.config), undefined, { signal, ref: false });
    } catch (error) {
      if (signal.aborted) break;
      context.log.warn({ err: error }, 'a pass of the observer failed; the next one goes on');
      await wait(pauseOf_ms(context.config), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  await observer.close().catch(() => undefined);
}
