import type { ServerResponse } from 'node:http';
import { beforeEach, expect, it } from 'vitest';
import { createObserver } from '../../../src/observations/observer.ts';
import { openClaimedDirectory } from '../../support/claimed-directory.ts';
import { callTool } from '../../support/directory.ts';
import { registryEntry } from '../../support/entries.ts';
import { readable } from '../../support/facts.ts';
import { opened } from '../../support/opened.ts';
import { onGitHub } from '../../support/registry-entries.ts';

const directory = await opened(
  openClaimedDirectory({
    entries: [
      registryEntry('com.example/there', onGitHub('example/there')),
      registryEntry('com.example/replaced', onGitHub('example/replaced')),
      registryEntry('com.example.next/server', onGitHub('example/replaced')),
      registryEntry('com.example/empty', onGitHub('example/empty')),
      registryEntry('com.example/gone', onGitHub('example/gone')),
      registryEntry('com.example/moved', onGitHub('example/moved')),
      registryEntry('io.github.Example/moved', onGitHub('Example/moved')),
    ],
  }),
);
const repository = directory.git.createRepository('example/there');
directory.git.createRepository('example/empty');
const commit = repository.commit({ 'README.md': 'a server' });
beforeEach(() => {
  directory.git.fault = undefined;
});

/** What is observed of the repository of a listing, by kind. */
async function observe(handle: string) {
  const { observations, changes } = await directory.observe(handle);
  const byKind = Object.fromEntries(observations.map((one) => [one.kind, one]));
  return { ...byKind, changes };
}

it('finds a repository with its head', async () => {
  expect(await observe('com.example/there')).toMatchObject({
    'repository.exists': {
      value: { state: 'there' },
      outcome: 'seen',
      source_url: 'https://github.com/example/there',
    },
    'repository.head': { value: { commit, branch: 'main' }, outcome: 'seen' },
    'repository.last_commit': {
      value: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      details: { commit },
    },
  });
  const { markdown } = await callTool<{ markdown: string }>(directory, 'get_agent', {
    handle: 'com.example/there',
    detail: 'full',
  });
  expect(markdown).toContain(
    '* Not known: Dossier has not checked whether the recorded repository holds the code of the service, or is archived.',
  );
});

it('a check that fails on our side changes nothing that was seen', async () => {
  const { repositories } = directory.context;
  const fail = () => Promise.reject(new Error('a failure of our own'));
  const broken = createObserver({ ...directory.context, repositories: { ...repositories, head: fail } });
  const listing = await directory.store.listings.byHandle('com.example/there');
  if (!listing) throw new Error('not listed');
  const known = await directory.store.observations.ofListing('com.example/there');
  const { observations, changes } = await broken.observe(listing);
  const now = observations.map(readable);
  await broken.close();
  const reason = 'The check failed on our side; the failure was logged.';
  expect(changes).toBe(0);
  for (const kind of ['repository.exists', 'repository.head'])
    expect(now.find((one) => one.kind === kind)).toMatchObject({
      ...known?.observations.map(readable).find((one) => one.kind === kind),
      missed: { since: expect.any(String) as string, reason },
    });
});

it('tells a repository without commits from one that is gone', async () => {
  expect(await observe('com.example/empty')).toMatchObject({
    'repository.exists': { value: { state: 'empty' }, outcome: 'seen' },
    'repository.head': {
      value: null,
      outcome: 'absent',
      reason: '`github.com/example/empty` has no commit on its default branch.',
    },
  });
  expect(await observe('com.example/gone')).toMatchObject({
    'repository.exists': {
      value: null,
      outcome: 'absent',
      reason: '`github.com` shows no public repository at `example/gone`.',
    },
  });
});

it('says of a recorded repository that is gone, where criteria are compared, that a check did not find it', async () => {
  await observe('com.example/gone');
  const handles = ['com.example/gone', 'com.example/there'];
  const { listings } = await callTool(directory, 'compare_agents', { handles, criteria: ['has_repository'] });
  expect(listings).toMatchObject([
    {
      imported: { has_repository: 'not_met' },
      reasons: [{ criteria: ['has_repository'], reason: 'recorded, but a check did not find it' }],
    },
    { imported: { has_repository: 'met' } },
  ]);
  const page = await directory.app.request(
    '/compare?handle=com.example%2Fgone&handle=com.example%2Fthere&has_repository=true',
  );
  expect(await page.text()).toContain('Source repository recorded, and no check found it gone');
});

const moveTo = (path: string) => {
  directory.git.fault = ({ url }, response) => {
    if (!url?.startsWith('/example/moved')) return false;
    response.writeHead(301, { location: `/${path}.git/git-upload-pack` }).end();
    return true;
  };
};

