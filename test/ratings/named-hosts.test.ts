import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';

const many = 'io.github.mallory/many';
const other = 'com.named/other';
const friend = 'com.friend/friend';
const repository = { url: 'https://github.com/mallory/many', source: 'github' };

let directory: ClaimedDirectory;
let capability: string;
let versions = 0;
/** Imports a version of the listing that names these hosts. */
const publish = (hosts: readonly string[]) => {
  versions += 1;
  const remotes = hosts.map((host) => ({ type: 'sse', url: `https://${host}/mcp` }));
  const updatedAt = new Date(Date.UTC(2026, 9, 3) + versions * 1000).toISOString();
  const version = `1.0.${versions}`;
  return directory.importEntries([registryEntry(many, { version, repository, remotes }, { updatedAt })]);
};
const namesOf = (version: number) => Array.from({ length: 99 }, (_, n) => `v${version}n${n}.com`);

beforeAll(async () => {
  directory = await openClaimedDirectory({
    entries: [registryEntry(many, { repository }), registryEntry(other), registryEntry(friend)],
  });
  capability = await directory.claim(many, 'mallory/many');
  directory.wait(8 * 86_400);
});
afterAll(() => directory.close());

const rate = async (handle: string, outcome: string) => {
  const interaction_at = directory.context.clock().toISOString();
  const sent = { handle, outcome, interaction_id: `named-${handle.length}`, interaction_at };
  const answer = await directory.post(
    '/api/tools/submit_rating',
    { ...sent, protocol: 'mcp', relationship: 'none' },
    capability,
  );
  const body = (await answer.json()) as { group: string };
  expect(body).toHaveProperty('group');
  return body.group;
};
const identities = (names: readonly string[]) =>
  directory.store.ratings.identities(other, {
    sources: [{ source_handle: many, source_root: 'github.com/mallory' }],
    names,
  });

it('what a listing ever named is bounded, and a rating asks only what it needs of it', async () => {
  await publish(['mcp.named.com', ...namesOf(1)]);
  for (const version of [2, 3, 4]) await publish(namesOf(version));
  await publish(['mcp.friend.com', ...namesOf(5)]);
  const asked = await identities([1, 2, 3, 4, 5].flatMap(namesOf));
  const stated = asked.filter(({ kind, handle }) => kind === 'stated' && handle === many);
  expect(new Set(stated.map(({ value }) => value)).size).toBe(200);
  expect(asked.some(({ value }) => value === 'named.com')).toBe(true);
  const needed = await identities([]);
  expect(new Set(needed.map(({ handle, kind, value }) => `${handle} ${kind} ${value}`))).toEqual(
    new Set(['com.named/other proven named.com', 'io.github.mallory/many stated named.com']),
  );
  expect(await rate(other, 'succeeded')).toBe('stated_overlap');
  expect(await rate(friend, 'succeeded')).toBe('independent');
  const listed = await directory.post('/api/tools/list_ratings', { handle: other });
  expect(await listed.json()).toMatchObject({ ratings: [{ group: 'stated_overlap' }] });
});
