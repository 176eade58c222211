import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DomainDirectory, openDomainDirectory } from '../claims/domain-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
type Json = Readonly<Record<string, unknown>>;
type Rated = Json & { readonly rating_id: string; readonly group: string; readonly interaction: Json };

let service: DomainDirectory;
let made = 0;
let versions = 1;

const call = async (tool: string, input: object, as?: string) => {
  const response = await service.directory.app.request(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(as && { authorization: `Bearer ${as}` }) },
    body: JSON.stringify(input),
  });
  return (await response.json()) as Json;
};
const rate = async (as: string, handle: string, outcome: string, change: object = {}) => {
  service.directory.wait(1);
  const interaction_at = service.directory.context.clock().toISOString();
  const sent = { handle, outcome, interaction_id: `apart-${made++}`, interaction_at, ...change };
  const answer = await call('submit_rating', { protocol: 'mcp', relationship: 'none', ...sent }, as);
  expect(answer).toHaveProperty('rating_id');
  const { interaction_id } = sent;
  return {
    ...answer,
    interaction: { interaction_id, interaction_at: sent.interaction_at },
  } as unknown as Rated;
};
const withdraw = ({ rating_id }: Rated, as: string) => call('withdraw_rating', { rating_id }, as);
const groupOf = async (handle: string, { rating_id }: Rated) => {
  const { ratings } = (await call('list_ratings', { handle })) as unknown as { ratings: Rated[] };
  const found = ratings.find((one) => one.rating_id === rating_id);
  // A single flag is the group, which is not said twice.
  const flags = found?.flags ?? (found?.group === 'independent' ? [] : [found?.group]);
  return [found?.group, ...(flags as string[])];
};
const publish = (handle: string, server: object) => {
  versions += 1;
  const updatedAt = new Date(Date.UTC(2026, 10, 3) + versions * 1000).toISOString();
  return service.directory.importEntries([
    registryEntry(handle, { version: `1.0.${versions}`, ...server }, { updatedAt }),
  ]);
};
const remotes = (...hosts: string[]) => ({
  remotes: hosts.map((host) => ({ type: 'sse', url: `https://${host}/mcp` })),
});

/**
 * Three who have nothing to do with each other: a listing that is rated, its critic, and a friend of the
 * first.
 */
interface Three {
  readonly at: number;
  readonly bad: string;
  readonly critic: string;
  readonly friend: string;
  readonly asBad: string;
  readonly asCritic: string;
  readonly asFriend: string;
}
const namesOf = (at: number) => ({
  bad: `com.bad${at}/b`,
  critic: `org.critic${at}/c`,
  friend: `net.friend${at}/f`,
});

async function claim(handle: string, path: string): Promise<string> {
  const repository = service.git.createRepository(path);
  const { file_contents, capability } = await service.claim(handle);
  repository.commit({ 'dossier-claim.txt': String(file_contents) });
  repositories.set(path, repository);
  expect([handle, (await service.claim(handle)).status]).toEqual([handle, 'claimed']);
  return capability;
}
type Repository = ReturnType<DomainDirectory['git']['createRepository']>;
const repositories = new Map<string, Repository>();

/**
 * What the rated side, or a friend of it, does about a critic; and the group of praise by the critic
 * afterwards.
 */
const acts: readonly (readonly [string, (three: Three) => Promise<unknown>, string])[] = [
  [
    'the rated listing responds to the criticism',
    async ({ asBad, asCritic, bad }) => {
      const { rating_id } = await rate(asCritic, bad, 'failed');
      await call('respond_to_rating', { rating_id, text: 'We are the same company.' }, asBad);
    },
    'independent',
  ],
  ['a friend rates the critic', ({ asFriend, critic }) => rate(asFriend, critic, 'succeeded'), 'independent'],
  [
    'a friend records the account and the host of the critic',
    ({ friend, at }) => publish(friend, { ...onGitHub(`critic${at}/c`), ...remotes(`mcp.critic${at}.org`) }),
    'independent',
  ],
  [
    'the rated listing and a friend rate each other',
    async ({ asBad, asFriend, bad, friend }) => {
      await rate(asBad, friend, 'succeeded');
      await rate(asFriend, bad, 'succeeded');
    },
    'independent',
  ],
  [
    'the rated listing declares that it is a partner of the critic',
    ({ asBad, critic }) => rate(asBad, critic, 'succeeded', { relationship: 'partner' }),
    'reciprocal',
  ],
  [
    'the rated listing opts the critic out in its own repository',
    async ({ at, critic, bad }) => {
      const repository = repositories.get(`bad${at}/b`) as Repository;
      const { file_contents } = await service.claim(bad, { rotate: true });
      repository.commit({ 'dossier-claim.txt': `${String(file_contents)}\noptout ${critic}\n` });
      await service.claim(critic);
      service.directory.wait(1.25 * day_s);
      await service.claim(bad);
      await service.claim(critic);
    },
    'independent',
  ],
  [
    'the rated listing records the repository of the critic as its own',
    ({ bad, at }) => publish(bad, onGitHub(`critic${at}/c`)),
    'stated_overlap',
  ],
  [
    'the rated listing is reported with all of its ratings',
    async ({ critic }) => {
      await call('submit_feedback', { message: 'A fraud', category: 'report', handle: critic });
    },
    'independent',
  ],
  [
    'the rated listing rates the critic for the same interaction',
    async ({ asBad, asCritic, critic, bad }) => {
      const { interaction } = await rate(asCritic, bad, 'failed');
      await rate(asBad, critic, 'failed', interaction);
    },
    'reciprocal',
  ],
  [
    'the rated listing praises, withdraws, and rates the interaction again',
    async ({ asBad, critic }) => {
      const first = await rate(asBad, critic, 'succeeded');
      await withdraw(first, asBad);
      await rate(asBad, critic, 'succeeded', first.interaction);
    },
    'reciprocal',
  ],
  [
    'the rated listing sends twenty ratings of the critic',
    async ({ asBad, critic }) => {
      for (let time = 0; time < 20; time += 1) await rate(asBad, critic, time % 2 ? 'failed' : 'succeeded');
    },
    'reciprocal',
  ],
];

