import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Claimable, openClaimable, recorded } from './claimable.ts';

const file = 'dossier-claim.txt';
const handle = 'io.github.alice/a';
const cost =
  'ratings that the listing has made until then can no longer be changed or withdrawn, and count as those of an ended source; ratings that it has received until then can no longer be responded to; and every earlier capability ends';
const replacing =
  'Call claim_agent with rotate: true and the old capability in the Authorization header, publish the new line beside the old one, and call again without rotate. POST /api/capability/revoke with the old capability then ends it at once, and the claim goes on.';

let service: Claimable;
beforeEach(async () => {
  service = await openClaimable([recorded(handle, 'alice/a')]);
});
afterEach(() => service.close());

async function claimAsAlice() {
  const repository = service.git.createRepository('alice/a');
  const issued = await service.claim(handle);
  repository.commit({ [file]: issued.challenge });
  expect(await service.claim(handle)).toMatchObject({ status: 'claimed' });
  return { repository, issued };
}
const revoke = (capability: string) =>
  service.directory.app.request('/api/capability/revoke', {
    method: 'POST',
    headers: { authorization: `Bearer ${capability}` },
  });
const generation = async () => (await service.directory.store.claims.claim(handle))?.root_generation;

test('a capability that is replaced as SECURITY.md says leaves the claim as it is', async () => {
  const { repository, issued } = await claimAsAlice();
  const next = await service.claim(handle, { rotate: true }, issued.capability);
  repository.commit({ [file]: `${issued.challenge}\n${next.challenge}\n` });
  await service.claim(handle);
  expect((await revoke(issued.capability)).status).toBe(200);
  expect(await service.claim(handle)).toMatchObject({
    status: 'claimed',
    changed: 'none',
    capabilities: [{ id: next.capability_id }],
  });
  expect(await generation()).toBe(0);
});

test('after the only capability was revoked, a new line begins a new claim, which the answers say first', async () => {
  const { repository, issued } = await claimAsAlice();
  await revoke(issued.capability);
  const next = await service.claim(handle, { rotate: true });
  expect(next.next).toContain(
    `The new line begins a new claim as soon as a check reads it, unless a line that can still restore the claim stands beside it. That has a cost: ${cost}.`,
  );
  repository.commit({ [file]: next.challenge });
  expect(await service.claim(handle)).toMatchObject({ changed: 'activated' });
  expect(await generation()).toBe(1);
});

test('a repository that moved is told with what its new address does to the claim', async () => {
  await claimAsAlice();
  service.git.fault = (request, response) => {
    if (!request.url?.startsWith('/alice/a')) return false;
    response.writeHead(301, { location: request.url.replace('/alice/a', '/alice/b') }).end();
    return true;
  };
  expect(await service.claim(handle, { rotate: true })).toMatchObject({
    message: `The recorded repository redirects to another address. Record the new address in the registry. That suspends the claim. A line for the new address continues it if the account is the same and the line was asked for within 30 days with a capability of the claim. Any other line begins a new claim. That has a cost: ${cost}.`,
  });
});

test('a suspended claim is not said to be suspended by a new address of its repository', async () => {
  const { issued } = await claimAsAlice();
  await revoke(issued.capability);
  service.git.fault = (request, response) => {
    if (!request.url?.startsWith('/alice/a')) return false;
    response.writeHead(301, { location: request.url.replace('/alice/a', '/alice/b') }).end();
    return true;
  };
  expect(await service.claim(handle, { rotate: true })).toMatchObject({
    message: 'The recorded repository redirects to another address. Record the new address in the registry.',
  });
});

test('docs/claims.md, errors and llms.txt say what a new claim costs in the same words, and SECURITY.md how a capability is replaced without one', async () => {
  const plain = (text: string) => text.replace(/`/g, '').replace(/\s+/g, ' ');
  const errors = JSON.parse(readFileSync('src/core/problems.json', 'utf8')) as Record<
    string,
    { next: string }
  >;
  const { body: llms } = await service.get('/llms.txt');
  expect(readFileSync('SECURITY.md', 'utf8')).toContain('](docs/claims.md#what-a-new-line-does)');
  expect(plain(readFileSync('docs/claims.md', 'utf8'))).toContain(cost);
  expect(plain(llms)).toContain(cost);
  expect(errors.capability_revoked?.next).toContain(cost);
  expect(plain(readFileSync('SECURITY.md', 'utf8'))).toContain(replacing);
  expect(plain(llms)).toContain(replacing);
  expect(errors.secret_in_body?.next).toContain(replacing);
});
