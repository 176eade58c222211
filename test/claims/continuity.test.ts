import { describe, expect, test } from 'vitest';
import { createChallenge } from '../../src/claims/challenge.ts';
import { capabilityHash } from '../../src/core/keys/capability.ts';
import { createRepositoryReader } from '../../src/net/git.ts';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { operationsOf } from '../support/operations.ts';
import { file, openDomainDirectory, recorded } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'io.github.alice/a';
const secret = Buffer.alloc(32, 1);
const service = openEach([recorded(handle, 'alice/a'), recorded('io.github.bob/b', 'bob/b')], [], {
  CLAIM_KEYS: `1:${secret.toString('base64')}`,
  PUBLIC_URL: 'https://dossier.example',
  ALLOWED_HOSTS: 'localhost',
});

const known = () => service.directory.store.claims.claim(handle);
/** Alice claims; `commit` is the one of her proof. */
async function claimAsAlice() {
  const repository = service.git.createRepository('alice/a');
  const issued = await service.claim(handle);
  const commit = repository.commit({ [file]: issued.challenge });
  const claimed = await service.claim(handle);
  expect(claimed).toMatchObject({ status: 'claimed', changed: 'activated', commit });
  return { repository, issued, commit, claimed };
}
/** Somebody else makes a repository of the same name, with this file. */
function recreate(text: string) {
  service.git.removeRepository('alice/a');
  const repository = service.git.createRepository('alice/a');
  repository.commit({ 'README.md': 'unrelated history' });
  return repository.commit({ [file]: text });
}
const pageText = async () =>
  (await service.get(`/agents/${handle}`)).body.replace(/<\/?time>/g, '').replace(/\s+/g, ' ');

describe('a new line', () => {
  test('continues the claim if its challenge was asked for with a capability of it, whoever has it checked', async () => {
    const { repository, issued, claimed } = await claimAsAlice();
    const next = await service.claim(handle, { rotate: true }, issued.capability);
    repository.commit({ [file]: next.challenge });
    expect(await service.claim(handle)).toMatchObject({
      status: 'claimed',
      changed: 'rotated',
      claimed_at: claimed.claimed_at,
      capabilities: [{ id: issued.capability_id }, { id: next.capability_id }],
    });
    expect(await known()).toMatchObject({ root_generation: 0, first_proved_at: claimed.claimed_at });
    expect(await service.standing(next.capability)).toBe('200');
  });

  test('asked for with the capability of another listing, or of an earlier claim, continues nothing', async () => {
    const { repository, issued } = await claimAsAlice();
    const bob = await service.claim('io.github.bob/b');
    service.git.createRepository('bob/b').commit({ [file]: bob.challenge });
    expect(await service.claim('io.github.bob/b')).toMatchObject({ status: 'claimed' });
    const foreign = await service.claim(handle, { rotate: true }, bob.capability);
    const earlier = await service.claim(handle, { rotate: true }, issued.capability);
    const plain = await service.claim(handle, { rotate: true });
    repository.commit({ [file]: plain.challenge });
    await service.claim(handle);
    service.directory.wait(86_400);
    expect(await service.claim(handle)).toMatchObject({ changed: 'activated' });
    repository.commit({ [file]: [plain, foreign, earlier].map(({ challenge }) => challenge).join('\n') });
    expect(await service.claim(handle)).toMatchObject({
      changed: 'none',
      capabilities: [{ id: plain.capability_id }],
    });
    for (const [{ challenge }, reason] of [
      [foreign, 'line_waits'],
      [earlier, 'challenge_foreign'],
    ] as const)
      expect(await service.claim(handle, { challenge })).toMatchObject({ status: 'not_proven', reason });
  });

  test.each(['leaks into the file', 'is revoked by its holder'])(
    'asked for with a capability that %s before the line is there continues nothing',
    async (end) => {
      const { repository, issued } = await claimAsAlice();
      const second = await service.claim(handle, { rotate: true }, issued.capability);
      repository.commit({ [file]: `${issued.challenge}\n${second.challenge}\n` });
      expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
      const stolen = await service.claim(handle, { rotate: true }, issued.capability);
      const kept = await service.claim(handle, { rotate: true }, second.capability);
      if (end === 'leaks into the file')
        repository.commit({ [file]: `${second.challenge}\n${issued.capability}\n` });
      else
        await service.directory.app.request('/api/capability/revoke', {
          method: 'POST',
          headers: { authorization: `Bearer ${issued.capability}` },
        });
      await service.claim(handle);
      expect(await service.standing(issued.capability)).toBe('capability_revoked');
      repository.commit({ [file]: [second, stolen, kept].map(({ challenge }) => challenge).join('\n') });
      const ids = (await service.claim(handle)).capabilities as { id: string }[];
      expect(ids.map(({ id }) => id).toSorted()).toEqual(
        [second.capability_id, kept.capability_id].toSorted(),
      );
      expect(await service.claim(handle, { challenge: stolen.challenge })).toMatchObject({
        status: 'not_proven',
        reason: 'challenge_foreign',
      });
    },
  );

  test('of a claim whose line was missing begins a new claim, though it was asked for with a capability of it', async () => {
    const { repository, issued } = await claimAsAlice();
    const next = await service.claim(handle, { rotate: true }, issued.capability);
    repository.commit({ [file]: null });
    await service.claimTwice(handle);
    repository.commit({ [file]: next.challenge });
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed', changed: 'activated' });
    expect(await known()).toMatchObject({ root_generation: 1 });
  });

  test('in another repository of the account moves the claim if a capability was presented, else begins a new one', async () => {
    const { issued, claimed } = await claimAsAlice();
    await service.directory.importEntries([recorded(handle, 'alice/other', { version: '2.0.0' })]);
    const other = service.git.createRepository('alice/other');
    const next = await service.claim(handle, {}, issued.capability);
    const commit = other.commit({ [file]: next.challenge });
    expect(await service.claim(handle)).toMatchObject({ changed: 'moved', commit });
    expect(await known()).toMatchObject({ root_generation: 0, first_proved_at: claimed.claimed_at, commit });
    await service.directory.importEntries([recorded(handle, 'alice/third', { version: '3.0.0' })]);
    service.git.createRepository('alice/third').commit({ [file]: (await service.claim(handle)).challenge });
    expect(await service.claim(handle)).toMatchObject({ changed: 'activated' });
    expect(await known()).toMatchObject({ root: 'github.com/alice', root_generation: 1 });
  });
});

