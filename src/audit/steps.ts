import type { AuditFault } from './fault.ts';

/**
 * An audit in small steps. It yields, for each item that it looks at, a fault or undefined. `takeSteps` runs
 * them with pauses, so that an audit never blocks the process, however many rows callers have added.
 */
export type AuditSteps<T = void> = Generator<AuditFault | undefined, T>;

export interface StepWatch {
  readonly onFault: (fault: AuditFault) => void;
  /** Is called after each small piece of work, and awaited, so that the caller can slow it down. */
  readonly rest?: () => Promise<void>;
}

const stepsAtOnce = 100;

/**
 * Runs all steps with a rest after each hundred, reports the faults, and returns the value of the generator.
 */
export async function takeSteps<T>(steps: AuditSteps<T>, { onFault, rest }: StepWatch): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { value, done } = steps.next();
    if (done) return value;
    if (value) onFault(value);
    if (taken % stepsAtOnce === 0) await rest?.();
  }
}
