import { expect, test } from 'vitest';
import { createCapability } from '../../src/core/keys/capability.ts';
import { file, recorded } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const service = openEach([
  recorded('io.a/one', 'mono/repo'),
  recorded('io.b/two', 'mono/repo'),
  recorded('io.c/other', 'third/repo'),
]);
test('a capability published in the repository of another listing never works again', async () => {
  const mono = service.git.createRepository('mono/repo');
  const third = service.git.createRepository('third/repo');
  const issued = await service.claim('io.b/two');
  third.commit({ [file]: `${issued.capability}\n` });
  expect(await service.claim('io.c/other')).toMatchObject({
    status: 'not_proven',
    reason: 'secret_published',
  });
  expect(await service.standing(issued.capability)).toBe('capability_revoked');
  mono.commit({ [file]: `${issued.challenge}\n` });
  expect(await service.claim('io.b/two')).toMatchObject({
    status: 'not_proven',
    check: { result: 'secret_published' },
  });
  expect(await service.standing(issued.capability)).toBe('capability_revoked');
});

test('in one repository for several listings, a secret that another listing’s check found first stays ended', async () => {
  const mono = service.git.createRepository('mono/repo');
  const issued = await service.claim('io.a/one');
  mono.commit({ [file]: `${issued.challenge}\n${issued.capability}\n` });
  expect(await service.claim('io.b/two')).toMatchObject({ reason: 'secret_published' });
  mono.commit({ [file]: `${issued.challenge}\n` });
  expect(await service.claim('io.a/one')).toMatchObject({
    status: 'not_proven',
    check: { result: 'secret_published' },
  });
  expect(await service.standing(issued.capability)).toBe('capability_revoked');
});

test('a line of one listing does not affect another listing in the same file', async () => {
  const mono = service.git.createRepository('mono/repo');
  const issued = await service.claim('io.a/one');
  mono.commit({ [file]: `${issued.challenge}\n` });
  expect(await service.claim('io.a/one')).toMatchObject({ status: 'claimed' });
  expect(await service.claim('io.b/two')).toMatchObject({
    status: 'not_proven',
    reason: 'challenge_foreign',
  });
  expect(await service.standing(issued.capability)).toBe('200');
});

test('made-up capabilities are remembered up to 256 for a listing, and more than 64 in a file are too many', async () => {
  const third = service.git.createRepository('third/repo');
  const made = (count: number) => Array.from({ length: count }, createCapability).join('\n');
  for (let round = 0; round < 6; round++) {
    third.commit({ [file]: made(64) });
    expect(await service.claim('io.c/other')).toMatchObject({ reason: 'secret_published' });
  }
  expect(await service.directory.store.claims.leakedCount('io.c/other')).toBe(256);
  third.commit({ [file]: made(65) });
  expect(await service.claim('io.c/other')).toMatchObject({ reason: 'too_large' });
});
