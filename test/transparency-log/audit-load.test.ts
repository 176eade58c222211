import { expect, it } from 'vitest';
import { openOwnEvidence } from '../../src/app/own-evidence.ts';
import { audit } from '../../src/audit/audit.ts';
import { findGroupFaults } from '../../src/audit/check-groups.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';

type Evidence = Parameters<typeof findGroupFaults>[0];
type Rating = Evidence['ratings'][number];
type Event = NonNullable<ReturnType<Evidence['eventsOf']>>[number];

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
const ratingOf = (id: string, more: Partial<Rating> = {}): Rating => {
  const from = id.startsWith('x') ? 'x' : 'y';
  return {
    rating_id: id,
    source_handle: `io.github.${from}/source`,
    source_root: `github.com/${from}`,
    source_root_generation: 0,
    subject_handle: `io.github.${from === 'x' ? 'y' : 'x'}/rated`,
    outcome: 'succeeded',
    score: undefined,
    group: 'independent',
    group_reason: '',
    flags: [],
    first_created_at: minute(0),
    praised_at: minute(0),
    read_on: '2026-06-01',
    log_index: 0,
    withdrawn_at: undefined,
    isCurrent: true,
    declared_interest: false,
    isUnknown: false,
    new_until: undefined,
    source_ended_at: undefined,
    ...more,
  } as Rating;
};

/** Counts the steps of an audit, and how often it reads a time of a rating or a part of a claim event. */
function countWork({ ratings, events = [] }: { ratings: Rating[]; events?: Event[] }) {
  let reads = 0;
  const counting = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, name) {
        if (['first_created_at', 'praised_at', 'type'].includes(String(name))) reads += 1;
        return Reflect.get(target, name);
      },
    });
  const counted = events.map(counting);
  const steps = findGroupFaults({
    ratings: ratings.map(counting),
    unshown: [],
    isWhole: true,
    eventsOf: () => counted,
  });
  let taken = 0;
  while (!steps.next().done) taken += 1;
  return { reads, taken };
}

it('two accounts that rate each other twice as often make twice the work for the audit, in as many more steps', () => {
  const mutual = (count: number) =>
    ['x', 'y'].flatMap((from) =>
      Array.from({ length: count }, (_, n) => {
        const at = { first_created_at: minute(n), praised_at: minute(n) };
        return ratingOf(`${from}${n}`, { ...at, log_index: n });
      }),
    );
  const [once, twice] = [250, 500].map((count) => countWork({ ratings: mutual(count) }));
  // Each of 500 ratings is noted, judged and found not to say that it is reciprocal and of an ended source.
  expect(once?.taken).toBeLessThan(500 * 6);
  expect(once?.reads).toBeLessThan(500 * 20);
  expect(twice?.reads).toBe((once?.reads ?? 0) * 2);
});

it('a claim that ended and began thousands of times is read once, however many ratings are judged by it', () => {
  const events = Array.from(
    { length: 400 },
    (_, n) =>
      ({
        type: n % 2 ? 'suspended' : 'activated',
        at: minute(n),
        log_index: n,
        ...(n % 2 === 0 && { root: 'github.com/x', root_generation: n / 2 }),
      }) as Event,
  );
  const ratings = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      ratingOf(`x${n}`, { source_root_generation: n % 200, log_index: 400 + n }),
    );
  const [none, many] = [0, 400].map((count) => countWork({ ratings: ratings(count), events }));
  expect(many?.reads).toBeGreaterThan(400);
  expect(many?.reads).toBeLessThan(400 * 20 + 400 * 20);
  expect(none?.reads).toBe(0);
});

it('holders of a listing who rated nothing make no work for each of its ratings', () => {
  const events = Array.from(
    { length: 400 },
    (_, n) =>
      ({
        type: 'activated',
        at: minute(n),
        log_index: n,
        root: `github.com/holder${n}`,
        root_generation: 0,
      }) as Event,
  );
  const ratings = Array.from({ length: 400 }, (_, n) =>
    ratingOf(`x${n}`, { source_root: `github.com/rater${n}`, log_index: 400 + n }),
  );
  expect(countWork({ ratings, events }).reads).toBeLessThan(400 * 20 + 400 * 20);
});

const entryOf = (who: string) =>
  registryEntry(`io.github.${who}/t`, { repository: { url: `https://github.com/${who}/t` } });
const directory = await opened(openClaimedDirectory({ entries: [entryOf('alice'), entryOf('bob')] }));

it('an audit rests between the pieces of one listing, reads its facts once, and holds', async () => {
  const alice = await directory.claim('io.github.alice/t', 'alice/t');
  const bob = await directory.claim('io.github.bob/t', 'bob/t');
  directory.wait(8 * 86_400);
  const rate = async (handle: string, interaction_id: string, as: string) => {
    const answer = await directory.post(
      '/api/tools/submit_rating',
      {
        handle,
        interaction_id,
        interaction_at: directory.context.clock().toISOString(),
        outcome: 'succeeded',
        protocol: 'mcp',
        relationship: 'none',
      },
      as,
    );
    expect(answer.status).toBe(200);
  };
  for (let n = 0; n < 120; n += 1) {
    await rate('io.github.bob/t', `to-bob-${n}`, alice);
    await rate('io.github.alice/t', `to-alice-${n}`, bob);
  }
  const faults: string[] = [];
  let rests = 0;
  const rest = async () => {
    rests += 1;
  };
  const { store } = directory.context;
  const read: string[] = [];
  const documents: typeof store.documents = {
    ...store.documents,
    factsOfAll(handles, now) {
      read.push(...handles);
      return store.documents.factsOfAll(handles, now);
    },
  };
  const context = { ...directory.context, store: { ...store, documents } };
  await using reader = await openOwnEvidence(context, rest);
  const result = await audit(reader, [], { onFault: ({ message }) => void faults.push(message), rest });
  expect(faults).toEqual([]);
  expect(result.entries).toBe(242);
  expect(read).toEqual(['io.github.alice/t', 'io.github.bob/t']);
  // 2 listings have 2 pages and 2 hundreds of items and records each. At the end there are at least two steps
  // for each of 240 ratings.
  expect(rests).toBeGreaterThan(2 * 6 + 4);
});
