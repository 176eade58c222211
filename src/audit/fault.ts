import { toLine } from '../core/text.ts';

/** One disagreement between what is shown and the log. */
export interface AuditFault {
  /** The record, entry, node or checkpoint. */
  readonly where: string;
  /** What is wrong, and what was expected. */
  readonly message: string;
  /** What to do next. */
  readonly next: string;
}

const longestValue = 80;

/** A value as a fault names it: on one line, cut, without control characters; `nothing` for an absent one. */
export function toShownValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = toLine(JSON.stringify(value));
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** A row or answer differs from an intact log entry: the entry says what it was. */
export const rowFault = (where: string, message: string): AuditFault => ({
  where,
  message,
  next: 'Find out who changed it, and restore it from a backup that agrees with the log.',
});

/** The log itself was changed: only a copy from before the change has the lost part. */
export const logFault = (where: string, message: string): AuditFault => ({
  where,
  message,
  next: 'Keep this database and every checkpoint for examination, and restore the newest backup whose audit holds.',
});
