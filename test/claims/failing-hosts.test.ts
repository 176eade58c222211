import { beforeEach, describe, expect, test } from 'vitest';
import { recorded } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const hour_s = 3600;
const owners = ['alice', 'bob', 'carol'];
const handleOf = (owner: string) => `io.github.${owner}/tool`;
const handles = owners.map(handleOf);

const service = openEach(owners.map((owner) => recorded(handleOf(owner), `${owner}/tool`)));
beforeEach(async () => {
  // They are claimed at different hours of a day, so that no pass of re-checks finds two of them due.
  for (const owner of owners) {
    await service.claimIn(`${owner}/tool`, handleOf(owner));
    await pass(8);
  }
  await pass(24);
});

/** Lets hours pass with a pass of re-checks in each of them, as the service makes them. */
async function pass(hours: number, meanwhile?: () => Promise<unknown>): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    service.directory.wait(hour_s);
    await meanwhile?.();
    await service.directory.recheck();
  }
}
const askForAll = async () => {
  for (const handle of handles) await service.ask(handle);
};
const claimsOf = () =>
  Promise.all(handles.map(async (handle) => (await service.directory.store.claims.claim(handle))?.state));
function refuse(status: number): void {
  service.git.fault = (request, response) => {
    if (!request.url?.includes('git-upload-pack')) return false;
    response.writeHead(status).end();
    return true;
  };
}

describe('a forge that refuses every anonymous request for three days', () => {
  test.each([401, 404])('with %i ends no claim that is checked at another hour', async (status) => {
    refuse(status);
    await pass(72);
    expect(await claimsOf()).toEqual(['claimed', 'claimed', 'claimed']);
    service.git.fault = undefined;
    await pass(30);
    expect(await claimsOf()).toEqual(['claimed', 'claimed', 'claimed']);
  });

  test('ends no claim that a stranger asks about once and again a day later', async () => {
    refuse(404);
    await askForAll();
    await pass(30);
    await askForAll();
    await pass(6);
    await askForAll();
    service.git.fault = undefined;
    await pass(30);
    expect(await claimsOf()).toEqual(['claimed', 'claimed', 'claimed']);
    for (const handle of handles)
      expect(await service.history(handle)).toEqual([`activated github.com/${handle.split(/[./]/)[2]} 0`]);
  });
});

describe('a repository that is gone while its host answers others', () => {
  test('ends its claim alone, whoever asks about it in between', async () => {
    service.git.removeRepository('alice/tool');
    await pass(60, () => service.ask(handleOf('alice')));
    expect(await claimsOf()).toEqual(['suspended', 'claimed', 'claimed']);
    expect(await service.history(handleOf('alice'))).toEqual([
      'activated github.com/alice 0',
      'suspended repository_not_found github.com/alice 0',
    ]);
    expect(await service.directory.audit()).toEqual([]);
    const asked = () => service.git.requests.filter((path) => path.includes('alice/tool')).length;
    const before = asked();
    await pass(48);
    expect(asked()).toBe(before);
  });
});
