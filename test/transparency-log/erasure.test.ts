import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { addSource } from '../support/rating-source.ts';

type Json = Record<string, unknown>;

let DATABASE_URL: string;
let directory: ClaimedDirectory;
let rater: string;
let owner: string;
beforeEach(async () => {
  DATABASE_URL = await createSharedDatabase();
  directory = await openClaimedDirectory({ environment: { DATABASE_URL } });
  owner = await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  rater = await addSource(directory.store);
});
afterEach(() => directory.close());

const tool = async (name: string, input: object, secret?: string): Promise<Json> =>
  (await (await directory.post(`/api/tools/${name}`, input, secret)).json()) as Json;
const interaction_at = new Date().toISOString();
const rate = (interaction_id: string, change: object = {}) =>
  tool(
    'submit_rating',
    {
      ...{ handle: 'co.webhook/webhook', interaction_id, interaction_at },
      ...{ outcome: 'failed', protocol: 'mcp', relationship: 'none', score: 1, operation: 'op-secret' },
      ...{ comment: 'Ring Ada Lovelace at 0123 456.', ...change },
    },
    rater,
  );
const erase = (log_index: unknown, reason = 'names a person') =>
  runDossier(['record', 'erase', String(log_index), '--reason', reason], { DATABASE_URL });
const read = async (path: string) => (await directory.app.request(path)).text();
/** A page without its tags. */
const readText = async (path: string) => (await read(path)).replaceAll(/<[^>]+>/g, '');
const today = new Date().toISOString().slice(0, 10);

it('erases what a rating said from every face and from the log, and the audit and the proofs still hold', async () => {
  const { rating_id, log_index } = await rate('ada-lovelace-1');
  await rate('other', { comment: 'Late.', operation: 'op' });
  expect(await erase(log_index)).toMatchObject({
    code: 0,
    stdout: `erased the record of entry ${log_index}; entry 3 says so\n`,
  });
  await expect
    .poll(async () => (await tool('list_ratings', { handle: 'co.webhook/webhook' })).ratings)
    .toEqual([
      expect.objectContaining({ comment: 'Late.' }),
      expect.objectContaining({
        rating_id,
        interaction_id: 'erased',
        erased_at: expect.any(String) as string,
      }),
    ]);
  const page = '/agents/co.webhook/webhook';
  for (const path of [page, `${page}/ratings`, `${page}.json`, `${page}.md`, '/api/tools'])
    expect(await read(path)).not.toMatch(/lovelace|op-secret/i);
  expect(await readText(`${page}/ratings`)).toContain(
    `Erased by the operator on ${today}; log index ${String(log_index)}.`,
  );
  expect(await read(`${page}.md`)).toContain(`erased by the operator ${today} from b/source`);
  const { signals } = JSON.parse(await read(`${page}.json`)) as { signals: { native: { ratings: number } } };
  expect(signals.native.ratings).toBe(1);
  expect(await directory.store.log.record(Number(log_index))).toBeUndefined();
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({
    code: 0,
    stdout: '4 log entries and 1 listings compared; 0 faults\n',
  });
  expect(await erase(log_index)).toMatchObject({ code: 64 });
});

it('erases the text of a response, and leaves the rating', async () => {
  const { rating_id } = await rate('one');
  const { log_index } = await tool('respond_to_rating', { rating_id, text: 'It was Ada.' }, owner);
  expect(await erase(log_index)).toMatchObject({ code: 0 });
  await expect.poll(() => read('/agents/co.webhook/webhook.md')).toContain(`erased by the operator ${today}`);
  expect(await readText('/agents/co.webhook/webhook/ratings')).toContain(
    `its text was erased by the operator on ${today}`,
  );
  for (const path of ['/agents/co.webhook/webhook.json', '/agents/co.webhook/webhook/ratings'])
    expect(await read(path)).not.toContain('It was Ada.');
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({ code: 0 });
});

it('erases one version of an amended rating; the current one ends its older versions too', async () => {
  const first = await rate('one');
  const second = await rate('one', { supersedes: first.rating_id, comment: 'Late.' });
  expect(await erase(first.log_index)).toMatchObject({ code: 0 });
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({ code: 0 });
  expect(await erase(second.log_index)).toMatchObject({ code: 0 });
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({ code: 0 });
});

it('verify holds an erased record with the proof of its erasure, and not with that of another entry', async () => {
  const { log_index } = await rate('one');
  const other = await rate('two');
  const folder = mkdtempSync(join(tmpdir(), 'dossier-erasure-'));
  const save = async (name: string, index: unknown) => {
    const proof = await tool('get_proof', { log_index: index });
    writeFileSync(join(folder, name), JSON.stringify(proof));
    return proof;
  };
  await erase(log_index);
  await erase(other.log_index);
  const { erased_by, record } = await save('erased.json', log_index);
  expect([erased_by, record]).toEqual([3, undefined]);
  await save('erasure.json', 3);
  await save('other.json', 4);
  const verify = (...more: string[]) => runDossier(['verify', join(folder, 'erased.json'), ...more], {});
  expect(await verify()).toMatchObject({
    code: 2,
    stdout: expect.stringContaining(
      'open   no record: this proves that an entry exists, not what it says\n',
    ) as string,
  });
  expect(await verify('--erasure', join(folder, 'erasure.json'))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^holds {2}the record was erased on \d{4}-.*, as an entry of the log says$/m,
    ) as string,
  });
  expect(await verify('--erasure', join(folder, 'other.json'))).toMatchObject({ code: 1 });
});

it('refuses an entry of another kind, one that does not exist, and an empty reason', async () => {
  expect(await erase(0)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('this entry is a claim.activated; only ratings') as string,
  });
  expect(await erase(99)).toMatchObject({ code: 64 });
  expect(await erase('x')).toMatchObject({ code: 64 });
  expect(await erase(0, ' ')).toMatchObject({ code: 64 });
  expect(await directory.store.log.size()).toBe(1);
});
