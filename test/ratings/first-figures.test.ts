import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { readDoors } from '../support/doors.ts';
import { registryEntry } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
const rated = 'com.zebulon/service';
const unrated = 'org.other/zebulon';
const second = 'com.zebulon/second';
const critic = 'org.critic/api';
const partner = 'net.partner/api';
const friend = 'org.friend/api';
const fresh = 'net.fresh/api';
const repositories = {
  [rated]: 'zebulon/service',
  [second]: 'zebulon/second',
  [critic]: 'critic/api',
  [partner]: 'partner/api',
  [friend]: 'friend/api',
  [fresh]: 'fresh/api',
};

const capabilities: Record<string, string> = {};
let made = 0;
async function rate(source: string, outcome: string, change: object = {}) {
  const sent = ratingOf(rated, {
    interaction_id: `first-${made++}`,
    outcome,
    relationship: 'none',
    interaction_at: directory.context.clock().toISOString(),
    ...change,
  });
  const answer = await directory.post('/api/tools/submit_rating', sent, capabilities[source]);
  return (await answer.json()) as { readonly group?: string; readonly rating_id?: string };
}

const directory = await opened(
  openClaimedDirectory({
    entries: [
      ...Object.entries(repositories).map(([handle, path]) =>
        registryEntry(handle, { ...onGitHub(path), description: `Zebulon of ${handle}` }),
      ),
      registryEntry(unrated, { description: 'Zebulon of another' }),
    ],
  }),
);
for (const [handle, path] of Object.entries(repositories).slice(0, -1))
  capabilities[handle] = await directory.claim(handle, path);
directory.wait(8 * day_s);
capabilities[fresh] = await directory.claim(fresh, repositories[fresh]);
expect(await rate(rated, 'succeeded', { handle: friend })).toMatchObject({ group: 'independent' });
expect(await rate(friend, 'succeeded')).toMatchObject({ group: 'reciprocal' });

/** The first figure about ratings in a text: of sources or ratings, and what follows it in the same list. */
const figure =
  /(?<![-\d])\b(?:\d[\d,]*|no) (?:independent )?(?:sources?|ratings?|of \d+ worked)\b(?:, \d[^;.,<("\\]*)*/i;

/**
 * By door, the first figure about ratings, and those that stand alone in the tabs of the listing and in the
 * message of its badge.
 */
async function readFigures() {
  const firstEntry = await directory.store.log.size();
  const doors = await readDoors(directory, { handles: [rated, unrated], query: 'zebulon', firstEntry });
  const badge = await (await directory.app.request(`/badge/${rated}.json`)).text();
  const texts = [...doors, ['badge.json', badge] as const];
  return Object.fromEntries(
    texts.map(([door, text]) => {
      const tab = /Ratings <span class="count">[^<]*/.exec(text)?.[0];
      const message = /aria-label="([^"]*)"|"message":"([^"]*)"/.exec(
        door.includes('badge') ? text : '',
      )?.[0];
      return [door, [figure.exec(text)?.[0].trim(), tab, message]];
    }),
  );
}

/** The ratings that count for nothing, each by a source that is set apart for another reason. */
const apart: readonly (readonly [source: string, group: string, change?: object])[] = [
  [second, 'related'],
  [partner, 'declared_interest', { relationship: 'partner' }],
  [friend, 'reciprocal'],
  [fresh, 'new_source'],
];

it('no figure is said of a listing whose ratings are all set apart, and its badge stays as it was', async () => {
  const badge = async (handle: string) => (await directory.app.request(`/badge/${handle}.json`)).json();
  expect(await badge(rated)).toMatchObject({
    message: expect.stringMatching(/^zebulon, claimed \d{4}-\d{2}$/),
  });
  const before = await readFigures();
  for (const [source, group, change] of apart)
    expect(await rate(source, 'succeeded', change)).toMatchObject({ group });
  expect(await readFigures()).toEqual(before);
  const answer = await directory.post('/api/tools/get_agent', { handle: rated });
  const { signals } = (await answer.json()) as { signals: { native: string } };
  expect(signals.native).toMatch(/^Independent: none; new source: 1 source, 1 rating: 1 succeeded;/);
});

it('forty ratings of another listing of the publisher change no first figure, and the badge says who else rated', async () => {
  expect(await rate(critic, 'failed')).toMatchObject({ group: 'independent' });
  const before = await readFigures();
  for (let time = 0; time < 40; time++)
    expect(await rate(second, 'succeeded')).toMatchObject({ group: 'related' });
  const json = await (await directory.app.request(`/badge/${rated}.json`)).json();
  expect(json).toMatchObject({ label: 'dossier', message: '1 source, 0 of 1 worked' });
  const served = await (
    await directory.app.request(`/v0.1/servers/${encodeURIComponent(rated)}/versions/latest`)
  ).text();
  expect(served).toContain('"independent_sources":1,"independent":1,"ratings":46');
  expect(await readFigures()).toEqual(before);
});

it('whatever is set apart, in whatever order, no door has another first figure', async () => {
  const before = await readFigures();
  expect(before['badge.json']).toContain('1 source, 0 of 1 worked');
  const one = fc.record({
    by: fc.constantFrom(...apart),
    outcome: fc.constantFrom('succeeded', 'partial', 'failed', 'refused', 'unreachable'),
    score: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 4 }), async (added) => {
      for (const { by, outcome, score } of added) {
        const [source, group, change] = by;
        const given = await rate(source, outcome, { ...change, score });
        if (given.group === group) continue;
        // Criticism by a friend is independent, so it is taken back.
        expect([source, given.group]).toEqual([friend, 'independent']);
        const { rating_id } = given;
        await directory.post('/api/tools/withdraw_rating', { rating_id }, capabilities[source]);
      }
      expect(await readFigures()).toEqual(before);
    }),
    { numRuns: partOf(4, 60) },
  );
});
