import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { ChangedHandles, StoreFailure } from '../store.ts';
import { sqliteFailure } from './connection.ts';

/** After damage was found. */
const remembered_ms = 60_000;

class FileReplacedError extends Error {
  constructor(path: string) {
    super(`${path} is no longer the file that was opened: it was deleted, moved or replaced`);
  }
}

const inodeOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}/${found.ino}`;
};

/** A database in memory cannot be replaced. */
export function watchFile(path: string) {
  const opened = path === ':memory:' ? undefined : inodeOf(path);
  const isSame = () => opened === undefined || inodeOf(path) === opened;
  let damagedAt_ms = Number.NEGATIVE_INFINITY;
  return {
    requireSame() {
      if (!isSame()) throw new FileReplacedError(path);
    },
    /** After damage, `isWell` is false for a while. */
    failureOf(error: unknown): StoreFailure | undefined {
      const failure = error instanceof FileReplacedError ? 'damaged' : sqliteFailure(error);
      if (failure === 'damaged') damagedAt_ms = performance.now();
      return failure;
    },
    isWell: () => isSame() && performance.now() - damagedAt_ms > remembered_ms,
  };
}

const poll_ms = 250;
/** Whoever missed more treats everything as changed. */
const savedCommits = 200;
/** Beyond, everything counts as changed. */
const mostHandles = 2000;

/** In the transaction; others read it after the commit. */
export function createAnnounce(writing: DatabaseSync, node: string): (changed: ChangedHandles) => void {
  const insert = writing.prepare('insert into changed_handles (node, handles) values (?, ?)');
  const purge = writing.prepare('delete from changed_handles where seq <= ?');
  return (changed) => {
    const handles: ChangedHandles = changed.length > mostHandles ? 'all' : changed;
    const { lastInsertRowid } = insert.run(node, JSON.stringify(handles));
    purge.run(Number(lastInsertRowid) - savedCommits);
  };
}

/** Since the last call; undefined if some are purged. */
function createCommitReader(watching: DatabaseSync) {
  const newest = watching.prepare('select coalesce(max(seq), 0) as seq from changed_handles');
  const since = watching.prepare('select seq, node, handles from changed_handles where seq > ? order by seq');
  let last = Number(newest.get()?.seq);
  return () => {
    const commits = since.all(last).map(({ seq, node, handles }) => ({
      seq: Number(seq),
      node: String(node),
      handles: JSON.parse(String(handles)) as ChangedHandles,
    }));
    const isComplete = commits.every(({ seq }, at) => seq === last + 1 + at);
    last = commits.at(-1)?.seq ?? last;
    return isComplete ? commits : undefined;
  };
}

/**
 * `watching` has no other use: its `data_version` changes with other connections' commits. Returns how to
 * stop.
 */
export function watchForeignChanges(
  watching: DatabaseSync,
  node: string,
  listener: (changed: ChangedHandles) => void,
): () => void {
  const version = watching.prepare('pragma data_version');
  const readCommits = createCommitReader(watching);
  let seen = version.get()?.data_version;
  const poll = () => {
    const now = version.get()?.data_version;
    if (now === seen) return;
    seen = now;
    const commits = readCommits();
    if (!commits) return listener('all');
    for (const commit of commits) if (commit.node !== node) listener(commit.handles);
  };
  const timer = setInterval(poll, poll_ms).unref();
  return () => clearInterval(timer);
}
