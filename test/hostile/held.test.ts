import { afterAll, describe, expect, it } from 'vitest';
import { openDomainDirectory, recorded } from '../claims/domain-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

const file = 'dossier-claim.txt';
const day_s = 86_400;
const rated = 'org.rated/service';
const tool = 'com.example/tool';
const handleOf = (owner: string) => `io.github.${owner}/tool`;
const owners = ['alice', 'bob', 'carol', 'dora', 'erin', 'fred'];
const nameOf = (domain: string) => `_dossier-challenge.${domain}`;

type Json = Record<string, unknown>;
const post = async (tool: string, input: object, as?: string): Promise<Json> => {
  const path = tool.startsWith('/') ? tool : `/api/tools/${tool}`;
  const response = await service.directory.post(path, input, as);
  return (await response.json()) as Json;
};
const now = () => service.directory.context.clock().toISOString();
const rate = (as: string, interaction_id: string, change: object = {}) =>
  post(
    'submit_rating',
    ratingOf(rated, { interaction_id, interaction_at: now(), relationship: 'none', ...change }),
    as,
  );
async function claim(owner: string) {
  const repository = service.git.createRepository(`${owner}/tool`);
  const issued = await service.ask(handleOf(owner), { method: 'repository' });
  repository.commit({ [file]: issued.challenge });
  expect(await service.ask(handleOf(owner))).toMatchObject({ status: 'claimed' });
  return { ...issued, repository };
}
const listings = [registryEntry(tool), registryEntry(rated, { description: 'Zebra words' })];

const service = await opened(
  openDomainDirectory(
    [...listings, ...owners.map((owner) => recorded(handleOf(owner), `${owner}/tool`))],
    [],
  ),
);
const [alice, bob] = [await claim('alice'), await claim('bob')];
service.directory.wait(8 * day_s);
afterAll(async () => {
  expect(await service.directory.audit()).toEqual([]);
});

describe('a rater', () => {
  it('with two capabilities that sends one interaction twenty times at once makes one rating', async () => {
    const next = await service.ask(handleOf('alice'), { rotate: true }, alice.capability);
    alice.repository.commit({ [file]: `${alice.challenge}\n${next.challenge}` });
    await service.ask(handleOf('alice'));
    const interaction_at = now();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        rate(at % 2 ? alice.capability : next.capability, 'race', {
          interaction_at,
          outcome: at % 3 ? 'succeeded' : 'failed',
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'created')).toHaveLength(1);
    expect((await post('list_ratings', { handle: rated })).ratings).toHaveLength(1);
  });

  it('that revokes its capability while it rates is told that it was revoked', async () => {
    const { capability } = await claim('carol');
    const [first, , last] = await Promise.all([
      rate(capability, 'before'),
      post('/api/capability/revoke', {}, capability),
      rate(capability, 'after'),
    ]);
    for (const { code, status } of [first, last])
      expect(status === 'created' ? 'created' : code).toMatch(/^created$|^capability_revoked$/);
    expect(await rate(capability, 'later')).toMatchObject({ code: 'capability_revoked' });
  });

  it('that withdraws a declared interest and rates the interaction again is still set apart, and has six tries', async () => {
    const interaction_at = now();
    const send = (change: object) => rate(bob.capability, 'declared', { interaction_at, ...change });
    let made = await send({ relationship: 'vendor' });
    const again: unknown[] = [];
    for (let count = 0; count < 6; count++) {
      await post('withdraw_rating', { rating_id: made.rating_id }, bob.capability);
      const next = await send({ comment: `Try ${count}` });
      again.push(next.group ?? next.code);
      if (next.rating_id) made = next;
    }
    expect(again).toEqual([...Array<string>(5).fill('declared_interest'), 'rating_exists']);
  });

  it('that takes reciprocal praise back for 91 days and praises again is still set apart', async () => {
    await rate(bob.capability, 'pair', { handle: handleOf('alice') });
    const about = { handle: handleOf('bob'), interaction_at: now() };
    const first = await rate(alice.capability, 'pair', about);
    expect(first.group).toBe('reciprocal');
    const second = await rate(alice.capability, 'pair', {
      ...about,
      outcome: 'failed',
      supersedes: first.rating_id,
    });
    expect(second.group).toBe('independent');
    service.directory.wait(91 * day_s);
    const praise = { ...about, comment: 'Again.', supersedes: second.rating_id };
    expect(await rate(alice.capability, 'pair', praise)).toMatchObject({ group: 'reciprocal' });
  });
});

