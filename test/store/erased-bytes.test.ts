import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { openFolder } from '../support/opened.ts';
import { addSource, recordSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

const folder = openFolder();
const file = join(folder, 'dossier.db');
const DATABASE_URL = `file:${file}`;
let directory: ClaimedDirectory;
let rater: string;
beforeEach(async () => {
  directory = await openClaimedDirectory({ environment: { DATABASE_URL } });
  rater = await addSource(directory.store);
  await recordSource(directory.store);
});
afterEach(async () => {
  await directory.close();
});

async function rate(interaction_id: string, comment: string, supersedes?: string): Promise<string> {
  const sent = ratingOf('co.webhook/webhook', {
    interaction_id,
    interaction_at: '2026-11-21T10:00:00Z',
    outcome: 'failed',
    relationship: 'none',
    comment,
    supersedes,
  });
  const answer = await directory.post('/api/tools/submit_rating', sent, rater);
  return String(((await answer.json()) as { rating_id?: string }).rating_id);
}

/** All bytes that the database has on the disk: the file and its write-ahead log. */
const bytes = () =>
  ['', '-wal']
    .map((end) => `${file}${end}`)
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'latin1'))
    .join('');

it('erased texts are in no byte of the file and its write-ahead log, while the service has it open', async () => {
  const jobs = Array.from({ length: 200 }, (_, n) => `${hash('sha256', String(n))}-Jane-${n}-Doe`);
  const ids = new Map<string, string>();
  for (const job of jobs) ids.set(job, await rate(job, `Text of ${job}`));
  for (const job of jobs.slice(0, 20)) ids.set(job, await rate(job, `Again ${job}`, ids.get(job)));
  // A claim that ends makes each row longer, so that SQLite moves others from page to page.
  for (const state of ['suspended', 'claimed'] as const)
    await directory.store.write(async (tx) => {
      const claim = await tx.claims.claim('b/source');
      if (claim) await tx.claims.putClaim({ ...claim, state });
      await tx.ratings.followClaim('b/source', '2026-11-22T00:00:00.000Z');
    });
  const [last = '', ...others] = jobs.slice(0, 150);
  for (const job of others) await directory.act('erase', ids.get(job) ?? '', 'personal_data');
  const command = ['moderate', 'erase', ids.get(last) ?? '', '--reason', 'personal_data'];
  const said = { code: 0, stdout: expect.not.stringContaining('may still') as string };
  expect(await runDossier(command, { DATABASE_URL })).toMatchObject(said);
  const left = bytes();
  expect(jobs.filter((job) => left.includes(job))).toEqual(jobs.slice(150));
  expect(await rate('later', 'Written after the file was rewritten.')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await directory.audit()).toEqual([]);
});

it('what is deleted is overwritten at once, also before the file is rewritten', async () => {
  await rate('kept', 'Late.');
  const rating_id = await rate('erased', 'Marker-of-Jane-Doe');
  await directory.act('erase', rating_id, 'personal_data');
  await directory.close();
  expect(bytes()).not.toContain('Marker-of-Jane-Doe');
  directory = await openClaimedDirectory({ environment: { DATABASE_URL } });
});
