import { describe, expect, it } from 'vitest';
import { type RatingGroup, ratingGroups } from '../../src/ratings/groups.ts';
import { documentOf } from '../support/directory.ts';
import { opened } from '../support/opened.ts';
import { openRatedDirectory } from '../support/rating-doors.ts';

const day_s = 86_400;

const directory = await opened(openRatedDirectory('an MCP client'));
const submit = (change: object = {}, as: string | undefined = directory.rater) =>
  directory.call('submit_rating', directory.rating(change), as);
const nativeOf = async (handle: string) =>
  (
    (await documentOf(directory, handle)) as {
      signals: { native: Record<string, object> };
    }
  ).signals.native;

it('refuses an unknown subject, with the handles near it', async () => {
  expect(await submit({ handle: 'CO.webhook/webhook' })).toMatchObject({
    code: 'unknown_subject',
    near: ['co.webhook/webhook'],
  });
});

it.each<[string, () => object]>([
  ['90 days less a minute ago', () => ({ interaction_at: directory.at(-90 * day_s + 60) })],
  ['5 minutes ahead', () => ({ interaction_at: directory.at(300) })],
  ['score 1', () => ({ score: 1 })],
  ['score 5', () => ({ score: 5 })],
  ['no score', () => ({})],
])('accepted is %s', async (_, change) => {
  expect(await submit(change())).toMatchObject({ status: 'created', group: 'independent', flags: [] });
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
