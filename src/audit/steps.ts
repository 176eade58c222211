import type { AuditFault } from './fault.ts';

/**
 * An audit in small steps. It yields, for each item that it looks at, a fault or undefined, so that
 * `takeSteps` can run it with pauses and no number of rows blocks the process.
 */
export type AuditSteps<T = void> = Generator<AuditFault | undefined, T>;

export interface StepWatch {
  readonly onFault: (fault: AuditFault) => void;
  /** Is called after each small piece of work, and awaited, so that the caller can slow it down. */
  readonly rest?: () => Promise<void>;
}

const stepsAtOnce = 100;

/** Runs all steps with a rest after each hundred, reports the faults, and returns the generator's value. */
export async function takeSteps<T>(steps: AuditSteps<T>, { onFault, rest }: StepWatch): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { value, done } = steps.next();
    if (done) return value;
    if (value) onFault(value);
    if (taken % stepsAtOnce === 0) await rest?.();
  }
}