describe('a line known before', () => {
  test.each([
    [29, 'capability_suspended', { status: 'claimed', changed: 'restored' }],
    [31, 'capability_lapsed', { status: 'not_proven', reason: 'challenge_lapsed' }],
  ])('put back after %i days, with a capability that is %s: %j', async (days, code, answer) => {
    const { repository, issued, claimed } = await claimAsAlice();
    repository.commit({ [file]: null });
    await service.claimTwice(handle);
    service.directory.wait(days * 86_400);
    expect(await service.standing(issued.capability)).toBe(code);
    repository.commit({ [file]: issued.challenge });
    expect(await service.claim(handle)).toMatchObject(answer);
    expect(await known()).toMatchObject({ root_generation: 0, first_proved_at: claimed.claimed_at });
  });

  test('restores the claim as it was, and a new line beside it waits', async () => {
    const { repository, issued, claimed } = await claimAsAlice();
    repository.commit({ [file]: null });
    const other = await service.claimTwice(handle);
    repository.commit({ [file]: `${issued.challenge}\n${other.challenge}\n` });
    expect(await service.claim(handle)).toMatchObject({
      status: 'claimed',
      changed: 'restored',
      claimed_at: claimed.claimed_at,
      commit: claimed.commit,
      capabilities: [{ id: issued.capability_id }],
    });
    expect(await service.standing(issued.capability)).toBe('200');
    expect(await service.standing(other.capability)).toBe('capability_waiting');
  });
});

describe('a capability whose line was taken away', () => {
  /** Alice has a second line and takes the first one away; checks are made for a year. */
  async function forget() {
    const { repository, issued } = await claimAsAlice();
    const second = await service.claim(handle, { rotate: true }, issued.capability);
    repository.commit({ [file]: second.challenge });
    expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
    for (let month = 0; month < 12; month++) {
      service.directory.wait(30 * 86_400);
      await service.directory.recheck();
    }
    return { repository, first: issued, second };
  }

  test('more than 30 days ago co-signs nothing, and its line says that it has lapsed', async () => {
    const { repository, first, second } = await forget();
    const third = await service.claim(handle, { rotate: true }, first.capability);
    repository.commit({ [file]: [second, first, third].map(({ challenge }) => challenge).join('\n') });
    expect(await service.claim(handle)).toMatchObject({
      changed: 'none',
      capabilities: [{ id: second.capability_id }],
    });
    expect(await service.claim(handle, { challenge: first.challenge })).toMatchObject({
      status: 'not_proven',
      reason: 'challenge_lapsed',
      message: expect.stringMatching(/^The capability of this line was suspended more than 30 days ago/),
    });
    expect(await service.claim(handle, { challenge: third.challenge })).toMatchObject({
      status: 'not_proven',
      reason: 'line_waits',
    });
    expect(await service.standing(third.capability)).toBe('capability_waiting');
  });
});

