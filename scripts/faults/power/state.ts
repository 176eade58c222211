import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openOwnEvidence } from '../../../src/app/own-evidence.ts';
import { openContext } from '../../../src/app/server.ts';
import { audit, readKnownRoot } from '../../../src/audit/audit.ts';
import { readConfig } from '../../../src/config/config.ts';
import { readCheckpoint } from '../../../src/log/notes.ts';
import { queryDatabase } from '../../../test/support/nodes.ts';
import { findDuplicates } from '../../soak/audit.ts';
import type { Cluster } from '../../soak/cluster.ts';
import { openTemporaryFolder } from '../sqlite-place.ts';
import type { Cut } from './cuts.ts';

/** A database after a power cut, opened once as `dossier serve` opens it. */
export interface OpenedState extends Pick<Cluster, 'query'> {
  readonly open_ms: number;
  /** What is wrong with the log or recorded twice, if anything. */
  readonly trouble: readonly string[];
  close(): void;
}

async function findFaults(databaseUrl: string, published: readonly string[]) {
  const config = readConfig(
    {
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: 'https://dossier.example',
      REGISTRY_URL: 'off',
      LIMITS: 'off',
      LOG_LEVEL: 'silent',
    },
    '0.0.0',
  );
  const began_ms = performance.now();
  const context = await openContext(config, 'make');
  const open_ms = performance.now() - began_ms;
  const roots = published.map((text) =>
    readKnownRoot(text, { where: 'a published checkpoint', key: undefined }),
  );
  const trouble: string[] = [];
  {
    await using own = await openOwnEvidence(context);
    await audit(own, roots, {
      onFault: ({ where, message }) => void trouble.push(`${where}: ${message}`),
    });
  }
  await context.store.close();
  return { open_ms, trouble };
}

/**
 * Writes the files of a cut into a new folder, opens the database there and audits it against checkpoints
 * that were published before.
 */
export async function openState(
  file: string,
  { files }: Cut,
  published: readonly string[],
): Promise<OpenedState> {
  const { folder, close } = openTemporaryFolder();
  for (const [path, content] of files) writeFileSync(join(folder, basename(path)), content);
  const databaseUrl = `file:${join(folder, basename(file))}`;
  const query = (text: string) => queryDatabase(databaseUrl, text);
  const { open_ms, trouble } = await findFaults(databaseUrl, published);
  const kept = files.get(`${file}.checkpoint`)?.toString();
  if (kept !== undefined && !readCheckpoint(kept)) trouble.push('the checkpoint file is cut off');
  const logs = await query('select id from log_head');
  if (logs.length !== 1) trouble.push('the log was closed and another one opened');
  const doubled = await findDuplicates({ query });
  return { query, open_ms, trouble: [...trouble, ...doubled.map((one) => `doubled: ${one}`)], close };
}
