import type { AuditFault } from './fault.ts';

/** Yields faults, and undefined between items, so that many rows do not block the process. */
export type AuditSteps<T = void> = Generator<AuditFault | undefined, T>;

export interface StepWatch {
  readonly onFault: (fault: AuditFault) => void;
  /** Awaited between pieces of work, so that the caller can slow the audit down. */
  readonly rest?: () => Promise<void>;
}

const stepsAtOnce = 100;

export async function takeSteps<T>(steps: AuditSteps<T>, { onFault, rest }: StepWatch): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { value, done } = steps.next();
    if (done) return value;
    if (value) onFault(value);
    if (taken % stepsAtOnce === 0) await rest?.();
  }
}