describe('while a listing is opted out', () => {
  test('a check that finds its repository missing ends what the old lines can do', async () => {
    const { repository, issued } = await claimAsAlice();
    repository.commit({ [file]: `${issued.challenge}\noptout ${handle}\n` });
    expect(await service.claim(handle, {}, issued.capability)).toMatchObject({ status: 'opted_out' });
    service.git.removeRepository('alice/a');
    expect(await service.claimTwice(handle)).toMatchObject({ status: 'opted_out' });
    recreate(issued.challenge);
    expect(await service.claim(handle)).toMatchObject({ status: 'not_proven', reason: 'reused' });
    expect(await known()).toMatchObject({ state: 'suspended', root_generation: 0 });
  });

  test('a check that finds no line of the claim ends what a co-signed one can do alone', async () => {
    const { repository, issued } = await claimAsAlice();
    const next = await service.claim(handle, { rotate: true }, issued.capability);
    repository.commit({ [file]: `optout ${handle}\n` });
    expect(await service.claimTwice(handle)).toMatchObject({ status: 'opted_out' });
    repository.commit({ [file]: next.challenge });
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed', changed: 'activated' });
    expect(await known()).toMatchObject({ root_generation: 1 });
  });

  test('a line of the claim that stands beside the opt-out keeps it', async () => {
    const { repository, issued } = await claimAsAlice();
    const next = await service.claim(handle, { rotate: true }, issued.capability);
    repository.commit({ [file]: `${issued.challenge}\noptout ${handle}\n` });
    await service.claim(handle, {}, issued.capability);
    repository.commit({ [file]: next.challenge });
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed', changed: 'restored' });
    expect(await known()).toMatchObject({ root_generation: 0 });
  });
});

test('a re-check of a blocked account takes a capability away, and gives none', async () => {
  const { repository, issued } = await claimAsAlice();
  const next = await service.claim(handle, { rotate: true }, issued.capability);
  await service.directory.act('block', 'account:github.com/alice', 'repeated');
  const recheck = async (text: string | null) => {
    repository.commit({ [file]: text });
    await service.recheck();
    const living = await service.directory.store.claims.capabilities(handle);
    return [(await known())?.state, ...living.map(({ id, state }) => `${id} ${state}`)];
  };
  const both = `${issued.challenge}\n${next.challenge}\n`;
  expect(await recheck(both)).toEqual(['claimed', `${issued.capability_id} active`]);
  await recheck(next.challenge);
  expect(await recheck(next.challenge)).toEqual(['suspended', `${issued.capability_id} suspended`]);
  expect(await recheck(both)).toEqual(['suspended', `${issued.capability_id} suspended`]);
  await service.directory.restore('account:github.com/alice');
  expect((await recheck(issued.challenge))[0]).toBe('claimed');
});

