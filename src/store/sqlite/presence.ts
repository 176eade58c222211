import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';

const processIdKey = 'dossier.process';

/** A UUID of this process that worker threads inherit: its pid may have been another process's before. */
function processUuid(): string {
  const inherited: unknown = getEnvironmentData(processIdKey);
  if (typeof inherited === 'string') return inherited;
  const made = randomUUID();
  setEnvironmentData(processIdKey, made);
  return made;
}

/** Nodes of the stores open in this thread; each leaves when it closes. At module level, because stores ask about others. */
const openNodes = new Set<string>();

/** Name of a store among those on its file, and a function that ends its presence. */
export function joinNodes(): { readonly node: string; readonly leave: () => void } {
  const node = [hostname(), process.pid, processUuid(), threadId, randomUUID()].join('/');
  openNodes.add(node);
  return { node, leave: () => void openNodes.delete(node) };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process of a node runs. Unknown, and answered with true, for other hosts and for threads of this process. */
export async function isPresent(node: string): Promise<boolean> {
  const [host, pid, uuid, thread] = node.split('/');
  if (host !== hostname()) return true;
  if (Number(pid) !== process.pid) return isRunning(Number(pid));
  if (uuid !== processUuid()) return false;
  return thread !== String(threadId) || openNodes.has(node);
}
