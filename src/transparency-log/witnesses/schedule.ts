import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../../unless-aborted.ts';
import type { IssuingContext } from '../issue-checkpoint.ts';
import { createWitnessRounds } from './rounds.ts';

const pause_ms = 5000;

/** Asks the witnesses of WITNESSES, at most every five seconds, until the signal. Never throws; does nothing without witnesses. */
export async function startAskingWitnesses(context: IssuingContext, signal: AbortSignal): Promise<void> {
  if (context.config.witnesses.length === 0) return;
  const rounds = createWitnessRounds(context);
  while (!signal.aborted) {
    await unlessAborted(rounds.ask(), signal).catch((error: unknown) => {
      if (!signal.aborted) context.log.warn({ err: error }, 'witnesses could not be asked; tried again');
    });
    await sleep(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
