import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/**
 * Runs SQL on a database beside the service, as somebody with write access to the file or the server could.
 */
export async function editDatabase(databaseUrl: string, sql: string): Promise<void> {
  if (databaseUrl.startsWith('file:')) {
    const database = new DatabaseSync(databaseUrl.slice('file:'.length));
    database.exec(sql);
    database.close();
    return;
  }
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(sql);
  await client.end();
}
