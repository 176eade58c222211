import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RatingGroup, ratingGroups } from '../../src/ratings/groups.ts';
import { documentOf } from '../support/directory.ts';
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
    (
      (await documentOf(directory, handle)) as {
        signals: { native: Record<string, object> };
      }
    ).signals.native;

  describe('refused is', () => {
    it.each<[string, () => object, string]>([
      ['a listing that rates itself', () => ({ handle: 'com.rater/api' }), 'self_rating'],
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
      expect(await submit(change())).toMatchObject({ status: 'created', group: 'independent', flags: [] });
    });
  });

  describe('flagged', () => {
    it.each<[string, () => string, RatingGroup, string[]]>([
      ['org.plain/server', () => directory.rater, 'independent', []],
      ['org.plain/fresh', () => directory.third, 'new_source', ['new_source']],
      ['COM.Rater/other', () => directory.rater, 'related', ['related']],
      ['org.owner/same', () => directory.rater, 'stated_overlap', ['stated_overlap']],
      ['org.repository/same', () => directory.rater, 'stated_overlap', ['stated_overlap']],
      ['org.host/same', () => directory.rater, 'stated_overlap', ['stated_overlap']],
      ['org.image/same', () => directory.rater, 'stated_overlap', ['stated_overlap']],
      ['org.bundle/same', () => directory.rater, 'stated_overlap', ['stated_overlap']],
      ['org.image/other', () => directory.rater, 'independent', []],
      ['com.rater/all', () => directory.rater, 'related', ['related', 'stated_overlap']],
    ])('%s, and counted where it belongs', async (handle, as, group, flags) => {
      const answer = await submit({ handle, score: 2, outcome: 'succeeded' }, as());
      expect(answer).toMatchObject({ status: 'created', group, flags });
      const native = await nativeOf(handle);
      const one = {
        ratings: 1,
        sources: 1,
        source_handles: 1,
        source_outcomes: { succeeded: 1 },
        outcomes: { succeeded: 1 },
        scores: { '2': 1 },
      };
      for (const other of ratingGroups)
        expect(native[other]).toMatchObject(other === group ? one : { ratings: 0, sources: 0 });
      expect(native).toMatchObject({ ratings: 1, computed_score: null });
      expect(native.flags).toEqual(Object.fromEntries(flags.map((flag) => [flag, 1])));
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
      for (let day = 0; day < 2; day++) {
        directory.wait(1.3 * day_s);
        await directory.recheck();
      }
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
