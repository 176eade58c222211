import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A connection that is collected would give its lock back. */
const held = new Set<DatabaseSync>();

/** The file itself, there or not, however it is named: two names of one file need the same lock. */
async function resolveName(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const target = await readlink(path).catch(() => undefined);
    return target === undefined
      ? join(await realpath(dirname(path)), basename(path))
      : resolveName(resolve(dirname(path), target));
  }
}

/**
 * Keeps every other process from the state file until this one ends, and returns the file's own path. The lock is
 * SQLite's, on an empty file beside the state: the system gives it to one process and takes it back when that process
 * ends, however it ends, so that none is ever left over. Rejects if another process has it.
 */
export async function lockState(path: string): Promise<string> {
  const own = await resolveName(path);
  const lock = new DatabaseSync(`${own}.lock`, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    const isTaken = (error as { errcode?: number }).errcode === 5;
    throw isTaken ? new Error('another process uses it; each witness needs a state file of its own') : error;
  }
  held.add(lock);
  return own;
}
