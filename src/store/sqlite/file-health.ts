import { statSync } from 'node:fs';
import type { Failure } from '../store.ts';
import { sqliteFailure } from './failure.ts';

/** How long a damaged file counts as unusable after the last statement that found it so. */
const remembered_ms = 60_000;

/** The database file was deleted, moved or replaced while it was open: what is written now would be lost. */
class FileReplacedError extends Error {
  constructor(path: string) {
    super(`${path} is no longer the file that was opened: it was deleted, moved or replaced`);
  }
}

/** What is known of the file behind an open database. */
export interface FileHealth {
  /** Throws where the path no longer leads to the file that was opened. */
  requireSame(): void;
  /** What an error means to a caller; remembers that the file is damaged. */
  failureOf(error: unknown): Failure | undefined;
  /** Whether the file is the one that was opened, and no statement found it damaged in the last minute. */
  isWell(): boolean;
}

const inodeOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}/${found.ino}`;
};

/** Watches a file that was just opened; a database in memory is always well. */
export function watchFile(path: string): FileHealth {
  const opened = path === ':memory:' ? undefined : inodeOf(path);
  const isSame = () => opened === undefined || inodeOf(path) === opened;
  let damagedAt_ms = Number.NEGATIVE_INFINITY;
  return {
    requireSame() {
      if (!isSame()) throw new FileReplacedError(path);
    },
    failureOf(error) {
      const failure = error instanceof FileReplacedError ? 'damaged' : sqliteFailure(error);
      if (failure === 'damaged') damagedAt_ms = performance.now();
      return failure;
    },
    isWell: () => isSame() && performance.now() - damagedAt_ms > remembered_ms,
  };
}
