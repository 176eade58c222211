import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCapability } from '../../src/core/keys/capability.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { createGitServer, type GitServer } from '../support/git-server.ts';

let git: GitServer;
let directory: Directory;
beforeEach(async () => {
  git = await createGitServer();
  const recorded = (handle: string, repository: string) =>
    registryEntry(handle, { repository: { url: `https://github.com/${repository}`, source: 'github' } });
  directory = await openDirectory({
    entries: [
      recorded('io.a/one', 'mono/repo'),
      recorded('io.b/two', 'mono/repo'),
      recorded('io.c/other', 'third/repo'),
    ],
    environment: {
      LIMITS: 'off',
      REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } }),
    },
  });
});
afterEach(async () => {
  await directory.close();
  await git.close();
});

async function claim(handle: string) {
  directory.wait(31);
  const response = await directory.app.request('/api/claim-github', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle }),
  });
  return (await response.json()) as {
    status: string;
    reason?: string;
    challenge: string;
    capability: string;
    check: { result: string };
    capabilities: unknown[];
  };
}
const standing = async (capability: string) => {
  const response = await directory.app.request('/api/capability', {
    headers: { authorization: `Bearer ${capability}` },
  });
  return `${response.status} ${((await response.json()) as { code?: string }).code ?? ''}`.trim();
};

test('a capability published in the repository of another listing never works again', async () => {
  const mono = git.createRepository('mono/repo');
  const third = git.createRepository('third/repo');
  const issued = await claim('io.b/two');
  third.commit({ 'dossier-claim.txt': `${issued.capability}\n` });
  expect(await claim('io.c/other')).toMatchObject({ status: 'not_proven', reason: 'secret_published' });
  expect(await standing(issued.capability)).toBe('401 capability_revoked');
  mono.commit({ 'dossier-claim.txt': `${issued.challenge}\n` });
  expect(await claim('io.b/two')).toMatchObject({
    status: 'not_proven',
    check: { result: 'secret_published' },
  });
  expect(await standing(issued.capability)).toBe('401 capability_revoked');
});

test('in one repository for several listings, a secret that another listing’s check found first stays ended', async () => {
  const mono = git.createRepository('mono/repo');
  const issued = await claim('io.a/one');
  mono.commit({ 'dossier-claim.txt': `${issued.challenge}\n${issued.capability}\n` });
  expect(await claim('io.b/two')).toMatchObject({ reason: 'secret_published' });
  mono.commit({ 'dossier-claim.txt': `${issued.challenge}\n` });
  expect(await claim('io.a/one')).toMatchObject({
    status: 'not_proven',
    check: { result: 'secret_published' },
  });
  expect(await standing(issued.capability)).toBe('401 capability_revoked');
});

test('a line of one listing does not affect another listing in the same file', async () => {
  const mono = git.createRepository('mono/repo');
  const issued = await claim('io.a/one');
  mono.commit({ 'dossier-claim.txt': `${issued.challenge}\n` });
  expect(await claim('io.a/one')).toMatchObject({ status: 'claimed' });
  expect(await claim('io.b/two')).toMatchObject({ status: 'not_proven', reason: 'challenge_foreign' });
  expect(await standing(issued.capability)).toBe('200');
});

test('made-up capabilities are remembered up to 256 for a listing, and more than 64 in a file are too many', async () => {
  const third = git.createRepository('third/repo');
  const made = (count: number) => Array.from({ length: count }, createCapability).join('\n');
  for (let round = 0; round < 6; round++) {
    third.commit({ 'dossier-claim.txt': made(64) });
    expect(await claim('io.c/other')).toMatchObject({ reason: 'secret_published' });
  }
  expect(await directory.store.claims.leakedCount('io.c/other')).toBe(256);
  third.commit({ 'dossier-claim.txt': made(65) });
  expect(await claim('io.c/other')).toMatchObject({ reason: 'too_large' });
});
