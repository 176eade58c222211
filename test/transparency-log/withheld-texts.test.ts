import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { readDoors } from '../support/doors.ts';
import { type Endpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { ratingOf } from '../support/ratings.ts';

type Json = Record<string, unknown>;
const subject = 'co.webhook/webhook';
const interaction_at = new Date().toISOString();
const observed = 'com.example.seen/a';

let endpoint: Endpoint;
let directory: ClaimedDirectory;
let owner: string;
let rater: string;
beforeEach(async () => {
  endpoint = await startModernServer(() => [{ name: 'send', description: 'Call Jane Doe first' }]);
  directory = await openClaimedDirectory({
    listening: true,
    environment: { HOST_OVERRIDES: JSON.stringify({ 'seen.example.com': endpoint.url }) },
    entries: [...seedEntries, registryEntry(observed, remotesAt('https://seen.example.com/mcp'))],
  });
  owner = await directory.claim(subject, 'webhook-co/webhook');
  rater = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
});
afterEach(async () => {
  await directory.close();
  await endpoint.close();
});

const call = async (tool: string, body: object, secret?: string) =>
  (await (await directory.post(`/api/tools/${tool}`, body, secret)).json()) as Json;
const rate = (change: object = {}) =>
  call(
    'submit_rating',
    ratingOf(subject, {
      interaction_id: 'Jane-Doe-1',
      outcome: 'failed',
      relationship: 'none',
      interaction_at,
      comment: 'Jane Doe lost it',
      ...change,
    }),
    rater,
  );

/** Everything that is shown of the rated listing, and every entry of the log. */
const everything = async () =>
  [...(await readDoors(directory, { handles: [subject], query: 'webhook' })).values()].join('\n');

describe('a rating that was amended, answered and withdrawn', () => {
  let rating_id: string;
  let log_index: number;
  beforeEach(async () => {
    const first = await rate();
    const second = await rate({ supersedes: first.rating_id, comment: 'Jane Doe lost it twice' });
    await call('respond_to_rating', { rating_id: second.rating_id, text: 'Jane Doe did not' }, owner);
    rating_id = String(second.rating_id);
    log_index = Number(second.log_index);
  });

  it('shows its texts nowhere once it is withdrawn, and names the entry that withdrew it', async () => {
    expect(await everything()).toContain('Jane Doe');
    const withdrawn_by = await directory.store.log.size();
    expect(
      await call('withdraw_rating', { rating_id, reason: 'other', note: 'Jane Doe' }, rater),
    ).toMatchObject({ status: 'withdrawn' });
    expect(await everything()).not.toMatch(/Jane.Doe/);
    for (const asked of [{ rating_id }, { log_index: log_index - 1 }, { log_index: log_index + 1 }]) {
      const proof = await call('get_proof', asked);
      expect([proof.withdrawn_by, proof.record, proof.salt]).toEqual([withdrawn_by, undefined, undefined]);
    }
    expect(await directory.audit()).toEqual([]);
  });

  it('is erased and hidden with its withdrawal and the response to it', async () => {
    const withdrawal = await directory.store.log.size();
    await call('withdraw_rating', { rating_id, reason: 'other', note: 'Jane Doe' }, rater);
    const hidden = await directory.act('hide', rating_id, 'personal_data');
    const proof = await call('get_proof', { log_index: withdrawal });
    expect([proof.hidden_by, proof.record]).toEqual([hidden.log_index, undefined]);
    await directory.act('erase', rating_id, 'personal_data');
    for (const index of [log_index, log_index + 1, withdrawal])
      expect(await directory.store.log.record(index)).toBeUndefined();
    expect(await directory.audit()).toEqual([]);
  });
});

it.each([
  ['withdraw', 'listing_withdrawn'],
  ['hide', 'listing_hidden'],
])('gives out no text that was seen at a listing after %s', async (name, withheld) => {
  const log_index = await directory.store.log.size();
  await directory.observe(observed);
  expect(String((await call('get_proof', { log_index })).record)).toContain(observed);
  await directory.act(name, observed, 'malicious');
  const proof = await call('get_proof', { log_index });
  expect([proof.withheld, proof.record]).toEqual([withheld, undefined]);
  const page = await (await directory.app.request(`/log/entry/${log_index}`)).text();
  expect(page).not.toContain('seen.example.com');
  expect(await directory.audit()).toEqual([]);
  await directory.restore(observed);
  expect(String((await call('get_proof', { log_index })).record)).toContain(observed);
});
