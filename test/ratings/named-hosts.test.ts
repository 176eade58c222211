import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';

const many = 'io.github.mallory/many';
const other = 'com.named/other';
const friend = 'com.friend/friend';
/** It gives hosts to others, of whom one has a listing. */
const platform = 'com.wordpress/mcp';
const tenant = 'io.github.tenant/site';
const repository = { url: 'https://github.com/mallory/many', source: 'github' };

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

const directory = await opened(
  openClaimedDirectory({
    entries: [
      registryEntry(many, { repository }),
      registryEntry(other),
      registryEntry(friend),
      registryEntry(platform),
      registryEntry(tenant, {
        repository: { url: 'https://github.com/tenant/site', source: 'github' },
        remotes: [{ type: 'sse', url: 'https://tenant.wordpress.com/mcp' }],
      }),
    ],
  }),
);
const capability = await directory.claim(many, 'mallory/many');
const asTenant = await directory.claim(tenant, 'tenant/site');
directory.wait(8 * 86_400);

const rate = async (handle: string, outcome: string, as = capability) => {
  const interaction_at = directory.context.clock().toISOString();
  const sent = { handle, outcome, interaction_id: `named-${handle.length}-${outcome}`, interaction_at };
  const answer = await directory.post(
    '/api/tools/submit_rating',
    { ...sent, protocol: 'mcp', relationship: 'none' },
    as,
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

it('a tenant of a platform is no part of it, whether it praises or criticises', async () => {
  const statement = async () => {
    const answer = await directory.app.request(`/agents/${platform}.json`);
    return ((await answer.json()) as { signals: { native: { statement: string } } }).signals.native.statement;
  };
  expect(await rate(platform, 'failed', asTenant)).toBe('independent');
  expect(await statement()).toMatch(/^1 independent source, 1 rating\b/);
  expect(await rate(platform, 'succeeded', asTenant)).toBe('independent');
  expect(await statement()).toMatch(/^1 independent source, 2 ratings\b/);
});
