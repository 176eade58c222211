import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { callTool, documentOf } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
const remote = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
const critic = 'org.critic/c';
const rated = 'com.bad/b';
const plain = registryEntry(rated, onGitHub('bad/b'));

interface Answered {
  readonly code?: string;
  readonly rating_id?: string;
  readonly group?: string;
  readonly group_reason?: string;
  readonly flags?: readonly string[];
}

let directory: ClaimedDirectory;
let asCritic: string;
beforeEach(async () => {
  directory = await openClaimedDirectory({
    entries: [
      registryEntry(critic, { ...onGitHub('critic/c'), ...remote('https://mcp.critic.org/x') }),
      plain,
      registryEntry('io.github.alice/a', onGitHub('alice-org/a')),
      registryEntry('org.both/b', onGitHub('critic/c')),
      registryEntry('org.domain/one', { ...onGitHub('domain/one'), ...remote('https://a.shared.net/x') }),
    ],
  });
  asCritic = await directory.claim(critic, 'critic/c');
  directory.wait(8 * day_s);
});
afterEach(() => directory.close());

const call = (tool: string, input: object, as?: string) => callTool<Answered>(directory, tool, input, as);
let made = 0;
const rate = (change: object = {}, as: string = asCritic) =>
  call(
    'submit_rating',
    ratingOf(rated, {
      interaction_id: `job-${made++}`,
      interaction_at: directory.context.clock().toISOString(),
      outcome: 'failed',
      relationship: 'none',
      ...change,
    }),
    as,
  );
async function recordOf(id: string | undefined, handle = rated) {
  const { ratings, group_reasons } = (await call('list_ratings', { handle })) as {
    ratings?: (Answered & { rating_id: string })[];
    group_reasons?: Record<string, string>;
  };
  const found = ratings?.find((one) => one.rating_id === id);
  return found && { group_reason: group_reasons?.[found.group ?? ''], ...found };
}
const groupNow = async (id: string | undefined, handle = rated) => (await recordOf(id, handle))?.group;
/**
 * How many ratings of a group `get_agent` and the page as JSON count: both are cached until the listing
 * changes.
 */
const countsOf = async (handle = rated) =>
  Promise.all(
    [documentOf(directory, handle), directory.app.request(`/agents/${handle}.json`)].map(async (answer) => {
      const read = await answer;
      const { signals } = (read instanceof Response ? await read.json() : read) as {
        signals: { native: Record<string, { ratings: number }> };
      };
      const { independent, reciprocal, source_ended } = signals.native;
      return [independent?.ratings, reciprocal?.ratings, source_ended?.ratings];
    }),
  );
const publish = (version: string, server: object) =>
  directory.importEntries([
    registryEntry(rated, { version, ...server }, { updatedAt: `2026-11-${version.slice(-2)}T08:00:00Z` }),
  ]);

it.each<[string, object]>([
  ['repository', onGitHub('critic/c')],
  ['account', onGitHub('critic/does-not-exist')],
  ['host', { ...onGitHub('bad/b'), ...remote('https://other.critic.org:8443/y') }],
])(
  'the critic cannot be silenced by recording the %s of the critic: criticism stays before and after, later praise is stated_overlap',
  async (_, server) => {
    const { rating_id, group } = await rate();
    expect(group).toBe('independent');
    await publish('1.0.10', server);
    expect(await groupNow(rating_id)).toBe('independent');
    const stated = `The record of ${rated} named on ${directory.context.clock().toISOString().slice(0, 10)}, after this rating was made, an account or domain that ${critic} holds or has named. The connection is not proven, and the group of the rating stays the same.`;
    expect(await recordOf(rating_id)).toMatchObject({ overlap_stated_later: stated });
    for (const face of ['', '/ratings', '.md', '.json'])
      expect(await (await directory.app.request(`/agents/${rated}${face}`)).text()).toContain(
        stated.slice(0, -1),
      );
    const date = directory.context.clock().toISOString().slice(0, 10);
    expect(await rate()).toMatchObject({ group: 'independent', flags: [] });
    expect(await rate({ outcome: 'succeeded' })).toMatchObject({
      group: 'stated_overlap',
      group_reason: `Set apart because the record of ${rated} named on ${date} an account or domain that ${critic} holds or has named. The connection is not proven.`,
    });
    const record = await recordOf(rating_id);
    const { interaction_id, interaction_at } = record as unknown as Record<string, string>;
    const amended = { interaction_id, interaction_at, supersedes: rating_id, outcome: 'refused' };
    expect(await rate(amended)).toMatchObject({ status: 'amended', group: 'independent' });
  },
);

