import type { DatabaseSync } from 'node:sqlite';
import type { ChangedHandles } from '../store.ts';

const poll_ms = 250;
/** What is said so long ago has been read by everyone, or they have more to forget than is worth telling. */
const kept = 200;
/** More than this is said as everything. */
const mostNamed = 2000;

/** Says in a transaction what it touched: other processes learn of it with the commit. */
export function createAnnounce(writing: DatabaseSync, node: string): (written: ChangedHandles) => void {
  const say = writing.prepare('insert into changed_handles (node, handles) values (?, ?)');
  const forget = writing.prepare('delete from changed_handles where seq <= ?');
  return (written) => {
    const named: ChangedHandles = written.length > mostNamed ? 'all' : written;
    const { lastInsertRowid } = say.run(node, JSON.stringify(named));
    forget.run(Number(lastInsertRowid) - kept);
  };
}

interface Said {
  readonly seq: number;
  readonly node: string;
  readonly handles: string;
}

/**
 * Calls back within 250 ms on what other processes committed. `watching` is a connection that is used for nothing else:
 * its data_version moves with every commit, of this process too.
 */
export function watchForeignWrites(
  watching: DatabaseSync,
  node: string,
  announce: (written: ChangedHandles) => void,
): () => void {
  const version = watching.prepare('pragma data_version');
  const last = watching.prepare('select coalesce(max(seq), 0) as seq from changed_handles');
  const news = watching.prepare('select seq, node, handles from changed_handles where seq > ? order by seq');
  let seen = version.get()?.data_version;
  let read = Number(last.get()?.seq);
  const look = () => {
    const now = version.get()?.data_version;
    if (now === seen) return;
    seen = now;
    const said = news.all(read) as unknown as Said[];
    const hasAll = said.every(({ seq }, at) => seq === read + 1 + at);
    read = said.at(-1)?.seq ?? read;
    if (!hasAll) return announce('all');
    for (const one of said) if (one.node !== node) announce(JSON.parse(one.handles) as ChangedHandles);
  };
  const timer = setInterval(look, poll_ms).unref();
  return () => clearInterval(timer);
}
