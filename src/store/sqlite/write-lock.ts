import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { sqliteFailure } from './failure.ts';

const longestWait_ms = 5000;
const retryAfter_ms = 5;

/**
 * Returns a function that takes the write lock, as the first statement of a transaction. While another process holds it,
 * the connection must not block (busy_timeout 0), so that this process goes on answering; it is tried again for 5 s.
 */
export function createWriteLock(writing: DatabaseSync): () => Promise<void> {
  const takeLock = writing.prepare('update log_head set size = size where false');
  // run() also reports last_insert_rowid, and throws where FTS5 left one above 2^53.
  takeLock.setReadBigInts(true);
  return async () => {
    for (const end_ms = performance.now() + longestWait_ms; ; ) {
      try {
        takeLock.run();
        return;
      } catch (error) {
        if (sqliteFailure(error) !== 'unavailable' || performance.now() > end_ms) throw error;
      }
      await setTimeout(retryAfter_ms);
    }
  };
}
