import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eraseRecord } from '../../src/log/checkpoints.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { addSource, recordSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

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
  await recordSource(directory.store);
});
afterEach(() => directory.close());

const tool = async (name: string, input: object, secret?: string): Promise<Json> =>
  (await (await directory.post(`/api/tools/${name}`, input, secret)).json()) as Json;
const interaction_at = new Date().toISOString();
const rate = (interaction_id: string, change: object = {}) =>
  tool(
    'submit_rating',
    ratingOf('co.webhook/webhook', {
      interaction_id,
      interaction_at,
      outcome: 'failed',
      relationship: 'none',
      score: 1,
      operation: 'op-secret',
      comment: 'Ring Ada Lovelace at 0123 456.',
      ...change,
    }),
    rater,
  );
const erase = (target: unknown, reason = 'personal_data') =>
  runDossier(['moderate', 'erase', String(target), '--reason', reason], { DATABASE_URL });
const transparency = async () => (JSON.parse(await read('/transparency.json')) as { actions: Json }).actions;
const read = async (path: string) => (await directory.app.request(path)).text();
/** A page without its tags. */
const readText = async (path: string) => (await read(path)).replaceAll(/<[^>]+>/g, '');
const today = new Date().toISOString().slice(0, 10);

it('erases what a rating said from every adapter and from the log, and the audit and the proofs still hold', async () => {
  const { rating_id, log_index } = await rate('ada-lovelace-1');
  await rate('other', { comment: 'Late.', operation: 'op' });
  expect(await erase(rating_id)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^erase \S+; entry 4 of the log says so\nThe operator of this directory erased what this rating said on /,
    ) as string,
  });
  await expect
    .poll(async () => (await tool('list_ratings', { handle: 'co.webhook/webhook' })).ratings)
    .toEqual([
      expect.objectContaining({ comment: 'Late.' }),
      expect.objectContaining({ rating_id, erased_at: expect.any(String) as string }),
    ]);
  const page = '/agents/co.webhook/webhook';
  for (const path of [page, `${page}/ratings`, `${page}.json`, `${page}.md`, '/api/tools'])
    expect(await read(path)).not.toMatch(/lovelace|op-secret/i);
  expect(await readText(`${page}/ratings`)).toContain(
    `Erased by the operator on ${today}; log index ${String(log_index)}.`,
  );
  expect(await read(`${page}.md`)).toMatch(
    new RegExp(`from \`b/source\`.*\\n.*\\n.*erased by the operator ${today}`),
  );
  const { signals } = JSON.parse(await read(`${page}.json`)) as { signals: { native: { ratings: number } } };
  expect(signals.native.ratings).toBe(1);
  expect(await directory.store.log.record(Number(log_index))).toBeUndefined();
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The log has 6 entries; 2 listings compared; 0 faults$/m) as string,
  });
  expect(await erase(rating_id)).toMatchObject({ code: 64 });
  expect((await transparency()).erase).toEqual({ applied: 1, undone: 0 });
});

it('erases the text of a response, and leaves the rating', async () => {
  const { rating_id } = await rate('one');
  await tool('respond_to_rating', { rating_id, text: 'It was Ada.' }, owner);
  expect(await erase(`response:${rating_id}`)).toMatchObject({ code: 0 });
  await expect.poll(() => read('/agents/co.webhook/webhook.md')).toContain(`erased by the operator ${today}`);
  expect(await readText('/agents/co.webhook/webhook/ratings')).toContain(
    `its text was erased by the operator on ${today}`,
  );
  for (const path of ['/agents/co.webhook/webhook.json', '/agents/co.webhook/webhook/ratings'])
    expect(await read(path)).not.toContain('It was Ada.');
  const { rating_id: withdrawn } = await rate('two');
  await tool('withdraw_rating', { rating_id: withdrawn }, rater);
  const log = await (await directory.app.request('/log', { headers: { accept: 'text/html' } })).text();
  const items = log.match(/<li>.*?<\/li>/gs)?.map((item) => item.replaceAll(/<[^>]+>/g, '')) ?? [];
  expect(items.slice(0, 5)).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC co.webhook\/webhook: rating withdrawn entry 7$/),
    expect.stringMatching(/^\d{4}.*: new rating by b\/source entry 6$/),
    expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC record erased entry 5$/),
    expect.stringMatching(/^\d{4}.*: action of the operator \(erase response, personal data\) entry 4$/),
    'erased response to a rating entry 3',
  ]);
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({ code: 0 });
});

it('leaves nothing of an erased rating to a new one, whatever the new one is called, and an erased version makes the others no younger', async () => {
  const paid = await rate('one', { relationship: 'paid' });
  expect(await erase(paid.rating_id)).toMatchObject({ code: 0 });
  expect(await rate('erased', { comment: 'Late.' })).toMatchObject({ group: 'independent' });

  const first = await rate('two');
  directory.wait(100 * 86_400);
  const second = await rate('two', { supersedes: first.rating_id, comment: 'Late.' });
  expect(await erase(first.rating_id)).toMatchObject({ code: 0 });
  directory.wait(81 * 86_400);
  expect(await rate('two', { supersedes: second.rating_id, comment: 'Later.' })).toMatchObject({
    code: 'interaction_out_of_window',
  });
});

it('verify holds an erased record with the proof of its erasure, and not with that of another entry', async () => {
  const { rating_id, log_index } = await rate('one');
  const other = await rate('two');
  const folder = mkdtempSync(join(tmpdir(), 'dossier-erasure-'));
  const save = async (name: string, index: unknown) => {
    const proof = await tool('get_proof', { log_index: index });
    writeFileSync(join(folder, name), JSON.stringify(proof));
    return proof;
  };
  await erase(rating_id);
  await erase(other.rating_id);
  const { erased_by, record } = await save('erased.json', log_index);
  expect([erased_by, record]).toEqual([5, undefined]);
  await save('erasure.json', 5);
  await save('other.json', 7);
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

it('is done in no other way: the log has no command of its own, and an audit finds an erasure without the action', async () => {
  const { rating_id, log_index } = await rate('one');
  const unknown = ['record', 'erase', String(log_index), '--reason', 'names a person'];
  expect(await runDossier(unknown, { DATABASE_URL })).toMatchObject({ code: 64 });
  const erasure = { log_index: Number(log_index), at: new Date().toISOString(), reason: 'names a person' };
  await directory.store.write((tx) => eraseRecord(tx, erasure));
  expect(await runDossier(['audit', DATABASE_URL], {})).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      `entry ${String(log_index)}: an entry "record.erased" names it, but no action of the operator erased it`,
    ) as string,
  });
  expect(await erase(rating_id)).toMatchObject({
    code: 64,
    stderr: 'the record of this entry is not stored: it was erased before, or lost; nothing was changed\n',
  });
});

it('refuses what is no rating, what does not exist, and a reason that is not listed', async () => {
  const { rating_id } = await rate('one');
  const refused = [
    await erase('co.webhook/webhook'),
    await erase('019aa5f2-0000-7000-8000-000000000000'),
    await erase(`response:${String(rating_id)}`),
    await erase(rating_id, 'names a person'),
  ];
  expect(refused.map(({ code, stderr }) => [code, stderr.split('\n').length])).toEqual(
    Array.from({ length: 4 }, () => [64, 2]),
  );
  expect(await directory.store.log.size()).toBe(3);
});