describe('a claimant', () => {
  it('gets nothing by the line of another listing, which works only where it belongs', async () => {
    const mine = await service.ask(handleOf('dora'));
    const theirs = await service.ask(handleOf('erin'));
    const repository = service.git.createRepository('dora/tool');
    repository.commit({ [file]: `${mine.challenge}\n${theirs.challenge}` });
    const named = { challenge: theirs.challenge };
    expect(await service.ask(handleOf('dora'), named)).toMatchObject({ reason: 'challenge_foreign' });
    expect(await service.standing(theirs.capability)).toBe('capability_invalid');
    service.git.createRepository('erin/tool').commit({ [file]: theirs.challenge });
    await service.ask(handleOf('erin'));
    expect(await service.standing(theirs.capability)).toBe('200');
  });

  it('opts out no listing but its own, in its own spelling', async () => {
    const lines = [handleOf('bob'), 'IO.GITHUB.FRED/tool', `${handleOf('fred')}2`];
    const repository = service.git.createRepository('fred/tool');
    repository.commit({ [file]: lines.map((handle) => `optout ${handle}`).join('\n') });
    await service.ask(handleOf('fred'));
    service.directory.wait(1.3 * day_s);
    await service.ask(handleOf('fred'));
    for (const owner of ['bob', 'fred'])
      expect((await service.get(`/agents/${handleOf(owner)}.json`)).status).toBe(200);
    expect(await service.directory.store.optOuts.of(handleOf('fred'))).toEqual([]);
  });

  it('that is asked about by sixty callers at once has its host read twice at most', async () => {
    service.directory.wait(31);
    const read = () =>
      service.git.requests.filter((one) => /upload-pack/.test(one) && one.includes('fred/tool')).length;
    const before = read();
    await Promise.all(Array.from({ length: 60 }, () => post('claim_agent', { handle: handleOf('fred') })));
    expect(read() - before).toBeLessThanOrEqual(2);
    expect(read()).toBeGreaterThan(before);
  });

  it('whose record names another repository for one import has its claim and its ratings back, and the other one is not read meanwhile', async () => {
    const at = (repository: string, second: number) =>
      registryEntry(handleOf('bob'), onGitHub(repository), {
        updatedAt: new Date(Date.UTC(2026, 9, 3, 0, 0, second)).toISOString(),
      });
    const before = await service.history(handleOf('bob'));
    await service.directory.importEntries([at('Bob/TOOL.git', 1)]);
    expect(await service.history(handleOf('bob'))).toEqual(before);
    await service.directory.importEntries([at('bob/other', 2)]);
    expect(await service.standing(bob.capability)).toBe('capability_repository_changed');
    service.git.createRepository('bob/other');
    service.directory.wait(2 * day_s);
    await service.directory.recheck();
    expect(service.git.requests.filter((one) => one.includes('bob/other'))).toEqual([]);
    await service.directory.importEntries([at('bob/tool', 3)]);
    expect(await service.ask(handleOf('bob'))).toMatchObject({ status: 'claimed', changed: 'restored' });
    const { ratings } = (await post('list_ratings', { handle: handleOf('alice') })) as { ratings: Json[] };
    expect(ratings.map(({ flags }) => flags)).not.toContainEqual(expect.arrayContaining(['source_ended']));
  });

  it('that moves to DNS between the two readings keeps claim, generation and groups', async () => {
    const issued = await service.ask(tool, { method: 'dns' });
    service.setTxt(nameOf('example.com'), issued.challenge);
    await service.ask(tool, { method: 'dns' });
    service.setTxt(nameOf('example.com'));
    service.directory.wait(1.3 * day_s);
    await service.directory.recheck();
    expect(await service.claimOf(tool)).toHaveProperty('failing');
    service.setTxt(nameOf('example.com'), issued.challenge);
    expect(await service.ask(tool, { method: 'dns' })).toMatchObject({ status: 'claimed', changed: 'none' });
    expect(await service.claimOf(tool)).not.toHaveProperty('failing');
    expect(await service.history(tool)).toEqual(['activated dns:example.com 0']);
  });
});

it('a response that was erased is not given again', async () => {
  const about = { handle: handleOf('alice'), outcome: 'failed' };
  const { rating_id } = await rate(bob.capability, 'answered', about);
  const respond = (text: string) => post('respond_to_rating', { rating_id, text }, alice.capability);
  expect(await respond('No.')).toMatchObject({ status: 'created' });
  await service.directory.act('erase', `response:${rating_id}`, 'personal_data');
  for (const text of ['No.', 'Again.']) expect(await respond(text)).toMatchObject({ code: 'rating_exists' });
});

it('a listing that the operator withdraws while it is opted out is shown by no line alone', async () => {
  const handle = handleOf('alice');
  alice.repository.commit({ [file]: `${alice.challenge}\noptout ${handle}` });
  expect(await service.ask(handle, {}, alice.capability)).toMatchObject({ status: 'opted_out' });
  await service.directory.act('withdraw', handle, 'malicious');
  alice.repository.commit({ [file]: alice.challenge });
  service.directory.wait(1.3 * day_s);
  await service.directory.recheck();
  expect((await service.get(`/agents/${handle}.json`)).status).toBe(410);
  await service.directory.restore(handle);
  expect((await service.get(`/agents/${handle}.json`)).status).toBe(200);
});
