import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Holder } from '../../src/core/identity.ts';
import { isRelated, toRelationSides } from '../../src/ratings/groups.ts';
import { type DomainDirectory, openDomainDirectory } from '../claims/domain-directory.ts';
import { callTool, documentOf } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
type Json = Readonly<Record<string, unknown>>;
interface Rated extends Json {
  readonly rating_id: string;
  readonly group: string;
  readonly flags: readonly string[];
}

let domains: DomainDirectory;
/** The claim lines of domains. */
const lines = new Map<string, string>();
let made = 0;
let versions = 1;

const call = async (tool: string, input: object, as?: string) => {
  return callTool<Rated>(domains.directory, tool, input, as);
};
/** Rates a listing with a capability; a new interaction unless the change names one. */
const rate = (as: string, handle: string, outcome: string, change: object = {}) =>
  call(
    'submit_rating',
    ratingOf(handle, {
      outcome,
      interaction_id: `bent-${made++}`,
      relationship: 'none',
      interaction_at: domains.directory.context.clock().toISOString(),
      ...change,
    }),
    as,
  );
async function recordOf(handle: string, id: string): Promise<Rated> {
  const { ratings } = await call('list_ratings', { handle });
  const found = (ratings as Rated[]).find(({ rating_id }) => rating_id === id) as Rated;
  // A single flag is the group, which is not said twice.
  return { ...found, flags: found.flags ?? (found.group === 'independent' ? [] : [found.group]) };
}
const nativeOf = async (handle: string) =>
  ((await documentOf(domains.directory, handle)).signals as { native: Json }).native;
const publish = (handle: string, server: object) => {
  versions += 1;
  const updatedAt = new Date(Date.UTC(2026, 10, 3) + versions * 1000).toISOString();
  return domains.directory.importEntries([
    registryEntry(handle, { version: `1.0.${versions}`, ...server }, { updatedAt }),
  ]);
};
const remotes = (...hosts: string[]) => ({
  remotes: hosts.map((host) => ({ type: 'sse', url: `https://${host}/mcp` })),
});

/** Claims a listing by the domain of its namespace; returns the capability. */
async function claimByDomain(handle: string): Promise<string> {
  const domain = handle.split('/')[0]?.toLowerCase().split('.').toReversed().join('.');
  const { status: known, challenge, capability } = await domains.ask(handle, { method: 'dns' });
  if (known === 'claimed') return capability;
  lines.set(handle, challenge);
  domains.setTxt(`_dossier-challenge.${domain}`, challenge);
  const { status } = await domains.ask(handle, { method: 'dns' });
  expect([handle, status]).toEqual([handle, 'claimed']);
  return capability;
}
async function claimByRepository(handle: string, path: string): Promise<string> {
  const repository = domains.git.createRepository(path);
  repository.commit({ 'README.md': handle });
  const { file_contents, capability } = await domains.claim(handle);
  repository.commit({ 'dossier-claim.txt': String(file_contents) });
  expect((await domains.claim(handle)).status).toBe('claimed');
  return capability;
}

/** Listings of somebody who is rated, and of a critic who has nothing to do with them. */
interface Pair {
  readonly bad: string;
  /** In another namespace of the same domain. */
  readonly worse: string;
  readonly critic: string;
  readonly criticHost: string;
  readonly asBad: string;
  readonly asWorse: string;
  readonly asCritic: string;
}