const evasions = 4;
const three: Three[] = [];
beforeAll(async () => {
  const numbers = Array.from({ length: acts.length + evasions }, (_, at) => at);
  service = await openDomainDirectory(
    numbers.flatMap((at) => {
      const { bad, critic, friend } = namesOf(at);
      return [
        registryEntry(bad, onGitHub(`bad${at}/b`)),
        registryEntry(critic, { ...onGitHub(`critic${at}/c`), ...remotes(`mcp.critic${at}.org`) }),
        registryEntry(friend, onGitHub(`friend${at}/f`)),
      ];
    }),
    [],
  );
  for (const at of numbers) {
    const names = namesOf(at);
    three.push({
      at,
      ...names,
      asBad: await claim(names.bad, `bad${at}/b`),
      asCritic: await claim(names.critic, `critic${at}/c`),
      asFriend: await claim(names.friend, `friend${at}/f`),
    });
  }
  service.directory.wait(8 * day_s);
}, 240_000);
afterAll(() => service.close());

describe('criticism stays independent', () => {
  it.each(acts.map(([name, , group], at) => [name, group, at] as const))(
    'when %s; praise by the critic is %s then',
    async (_, group, at) => {
      const all = three[at] as Three;
      const { asCritic, bad } = all;
      const made = [await rate(asCritic, bad, 'failed')];
      await acts[at]?.[1](all);
      made.push(await rate(asCritic, bad, 'refused'), await rate(asCritic, bad, 'partial', { score: 1 }));
      for (const one of made) expect(await groupOf(bad, one)).toEqual(['independent']);
      const praise = await rate(asCritic, bad, 'succeeded');
      expect((await groupOf(bad, praise))[0]).toBe(group);
    },
  );
});

describe('praise is set apart', () => {
  const at = (index: number) => three[acts.length + index] as Three;

  it('though its other half was withdrawn meanwhile and made again', async () => {
    const { asBad, asFriend, bad, friend } = at(0);
    const half = await rate(asBad, friend, 'succeeded');
    const praise = await rate(asFriend, bad, 'succeeded');
    const groups = [await groupOf(bad, praise)];
    await withdraw(half, asBad);
    groups.push(await groupOf(bad, praise));
    await rate(asBad, friend, 'succeeded', half.interaction);
    groups.push(await groupOf(bad, praise));
    expect(groups.map(([group]) => group)).toEqual(['reciprocal', 'independent', 'reciprocal']);
  });

  it('though it is called a failure with the best score', async () => {
    const { asBad, asFriend, bad, friend } = at(1);
    await rate(asBad, friend, 'succeeded');
    expect((await groupOf(bad, await rate(asFriend, bad, 'failed', { score: 5 })))[0]).toBe('reciprocal');
  });

  it('though it was criticism before, and the halves were amended more than 90 days after the first', async () => {
    const { asBad, asFriend, bad, friend } = at(2);
    const first = await rate(asFriend, bad, 'failed');
    service.directory.wait(95 * day_s);
    await rate(asBad, friend, 'succeeded');
    const praise = await rate(asFriend, bad, 'succeeded', {
      ...first.interaction,
      supersedes: first.rating_id,
    });
    expect((await groupOf(bad, praise))[0]).toBe('reciprocal');
  });

  it('though it was criticism before the records named each other', async () => {
    const { at: number, asFriend, bad, friend } = at(3);
    const first = await rate(asFriend, bad, 'failed');
    await publish(friend, { ...onGitHub(`friend${number}/f`), ...remotes(`mcp.bad${number}.com`) });
    const praise = await rate(asFriend, bad, 'succeeded', {
      ...first.interaction,
      supersedes: first.rating_id,
    });
    expect((await groupOf(bad, praise))[0]).toBe('stated_overlap');
  });
});

it('the audit finds the same', async () => {
  expect(await service.directory.audit()).toEqual([]);
});
