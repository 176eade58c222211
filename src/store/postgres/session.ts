import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';

const heartbeat_ms = 1000;
const firstRetry_ms = 50;
const longestRetry_ms = 1000;

/** An open connection; `lost` resolves when it ends. */
export interface Session {
  readonly client: Client;
  readonly lost: Promise<void>;
}

type Open = () => Promise<Session>;

/** Waits; rejects once it is stopped. */
const pause = (time_ms: number, stopped: AbortSignal) =>
  wait(time_ms, undefined, { signal: stopped, ref: false });

async function openWithRetries(open: Open, stopped: AbortSignal): Promise<Session> {
  for (let retry_ms = firstRetry_ms; ; retry_ms = Math.min(retry_ms * 2, longestRetry_ms)) {
    try {
      return await open();
    } catch {
      await pause(retry_ms, stopped);
    }
  }
}

/** Ends the current client once it does not answer, so that its session counts as lost. */
async function sendHeartbeats(current: () => Session, stopped: AbortSignal): Promise<never> {
  for (;;) {
    await pause(heartbeat_ms, stopped);
    const { client } = current();
    await client.query('select 1').catch(() => client.end());
  }
}

/**
 * Opens a session and keeps it open: one that is lost is opened again, within a second after PostgreSQL answers, and
 * `onReopened` is called. Returns a function that closes it for good.
 */
export async function keepSession(open: Open, onReopened: () => void): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  let session = await open();
  const reopenWhenLost = async () => {
    for (;;) {
      await session.lost;
      stopping.signal.throwIfAborted();
      session = await openWithRetries(open, stopping.signal);
      if (stopping.signal.aborted) return session.client.end();
      onReopened();
    }
  };
  const running = Promise.allSettled([reopenWhenLost(), sendHeartbeats(() => session, stopping.signal)]);
  return async () => {
    stopping.abort();
    await session.client.end().catch(() => undefined);
    await running;
  };
}
