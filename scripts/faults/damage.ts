import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { queryDatabase } from '../../test/support/nodes.ts';
import { type Fault, must } from './fault.ts';

const page_bytes = 4096;
const damagedPages = 20;

const cutLog: Fault = {
  ...{ name: 'SQLite, killed, then its WAL cut', engine: 'sqlite', rounds: [2, 50], destroys: true },
  async inject({ node, file, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await wait(2000);
      await node.kill();
      const wal = `${file}-wal`;
      truncateSync(wal, Math.floor(Math.random() * statSync(wal).size));
      await restart();
    }
  },
};

/** Overwrites pages of a closed file at random, but for the first, which makes it a database. */
function damage(file: string): void {
  const pages = statSync(file).size / page_bytes;
  const opened = openSync(file, 'r+');
  for (let count = 0; count < damagedPages; count++) {
    const page = 1 + Math.floor(Math.random() * (pages - 1));
    writeSync(opened, randomBytes(page_bytes), 0, page_bytes, page * page_bytes);
  }
  closeSync(opened);
}

const damagedFile: Fault = {
  ...{ name: 'SQLite, pages damaged, later put back', engine: 'sqlite', rounds: [2, 30] },
  code: '503 unavailable',
  async inject({ node, file, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await wait(1500);
      await node.stop();
      copyFileSync(file, `${file}.good`);
      damage(file);
      await node.start().then(
        () => wait(4000),
        (error: Error) => must(error.message.startsWith('ended with 74'), error.message),
      );
      await node.kill();
      for (const part of ['-wal', '-shm']) truncateOf(`${file}${part}`);
      copyFileSync(`${file}.good`, file);
      await restart();
    }
  },
};

/** Empties a file that may be there. */
function truncateOf(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) truncateSync(path);
}

const newer =
  "insert into kysely_migration (name, timestamp) values ('9999-later', '2027-01-01T00:00:00.000Z')";

const newerSchema: Fault = {
  ...{ name: 'SQLite, database of a newer version', engine: 'sqlite', rounds: [1, 3] },
  async inject({ node, cluster, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await wait(1500);
      await node.stop();
      await queryDatabase(cluster.databaseUrl, newer);
      const refusal = await node.start().then(
        () => 'started',
        (error: Error) => error.message,
      );
      must(/^ended with 78 [\s\S]*newer version of Dossier; run that version/.test(refusal), refusal);
      await queryDatabase(cluster.databaseUrl, "delete from kysely_migration where name = '9999-later'");
      await restart();
    }
  },
};

/** Faults of what is in the file. */
export const damages: readonly Fault[] = [cutLog, damagedFile, newerSchema];
