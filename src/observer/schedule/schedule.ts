import { setTimeout as wait } from 'node:timers/promises';
import { createObserver, type Observer, type ObserverContext } from '../observer.ts';
import { type AskedContext, answerAskedLooks } from './asked-looks.ts';
import { observeDue } from './observe-due.ts';

const shortestPause_ms = 2000;
const longestPause_ms = 600_000;
const passesPerInterval = 20;

/** The longest pause between two passes of one node. */
const pauseLimit_ms = ({ observeInterval_s }: ObserverContext['config']) =>
  Math.min(longestPause_ms, (observeInterval_s * 1000) / passesPerInterval);

/** One pass; returns how many listings were due. A pass that fails is logged, and the next one goes on. */
async function pass(observer: Observer, context: ObserverContext, signal: AbortSignal): Promise<number> {
  try {
    const counts = await observeDue(observer, context, { signal });
    const due = counts.looked + counts.failed;
    if (due > 0) context.log.info(counts, 'a pass of the observer ended');
    return due;
  } catch (error) {
    if (!signal.aborted)
      context.log.warn({ err: error }, 'a pass of the observer failed; the next one goes on');
    return 0;
  }
}

/**
 * Looks at all listings every OBSERVE_INTERVAL until the signal. Never throws; resolves once the current looks have
 * ended. The pause between passes doubles while nothing is due, so that new listings are looked at soon.
 */
export async function startObserving(context: AskedContext, signal: AbortSignal): Promise<void> {
  const observer = createObserver(context, signal);
  const asked = answerAskedLooks(observer, context);
  context.log.info(`observing: every listing is looked at about every ${context.config.observeInterval_s} s`);
  for (let pause_ms = shortestPause_ms; !signal.aborted; ) {
    const due = await pass(observer, context, signal);
    pause_ms = due > 0 ? shortestPause_ms : Math.min(pauseLimit_ms(context.config), pause_ms * 2);
    await wait(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
  await asked.end();
  await observer.close().catch(() => undefined);
}
