import { describe, expect, it } from 'vitest';
import { documentOf } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';
import { type Answered, openRatedDirectory } from '../support/rating-doors.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
const handle = 'co.webhook/webhook';
type Listed = readonly Answered[];

const directory = await opened(openRatedDirectory('an MCP client'));
const submit = (input: object, as: string = directory.rater) => directory.call('submit_rating', input, as);
const withdraw = (rating_id: unknown, as: string = directory.rater) =>
  directory.call('withdraw_rating', { rating_id }, as);
const versionsOf = async (of: Answered) => {
  const { ratings } = (await directory.call('list_ratings', { handle })) as unknown as { ratings: Listed };
  return ratings.filter(({ interaction_id }) => interaction_id === of.interaction_id);
};
const countOf = async () => {
  const answer = await documentOf(directory, handle);
  return (answer.signals as { native: { ratings: number } }).native.ratings;
};

describe('the same again', () => {
  it('is the same record, in another order and time zone too, and after 90 days', async () => {
    const sent = directory.rating({ score: 3, comment: 'As agreed.' });
    const first = await submit(sent);
    expect(first.status).toBe('created');
    const zoned = `${new Date(Date.parse(String(sent.interaction_at)) + 7_200_000).toISOString().slice(0, -1)}+02:00`;
    const entries = await directory.store.log.size();
    const again = { ...first, status: 'replayed' };
    expect(await submit(sent)).toEqual(again);
    expect(await submit(Object.fromEntries(Object.entries(sent).reverse()))).toEqual(again);
    expect(await submit({ ...sent, interaction_at: zoned })).toEqual(again);
    directory.wait(100 * day_s);
    expect(await submit(sent)).toEqual(again);
    expect(await directory.store.log.size()).toBe(entries);
    expect(await submit({ ...sent, interaction_id: 'never-sent' })).toMatchObject({
      code: 'interaction_out_of_window',
    });
  });

  it('with another content is rating_exists; of another subject, or by another source, it is new', async () => {
    const sent = directory.rating();
    await submit(sent);
    expect(await submit({ ...sent, outcome: 'failed' })).toMatchObject({ code: 'rating_exists' });
    expect(await submit({ ...sent, comment: 'More.' })).toMatchObject({ code: 'rating_exists' });
    expect((await submit({ ...sent, handle: 'org.plain/server' })).status).toBe('created');
    expect((await submit(sent, directory.third)).status).toBe('created');
  });
});

describe('an amendment', () => {
  it('is possible five times, counts once, and leaves every version in the list', async () => {
    const before = await countOf();
    const sent = directory.rating({ latency_ms: 0 });
    const ids = [(await submit(sent)).rating_id];
    for (let latency_ms = 1; latency_ms <= 5; latency_ms++) {
      const amended = await submit({ ...sent, latency_ms, supersedes: ids.at(-1) });
      expect(amended.status).toBe('amended');
      ids.push(amended.rating_id);
    }
    expect(await submit({ ...sent, latency_ms: 6, supersedes: ids.at(-1) })).toMatchObject({
      code: 'rating_exists',
    });
    expect(await countOf()).toBe(before + 1);
    const versions = await versionsOf(sent);
    expect(versions.map(({ rating_id }) => rating_id).toSorted()).toEqual(ids.toSorted());
    for (const [place, id] of ids.entries()) {
      const version = versions.find((one) => one.rating_id === id);
      expect(version).toMatchObject({ latency_ms: place, interaction_at: sent.interaction_at });
      expect(version?.supersedes).toBe(ids[place - 1]);
      expect(version?.superseded_by).toBe(ids[place + 1]);
    }
    const { signals } = (await documentOf(directory, handle)) as {
      signals?: { native: { recent: Listed } };
    };
    const recent = signals?.native.recent.map(({ rating_id }) => rating_id) ?? [];
    expect(ids.filter((id) => recent.includes(String(id)))).toEqual([ids[5]]);
  });

  it('of another’s, of a superseded one, of another interaction, subject or time is refused', async () => {
    const sent = directory.rating();
    const { rating_id: supersedes } = await submit(sent);
    const amend = (change: object, as?: string) => submit({ ...sent, supersedes, score: 1, ...change }, as);
    const refused: [object, string | undefined, string][] = [
      [{}, directory.third, 'rating_not_yours'],
      [{ supersedes: 'nobody-made-it' }, undefined, 'not_found'],
      [{ interaction_id: 'another' }, undefined, 'rating_not_current'],
      [{ handle: 'org.plain/server' }, undefined, 'rating_not_current'],
      [{ interaction_at: directory.at(-61) }, undefined, 'rating_not_current'],
    ];
    for (const [change, as, code] of refused) expect(await amend(change, as)).toMatchObject({ code });
    expect((await amend({})).status).toBe('amended');
    expect((await amend({})).status).toBe('replayed');
    expect(await amend({ score: 2 })).toMatchObject({ code: 'rating_not_current' });
  });

  it('works after the 90 days of the interaction, for 180 days from the first version', async () => {
    const sent = directory.rating({ score: 5, interaction_at: directory.at(-80 * day_s) });
    const { rating_id: first } = await submit(sent);
    directory.wait(170 * day_s);
    const second = await submit({ ...sent, score: 4, supersedes: first });
    expect(second.status).toBe('amended');
    directory.wait(10 * day_s);
    expect(await submit({ ...sent, score: 3, supersedes: second.rating_id })).toMatchObject({
      code: 'interaction_out_of_window',
    });
  });
});

