import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recheckClaims } from '../../src/claims/recheck.ts';
import { capabilityHash } from '../../src/evidence/claim/capability.ts';
import { createChallenge } from '../../src/evidence/claim/challenge.ts';
import { type Claimable, openClaimable, recorded } from './claimable.ts';

const file = 'dossier-claim.txt';
const handle = 'io.github.alice/a';
const secret = Buffer.alloc(32, 1);
let service: Claimable;
beforeEach(async () => {
  service = await openClaimable([recorded(handle, 'alice/a'), recorded('io.github.bob/b', 'bob/b')], {
    CLAIM_KEYS: `1:${secret.toString('base64')}`,
    PUBLIC_URL: 'https://dossier.example',
    ALLOWED_HOSTS: 'localhost',
  });
});
afterEach(() => service.close());

const known = () => service.directory.store.claims.claim(handle);
const standing = async (capability: string) => {
  const headers = { authorization: `Bearer ${capability}` };
  const response = await service.directory.app.request('/api/capability', { headers });
  return `${response.status} ${((await response.json()) as { code?: string }).code ?? ''}`.trim();
};
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
const pageText = async () => (await service.get(`/agents/${handle}`)).body.replace(/\s+/g, ' ');

describe('a suspended claim', () => {
  test('is restored by a line known before, and stays the claim it was', async () => {
    const { repository, issued, claimed } = await claimAsAlice();
    repository.commit({ [file]: null });
    expect(await service.claim(handle)).toMatchObject({ status: 'challenge_issued' });
    const other = await service.claim(handle);
    repository.commit({ [file]: `${issued.challenge}\n${other.challenge}\n` });
    expect(await service.claim(handle)).toMatchObject({
      status: 'claimed',
      changed: 'restored',
      claimed_at: claimed.claimed_at,
      commit: claimed.commit,
    });
    expect(await standing(issued.capability)).toBe('200');
    expect(await standing(other.capability)).toBe('200');
    expect(await known()).toMatchObject({ root_generation: 0, first_proved_at: claimed.claimed_at });
  });

  test('proven only by a line never known before is a new claim of a new control root', async () => {
    const { repository, issued, claimed } = await claimAsAlice();
    repository.commit({ [file]: null });
    const other = await service.claim(handle);
    const commit = repository.commit({ [file]: other.challenge });
    const again = await service.claim(handle);
    expect(again).toMatchObject({ status: 'claimed', changed: 'activated', commit });
    expect(String(again.claimed_at) > String(claimed.claimed_at)).toBe(true);
    expect(await known()).toMatchObject({ root_generation: 1, first_proved_at: again.claimed_at });
    expect(await standing(issued.capability)).toBe('401 capability_revoked');
    repository.commit({ [file]: `${issued.challenge}\n${other.challenge}\n` });
    expect(await service.claim(handle)).toMatchObject({ capabilities: [{ id: other.capability_id }] });
    expect(await service.history(handle)).toEqual([
      'activated github.com/alice 0',
      'suspended proof_missing github.com/alice 0',
      'activated github.com/alice 1',
    ]);
  });
});

describe('a repository deleted and made again by somebody else', () => {
  test('continues nothing when it was gone in between', async () => {
    const alice = await claimAsAlice();
    service.git.removeRepository('alice/a');
    service.git.createRepository('alice/a').commit({ 'README.md': 'unrelated history' });
    const mallory = await service.claim(handle);
    const commit = recreate(mallory.challenge);
    const claimed = await service.claim(handle);
    expect(claimed).toMatchObject({ status: 'claimed', changed: 'activated', commit });
    expect(await standing(alice.issued.capability)).toBe('401 capability_revoked');
    const date = String(claimed.claimed_at).slice(0, 10);
    const page = await pageText();
    expect(page).toContain(`was shown at commit ${commit} on ${date}.`);
    expect(page).not.toContain(`was shown at commit ${alice.commit}`);
  });

  test('continues nothing when no check came in between', async () => {
    const alice = await claimAsAlice();
    const mallory = await service.claim(handle, { rotate: true });
    const commit = recreate(`${alice.issued.challenge}\n${mallory.challenge}\n`);
    expect(await service.claim(handle)).toMatchObject({
      status: 'claimed',
      changed: 'activated',
      commit,
      capabilities: [{ id: mallory.capability_id }],
    });
    expect(await standing(alice.issued.capability)).toBe('401 capability_revoked');
    expect(await standing(mallory.capability)).toBe('200');
    expect(await known()).toMatchObject({ root: 'github.com/alice', root_generation: 1 });
  });

  test('does not restore by lines that were copied', async () => {
    const alice = await claimAsAlice();
    recreate(alice.issued.challenge);
    expect(await service.claim(handle)).toMatchObject({
      status: 'not_proven',
      reason: 'repository_id_mismatch',
    });
    expect(await known()).toMatchObject({ state: 'suspended', suspended_reason: 'repository_changed' });
    expect(await standing(alice.issued.capability)).toBe('401 capability_suspended');
    const page = await pageText();
    expect(page).toContain(`was shown at commit ${alice.commit} on`);
    expect(page).toContain('Suspended: repository changed.');
  });

  test('does not get the old generation by recording another repository of the account', async () => {
    await claimAsAlice();
    service.git.removeRepository('alice/a');
    await service.directory.importEntries([recorded(handle, 'alice/other')]);
    const repository = service.git.createRepository('alice/other');
    repository.commit({ [file]: (await service.claim(handle)).challenge });
    expect(await service.claim(handle)).toMatchObject({ changed: 'activated' });
    expect(await known()).toMatchObject({ root: 'github.com/alice', root_generation: 1 });
  });

  test('is not concluded from a host in trouble', async () => {
    const { repository, commit, issued } = await claimAsAlice();
    repository.commit({ [file]: `${issued.challenge}\n\n` });
    service.git.fault = (request, response) => {
      if (!request.url?.includes(commit)) return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed', check: { result: 'host_error' } });
    expect(await standing(issued.capability)).toBe('200');
  });
});

test('the statement names the commit last proven, with its date', async () => {
  const { repository, issued, commit } = await claimAsAlice();
  const last = repository.commit({ [file]: `${issued.challenge}\n\n` });
  service.directory.wait(2 * 86_400);
  expect(await recheckClaims(service.directory.context)).toBe(1);
  const { statement, claimed_at, checked_at } = (
    JSON.parse((await service.get(`/agents/${handle}.json`)).body) as {
      claim: { statement: string; claimed_at: string; checked_at: string };
    }
  ).claim;
  expect(statement).toBe(
    `Write access to the default branch of the repository recorded for the listing was shown at commit ${commit} on ${claimed_at.slice(0, 10)}. The claim line was last read there at commit ${last} on ${checked_at.slice(0, 10)}. This says nothing of quality or of the publisher.`,
  );
  expect(await pageText()).toContain(`at commit ${last} on`);
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
  expect(await standing(issued.capability)).toBe('200');
});
