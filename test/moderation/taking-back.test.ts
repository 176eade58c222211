import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { ratingOf } from '../support/ratings.ts';

type Json = Record<string, unknown>;
const subject = 'co.webhook/webhook';
const rater = 'com.politicalcomms/api';

let directory: ClaimedDirectory;
let capability: string;
let rating_id: string;
beforeEach(async () => {
  directory = await openClaimedDirectory({ listening: true });
  capability = await directory.claim(rater, 'Political-Comms/political-comms-sdk');
  rating_id = String((await rate()).rating_id);
});
afterEach(() => directory.close());

const call = async (tool: string, body: object) => {
  const answer = await fetch(`${directory.url}/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${capability}` },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Json;
};
const rate = (change: object = {}) =>
  call('submit_rating', ratingOf(subject, { outcome: 'failed', comment: 'It lost my webhooks', ...change }));
const native = async () => {
  const answer = await directory.app.request(`/agents/${subject}.json`);
  return ((await answer.json()) as { signals: { native: Json } }).signals.native;
};

describe('the source of a rating', () => {
  it.each([
    ['block', 'namespace:com.politicalcomms', 'repeated'],
    ['block', 'account:github.com/political-comms', 'repeated'],
    ['withdraw', rater, 'malicious'],
  ] as const)(
    'can withdraw it, and neither amend it nor make it again, after %s %s',
    async (action, on, reason) => {
      await directory.act(action, on, reason);
      expect(await rate({ supersedes: rating_id, comment: 'Better' })).toMatchObject({
        code: 'writing_blocked',
      });
      expect(await native()).toMatchObject({ ratings: 1 });
      const size = await directory.store.log.size();
      expect(await call('withdraw_rating', { rating_id })).toMatchObject({ rating_id, status: 'withdrawn' });
      expect(await native()).toMatchObject({ ratings: 0 });
      const listed = JSON.stringify(await call('list_ratings', { handle: subject }));
      expect(listed).toContain(rating_id);
      expect(listed).not.toContain('It lost my webhooks');
      expect((await directory.store.log.leaf(size))?.type).toBe('rating.withdrawn');
      expect(await rate()).toMatchObject({ code: 'writing_blocked' });
      expect(await directory.audit()).toEqual([]);
    },
  );
  it('can say why by a word of the list, and any words only by their digest', async () => {
    await directory.act('block', 'namespace:com.politicalcomms', 'repeated');
    const log_index = await directory.store.log.size();
    const note = 'Never buy from them';
    expect(await call('withdraw_rating', { rating_id, reason: note })).toMatchObject({
      code: 'invalid_input',
    });
    expect(await call('withdraw_rating', { rating_id, reason: 'mistake', note })).toMatchObject({
      status: 'withdrawn',
    });
    const { record } = await call('get_proof', { log_index });
    expect(JSON.parse(String(record))).toEqual({
      id: rating_id,
      withdrawn_at: expect.any(String) as string,
      reason: 'mistake',
      subject_handle: 'co.webhook/webhook',
      note_sha256: createHash('sha256').update(note).digest('hex'),
    });
  });
  it('cannot withdraw it with a capability that the operator revoked', async () => {
    const answer = await directory.app.request('/api/capability', {
      headers: { authorization: `Bearer ${capability}` },
    });
    const { capability_id } = (await answer.json()) as Json;
    await directory.act('revoke', String(capability_id), 'stolen_capability');
    expect(await call('withdraw_rating', { rating_id })).toMatchObject({ code: 'capability_revoked' });
    expect(await native()).toMatchObject({ ratings: 1 });
  });
  it('cannot withdraw it from a blocked network', async () => {
    await directory.act('block', 'network:127.0.0.0/8', 'overload');
    expect(await call('withdraw_rating', { rating_id })).toMatchObject({ code: 'writing_blocked' });
    expect(await native()).toMatchObject({ ratings: 1 });
  });
});
