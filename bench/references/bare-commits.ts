import { DatabaseSync } from 'node:sqlite';

// Usage: node bench/references/bare-commits.ts <database file> <seconds>. One row of a rating's size in each
// durable transaction, as fast as they go.

const [file = '', seconds = '1'] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(
  'pragma journal_mode = wal; pragma synchronous = full; create table if not exists row_log (id integer primary key, text)',
);
const insert = database.prepare('insert into row_log (text) values (?)');
const text = 'x'.repeat(500);
let commits = 0;
const started = performance.now();
while (performance.now() - started < Number(seconds) * 1000) {
  database.exec('begin immediate');
  insert.run(text);
  database.exec('commit');
  commits += 1;
}
process.stdout.write(JSON.stringify({ rate: (commits * 1000) / (performance.now() - started) }));
database.close();