it('a statement of the source that is read after its rating is shown beside the rating at once, and moves nothing', async () => {
  const { rating_id } = await rate();
  const listed = async () =>
    (await documentOf(directory, rated)) as unknown as {
      signals: {
        native: { independent: { ratings: number }; recent: { overlap_stated_later?: string }[] };
      };
    };
  expect((await listed()).signals.native.recent[0]?.overlap_stated_later).toBeUndefined();
  await directory.importEntries([
    registryEntry(
      critic,
      { version: '2.0.0', ...onGitHub('critic/c'), websiteUrl: 'https://github.com/bad' },
      { updatedAt: '2026-11-10T08:00:00Z' },
    ),
  ]);
  const { native } = (await listed()).signals;
  expect(native.recent[0]?.overlap_stated_later).toMatch(
    /^The record of org\.critic\/c named on \d{4}-\d\d-\d\d, after this rating was made, an account or domain that com\.bad\/b holds or has named\./,
  );
  expect(native.independent.ratings).toBe(1);
  expect(await groupNow(rating_id)).toBe('independent');
});

it('proof counts whenever it comes: the rated listing proves the account of the source: refused, and older ratings are related', async () => {
  const older = await rate({ handle: 'org.both/b', outcome: 'succeeded' });
  expect(older.group).toBe('stated_overlap');
  await directory.claim('org.both/b', 'critic/c');
  expect(await groupNow(older.rating_id, 'org.both/b')).toBe('related');
  expect((await rate({ handle: 'org.both/b' })).code).toBe('self_rating');
});

it('a source whose claim has ended leaves the independent count, with the date', async () => {
  const { rating_id } = await rate();
  expect(await countsOf()).toEqual([
    [1, 0, 0],
    [1, 0, 0],
  ]);
  directory.git.createRepository('critic/c').commit({ 'dossier-claim.txt': null });
  for (let day = 0; day < 2; day++) {
    directory.wait(1.3 * 86_400);
    await directory.recheck();
  }
  expect(await countsOf()).toEqual([
    [0, 0, 1],
    [0, 0, 1],
  ]);
  const date = directory.context.clock().toISOString().slice(0, 10);
  expect(await recordOf(rating_id)).toMatchObject({
    group: 'source_ended',
    group_reason: `Set apart because the claim with which the source made this rating ended on ${date}.`,
  });
  const listing = (await documentOf(directory, rated)) as {
    evidence_snapshot?: string;
  };
  expect(listing.evidence_snapshot).toContain(
    `${rated} is listed with no independent source; 1 rating set apart, as of ${date}.`,
  );
});

describe('a rating belongs to the control root that made it', () => {
  it('after the repository moved, its new owner can neither amend nor withdraw it, and not rate the interaction', async () => {
    const interaction_at = directory.context.clock().toISOString();
    const mine = { interaction_id: 'mine', interaction_at };
    const { rating_id } = await rate(mine);
    await directory.importEntries([
      registryEntry(
        critic,
        { version: '1.0.10', ...onGitHub('mallory/y') },
        { updatedAt: '2026-11-10T08:00:00Z' },
      ),
    ]);
    expect(await groupNow(rating_id)).toBe('source_ended');
    const asMallory = await directory.claim(critic, 'mallory/y');
    const better = { ...mine, outcome: 'succeeded', score: 5 };
    expect((await rate({ ...better, supersedes: rating_id }, asMallory)).code).toBe('rating_not_yours');
    expect((await rate(better, asMallory)).code).toBe('rating_not_yours');
    expect((await call('withdraw_rating', { rating_id }, asMallory)).code).toBe('rating_not_yours');
    expect(await recordOf(rating_id)).toMatchObject({ outcome: 'failed', group: 'source_ended' });
  });

  it('a later holder of the rated listing does not respond to it', async () => {
    await directory.claim(rated, 'bad/b');
    const { rating_id } = await rate();
    await publish('1.0.10', onGitHub('mallory/b'));
    const asMallory = await directory.claim(rated, 'mallory/b');
    const answer = await call('respond_to_rating', { rating_id, text: 'Never happened.' }, asMallory);
    expect(answer.code).toBe('rating_not_yours');
  });
});
