import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { opened } from '../support/opened.ts';
import { addSource, recordSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

type Json = Record<string, unknown>;
const handle = 'co.webhook/webhook';

const directory = await opened(openClaimedDirectory({ listening: true }));
const rater = await addSource(directory.store);
await recordSource(directory.store);

const post = async (tool: string, body: object, as = rater) =>
  (await directory.post(`/api/tools/${tool}`, body, as)).json() as Promise<Json>;
const rate = (interaction_id: string, change: object = {}, as = rater) =>
  post(
    'submit_rating',
    ratingOf(handle, {
      interaction_id,
      interaction_at: '2026-11-21T10:00:00Z',
      outcome: 'failed',
      relationship: 'none',
      ...change,
    }),
    as,
  );
const document = async () => {
  const answer = await directory.app.request(`/agents/${handle}.json`);
  return (await answer.json()) as { signals: { native: Json }; not_seen: { kind: string; reason: string }[] };
};
const native = async () => (await document()).signals.native;

/** Rates on this node, and amends the rating on a node whose clock is two seconds behind. */
async function rateByTwoClocks(interaction_id: string, texts: readonly [string, string]) {
  const first = await rate(interaction_id, { comment: texts[0] });
  directory.wait(-2);
  const second = await rate(interaction_id, {
    comment: texts[1],
    outcome: 'refused',
    supersedes: first.rating_id,
  });
  directory.wait(2);
  expect(String(second.created_at) < String(first.created_at)).toBe(true);
  return [first, second] as const;
}

it('a voided rating stays voided and is counted once: it can be withdrawn, and its interaction is never rated again', async () => {
  const sent = { comment: 'Fine.', outcome: 'succeeded' };
  const { rating_id } = await rate('void-job', sent);
  await directory.act('void', String(rating_id), 'no_interaction');
  const refused = {
    code: 'rating_exists',
    detail: expect.stringContaining('The operator voided it') as string,
  };
  expect(await rate('void-job', sent)).toMatchObject(refused);
  expect(await post('withdraw_rating', { rating_id })).toMatchObject({ status: 'withdrawn' });
  expect(await rate('void-job', sent)).toMatchObject(refused);
  expect(await rate('void-job', { outcome: 'partial' })).toMatchObject(refused);
  expect(await native()).toMatchObject({ ratings: 0, voided: 1 });
  const { not_seen } = await document();
  expect(not_seen.find(({ kind }) => kind === 'ratings.native')?.reason).toBe(
    'No rating of this listing counts here.',
  );
  expect(await directory.audit()).toEqual([]);
  await directory.restore(String(rating_id));
  expect(await rate('void-job', sent)).toMatchObject({ status: 'created' });
  expect(await native()).toMatchObject({ ratings: 1, voided: 0 });
  expect(await directory.audit()).toEqual([]);
});

it('a voided rating that is erased too is neither amended nor made again, until the voiding is undone', async () => {
  const sent = { comment: 'Fine.', outcome: 'succeeded' };
  const { rating_id } = await rate('void-and-erase', sent);
  const before = await native();
  await directory.act('void', String(rating_id), 'no_interaction');
  const detail = expect.stringContaining('The operator voided it') as string;
  expect(await rate('void-and-erase', { ...sent, supersedes: rating_id })).toMatchObject({
    code: 'rating_not_current',
    detail,
  });
  await directory.act('erase', String(rating_id), 'personal_data');
  expect(await rate('void-and-erase', sent)).toMatchObject({ code: 'rating_exists', detail });
  expect(await native()).toMatchObject({ ratings: Number(before.ratings) - 1 });
  await directory.restore(String(rating_id), 'mistake', 'void');
  expect(await rate('void-and-erase', sent)).toMatchObject({ status: 'created' });
  expect(await directory.audit()).toEqual([]);
});

describe('the versions of a rating are in the order of the log, also where the clocks of two nodes differ:', () => {
  it.each(['hide', 'erase'])('%s reaches the older text', async (action) => {
    const texts = [`Call Jane Doe before ${action}`, `Call Jane before ${action}`] as const;
    const [first, second] = await rateByTwoClocks(`${action}-job`, texts);
    const listed = async () => JSON.stringify(await post('list_ratings', { handle }));
    expect(await listed()).toContain(texts[0]);
    await directory.act(action, String(second.rating_id), 'personal_data');
    expect(await listed()).not.toContain('Jane');
    expect(JSON.stringify(await post('get_proof', { rating_id: first.rating_id }))).not.toContain('Jane');
    expect(await directory.audit()).toEqual([]);
  });
  it('a hidden newest one is not amended, and an older one is not the newest of its source', async () => {
    const [first, second] = await rateByTwoClocks('newest-job', ['Late.', 'Later.']);
    const { ratings } = (await post('list_ratings', { handle })) as { ratings?: readonly Json[] };
    expect(ratings?.slice(0, 2).map(({ rating_id }) => rating_id)).toEqual([
      second.rating_id,
      first.rating_id,
    ]);
    expect(await native()).toMatchObject({ independent: { source_outcomes: { refused: 1, failed: 0 } } });
    await directory.act('hide', String(second.rating_id), 'personal_data');
    expect(await rate('newest-job', { comment: 'Again.', supersedes: second.rating_id })).toMatchObject({
      code: 'rating_exists',
    });
  });
});

it('a rating that does not count is in no group, and no cached answer says of it what ends by time', async () => {
  const asNew = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
  const withdrawn = await rate('new-withdrawn', {}, asNew);
  const voided = await rate('new-voided', {}, asNew);
  const erased = await rate('new-erased', {}, asNew);
  expect([withdrawn, voided, erased].map(({ group }) => group)).toEqual(Array(3).fill('new_source'));
  await post('withdraw_rating', { rating_id: withdrawn.rating_id }, asNew);
  await directory.act('void', String(voided.rating_id), 'no_interaction');
  await directory.act('erase', String(erased.rating_id), 'personal_data');
  const shown = async () => {
    const { ratings } = (await post('list_ratings', { handle })) as { ratings?: readonly Json[] };
    const recent = (await native()).recent as readonly Json[];
    const ids = [withdrawn, voided, erased].map(({ rating_id }) => rating_id);
    const uncounted = [...(ratings ?? []), ...recent].filter(({ rating_id }) => ids.includes(rating_id));
    return uncounted.map(({ group, group_reason, flags }) => [group, group_reason, flags]);
  };
  expect(await shown()).toEqual(Array(6).fill([undefined, undefined, undefined]));
  const page = await (await directory.app.request(`/agents/${handle}.md`)).text();
  expect(page).not.toContain('Set apart until');
  expect(await directory.audit()).toEqual([]);
  directory.wait(8 * 86_400);
  expect(await shown()).toEqual(Array(6).fill([undefined, undefined, undefined]));
  expect(await directory.audit()).toEqual([]);
});
