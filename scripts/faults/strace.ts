import { setTimeout as wait } from 'node:timers/promises';
import type { ClusterNode } from '../soak/cluster.ts';
import { attachStrace, lacksStrace } from './attach.ts';
import { type Fault, must } from './fault.ts';

/** Injects into the system calls of a node, as `pwrite64:error=EIO`; returns how to stop it. */
function injectCalls({ pid }: ClusterNode, rule: string): Promise<() => Promise<void>> {
  const [calls = ''] = rule.split(':');
  return attachStrace(pid, ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${rule}`]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Kills the node at a call chosen at random among the next ones of a kind. */
const killedAt = (name: string, calls: string): Fault => ({
  name,
  engine: 'sqlite',
  rounds: [4, 100],
  lacks: lacksStrace,
  async inject({ node, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      const { pid = 0 } = node;
      const at = 1 + Math.floor(Math.random() * 30);
      await injectCalls(node, `${calls}:signal=SIGKILL:when=${at}`);
      for (let waited = 0; isAlive(pid) && waited < 200; waited++) await wait(100);
      must(!isAlive(pid), `call ${at} never came`);
      await node.kill();
      await restart();
    }
  },
});

/** Lets every write to a file fail for two seconds, from a call chosen at random on. */
const failing = (error: string, code: string): Fault => ({
  name: `SQLite, ${error} at write N and after`,
  engine: 'sqlite',
  rounds: [2, 30],
  code,
  lacks: lacksStrace,
  async inject({ node, rounds, recover, requireReads }) {
    const { pid = 0 } = node;
    for (let round = 0; round < rounds; round++) {
      const at = 1 + Math.floor(Math.random() * 30);
      const detach = await injectCalls(node, `pwrite64:error=${error}:when=${at}+`);
      await wait(3000);
      await requireReads();
      await detach();
      await recover();
    }
    must(isAlive(pid), 'the process ended');
  },
});

/** Faults of system calls. */
export const callFaults: readonly Fault[] = [
  killedAt('SQLite, killed at fsync N', 'fsync,fdatasync'),
  killedAt('SQLite, killed at pwrite N', 'pwrite64'),
  failing('ENOSPC', '503 storage_full'),
  failing('EIO', '503 unavailable'),
  failing('EROFS', '503 unavailable'),
];
