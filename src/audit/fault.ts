import { toLine } from '../core/text.ts';

export interface AuditFault {
  /** The record, entry, node or checkpoint. */
  readonly where: string;
  readonly message: string;
  readonly next: string;
  /** Read again before the fault is told, because it may have changed meanwhile. */
  readonly handle?: string | undefined;
}

const longestValue = 80;

/** One line without control characters. */
export function toShownValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = toLine(JSON.stringify(value));
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** In a row or answer that differs from an intact log entry. */
export const rowFault = (where: string, message: string, handle?: string): AuditFault => ({
  where,
  message,
  next: 'Find out who changed it, and restore it from a backup that agrees with the log.',
  handle,
});

export const logFault = (where: string, message: string): AuditFault => ({
  where,
  message,
  next: 'Keep this database and every checkpoint for examination, and restore the newest backup in which an audit finds no fault.',
});

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
