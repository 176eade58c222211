import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { queryDatabase } from '../../test/support/nodes.ts';
import { type Fault, must, type Session } from './fault.ts';

const page_bytes = 4096;
const damagedPages = 20;

/** A refusal to start that says in one line that the database is damaged and what to do. */
const isClearRefusal = (message: string) =>
  /^ended with 74 [^\n]*\n\nDATABASE_URL: [^\n]*restore the newest backup[^\n]*\n$/.test(message);

/** What a node that may refuse a damaged file said; empty where it started. */
const startOf = (node: Session['node']): Promise<string> =>
  node.start().then(
    () => '',
    ({ message }: Error) => message,
  );

/** Puts another file in the place of a closed database. */
function putBack(from: string, file: string): void {
  for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
  copyFileSync(from, file);
}

const cutLog: Fault = {
  name: 'SQLite, killed, then its WAL cut',
  engine: 'sqlite',
  rounds: [2, 50],
  destroys: true,
  async inject({ node, file, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await wait(1000);
      await node.stop();
      copyFileSync(file, `${file}.backup`);
      await node.start();
      await wait(2000);
      await node.kill();
      const wal = `${file}-wal`;
      truncateSync(wal, Math.floor(Math.random() * statSync(wal).size));
      const refusal = await startOf(node);
      must(refusal === '' || isClearRefusal(refusal), refusal);
      await node.kill();
      if (refusal !== '') putBack(`${file}.backup`, file);
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
  name: 'SQLite, pages damaged, later put back',
  engine: 'sqlite',
  rounds: [2, 30],
  // What was written beside the damage is not in the copy that is put back.
  code: '503 unavailable',
  destroys: true,
  async inject({ node, file, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await wait(1500);
      await node.stop();
      copyFileSync(file, `${file}.good`);
      damage(file);
      const refusal = await startOf(node);
      must(refusal === '' || isClearRefusal(refusal), refusal);
      if (refusal === '') await wait(4000);
      await node.kill();
      putBack(`${file}.good`, file);
      await restart();
    }
  },
};

const newer =
  "insert into kysely_migration (name, timestamp) values ('9999-later', '2027-01-01T00:00:00.000Z')";

const newerSchema: Fault = {
  name: 'SQLite, database of a newer version',
  engine: 'sqlite',
  rounds: [1, 3],
  async inject({ node, cluster, rounds, restart }) {
    for (let round = 0; round < rounds; round++) {
      await wait(1500);
      await node.stop();
      await queryDatabase(cluster.databaseUrl, newer);
      const refusal = await startOf(node);
      must(
        /^ended with 78 [\s\S]*newer version of Dossier; run that version/.test(refusal),
        refusal || 'it started',
      );
      await queryDatabase(cluster.databaseUrl, "delete from kysely_migration where name = '9999-later'");
      await restart();
    }
  },
};

/** Faults of what is in the file. */
export const damages: readonly Fault[] = [cutLog, damagedFile, newerSchema];