it('says where a repository has moved to', async () => {
  moveTo('somebody/else');
  expect(await observe('com.example/moved')).toMatchObject({
    'repository.exists': {
      value: { state: 'moved', moved_to: 'somebody/else' },
      outcome: 'seen',
      reason: '`github.com` redirects `example/moved` to `somebody/else`.',
    },
    // What is at the other path was not read.
    'repository.last_commit': { value: null, outcome: 'otherwise' },
  });
  const found_by =
    'the only listing that records what redirected Dossier to this address; whether it has the same owner is not shown';
  for (const handle of [
    'https://github.com/Somebody/else',
    'git+https://github.com/somebody/else.git',
    'somebody/else',
  ]) {
    const expected = { handle: 'com.example/moved', found_by };
    expect(await callTool(directory, 'get_agent', { handle })).toMatchObject(expected);
    const { results } = await callTool<{ results: object[] }>(directory, 'resolve_agents', {
      handles: [handle],
    });
    expect(results).toMatchObject([expected]);
  }
});

it.each<[string, (response: ServerResponse) => void, string]>([
  [
    'an error',
    (response) => void response.writeHead(500).end(),
    'the host returned an error, or something that was not asked for',
  ],
  [
    'a redirect to another host',
    (response) => void response.writeHead(302, { location: 'https://elsewhere.example.org/' }).end(),
    'the host redirected the request to another host',
  ],
  [
    'a request to wait',
    (response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
    'the host asked Dossier to wait',
  ],
])('says in plain words that a host does not answer: %s', async (_, answer, why) => {
  expect(await observe('com.example/there')).toMatchObject({ 'repository.head': { outcome: 'seen' } });
  directory.git.fault = (_request, response) => {
    answer(response);
    return true;
  };
  expect(await observe('com.example/there')).toMatchObject({
    'repository.head': {
      value: { commit, branch: 'main' },
      outcome: 'seen',
      missed: { reason: `Dossier could not read HEAD of \`github.com/example/there\`: ${why}.` },
    },
  });
  directory.wait(2);
});

it('asks a host that names a time to wait for nothing more before it has passed', async () => {
  directory.git.fault = (_, response) => {
    response.writeHead(429, { 'retry-after': '60' }).end();
    return true;
  };
  const before = directory.git.requests.length;
  expect(await observe('com.example/there')).toMatchObject({
    // A look without an answer keeps what was seen before.
    'repository.exists': { value: { state: 'there' }, outcome: 'seen' },
  });
  directory.git.fault = undefined;
  expect(directory.git.requests.length).toBe(before + 1);
  await observe('com.example/moved');
  expect(directory.git.requests.length).toBe(before + 1);
  directory.wait(61);
  await observe('com.example/there');
  expect(directory.git.requests.length).toBeGreaterThan(before + 3);
});

it('says beside the account that was proven to which account its repository moved', async () => {
  const handle = 'io.github.Example/moved';
  const whose = async () => {
    const input = { handle };
    return (await callTool<{ lines: { whose: string } }>(directory, 'get_agent', input)).lines.whose;
  };
  const redirectTo = (account: string) => {
    directory.git.fault = ({ url }, response) => {
      if (!url?.startsWith('/Example/moved')) return false;
      response.writeHead(301, { location: `/${account}/moved-on.git/git-upload-pack` }).end();
      return true;
    };
  };
  redirectTo('new-name');
  await directory.observe(handle);
  expect(await whose()).toMatch(
    /^GitHub account Example, proven to the registry, owner of the recorded repository; `github\.com` redirects that repository to another account, `new-name`, which was not proven\.(?!.*Repository: )/,
  );
  // Another name at the same account is no other account.
  redirectTo('example');
  await directory.observe(handle);
  expect(await whose()).toMatch(
    /^GitHub account Example, proven to the registry, owner of the recorded repository\./,
  );
});

it('a listing that its repository says is replaced says so, and the other that it replaces it', async () => {
  const line = 'superseded-by: com.example.next/server # since May';
  directory.git.createRepository('example/replaced').commit({ 'dossier-claim.txt': `# ours\r\n${line}\r\n` });
  const read = async (handle: string) => {
    await observe(handle);
    return (await directory.app.request(`/agents/${handle}.md`)).text();
  };
  expect(await read('com.example/replaced')).toContain(
    'The recorded repository names `com.example.next/server` in place of this listing',
  );
  const next = await read('com.example.next/server');
  expect(next).not.toContain('in place of');
  expect(next).toContain('Replaced by: this listing; it replaces the others with this repository');
});