describe('a repository that was missing or moved at a check', () => {
  const gone = () => service.git.removeRepository('alice/a');
  const moved = () => {
    service.git.fault = (request, response) => {
      if (!request.url?.startsWith('/alice/a')) return false;
      response.writeHead(301, { location: request.url.replace('/alice/a', '/alice/b') }).end();
      return true;
    };
  };
  test.each([
    ['gone', gone, 'repository_not_found', 'its repository was not found, or was not public'],
    ['moved', moved, 'repository_moved', 'its repository redirects to another address'],
  ])(
    '(%s) has lines that do not count any more, and a new one begins a new claim',
    async (_, lose, code, reason) => {
      const alice = await claimAsAlice();
      lose();
      const today = service.directory.context.clock().toISOString().slice(0, 10);
      const seen = `check on ${today} found the repository missing, empty or moved; the claim stands until a check a day or more later finds nothing either`;
      expect((await service.claim(handle)).message).toContain(`A ${seen}.`);
      expect(await service.standing(alice.issued.capability)).toBe('200');
      expect(await pageText()).toContain(`A ${seen}.`);
      const document = await service.directory.post('/api/tools/get_agent', { handle });
      expect(await document.text()).toContain(`nothing more; a ${seen}`);
      await service.recheck(1);
      expect(await service.standing(alice.issued.capability)).toBe('capability_revoked');
      const told = async (tool: string) =>
        JSON.stringify(await callTool(service.directory, tool, { handle }));
      expect(await told('get_agent')).toMatch(new RegExp(`was suspended on [\\d-]{10} \\(${reason}\\)`));
      expect(await told('get_history')).toContain(`claim suspended: ${reason} (`);
      for (const path of ['', '.md', '/claim', '/feed.json'])
        expect((await service.get(`/agents/${handle}${path}`)).body).toContain(`uspended: ${reason}`);
      service.git.fault = undefined;
      recreate(alice.issued.challenge);
      expect(await service.claim(handle)).toMatchObject({ status: 'not_proven', reason: 'reused' });
      expect(await known()).toMatchObject({ state: 'suspended', suspended_reason: code });
      const next = await service.claim(handle, { rotate: true }, alice.issued.capability);
      recreate(`${alice.issued.challenge}\n${next.challenge}\n`);
      expect(await service.claim(handle)).toMatchObject({
        changed: 'activated',
        capabilities: [{ id: next.capability_id }],
      });
      expect(await known()).toMatchObject({ root: 'github.com/alice', root_generation: 1 });
      expect(await service.standing(alice.issued.capability)).toBe('capability_revoked');
    },
  );
});

describe('who registers the name of an account again and pushes a copy of its public history', () => {
  const rated = 'io.github.bob/b';
  test.each([0, 4, 52])(
    'after %i days of a missing repository: has no power over ratings and begins as a new source',
    async (days) => {
      const { repository, issued } = await claimAsAlice();
      service.directory.wait(8 * 86_400);
      const { rating_id } = await service.rate(rated, issued.capability);
      const copy = service.git.copyRepository('alice/a');
      for (let day = 0; day < days; day++) {
        if (day === 0) service.git.removeRepository('alice/a');
        await service.recheck(1);
      }
      if (days > 0) copy.restore();
      const mallory = await service.claim(handle, { rotate: true });
      repository.commit({ [file]: `${issued.challenge}\n${mallory.challenge}\n` });
      await service.claim(handle);
      expect(
        await service.post('/api/tools/withdraw_rating', { rating_id }, mallory.capability),
      ).not.toHaveProperty('withdrawn_at');
      repository.commit({ [file]: mallory.challenge });
      await service.claimTwice(handle);
      expect(await known()).toMatchObject({ state: 'claimed', root_generation: 1 });
      expect(await service.standing(mallory.capability)).toBe('200');
      expect(
        await service.post('/api/tools/withdraw_rating', { rating_id }, mallory.capability),
      ).toMatchObject({ code: 'rating_not_yours' });
      expect(await service.rate(rated, mallory.capability, 'two')).toMatchObject({ group: 'new_source' });
    },
  );
});

test('the new owner of a domain who puts the old public line back beside an own one has no power over the claim for a week, in which the holder ends that line', async () => {
  const domain = await openDomainDirectory([recorded('com.example/tool', 'alice/tool')], ['example.com']);
  const name = '_dossier-challenge.example.com';
  const ask = (input = {}) => domain.ask('com.example/tool', { method: 'dns', ...input });
  const askTwice = () => domain.askTwice('com.example/tool', { method: 'dns' });
  const old = await ask();
  domain.setTxt(name, old.challenge);
  expect(await ask()).toMatchObject({ changed: 'activated' });
  domain.setTxt(name);
  await askTwice();
  domain.directory.wait(21 * 86_400);
  const own = await ask();
  domain.setTxt(name, old.challenge, own.challenge);
  expect(await ask()).toMatchObject({ changed: 'restored', capabilities: [{ id: old.capability_id }] });
  expect(await domain.standing(own.capability)).toBe('capability_waiting');
  const ended = await domain.directory.app.request(`/api/capability/revoke?id=${own.capability_id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${old.capability}` },
  });
  expect(ended.status).toBe(200);
  const second = await ask({ rotate: true });
  domain.setTxt(name, second.challenge);
  await ask();
  domain.directory.wait(86_400);
  expect(await ask()).toMatchObject({ changed: 'activated', capabilities: [{ id: second.capability_id }] });
  expect(await domain.directory.store.claims.claim('com.example/tool')).toMatchObject({ root_generation: 1 });
  await domain.close();
});

