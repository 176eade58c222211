import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DomainDirectory, openDomainDirectory, recorded } from '../claims/domain-directory.ts';
import { registryEntry } from '../support/entries.ts';

const file = 'dossier-claim.txt';
const day_s = 86_400;
const pass_s = 4320;
const handleOf = (owner: string) => `io.github.${owner}/tool`;
const nameOf = (domain: string) => `_dossier-challenge.${domain}`;

let service: DomainDirectory;
const open = (handles: readonly string[], owners: readonly string[]) => async () => {
  service = await openDomainDirectory(
    [
      ...handles.map((handle) => registryEntry(handle)),
      ...owners.map((owner) => recorded(handleOf(owner), `${owner}/tool`)),
    ],
    [],
  );
};
const close = () => service.close();

/** Moves the clock by some passes of re-checks, as the service makes them every 72 minutes. */
async function pass(times: number) {
  for (let count = 0; count < times; count++) {
    service.directory.wait(pass_s);
    await service.directory.recheck();
  }
}
async function post(path: string, input: object, as?: string): Promise<Record<string, unknown>> {
  const response = await service.directory.post(path, input, as);
  return (await response.json()) as Record<string, unknown>;
}
const statusOf = async (handle: string) => (await service.get(`/agents/${handle}.json`)).status;

async function claimInRepository(handle: string, path: string) {
  const repository = service.git.createRepository(path);
  const issued = await service.ask(handle, { method: 'repository' });
  repository.commit({ [file]: issued.challenge });
  expect(await service.ask(handle, { method: 'repository' })).toMatchObject({ status: 'claimed' });
  return { ...issued, repository };
}
async function claimByDns(handle: string, domain: string) {
  const issued = await service.ask(handle, { method: 'dns' });
  service.setTxt(nameOf(domain), issued.challenge);
  expect(await service.ask(handle, { method: 'dns' })).toMatchObject({ status: 'claimed' });
  return issued;
}

describe('a forge that answers every anonymous request with 401 for two days', () => {
  const owners = ['alice', 'bob', 'carol', 'dora'];
  beforeAll(open([], owners));
  afterAll(close);

  test('ends no claim, though each is due in another pass of re-checks and strangers ask for checks too', async () => {
    const secrets: string[] = [];
    for (const owner of owners) {
      secrets.push((await claimInRepository(handleOf(owner), `${owner}/tool`)).capability);
      service.directory.wait(5 * 3600);
    }
    await pass(40);
    service.git.fault = (request, response) => {
      if (!request.url?.includes('git-upload-pack')) return false;
      response.writeHead(401).end();
      return true;
    };
    await service.ask(handleOf('alice'));
    await pass(25);
    expect(await service.ask(handleOf('alice'))).toMatchObject({
      status: 'claimed',
      check: { result: 'repository_not_found' },
    });
    await pass(20);
    service.git.fault = undefined;
    await pass(25);
    for (const secret of secrets) expect(await service.standing(secret)).toBe('200');
    expect(await service.claimOf(handleOf('alice'))).not.toHaveProperty('failing');

    expect(await service.directory.audit()).toEqual([]);
  });

  test('saves no claim whose repository is gone later, however many claims have ended like it', async () => {
    for (const owner of owners.slice(0, 3)) {
      service.git.removeRepository(`${owner}/tool`);
      await pass(45);
      expect(await service.history(handleOf(owner))).toEqual([
        `activated github.com/${owner} 0`,
        `suspended repository_not_found github.com/${owner} 0`,
      ]);
    }
  });
});

