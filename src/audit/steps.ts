import type { AuditFault } from './fault.ts';

/**
 * A check in small steps: one for each thing that it looks at, with the fault if there is one. Only `takeSteps` takes them, so that no check
 * keeps the process from answering, however much callers have added.
 */
export type Steps<T = void> = Generator<AuditFault | undefined, T>;

/** Who takes the steps of a check. */
export interface StepWatch {
  readonly onFault: (fault: AuditFault) => void;
  /** Called after each small piece of work, and awaited, so that the caller can slow it down. */
  readonly rest?: () => Promise<void>;
}

const stepsAtOnce = 100;

/** Takes all steps of a check, with a rest after each hundred, and returns what the check returns. */
export async function takeSteps<T>(steps: Steps<T>, { onFault, rest }: StepWatch): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { value, done } = steps.next();
    if (done) return value;
    if (value) onFault(value);
    if (taken % stepsAtOnce === 0) await rest?.();
  }
}
