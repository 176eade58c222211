import { expect, test } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { file, recorded, wellKnown } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'com.example/tool';
const name = '_dossier-challenge.example.com';
const directory = openEach(
  [
    recorded(handle, 'alice/tool'),
    registryEntry('io.github.Bob/tool'),
    recorded('io.github.carol/x', 'carol/x'),
    recorded('io.github.tern/sheets', 'tern/sheets'),
  ],
  ['example.com'],
);

test('between the ways of a domain one line moves the claim, with its capability and its history', async () => {
  const issued = await directory.claimBy('well_known', handle);
  directory.setTxt(name, issued.challenge);
  expect(await directory.ask(handle, { method: 'dns' })).toMatchObject({
    status: 'claimed',
    changed: 'moved',
  });
  directory.web.files.delete(wellKnown);
  expect(await directory.ask(handle)).toMatchObject({ method: 'dns', status: 'claimed', changed: 'none' });
  expect(await directory.standing(issued.capability)).toBe('200');
  const claim = await directory.claimOf(handle);
  expect(claim).toMatchObject({
    kind: 'dns',
    history: [{ kind: 'well_known' }, { type: 'moved', kind: 'dns' }],
  });
  expect(await directory.history(handle)).toEqual(['activated dns:example.com 0', 'moved dns:example.com 0']);
});

test('from a repository to the domain, a line begins a new claim once the repository has no line of the claim', async () => {
  const { repository, issued } = await directory.claimIn('alice/tool', handle);
  directory.setTxt(name, issued.challenge);
  expect(await directory.ask(handle, { method: 'dns' })).toMatchObject({ reason: 'challenge_foreign' });
  const mallory = await directory.ask(handle, { method: 'dns', rotate: true });
  const own = await directory.ask(handle, { method: 'dns', rotate: true }, issued.capability);
  expect(own.next).toMatch(
    /^This line begins a new claim\. The file is at the location of the claim\..* The cost of a new claim: /,
  );
  directory.setTxt(name, mallory.challenge, own.challenge);
  repository.commit({ [file]: `${issued.challenge}\n${mallory.challenge}\n${own.challenge}\n` });
  for (const { challenge } of [mallory, own])
    expect(await directory.ask(handle, { method: 'dns', challenge })).toMatchObject({
      status: 'not_proven',
      reason: 'claimed_elsewhere',
    });
  directory.directory.wait(86_400);
  expect(await directory.ask(handle, { method: 'dns' })).toMatchObject({ reason: 'claimed_elsewhere' });
  expect(await directory.standing(issued.capability)).toBe('200');
  directory.setTxt(name, own.challenge);
  repository.commit({ [file]: null });
  await directory.claimTwice(handle);
  expect(await directory.ask(handle, { method: 'dns' })).toMatchObject({
    status: 'claimed',
    changed: 'activated',
  });
  expect(await directory.standing(own.capability)).toBe('200');
  expect(await directory.standing(issued.capability)).toBe('capability_revoked');
  expect(await directory.history(handle)).toEqual([
    'activated github.com/alice 0',
    'suspended proof_missing github.com/alice 0',
    'activated dns:example.com 0',
  ]);
});

test('POST /api/claim-github looks at the repository alone', async () => {
  const issued = await directory.claimBy('dns', handle);
  directory.git.createRepository('alice/tool').commit({ 'README.md': 'tool' });
  const answer = await directory.claim(handle);
  expect(answer).toMatchObject({ status: 'challenge_issued', check: { result: 'file_absent' } });
  expect(Object.keys(answer)).toEqual([
    'status',
    'handle',
    'repository',
    'claim_file',
    'check',
    'challenge',
    'file_contents',
    'capability',
    'capability_id',
    'expires_at',
    'message',
    'next',
  ]);
  expect(await directory.claim(handle, { method: 'dns' })).toMatchObject({ code: 'invalid_input' });
  expect(await directory.standing(issued.capability)).toBe('200');
});

test('an import that records another repository leaves a claim of the domain alone', async () => {
  const issued = await directory.claimBy('dns', handle);
  await directory.directory.importEntries([recorded(handle, 'alice/moved', { version: '2.0.0' })]);
  expect(await directory.standing(issued.capability)).toBe('200');
});

