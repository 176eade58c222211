import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Moderation } from '../../src/moderation/moderation.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';

let directory: ClaimedDirectory;
let rating_id: string;

beforeEach(async () => {
  directory = await openClaimedDirectory({
    listening: true,
    entries: [...seedEntries, registryEntry('com.example/quiet')],
  });
  const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
  const answer = await directory.post(
    '/api/tools/submit_rating',
    {
      handle: 'co.webhook/webhook',
      interaction_id: 'job-1',
      interaction_at: directory.context.clock().toISOString(),
      outcome: 'failed',
      protocol: 'mcp',
      relationship: 'customer',
      comment: 'It lost my webhooks',
    },
    capability,
  );
  ({ rating_id } = (await answer.json()) as { rating_id: string });
});
afterEach(() => directory.close());

const asRow = (change: Partial<Moderation> = {}): Moderation => ({
  log_index: 99,
  action: 'hide',
  target_kind: 'rating',
  target: rating_id,
  handle: 'co.webhook/webhook',
  record_indexes: [1],
  reason: 'personal_data',
  statement: 'The operator hid it.',
  at: '2026-11-20T10:00:00.000Z',
  ...change,
});

it.each(['hide', 'withdraw'])('%s of a listing that has nothing else to show is no fault', async (action) => {
  await directory.act(action, 'com.example/quiet', 'unlawful');
  expect(await directory.audit()).toEqual([]);
  await directory.restore('com.example/quiet');
  expect(await directory.audit()).toEqual([]);
});

describe('what is done past the log', () => {
  it('a rating that is hidden without an entry is a fault, in the database and from outside', async () => {
    expect(await directory.audit()).toEqual([]);
    await directory.store.write((tx) => tx.moderation.add(asRow()));
    const found = await directory.audit();
    const shown = `rating ${rating_id}: it shows the action "hide" of the operator by entry 99, but that entry records no action`;
    expect(found.filter((fault) => fault === shown)).toHaveLength(2);
  });
  it('a rating that is voided without an entry is a fault', async () => {
    await directory.store.write((tx) => tx.ratings.setVoided(rating_id, '2026-11-20T10:00:00.000Z'));
    expect((await directory.audit()).join('\n')).toContain(
      'the document has 0 as voided, but the listed records lead to 1',
    );
  });
  it('an action whose statement was changed, or that was ended without an entry, is a fault', async () => {
    const applied = await directory.act('hide', rating_id, 'untrue_statement');
    expect(await directory.audit()).toEqual([]);
    const end = { ended_by: 98, ended_at: applied.at, end_reason: 'mistake' };
    await directory.store.write((tx) => tx.moderation.end(applied, end));
    expect(await directory.audit()).toContainEqual(
      `entry ${applied.log_index}: it records the action "hide" of the operator on rating ${rating_id}, but the action is shown nowhere`,
    );
  });
});
