import type { Config } from '../../config/config.ts';
import { readBounded } from '../../core/json.ts';
import type { Store } from '../../store/store.ts';

export interface DoctorSubject {
  readonly config: Config;
  readonly store: Store | undefined;
}

export interface DoctorFinding {
  /** `warning`: may need attention. */
  readonly state: 'fine' | 'warning' | 'fault';
  readonly text: string;
  readonly next?: string;
}

/** A thrown error is a fault, too. */
export type DoctorFindings = Promise<DoctorFinding | readonly DoctorFinding[]>;

export const fine = (text: string): DoctorFinding => ({ state: 'fine', text });
export const warning = (text: string, next: string): DoctorFinding => ({ state: 'warning', text, next });
export const fault = (text: string, next: string): DoctorFinding => ({ state: 'fault', text, next });

const largest_bytes = 100_000;

/** A text says why there is no answer. `ahead_ms` of the other clock, give or take `unsure_ms`. */
export async function ask(url: string) {
  try {
    const sent_ms = Date.now();
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
    const unsure_ms = (Date.now() - sent_ms) / 2;
    // A cache sends the date of the stored answer, and its age since (RFC 9111, section 4.2.3).
    const age_ms = 1000 * (Number(answer.headers.get('age')) || 0);
    const date_ms = Date.parse(answer.headers.get('date') ?? '') + age_ms;
    const read = await readBounded(answer.body ?? new Blob().stream(), largest_bytes);
    const text = read?.toString('utf8') ?? '';
    const ahead_ms = Number.isNaN(date_ms) ? undefined : date_ms - sent_ms - unsure_ms;
    return { status: answer.status, text, ahead_ms, unsure_ms };
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