it('a withdrawal twice is the same one; a tombstone without texts stays, of older versions too', async () => {
  const sent = directory.rating({
    interaction_id: 'job-taken-back',
    operation: 'send',
    comment: 'An earlier word.',
    tags: ['slow'],
  });
  const { rating_id: first } = await submit(sent);
  const { rating_id } = await submit({ ...sent, comment: 'A later word.', supersedes: first });
  const before = await countOf();
  expect(await withdraw(first)).toMatchObject({ code: 'rating_not_current' });
  expect(await withdraw(rating_id, directory.third)).toMatchObject({ code: 'rating_not_yours' });
  expect(await withdraw('nobody-made-it')).toMatchObject({ code: 'not_found' });
  const taken = await withdraw(rating_id);
  expect(taken).toMatchObject({ rating_id, status: 'withdrawn' });
  const entries = await directory.store.log.size();
  directory.wait(60);
  expect(await withdraw(rating_id)).toEqual(taken);
  expect(await directory.store.log.size()).toBe(entries);
  expect(await countOf()).toBe(before - 1);
  const { ratings } = (await directory.call('list_ratings', { handle })) as unknown as {
    ratings: Listed;
  };
  const versions = ratings.filter(({ rating_id: id }) => id === first || id === rating_id);
  expect(versions).toHaveLength(2);
  expect(await versionsOf(sent)).toEqual([]);
  for (const version of versions) {
    expect(version.withdrawn_at).toBe(taken.withdrawn_at);
    // The SHA-256 of job-taken-back.
    expect(version.interaction_sha256).toBe(
      '57adde6b393913adc0fee2a5d70e0ee506c2dd635036d3e582f24f025ccca277',
    );
    for (const field of ['comment', 'tags', 'operation']) expect(version).not.toHaveProperty(field);
  }
  expect(versions.find(({ rating_id: id }) => id === first)?.superseded_by).toBe(rating_id);
  expect((await submit({ ...sent, comment: 'Anew.' })).status).toBe('created');
});

it('pages through the whole history, newest first', async () => {
  const shown: Answered[] = [];
  let cursor: string | undefined;
  do {
    const answer = await directory.call('list_ratings', { handle, ...(cursor && { cursor }) });
    shown.push(...(answer.ratings as Listed));
    cursor = answer.next_cursor as string | undefined;
  } while (cursor && shown.length < 200);
  const times = shown.map(({ created_at }) => String(created_at));
  expect(times).toEqual(times.toSorted().toReversed());
  expect(new Set(shown.map(({ rating_id }) => rating_id)).size).toBe(shown.length);
  expect(shown.filter(({ superseded_by }) => superseded_by).length).toBeGreaterThanOrEqual(8);
  expect(shown.filter(({ withdrawn_at }) => withdrawn_at)).toHaveLength(2);
});

it('makes a listing one that a search for rated ones finds, until the last rating is withdrawn', async () => {
  const about = 'org.plain/fresh';
  const rated = async () => {
    const answer = await directory.call('search_agents', { has_native_ratings: true });
    const { listings, total } = answer as unknown as { listings: Listed; total: { count: number } };
    return [listings.some((listing) => listing.handle === about), total.count];
  };
  const [, others] = await rated();
  const first = await submit({ ...directory.rating(), handle: about });
  const second = await submit({ ...directory.rating(), handle: about }, directory.third);
  expect(await rated()).toEqual([true, Number(others) + 1]);
  for (const status of ['deleted', 'active']) {
    await directory.importEntries([registryEntry(about, onGitHub('plain/fresh'), { status })]);
    expect(await rated()).toEqual(status === 'active' ? [true, Number(others) + 1] : [false, others]);
  }
  await withdraw(first.rating_id);
  expect(await rated()).toEqual([true, Number(others) + 1]);
  await withdraw(second.rating_id, directory.third);
  expect(await rated()).toEqual([false, others]);
});

it('is counted by month for twelve months, that of today among them, if there are ten or more', async () => {
  const about = 'com.third/api';
  const monthsNow = async () => (await directory.call('list_ratings', { handle: about })).months;
  for (let one = 1; one <= 10; one++) {
    expect((await submit({ ...directory.rating(), handle: about })).rating_id).toBeDefined();
    if (one === 9) expect(await monthsNow()).toBeUndefined();
  }
  const rated = directory.context.clock();
  const monthsLater = async (count: number) => {
    const then = Date.UTC(rated.getUTCFullYear(), rated.getUTCMonth() + count, 15);
    directory.wait((then - directory.context.clock().getTime()) / 1000);
    return monthsNow();
  };
  const month = rated.toISOString().slice(0, 7);
  expect(await monthsLater(11)).toEqual([expect.stringMatching(new RegExp(`^${month} succeeded \\w+ 10$`))]);
  expect(await monthsLater(12)).toBeUndefined();
});

describe('a listing without ratings', () => {
  it('names the other listings of its endpoint that have some', async () => {
    const twin = 'io.github.twin/webhook';
    const remotes = [{ type: 'streamable-http', url: 'https://mcp.webhook.co/mcp' }];
    await directory.importEntries([registryEntry(twin, { remotes })]);
    await submit(directory.rating());
    const { statement } = await directory.call('list_ratings', { handle: twin });
    expect(statement).toContain(
      'No ratings here; that matters for a purchase. Ratings of other listings that record its endpoint are not counted here: list_ratings of `co.webhook/webhook`. Only claimed listings rate',
    );
    expect((await directory.call('list_ratings', { handle })).statement).not.toContain('other listings');
  });
});
