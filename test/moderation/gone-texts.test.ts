import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { writeBackupFile } from '../../src/cli/backup/backup.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { readExport, whereShown } from '../support/doors.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openFolder } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

type Json = Record<string, unknown>;
const subject = 'co.webhook/webhook';
const rater = 'com.rater/api';

let made = 0;
const directory = await opened(
  openClaimedDirectory({ entries: [...seedEntries, registryEntry(rater, onGitHub('rater/api'))] }),
);
const owner = await directory.claim(subject, 'webhook-co/webhook');
const source = await directory.claim(rater, 'rater/api');

const call = async (tool: string, body: object, secret?: string) =>
  (await (await directory.post(`/api/tools/${tool}`, body, secret)).json()) as Json;

/** What a source wrote about one interaction; everything that it sent has the word in it. */
async function createInteraction() {
  const firstEntry = await directory.store.log.size();
  const word = `zebulon${made++}`;
  const interaction_at = directory.context.clock().toISOString();
  const ids: string[] = [];
  const rate = async (change: object = {}) => {
    directory.wait(1);
    const sent = ratingOf(subject, {
      interaction_id: `job-${word}`,
      interaction_at,
      relationship: 'none',
      outcome: 'failed',
      comment: `${word} says ${ids.length}`,
      operation: word,
      tags: [word],
      evidence: [{ kind: 'trace_id', value: word }],
      ...change,
    });
    const { rating_id } = await call('submit_rating', sent, source);
    ids.push(String(rating_id));
  };
  const respond = (at: number) =>
    call('respond_to_rating', { rating_id: ids[at], text: `${word} did not` }, owner);
  const withdraw = (at: number) =>
    call('withdraw_rating', { rating_id: ids[at], reason: 'other', note: word }, source);
  const moderate = (name: string, at: number) => directory.act(name, String(ids[at]), 'unlawful');
  const amend = (change: object = {}) => rate({ supersedes: ids.at(-1), ...change });
  return { word, ids, firstEntry, rate, amend, respond, withdraw, moderate };
}
type Interaction = Awaited<ReturnType<typeof createInteraction>>;

const written: string[] = [];

/** The doors that still show something of an interaction. */
const findShown = ({ word, ids, firstEntry }: Interaction): Promise<string[]> => {
  written.push(...ids);
  return whereShown(
    directory,
    { handles: [subject, rater], query: 'webhook', rating_ids: ids, firstEntry },
    word,
  );
};

/** What is done with a rating after it is given: an act, and which of its versions it is about. */
const sequences = [
  'withdraw 0',
  'hide 0',
  'erase 0',
  'respond 0, withdraw 0',
  'respond 0, hide 0',
  'amend, withdraw 1',
  'amend, hide 1',
  'respond 0, amend, amend, hide 2',
  'respond 0, amend, erase 1',
  'withdraw 0, rate, withdraw 1',
  'withdraw 0, rate, hide 1',
  'respond 0, hide 0, withdraw 0',
  'hide 0, amend',
  'hide 0, withdraw 0, rate',
  'respond 0, withdraw 0, erase 0',
  'void 0, withdraw 0',
];

it.each(sequences)('no door shows a rating after: %s', async (sequence) => {
  const interaction = await createInteraction();
  await interaction.rate();
  expect((await findShown(interaction)).length).toBeGreaterThan(5);
  for (const step of sequence.split(', ')) {
    const [act = '', at] = step.split(' ');
    if (act === 'rate' || act === 'amend') await interaction[act]();
    else if (act === 'respond' || act === 'withdraw') await interaction[act](Number(at));
    else await interaction.moderate(act, Number(at));
  }
  expect(await findShown(interaction)).toEqual([]);
  expect(await directory.audit()).toEqual([]);
});

it('no door shows anything of any of them, nor does an entry of the log', async () => {
  const asked = { handles: [subject, rater], query: 'webhook', rating_ids: [...new Set(written)] };
  expect(await whereShown(directory, asked, 'zebulon')).toEqual([]);
});

it('the dump of a day later has nothing of them', async () => {
  directory.wait(86_400);
  const text = await readExport(directory);
  expect(text).toContain(subject);
  expect(text).not.toContain('zebulon');
});

it('a backup that is made after an erasure has nothing of the rating, its versions and the responses', async () => {
  const interaction = await createInteraction();
  await interaction.rate();
  await interaction.respond(0);
  await interaction.amend();
  await interaction.respond(1);
  await interaction.withdraw(1);
  const folder = openFolder();
  const backUp = async (name: string) => {
    const file = join(folder, name);
    await writeBackupFile(directory.store, file, {
      version: '0.0.0-test',
      signal: new AbortController().signal,
    });
    return gunzipSync(readFileSync(file)).toString('utf8');
  };
  expect(await backUp('before.gz')).toContain(interaction.word);
  await interaction.moderate('erase', 1);
  expect(await backUp('after.gz')).not.toContain(interaction.word);
});