/** What the rated side does, by name, and the group of praise by the critic afterwards. */
const baits: readonly (readonly [string, (pair: Pair) => Promise<unknown>, string])[] = [
  ['rates the critic badly', ({ asBad, critic }) => rate(asBad, critic, 'failed'), 'reciprocal'],
  ['praises the critic', ({ asBad, critic }) => rate(asBad, critic, 'succeeded'), 'reciprocal'],
  [
    'rates the critic and withdraws it',
    async ({ asBad, critic }) =>
      call('withdraw_rating', { rating_id: (await rate(asBad, critic, 'failed')).rating_id }, asBad),
    'independent',
  ],
  [
    'rates the critic and amends it',
    async ({ asBad, critic }) => {
      const interaction = {
        interaction_id: `amended-${made}`,
        interaction_at: domains.directory.context.clock().toISOString(),
      };
      const { rating_id } = await rate(asBad, critic, 'failed', interaction);
      await rate(asBad, critic, 'succeeded', { ...interaction, supersedes: rating_id });
    },
    'reciprocal',
  ],
  [
    'rates the critic from another namespace of its domain',
    ({ asWorse, critic }) => rate(asWorse, critic, 'succeeded'),
    'reciprocal',
  ],
  [
    'records the host of the critic',
    ({ bad, criticHost }) => publish(bad, remotes(criticHost)),
    'stated_overlap',
  ],
  [
    'records the website of the critic',
    ({ bad, criticHost }) => publish(bad, { websiteUrl: `https://www.${criticHost}` }),
    'stated_overlap',
  ],
  [
    'records the host of the critic for a moment',
    async ({ bad, criticHost }) => {
      await publish(bad, remotes(criticHost));
      await publish(bad, {});
    },
    'stated_overlap',
  ],
  [
    'records the account of the critic',
    ({ bad, critic }) => publish(bad, onGitHub(`${critic.split('/')[1]}/else`)),
    'stated_overlap',
  ],
  [
    'records sixty hosts, that of the critic among them',
    ({ bad, criticHost }) =>
      publish(bad, remotes(...Array.from({ length: 59 }, (_, at) => `h${at}.other.net`), criticHost)),
    'stated_overlap',
  ],
  [
    'records the host of the critic in another listing',
    ({ worse, criticHost }) => publish(worse, remotes(criticHost)),
    'independent',
  ],
  [
    'responds to the criticism',
    async ({ bad, asBad, asCritic }) => {
      const { rating_id } = await rate(asCritic, bad, 'failed');
      await call('respond_to_rating', { rating_id, text: 'We are the same company.' }, asBad);
    },
    'independent',
  ],
  ['has a friend rate the critic', ({ critic }) => rate(asFriend, critic, 'succeeded'), 'independent'],
  [
    'has a friend record the account and the host of the critic',
    ({ critic, criticHost }) =>
      publish(friend, { ...onGitHub(`${critic.split('/')[1]}/c`), ...remotes(criticHost) }),
    'independent',
  ],
  [
    'and a friend rate each other',
    async ({ bad, asBad }) => {
      await rate(asBad, friend, 'succeeded');
      await rate(asFriend, bad, 'succeeded');
    },
    'independent',
  ],
  [
    'declares that it is a partner of the critic',
    ({ asBad, critic }) => rate(asBad, critic, 'succeeded', { relationship: 'partner' }),
    'reciprocal',
  ],
  [
    'is reported, and reports the critic',
    async ({ bad, critic }) => {
      for (const handle of [bad, critic])
        await call('submit_feedback', { message: 'A fraud', category: 'report', handle });
    },
    'independent',
  ],
  [
    'rates the critic twenty times',
    async ({ asBad, critic }) => {
      for (let time = 0; time < 20; time += 1) await rate(asBad, critic, time % 2 ? 'failed' : 'succeeded');
    },
    'reciprocal',
  ],
  [
    'opts the critic out by its own domain',
    async ({ bad, critic }) => {
      const domain = `${bad.slice('com.'.length, -'/b'.length)}.com`;
      domains.setTxt(`_dossier-challenge.${domain}`, String(lines.get(bad)), `optout ${critic}`);
      for (const handle of [bad, critic]) await domains.ask(handle, { method: 'dns' });
    },
    'independent',
  ],
  [
    'records and rates everything at once',
    async ({ bad, critic, criticHost, asBad, asWorse }) => {
      await publish(bad, { ...onGitHub(`${critic.split('/')[1]}/else`), ...remotes(criticHost) });
      await rate(asBad, critic, 'succeeded');
      await rate(asWorse, critic, 'failed');
    },
    'reciprocal',
  ],
];

const friend = 'net.friend/f';
let asFriend: string;
const namesOf = (at: number) => ({
  bad: `com.bad${at}/b`,
  worse: `com.bad${at}.worse/b`,
  critic: `org.critic${at}/critic${at}`,
  criticHost: `critic${at}.org`,
});
const pairCount = baits.length + 5;
const pairs: Pair[] = [];
const lone = [
  'com.apify/two',
  'ai.smithery/two',
  'live.alpic/two',
  'io.github.alice/two',
  'com.google.cloud/two',
];

