import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster, PostgresCluster } from '../soak/cluster.ts';
import type { Fault } from './fault.ts';

const soon = () => wait(500 + Math.random() * 1500);

const killSqlite: Fault = {
  name: 'SQLite, node killed (-9)',
  engine: 'sqlite',
  rounds: [5, 200],
  async inject({ node, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await soon();
      await node.kill();
      await restart();
    }
  },
};

const killNode: Fault = {
  name: 'PostgreSQL, one of two nodes killed (-9)',
  engine: 'postgres',
  rounds: [3, 50],
  async inject({ cluster: { nodes }, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await soon();
      const node = nodes[round % nodes.length];
      await node?.kill();
      await restart(node);
    }
  },
};

const serverOf = (cluster: Cluster) => (cluster as PostgresCluster).postgres;

/** Stops PostgreSQL as `pg_ctl stop -m immediate` does: without a last checkpoint. */
const stopPostgres: Fault = {
  name: 'PostgreSQL stopped (immediate)',
  engine: 'postgres',
  rounds: [2, 20],
  code: '503 unavailable',
  async inject({ cluster, rounds, recover }) {
    const { folder, start } = serverOf(cluster);
    const pidFile = join(folder, 'postmaster.pid');
    for (let round = 0; round < rounds; round++) {
      await soon();
      process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGQUIT');
      while (existsSync(pidFile)) await wait(50);
      await wait(1000);
      await start();
      await recover();
    }
  },
};

/** Processes that end without warning. */
export const kills: readonly Fault[] = [killSqlite, killNode, stopPostgres];
