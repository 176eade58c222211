import { expect, it } from 'vitest';
import { openOwnEvidence } from '../../src/app/own-evidence.ts';
import { auditOnce } from '../../src/audit/audit.ts';
import { startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { openedDirectory } from '../support/opened.ts';
import { addSource, recordSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

/** A database with one rating of a/subject-0. */
async function createRatedDatabase(): Promise<string> {
  const DATABASE_URL = await createSharedDatabase();
  const directory = await openDirectory({ environment: { DATABASE_URL } });
  const capability = await addSource(directory.store);
  const answer = await directory.post(
    '/api/tools/submit_rating',
    ratingOf('a/subject-0', {
      interaction_id: 'one',
      interaction_at: new Date().toISOString(),
      outcome: 'failed',
      relationship: 'none',
    }),
    capability,
  );
  if (answer.status !== 200) throw new Error(await answer.text());
  await recordSource(directory.store);
  await directory.close();
  return DATABASE_URL;
}

/** What a service says of its audit once that has finished: /readyz, a metric, its log. */
async function serveUntilAudited(DATABASE_URL: string) {
  const service = startDossier(['serve'], {
    DATABASE_URL,
    PORT: '0',
    METRICS_PORT: '0',
    REGISTRY_URL: 'off',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'info',
  });
  let log = '';
  for (const stream of [service.child.stdout, service.child.stderr])
    stream?.on('data', (text: string) => {
      log += text;
    });
  const url = await service.line(/^listening on (http:\S+)/m);
  await expect.poll(() => log).toMatch(/"msg":"audit: (?:what is shown agrees|faults were found)/);
  const ready = await fetch(`${url}/readyz`);
  const metrics = await (await fetch(/"url":"(http:[^"]+\/metrics)"/.exec(log)?.[1] ?? '')).text();
  service.child.kill('SIGTERM');
  await service.ended;
  const { audit } = (await ready.json()) as { audit: { state: string; entries: number; faults: number } };
  const lines = log.split('\n').filter((line) => line.includes('audit'));
  return { status: ready.status, audit, metrics, lines: lines.join('\n') };
}

it('a service audits itself at start; a fault is in its log, a metric and /readyz, until it is mended', async () => {
  const DATABASE_URL = await createRatedDatabase();
  expect(await serveUntilAudited(DATABASE_URL)).toMatchObject({
    status: 200,
    audit: { state: 'holds', entries: 2, faults: 0 },
    metrics: expect.stringMatching(/^dossier_audit_faults 0$/m) as string,
  });
  await editDatabase(DATABASE_URL, "update rating set outcome = 'succeeded'");
  const found = await serveUntilAudited(DATABASE_URL);
  expect(found).toMatchObject({ status: 200, audit: { state: 'differs', entries: 2, faults: 1 } });
  expect(found.metrics).toMatch(/^dossier_audit_faults 1$/m);
  expect(found.metrics).toMatch(/^dossier_audit_entries 2$/m);
  expect(found.metrics).toMatch(/^dossier_audit_last_finished_timestamp_seconds [1-9]/m);
  expect(found.lines).toContain('outcome is \\"succeeded\\", but log entry 0 says \\"failed\\"');
  await editDatabase(DATABASE_URL, "update rating set outcome = 'failed'");
  expect(await serveUntilAudited(DATABASE_URL)).toMatchObject({
    audit: { state: 'holds', faults: 0 },
    metrics: expect.stringMatching(/^dossier_audit_faults 0$/m) as string,
  });
});

it('only one of several nodes audits at a time, and a node that ended is no obstacle', async () => {
  const DATABASE_URL = await createRatedDatabase();
  const node = await openDirectory({ entries: [], environment: { DATABASE_URL } });
  const other = await openedDirectory({ entries: [], environment: { DATABASE_URL } });
  const { signal } = new AbortController();
  const lease = await node.store.leases.take('audit');
  expect(lease?.isOurs()).toBe(true);
  await auditOnce(other.context, openOwnEvidence, signal);
  expect(await other.store.audits.last()).toBeUndefined();
  await node.close();
  await auditOnce(other.context, openOwnEvidence, signal);
  expect(await other.store.audits.last()).toMatchObject({ entries: 2, faults: 0 });
});