beforeAll(async () => {
  domains = await openDomainDirectory(
    [
      ...Array.from({ length: pairCount }, (_, at) => {
        const { bad, worse, critic, criticHost } = namesOf(at);
        const ofCritic = { ...onGitHub(`critic${at}/c`), ...remotes(`mcp.${criticHost}`) };
        return [registryEntry(bad), registryEntry(worse), registryEntry(critic, ofCritic)];
      }).flat(),
      ...[...lone, friend].map((handle) => registryEntry(handle)),
      ...['com.apify/one', 'ai.smithery/one', 'live.alpic/one', 'com.google/one'].map((handle) =>
        registryEntry(handle),
      ),
      registryEntry('org.hers/one', onGitHub('alice/one')),
      registryEntry('org.also/hers', onGitHub('alice/two')),
      ...['a', 'b'].map((name) => registryEntry(`app.vercel.${name}/x`)),
      ...['net.tunnels.bad/b', 'net.tunnels.critic/c', 'org.oldhost/b'].map((handle) =>
        registryEntry(handle),
      ),
      ...['org.tunnelled/c', 'org.tunnelled/d', 'org.former/a', 'org.former/b'].map((handle) =>
        registryEntry(handle),
      ),
      registryEntry('page.codeberg.alice/one'),
      registryEntry('org.berg/two', {
        repository: { url: 'https://codeberg.org/Alice/two', source: 'codeberg' },
      }),
      registryEntry('io.bitbucket.alice/one'),
      registryEntry('org.bucket/two', {
        repository: { url: 'https://bitbucket.org/alice/two', source: 'bitbucket' },
      }),
    ],
    [],
  );
  for (let at = 0; at < pairCount; at++) {
    const names = namesOf(at);
    pairs.push({
      ...names,
      asBad: await claimByDomain(names.bad),
      asWorse: await claimByDomain(names.worse),
      asCritic: await claimByDomain(names.critic),
    });
  }
  asFriend = await claimByDomain(friend);
  domains.directory.wait(8 * day_s);
}, 240_000);
afterAll(() => domains.close());

