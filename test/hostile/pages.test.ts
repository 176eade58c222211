import { expect, it } from 'vitest';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });

const names = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}=a/${at.toString(36)}`).join('&');
const askPage = (path: string) => directory.app.request(path, { headers: { accept: 'text/html' } });

it.each([
  ['tags of a search', `/agents?${names('tag', 1500)}`],
  ['listings of a comparison', `/compare?${names('handle', 1200)}`],
  ['criteria of a comparison', `/compare?handle=a/b&handle=a/c&${names('tag', 1200)}`],
])('answers thousands of %s with a page no longer than its words', async (_, path) => {
  const first = await askPage(path);
  const moved = first.headers.get('location');
  const answer = moved ? await askPage(moved) : first;
  expect(answer.status).toBe(422);
  expect((await answer.text()).length).toBeLessThan(100_000);
});
