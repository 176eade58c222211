import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBackupFile } from '../../src/cli/backup/backups.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { readExport, whereShown } from '../support/doors.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { onGitHub } from '../support/registry-entries.ts';

type Json = Record<string, unknown>;
const subject = 'co.webhook/webhook';
const rater = 'com.rater/api';

let directory: ClaimedDirectory;
let owner: string;
let source: string;
let made = 0;
beforeAll(async () => {
  directory = await openClaimedDirectory({
    entries: [...seedEntries, registryEntry(rater, onGitHub('rater/api'))],
  });
  owner = await directory.claim(subject, 'webhook-co/webhook');
  source = await directory.claim(rater, 'rater/api');
});
afterAll(() => directory.close());

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
    const sent = {
      handle: subject,
      interaction_id: `job-${word}`,
      interaction_at,
      protocol: 'mcp',
      relationship: 'none',
      outcome: 'failed',
      comment: `${word} says ${ids.length}`,
      operation: word,
      tags: [word],
      evidence: [{ kind: 'trace_id', value: word }],
      ...change,
    };
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

/** What is written and taken back, and what is done with it. */
const sequences: readonly (readonly [string, (one: Interaction) => Promise<unknown>])[] = [
  ['a rating that is withdrawn', (one) => one.withdraw(0)],
  ['a rating that is hidden', (one) => one.moderate('hide', 0)],
  ['a rating that is erased', (one) => one.moderate('erase', 0)],
  [
    'an answered rating that is withdrawn',
    async (one) => {
      await one.respond(0);
      await one.withdraw(0);
    },
  ],
  [
    'an answered rating that is hidden',
    async (one) => {
      await one.respond(0);
      await one.moderate('hide', 0);
    },
  ],
  [
    'an amended rating whose newest version is withdrawn',
    async (one) => {
      await one.amend();
      await one.withdraw(1);
    },
  ],
  [
    'an amended rating whose newest version is hidden',
    async (one) => {
      await one.amend();
      await one.moderate('hide', 1);
    },
  ],
  [
    'an amended rating, answered before, whose newest version is hidden',
    async (one) => {
      await one.respond(0);
      await one.amend();
      await one.amend();
      await one.moderate('hide', 2);
    },
  ],
  [
    'an amended rating, answered before, whose newest version is erased',
    async (one) => {
      await one.respond(0);
      await one.amend();
      await one.moderate('erase', 1);
    },
  ],
  [
    'a rating that is withdrawn, made again and withdrawn again',
    async (one) => {
      await one.withdraw(0);
      await one.rate();
      await one.withdraw(1);
    },
  ],
  [
    'a rating that is withdrawn, made again and hidden',
    async (one) => {
      await one.withdraw(0);
      await one.rate();
      await one.moderate('hide', 1);
    },
  ],
  [
    'a hidden rating that is withdrawn',
    async (one) => {
      await one.respond(0);
      await one.moderate('hide', 0);
      await one.withdraw(0);
    },
  ],
  ['a hidden rating that its source amends', (one) => one.moderate('hide', 0).then(() => one.amend())],
  [
    'a hidden rating that its source withdraws and makes again',
    async (one) => {
      await one.moderate('hide', 0);
      await one.withdraw(0);
      await one.rate();
    },
  ],
  [
    'a withdrawn rating that is erased',
    async (one) => {
      await one.respond(0);
      await one.withdraw(0);
      await one.moderate('erase', 0);
    },
  ],
  [
    'a voided rating that is withdrawn',
    async (one) => {
      await one.moderate('void', 0);
      await one.withdraw(0);
    },
  ],
];

describe.each(sequences)('%s', (_, act) => {
  it('is shown by no door', async () => {
    const interaction = await createInteraction();
    await interaction.rate();
    expect((await findShown(interaction)).length).toBeGreaterThan(5);
    await act(interaction);
    expect(await findShown(interaction)).toEqual([]);
    expect(await directory.audit()).toEqual([]);
  });
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
  const folder = mkdtempSync(join(tmpdir(), 'dossier-'));
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
  rmSync(folder, { recursive: true });
});
