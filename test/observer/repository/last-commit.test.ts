import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../../support/claimed-directory.ts';
import { registryEntry } from '../../support/entries.ts';
import { onGitHub } from '../../support/registry-entries.ts';

let directory: ClaimedDirectory;
let commit: string;
const handle = 'com.example/there';

beforeAll(async () => {
  directory = await openClaimedDirectory({ entries: [registryEntry(handle, onGitHub('example/there'))] });
  commit = directory.git.createRepository('example/there').commit({ 'README.md': 'a server' });
});
afterAll(async () => {
  await directory.close();
});

/** The listing document. */
async function read() {
  const answer = await directory.app.request(`/agents/${handle}.json`);
  return (await answer.json()) as { observations: { kind: string }[]; not_known: { kind: string }[] };
}

it('is not known before a look', async () => {
  expect((await read()).not_known).toContainEqual(
    expect.objectContaining({ kind: 'repository.last_commit', state: 'not_checked' }),
  );
});

it('states the date of the commit at the head', async () => {
  await directory.observe(handle);
  const { observations, not_known } = await read();
  expect(observations.find(({ kind }) => kind === 'repository.last_commit')).toMatchObject({
    question: 'upkeep',
    value: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    unit: 'date',
    outcome: 'seen',
    details: { commit },
    source_url: 'https://github.com/example/there',
  });
  expect(not_known.map(({ kind }) => kind)).not.toContain('repository.last_commit');
});