describe('the rated side', () => {
  it.each(baits.map(([name, , group], at) => [name, group, at] as const))(
    '%s: criticism made before and after stays independent, later praise is %s',
    async (_, group, at) => {
      const { bad, asCritic } = pairs[at] as Pair;
      const before = await rate(asCritic, bad, 'failed');
      await baits[at]?.[1](pairs[at] as Pair);
      const after = [
        await rate(asCritic, bad, 'failed'),
        await rate(asCritic, bad, 'refused'),
        await rate(asCritic, bad, 'partial', { score: 2 }),
      ];
      for (const { rating_id } of [before, ...after])
        expect(await recordOf(bad, rating_id)).toMatchObject({ group: 'independent', flags: [] });
      const praise = await rate(asCritic, bad, 'succeeded');
      expect((await recordOf(bad, praise.rating_id)).group).toBe(group);
      const mixed = await rate(asCritic, bad, 'partial', { score: 5 });
      expect((await recordOf(bad, mixed.rating_id)).group).toBe(group);
    },
  );

  it.each([
    ['has a namespace below the same hosting domain that is on no list', 'net.tunnels.critic/c', {}],
    ['has an endpoint of its own there', 'org.tunnelled/c', remotes('critic.tunnels.net')],
    ['has its website there', 'org.tunnelled/d', { websiteUrl: 'https://critic.tunnels.net' }],
  ])('has no power over a critic who %s', async (_, critic, record) => {
    await publish(critic, record);
    const as = await claimByDomain(critic);
    domains.directory.wait(8 * day_s);
    const made = [
      await rate(as, 'net.tunnels.bad/b', 'failed'),
      await rate(as, 'net.tunnels.bad/b', 'succeeded'),
    ];
    expect(made.map(({ flags }) => flags.length)).toEqual([0, 1]);
    await claimByDomain('net.tunnels.bad/b');
    for (const [at, { rating_id }] of made.entries())
      expect((await recordOf('net.tunnels.bad/b', rating_id)).flags.length).toBe(at);
  });

  it.each([
    ['the endpoint', 'org.former/a', remotes('mcp.oldhost.org')],
    ['the website', 'org.former/b', { websiteUrl: 'https://oldhost.org' }],
  ])(
    'gains nothing by taking over %s that a critic once recorded, and has what it records now',
    async (_, critic, record) => {
      await publish(critic, record);
      await publish(critic, {});
      const as = await claimByDomain(critic);
      domains.directory.wait(8 * day_s);
      expect(await rate(as, 'org.oldhost/b', 'failed')).toMatchObject({ group: 'independent', flags: [] });
      expect(await rate(as, 'org.oldhost/b', 'succeeded')).toMatchObject({ group: 'stated_overlap' });
      await publish(critic, record);
      expect(await rate(as, 'org.oldhost/b', 'failed')).toMatchObject({ group: 'stated_overlap' });
    },
  );

  it('releases praise when it withdraws the rating that was its other half, and only then', async () => {
    const { bad, critic, asBad, asCritic } = pairs[baits.length] as Pair;
    const one = await rate(asBad, critic, 'succeeded');
    const two = await rate(asBad, critic, 'failed');
    const praise = await rate(asCritic, bad, 'succeeded');
    const groups: string[] = [];
    const note = async () => {
      const { independent, reciprocal } = (await nativeOf(bad)) as Record<string, { ratings: number }>;
      expect([independent?.ratings, reciprocal?.ratings]).toEqual(
        (await recordOf(bad, praise.rating_id)).group === 'independent' ? [1, 0] : [0, 1],
      );
      groups.push((await recordOf(bad, praise.rating_id)).group);
    };
    await note();
    for (const { rating_id } of [one, two]) {
      await call('withdraw_rating', { rating_id }, asBad);
      await note();
    }
    await rate(asBad, critic, 'succeeded');
    await note();
    expect(groups).toEqual(['reciprocal', 'reciprocal', 'independent', 'reciprocal']);
  });

  it('launders no praise if the operator voids the other half', async () => {
    const { bad, critic, asBad, asCritic } = pairs[baits.length + 4] as Pair;
    const { rating_id } = await rate(asBad, critic, 'succeeded');
    const earlier = await rate(asCritic, bad, 'succeeded');
    await domains.directory.act('void', rating_id, 'no_interaction');
    const later = await rate(asCritic, bad, 'succeeded');
    for (const one of [earlier, later]) expect((await recordOf(bad, one.rating_id)).group).toBe('reciprocal');
  });

  it('moves an amended rating only while it is praise', async () => {
    const { bad, critic, criticHost, asBad, asCritic } = pairs[baits.length + 1] as Pair;
    await rate(asBad, critic, 'succeeded');
    await publish(bad, remotes(criticHost));
    const interaction = {
      interaction_id: 'changed-my-mind',
      interaction_at: domains.directory.context.clock().toISOString(),
    };
    const groups: string[][] = [];
    let supersedes: string | undefined;
    for (const outcome of ['failed', 'succeeded', 'failed', 'partial']) {
      const { rating_id, group, flags } = await rate(asCritic, bad, outcome, { ...interaction, supersedes });
      supersedes = rating_id;
      groups.push([group, ...flags]);
    }
    expect(groups).toEqual([
      ['independent'],
      ['reciprocal', 'reciprocal', 'stated_overlap'],
      ['independent'],
      ['independent'],
    ]);
  });

  it('praises back before it claims the listing that was praised: the pair is seen at the claim', async () => {
    const { critic, asBad, asCritic } = pairs[baits.length + 2] as Pair;
    await domains.directory.importEntries([registryEntry('net.late/l', onGitHub(`late/l`))]);
    const praise = await rate(asCritic, 'net.late/l', 'succeeded');
    const criticism = await rate(asCritic, 'net.late/l', 'failed');
    const asLate = await claimByRepository('net.late/l', 'late/l');
    await rate(asLate, critic, 'succeeded');
    expect((await recordOf('net.late/l', praise.rating_id)).group).toBe('reciprocal');
    expect((await recordOf('net.late/l', criticism.rating_id)).group).toBe('independent');
    await domains.directory.importEntries([registryEntry('net.later/l', onGitHub('late/other'))]);
    const later = await rate(asCritic, 'net.later/l', 'succeeded');
    expect(later.group).toBe('independent');
    await claimByRepository('net.later/l', 'late/other');
    expect((await recordOf('net.later/l', later.rating_id)).group).toBe('reciprocal');
    expect(asBad).toMatch(/^dossier_cap_/);
  });

  it('has no pair with a rating of more than 90 days ago', async () => {
    const { bad, critic, asBad, asCritic } = pairs[baits.length + 3] as Pair;
    await rate(asBad, critic, 'succeeded');
    domains.directory.wait(89 * day_s);
    const within = await rate(asCritic, bad, 'succeeded');
    domains.directory.wait(2 * day_s);
    const beyond = await rate(asCritic, bad, 'succeeded');
    expect([within.group, beyond.group]).toEqual(['reciprocal', 'independent']);
  });

  it('gets no praise counted that is called a failure with the best score', async () => {
    const { bad, critic, asBad, asCritic } = pairs[baits.length + 4] as Pair;
    await rate(asBad, critic, 'succeeded');
    const { rating_id } = await rate(asCritic, bad, 'failed', { score: 5 });
    expect((await recordOf(bad, rating_id)).group).toBe('reciprocal');
    expect(await domains.directory.audit()).toEqual([]);
  });
});