describe('a recorded link into the repository', () => {
  const link = (url: string, version: string) =>
    service.directory.importEntries([
      registryEntry(handle, { repository: { url, source: 'github' }, version }),
    ]);
  test.each([
    'https://github.com/alice/a/tree/main/packages/x',
    'http://github.com/alice/a',
    'git+https://www.github.com/alice/a.git?tab=readme#top',
  ])('%s is read as that repository: it can be claimed, and its claim ends with its line', async (url) => {
    const { repository, issued } = await claimAsAlice();
    await link(url, '2.0.0');
    expect(await service.recheck()).toBe(1);
    expect(await service.standing(issued.capability)).toBe('200');
    expect(await service.directory.audit()).toEqual([]);
    repository.commit({ [file]: null });
    for (let day = 0; day < 2; day++) {
      await service.recheck();
    }
    expect(await service.standing(issued.capability)).toBe('capability_suspended');
    expect(await service.claim(handle)).toMatchObject({ status: 'challenge_issued', repository: url });
  });
});

test('a claim whose host is not read any more is suspended after thirty days, of which ten had a failed check', async () => {
  const { issued } = await claimAsAlice();
  const { context } = service.directory;
  const without = operationsOf({ ...context, repositories: createRepositoryReader({}) });
  for (let day = 0; day < 29; day++) {
    service.directory.wait(86_400);
    await without.recheck();
  }
  expect(await service.standing(issued.capability)).toBe('200');
  service.directory.wait(2 * 86_400);
  await without.recheck();
  expect(await known()).toMatchObject({ suspended_reason: 'host_unreachable_30d' });
});

test('after many rotations an old line is restored, and the capabilities that ended first end for good', async () => {
  const { repository, issued } = await claimAsAlice();
  const { store } = service.directory;
  const at = '2026-01-01T00:00:00.000Z';
  await store.write(async (tx) => {
    for (let turn = 10; turn < 80; turn++) {
      const hash = `${turn}`.repeat(32);
      const row = { handle, hash, id: hash.slice(0, 16), issued_at: at, ended_at: at };
      const activated_at = service.directory.context.clock().toISOString();
      await tx.claims.putCapability({ ...row, activated_at, state: 'suspended' });
    }
  });
  const next = await service.claim(handle, { rotate: true }, issued.capability);
  repository.commit({ [file]: next.challenge });
  expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
  repository.commit({ [file]: issued.challenge });
  expect(await service.claim(handle)).toMatchObject({ status: 'claimed' });
  expect([await service.standing(issued.capability), await service.standing(next.capability)]).toEqual([
    '200',
    '200',
  ]);
  const living = await store.claims.capabilities(handle);
  expect(living.length).toBeLessThanOrEqual(66);
});

test('the statement names the commit last proven, with its date', async () => {
  const { repository, issued, commit } = await claimAsAlice();
  const last = repository.commit({ [file]: `${issued.challenge}\n\n` });
  service.directory.wait(2 * 86_400);
  expect(await service.directory.recheck()).toBe(1);
  const { statement, claimed_at, checked_at } = (
    JSON.parse((await service.get(`/agents/${handle}.json`)).body) as {
      claim: { statement: string; claimed_at: string; checked_at: string };
    }
  ).claim;
  expect(statement).toBe(
    `Write access to the default branch of the repository recorded for the listing was shown at commit ${commit} on ${claimed_at.slice(0, 10)}. The claim line was last read there at commit ${last} on ${checked_at.slice(0, 10)}. This says nothing about quality or about the publisher.`,
  );
  expect(await pageText()).toContain(`at commit ${last.slice(0, 12)} on`);
});

test('a line whose capability belongs to another listing is foreign, even with a valid signature', async () => {
  const { issued } = await claimAsAlice();
  const hash = capabilityHash(issued.capability);
  const binding = {
    origin: 'https://dossier.example',
    handle: 'io.github.bob/b',
    placeKey: 'github.com/bob/b',
  };
  const at_s = Math.floor(service.directory.context.clock().getTime() / 1000);
  const forged = createChallenge({ kid: 1, secret }, binding, { hash, at_s });
  service.git.createRepository('bob/b').commit({ [file]: forged });
  expect(await service.claim('io.github.bob/b')).toMatchObject({
    status: 'not_proven',
    reason: 'challenge_foreign',
  });
  expect(await service.standing(issued.capability)).toBe('200');
});
