import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doorNames, openRatedDirectory, type RatedDirectory } from '../support/rating-doors.ts';

const day_s = 86_400;

describe.each(doorNames)('over %s', (door) => {
  let directory: RatedDirectory;
  beforeAll(async () => {
    directory = await openRatedDirectory(door);
  });
  afterAll(() => directory.close());
  const submit = (change: object = {}, as: string | undefined = directory.rater) =>
    directory.call('submit_rating', directory.rating(change), as);
  const nativeOf = async (handle: string) =>
    ((await directory.call('get_agent', { handle })) as { signals: { native: Record<string, object> } })
      .signals.native;

  describe('refused is', () => {
    it.each<[string, () => object, string]>([
      ['a listing that rates itself', () => ({ handle: 'com.rater/api' }), 'self_rating'],
      ['one of the same repository', () => ({ handle: 'org.repository/same' }), 'self_rating'],
      ['one that nobody listed', () => ({ handle: 'no.such/listing' }), 'unknown_subject'],
      ['one spelled with other capitals', () => ({ handle: 'co.webhook/Webhook' }), 'unknown_subject'],
      ['one that was withdrawn', () => ({ handle: 'org.gone/server' }), 'listing_withdrawn'],
      ['no handle', () => ({ handle: 'webhook' }), 'invalid_handle'],
      ['1970', () => ({ interaction_at: '1970-01-01T00:00:00Z' }), 'interaction_out_of_window'],
      ['9999', () => ({ interaction_at: '9999-12-31T23:59:59Z' }), 'interaction_out_of_window'],
      ['90 days ago', () => ({ interaction_at: directory.at(-90 * day_s) }), 'interaction_out_of_window'],
      ['5.5 minutes ahead', () => ({ interaction_at: directory.at(330) }), 'interaction_out_of_window'],
      ['no time', () => ({ interaction_at: 'yesterday' }), 'invalid_input'],
      ['score 0', () => ({ score: 0 }), 'invalid_input'],
      ['score 6', () => ({ score: 6 }), 'invalid_input'],
      ['score 4.5', () => ({ score: 4.5 }), 'invalid_input'],
      ['score "5"', () => ({ score: '5' }), 'invalid_input'],
      ['an amendment of nothing', () => ({ supersedes: '' }), 'invalid_input'],
    ])('%s', async (_, change, code) => {
      const entries = await directory.store.log.size();
      expect(await submit(change())).toMatchObject({ code });
      expect(await directory.store.log.size()).toBe(entries);
    });

    it('an unknown subject, with the handles near it', async () => {
      expect(await submit({ handle: 'CO.webhook/webhook' })).toMatchObject({
        code: 'unknown_subject',
        near: ['co.webhook/webhook'],
      });
    });
  });

  describe('accepted is', () => {
    it.each<[string, () => object]>([
      ['90 days less a minute ago', () => ({ interaction_at: directory.at(-90 * day_s + 60) })],
      ['5 minutes ahead', () => ({ interaction_at: directory.at(300) })],
      ['score 1', () => ({ score: 1 })],
      ['score 5', () => ({ score: 5 })],
      ['no score', () => ({})],
    ])('%s', async (_, change) => {
      expect(await submit(change())).toMatchObject({ status: 'created', independent: true, flags: [] });
    });
  });

  describe('flagged', () => {
    it.each<[string, () => string, string[], boolean]>([
      ['org.plain/server', () => directory.rater, [], true],
      ['org.plain/fresh', () => directory.third, ['new_source'], true],
      ['COM.Rater/other', () => directory.rater, ['same_namespace'], false],
      ['org.owner/same', () => directory.rater, ['same_owner'], false],
      ['org.host/same', () => directory.rater, ['same_host'], false],
      ['com.rater/all', () => directory.rater, ['same_namespace', 'same_owner', 'same_host'], false],
    ])('%s, and counted where it belongs', async (handle, as, flags, independent) => {
      expect(await submit({ handle, score: 2, outcome: 'failed' }, as())).toMatchObject({
        flags,
        independent,
      });
      const { independent: other, related, ...native } = await nativeOf(handle);
      const one = { ratings: 1, sources: 1, control_roots: 1, outcomes: { failed: 1 }, scores: { '2': 1 } };
      const none = { ratings: 0, sources: 0, control_roots: 0, outcomes: { failed: 0 }, scores: { '2': 0 } };
      expect([other, related]).toMatchObject(independent ? [one, none] : [none, one]);
      expect(native).toMatchObject({ ratings: 1, computed_score: null });
      expect(native.flags).toEqual(Object.fromEntries(flags.map((flag) => [flag, 1])));
    });

    it('reciprocal while a current rating of the last 90 days goes the other way', async () => {
      const back = () => submit({ handle: 'com.third/api' }, directory.subject);
      expect((await back()).flags).toEqual([]);
      const { rating_id } = await submit({}, directory.third);
      expect(await back()).toMatchObject({ flags: ['reciprocal'], independent: true });
      await directory.call('withdraw_rating', { rating_id }, directory.third);
      expect((await back()).flags).toEqual([]);
      await submit({}, directory.third);
      directory.wait(91 * day_s);
      expect((await back()).flags).toEqual([]);
    });

    it('new_source for seven days after the claim', async () => {
      const fresh = await directory.claim('org.plain/fresh', 'plain/fresh');
      directory.wait(7 * day_s - 60);
      expect((await submit({}, fresh)).flags).toEqual(['new_source']);
      directory.wait(60);
      expect((await submit({}, fresh)).flags).toEqual([]);
    });
  });

  describe('the capability', () => {
    const held: Record<string, string | undefined> = { missing: undefined };
    beforeAll(async () => {
      held.unknown = `dossier_cap_${'A'.repeat(49)}`;
      held.suspended = await directory.claim('org.suspended/server', 'suspended/server');
      directory.git.createRepository('suspended/server').commit({ 'dossier-claim.txt': null });
      directory.wait(31);
      await directory.post('/api/claim-github', { handle: 'org.suspended/server' });
      held.revoked = await directory.claim('org.revoked/server', 'revoked/server');
      await directory.post('/api/capability/revoke', {}, held.revoked);
      held.leaked = await directory.claim('org.leaked/server', 'leaked/server');
      directory.git.createRepository('leaked/server').commit({ 'dossier-claim.txt': held.leaked });
      directory.wait(31);
      await directory.post('/api/claim-github', { handle: 'org.leaked/server' });
    });

    it.each([
      ['missing', 'capability_required'],
      ['unknown', 'capability_invalid'],
      ['suspended', 'capability_suspended'],
      ['revoked', 'capability_revoked'],
      ['leaked', 'capability_revoked'],
    ])('%s: %s, whatever it would do', async (state, code) => {
      const { rating_id } = await submit({}, directory.rater);
      const call = (tool: string, input: object) => directory.call(tool, input, held[state]);
      expect(await call('submit_rating', directory.rating())).toMatchObject({ code });
      expect(await call('withdraw_rating', { rating_id })).toMatchObject({ code });
      expect(await call('respond_to_rating', { rating_id, text: 'No.' })).toMatchObject({ code });
    });
  });

  it('100 parallel submissions of one interaction: one record', async () => {
    const same = directory.rating({ comment: 'The same.' });
    const entries = await directory.store.log.size();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => directory.call('submit_rating', same, directory.rater)),
    );
    expect(answers.filter(({ status }) => status === 'created')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'replayed')).toHaveLength(99);
    expect(new Set(answers.map(({ rating_id }) => rating_id)).size).toBe(1);
    expect(await directory.store.log.size()).toBe(entries + 1);
  });
});