describe('one owner', () => {
  it.each([
    ['com.apify/one', 'com.apify/two'],
    ['ai.smithery/one', 'ai.smithery/two'],
    ['live.alpic/one', 'live.alpic/two'],
    ['com.google/one', 'com.google.cloud/two'],
  ])('of a domain that others share rates its own listings as related: %s, %s', async (source, subject) => {
    const as = await claimByDomain(source);
    expect(await rate(as, subject, 'succeeded', { score: 5 })).toMatchObject({ group: 'related' });
  });

  it('of an account rates its own listings as related, whatever proves them', async () => {
    const as = await claimByRepository('org.hers/one', 'alice/one');
    const ofNamespace = await rate(as, 'io.github.alice/two', 'succeeded');
    const ofRepository = await rate(as, 'org.also/hers', 'succeeded');
    expect([ofNamespace.group, ofRepository.group]).toEqual(['related', 'stated_overlap']);
    await claimByRepository('org.also/hers', 'alice/two');
    expect((await recordOf('org.also/hers', ofRepository.rating_id)).group).toBe('related');
  });

  it.each([
    ['page.codeberg.alice/one', 'org.berg/two'],
    ['io.bitbucket.alice/one', 'org.bucket/two'],
  ])('of the pages of an account is that account: %s, %s', async (source, subject) => {
    const as = await claimByDomain(source);
    expect(await rate(as, subject, 'succeeded')).toMatchObject({ group: 'stated_overlap' });
  });

  it('of one host of a hosting service is not the owner of another', async () => {
    const as = await claimByDomain('app.vercel.a/x');
    expect(await rate(as, 'app.vercel.b/x', 'succeeded')).toMatchObject({ group: 'new_source' });
  });
});

const labels = [
  'com',
  'io',
  'ai',
  'live',
  'app',
  'github',
  'gitlab',
  'apify',
  'smithery',
  'alpic',
  'vercel',
  'x',
  'EVIL',
  'google',
  'a',
];
const namespaces = fc
  .array(fc.constantFrom(...labels), { minLength: 1, maxLength: 4 })
  .map((made) => made.join('.'));
const roots = fc.oneof(
  namespaces.map((name) => `dns:${name.toLowerCase().split('.').toReversed().join('.')}`),
  fc
    .tuple(fc.constantFrom('github.com', 'gitlab.com', 'codeberg.org'), fc.constantFrom(...labels))
    .map(([host, owner]) => `${host}/${owner.toLowerCase()}`),
);
const isRelatedTo = (source: [string, string], subject: [string, string]) => {
  const proven = new Holder(subject[1]).proven.map((value) => ({
    handle: subject[0],
    kind: 'proven' as const,
    value,
    first_imported_at: '',
  }));
  const rating = { source_handle: source[0], source_root: source[1], subject_handle: subject[0] };
  return [true, false].map((isPraise) => isRelated(toRelationSides(rating, proven), isPraise));
};

it('an equal control root, or an equal namespace, on both sides is always related', () => {
  fc.assert(
    fc.property(namespaces, namespaces, roots, roots, (one, other, root, otherRoot) => {
      expect(isRelatedTo([`${one}/a`, root], [`${other}/b`, root])).toEqual([true, true]);
      expect(isRelatedTo([`${one}/a`, root], [`${one.toUpperCase()}/b`, otherRoot])).toEqual([true, true]);
    }),
    { numRuns: 2000 },
  );
});