describe('an attacker', () => {
  const below = 'com.example.api/tool';
  const second = 'com.second.api/tool';
  const moved = 'org.moved/tool';
  const owners = ['alice', 'bob', 'dora', 'erin'];
  const record = (repository: string, status: string, second: number) =>
    registryEntry(
      moved,
      { repository: { url: `https://github.com/${repository}`, source: 'github' } },
      { status, updatedAt: new Date(Date.UTC(2026, 9, 3, 0, 0, second)).toISOString() },
    );
  beforeAll(open([below, second, 'org.rated/service'], owners));
  afterAll(close);

  test('who holds the parent domain cannot opt a listing out while its holder has it opted out', async () => {
    const name = nameOf('api.example.com');
    const { challenge, capability } = await claimByDns(below, 'api.example.com');
    service.setTxt(name, challenge, `optout ${below}`);
    expect(await service.ask(below, { method: 'dns' }, capability)).toMatchObject({ status: 'opted_out' });
    service.setTxt(nameOf('example.com'), `optout ${below}`);
    await pass(60);
    service.setTxt(name, challenge);
    expect(await service.ask(below, { method: 'dns' })).toMatchObject({ changed: 'restored' });
    await pass(60);
    expect([await statusOf(below), await service.standing(capability)]).toEqual([200, '200']);
  });

  test('whose opt-out line was read once does not opt the listing out by one reading months later', async () => {
    const name = nameOf('api.second.com');
    service.setTxt(name, `optout ${second}`);
    await service.ask(second, { method: 'dns' });
    const owner = await claimByDns(second, 'second.com');
    service.setTxt(name);
    await pass(3);
    service.directory.wait(60 * day_s);
    expect(await service.directory.recheck()).toBeGreaterThan(0);
    await post('/api/capability/revoke', {}, owner.capability);
    service.setTxt(name, `optout ${second}`);
    await service.ask(second, { method: 'dns' });
    expect(await statusOf(second)).toBe(200);
  });

  test('whose repository the record does not name any more keeps nobody from claiming', async () => {
    await service.directory.importEntries([record('mallory/tool', 'active', 1)]);
    await claimInRepository(moved, 'mallory/tool');
    await service.directory.importEntries([record('mallory/tool', 'deleted', 2)]);
    await service.directory.importEntries([record('carol/tool', 'active', 3)]);
    await claimInRepository(moved, 'carol/tool');
    expect(await service.history(moved)).toEqual([
      'activated github.com/mallory 0',
      'suspended withdrawn github.com/mallory 0',
      'activated github.com/carol 0',
    ]);
  });

  test('with a suspended capability does not delay what the holder of an active one does at once', async () => {
    const handle = handleOf('alice');
    const { repository, ...first } = await claimInRepository(handle, 'alice/tool');
    const next = await service.ask(handle, { rotate: true }, first.capability);
    repository.commit({ [file]: `${first.challenge}\n${next.challenge}` });
    await service.ask(handle);
    repository.commit({ [file]: next.challenge });
    await pass(80);
    expect(await service.standing(first.capability)).toBe('capability_suspended');
    repository.commit({ [file]: `${next.challenge}\noptout ${handle}` });
    expect(await service.ask(handle, {}, first.capability)).toMatchObject({ status: 'claimed' });
    expect(await statusOf(handle)).toBe(200);
    expect(await post('/api/tools/claim_agent', { handle }, next.capability)).toMatchObject({
      status: 'opted_out',
    });
  });

  test('who asked for a check while the clock was a year ahead stops no second reading', async () => {
    const claimed = handleOf('dora');
    const optedOut = handleOf('bob');
    const { repository, capability } = await claimInRepository(claimed, 'dora/tool');
    repository.commit({ [file]: 'nothing' });
    service.git.createRepository('bob/tool').commit({ [file]: `optout ${optedOut}` });
    service.directory.wait(365 * day_s);
    for (const handle of [claimed, optedOut]) await service.ask(handle);
    service.directory.wait(-365 * day_s);
    await pass(60);
    expect(await service.standing(capability)).toBe('capability_suspended');
    expect(await statusOf(optedOut)).toBe(410);
  });

  test('whose line is taken away while the operator has withdrawn the listing loses the capability', async () => {
    const handle = handleOf('erin');
    const { repository, capability } = await claimInRepository(handle, 'erin/tool');
    await service.directory.act('withdraw', handle, 'malicious');
    repository.commit({ [file]: 'nothing' });
    await pass(60);
    await service.directory.restore(handle);
    expect(await service.standing(capability)).toBe('capability_suspended');
    expect(await service.directory.audit()).toEqual([]);
  });
});
