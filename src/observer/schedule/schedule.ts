import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { createObserver, type ObserverContext } from '../observer.ts';
import { createSchedule } from './observe-due.ts';

const shortestPause_ms = 2000;
const longestPause_ms = 600_000;
const fillsPerInterval = 20;

/** The longest time until a node reads again which listings are due. */
const pauseLimit_ms = ({ observeInterval_s }: ObserverContext['config']) =>
  Math.min(longestPause_ms, (observeInterval_s * 1000) / fillsPerInterval);

/**
 * Looks at all listings every OBSERVE_INTERVAL, and at those that their maintainers ask for, until the signal. Never
 * throws; resolves once the current looks have ended. What is due is read again after 2 s, and after twice as long each
 * time that nothing new was, so that new listings are looked at soon.
 */
export async function startObserving(
  context: ObserverContext & Pick<Context, 'askedChecks'>,
  signal: AbortSignal,
): Promise<void> {
  const { config, log, askedChecks } = context;
  const observer = createObserver(context, signal);
  const schedule = createSchedule(observer, context, { signal });
  askedChecks.add = schedule.ask;
  log.info(`observing: every listing is looked at about every ${config.observeInterval_s} s`);
  for (let [pause_ms, filled_ms] = [0, performance.now()]; !signal.aborted; ) {
    try {
      if (performance.now() - filled_ms >= pause_ms) {
        const isMore = (await schedule.fill()) > 0;
        pause_ms = isMore
          ? shortestPause_ms
          : Math.min(pauseLimit_ms(config), Math.max(pause_ms * 2, shortestPause_ms));
        filled_ms = performance.now();
      }
      await schedule.step();
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ err: error }, 'what is due could not be read; it is tried again');
      await wait(shortestPause_ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  delete askedChecks.add;
  await schedule.end();
  await observer.close().catch(() => undefined);
}