test('a GitHub account without a repository is proven by the repository of its name', async () => {
  const bob = 'io.github.Bob/tool';
  const issued = await directory.ask(bob);
  expect(issued).toMatchObject({ method: 'profile_repository', repository: 'https://github.com/bob/bob' });
  expect(issued.methods).toHaveLength(1);
  expect(issued.message).toBe('The repository https://github.com/bob/bob is not public, or does not exist.');
  directory.git.createRepository('bob/bob').commit({ [file]: issued.challenge });
  expect(await directory.ask(bob)).toMatchObject({ status: 'claimed', changed: 'activated' });
  expect(await directory.claimOf(bob)).toMatchObject({
    kind: 'profile_repository',
    repository: 'https://github.com/bob/bob',
    namespace_matches_repository_owner: 'yes',
    statement: expect.stringMatching(
      /^Write access to the default branch of https:\/\/github\.com\/bob\/bob, the repository with the name of the account in the namespace, was shown at commit [0-9a-f]{40} on /,
    ),
  });
  directory.git.fault = (request, response) => {
    if (!request.url?.startsWith('/bob/bob')) return false;
    response.writeHead(301, { location: request.url.replace('/bob/bob', '/bob/new') }).end();
    return true;
  };
  expect(await directory.ask(bob, { rotate: true })).toMatchObject({
    message:
      'The repository https://github.com/bob/bob redirects to another address. Create a repository at this address, or claim by a different method.',
  });
  expect((await directory.ask('io.github.carol/x')).methods).toEqual([
    { method: 'repository', where: expect.stringContaining('https://github.com/carol/x') },
  ]);
});

test('the profile repository is a method only if the record names no repository of the account, or the claim stands there', async () => {
  const carol = 'io.github.carol/x';
  const repository = directory.git.createRepository('carol/x');
  const issued = await directory.ask(carol);
  repository.commit({ [file]: issued.challenge });
  expect(await directory.ask(carol)).toMatchObject({ status: 'claimed', method: 'repository' });
  const { body: page } = await directory.get(`/agents/${carol}/claim`);
  expect(page).toContain('<h1>The claim of this listing</h1>');
  expect(page).not.toContain('Claim this listing');
  const { body: listing } = await directory.get(`/agents/${carol}`);
  expect(listing).not.toContain('How to claim');
  const refused = await directory.ask(carol, { method: 'profile_repository' });
  expect(refused).toMatchObject({
    code: 'method_unsupported',
    title: 'This method cannot claim this listing',
    detail:
      'profile_repository cannot claim this listing; methods that can: repository. Call claim_agent again with a method that can, or without method.',
  });
  directory.git.createRepository('carol/carol').commit({ [file]: `optout ${carol}\n` });
  expect(await directory.ask(carol, { method: 'profile_repository' })).toMatchObject({
    code: 'method_unsupported',
  });
  expect(await directory.history(carol)).toEqual(['activated github.com/carol 0']);

  const bob = 'io.github.Bob/tool';
  const own = await directory.ask(bob);
  directory.git.createRepository('bob/bob').commit({ [file]: own.challenge });
  await directory.ask(bob);
  await directory.directory.importEntries([recorded(bob, 'bob/tool', { version: '2.0.0' })]);
  expect(await directory.ask(bob)).toMatchObject({ status: 'claimed', method: 'profile_repository' });
});

test('after a move to another owner, a key is led to the method that keeps the claim, and nobody else is', async () => {
  const moved = 'io.github.tern/sheets';
  const { issued } = await directory.claimIn('tern/sheets', moved);
  const methodsFor = async (capability?: string, input: object = {}) => {
    const { method, methods, next } = await directory.ask(moved, input, capability);
    const told = (methods as { method: string; new_line: string }[]).map((one) => [one.method, one.new_line]);
    return { method, next, ...Object.fromEntries(told) };
  };
  expect(await methodsFor(undefined, { rotate: true })).toEqual({
    method: 'repository',
    next: expect.stringMatching(
      /^You sent no capability: this line works after seven days, and whoever has an old one can end it until then\./,
    ),
    repository: 'keeps the claim after seven days',
  });
  await directory.directory.importEntries([recorded(moved, 'ternlabs/sheets', { version: '1.0.1' })]);
  expect(await methodsFor(issued.capability)).toEqual({
    method: 'profile_repository',
    next: expect.stringMatching(/^This line keeps the claim\. /),
    repository: 'begins a new claim',
    profile_repository: 'keeps the claim',
  });
  expect(await methodsFor()).toMatchObject({
    method: 'repository',
    next: expect.stringMatching(/^This line begins a new claim\. /),
    profile_repository: 'begins a new claim',
  });
  const { body } = await directory.get(`/agents/${moved}/claim`);
  expect(body).toContain('Asked for with a capability of the claim, a line there keeps the claim.');
  expect(body).toContain('Asked for with a capability of the claim, a line there begins a new claim.');
  const line = await directory.ask(moved, {}, issued.capability);
  directory.git.createRepository('tern/tern').commit({ [file]: line.challenge });
  expect(await directory.ask(moved, {}, issued.capability)).toMatchObject({ changed: 'moved' });
});
