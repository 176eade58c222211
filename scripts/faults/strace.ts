import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClusterNode } from '../soak/cluster.ts';
import { type Fault, must } from './fault.ts';

/** What a machine without strace lacks. */
const lacksStrace = () =>
  spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0 ? undefined : 'no strace that may trace';

/** Attaches strace to a node and injects into its system calls, as `pwrite64:error=EIO`; returns how to detach. */
async function injectCalls({ pid }: ClusterNode, rule: string): Promise<() => Promise<void>> {
  const [calls = ''] = rule.split(':');
  const args = ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${rule}`, '-p', String(pid)];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(strace, 'close');
  await Promise.race([once(strace.stderr, 'data'), closed]);
  strace.stderr.resume();
  return async () => {
    strace.kill('SIGINT');
    await closed;
  };
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
  ...{ name, engine: 'sqlite', rounds: [4, 100], lacks: lacksStrace },
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
  ...{ engine: 'sqlite', rounds: [2, 30], code, lacks: lacksStrace },
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
