import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';

/** What `doctor` checks. */
export interface Subject {
  readonly config: Config;
  /** Undefined if the database cannot be opened, or there is none yet. */
  readonly store: Store | undefined;
}

/** What a check found: one sentence, and what to do where something is to be done. */
export interface Finding {
  /** `fault`: the service does not work as it should. `warning`: it does, and something may need attention. */
  readonly state: 'fine' | 'warning' | 'fault';
  readonly text: string;
  readonly next?: string;
}

/** What one check found. It changes nothing; what it throws is a fault. */
export type Found = Promise<Finding | readonly Finding[]>;

export const fine = (text: string): Finding => ({ state: 'fine', text });
export const warning = (text: string, next: string): Finding => ({ state: 'warning', text, next });
export const fault = (text: string, next: string): Finding => ({ state: 'fault', text, next });

/** Sends a GET without following redirects; a text says why there is no answer. `ahead_ms`: of the other clock, by its Date header. */
export async function ask(url: string) {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
    const date_ms = Date.parse(answer.headers.get('date') ?? '');
    const text = (await answer.text()).slice(0, 100_000);
    const ahead_ms = Number.isNaN(date_ms) ? undefined : date_ms - Date.now();
    return { status: answer.status, text, ahead_ms };
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
