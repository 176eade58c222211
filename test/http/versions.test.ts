import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';

let directory: Directory;
beforeAll(async () => {
  const entries = Array.from({ length: 401 }, (_, at) =>
    registryEntry(
      'com.example/many',
      { version: `1.0.${at}` },
      {
        publishedAt: new Date(Date.UTC(2025, 0, 1, 0, at)).toISOString(),
        isLatest: at === 400,
      },
    ),
  );
  directory = await openDirectory({ entries });
});
afterAll(() => directory.close());

async function read(query: string) {
  const answer = await directory.app.request(`/agents/com.example/many/versions${query}`);
  const page = await answer.text();
  return {
    page,
    versions: [...page.matchAll(/<code class="foreign">(1\.0\.\d+)</g)].map(([, name]) => name),
  };
}

it('has 200 versions a page, newest first, each version on one page', async () => {
  const pages = await Promise.all(['', '?page=2', '?page=3'].map(read));
  expect(pages.map(({ versions }) => versions.length)).toEqual([200, 200, 1]);
  expect(pages.flatMap(({ versions }) => versions)).toEqual(
    Array.from({ length: 401 }, (_, at) => `1.0.${400 - at}`),
  );
  expect(pages[0]?.page).toContain('401 versions');
  expect(pages[0]?.page).toContain('<a href="/agents/com.example/many/versions?page=2">Older versions</a>');
  expect(pages[0]?.page).not.toContain('Newer versions');
  expect(pages[2]?.page).toContain('<a href="/agents/com.example/many/versions?page=2">Newer versions</a>');
  expect(pages[2]?.page).not.toContain('Older versions');
});

it('takes a page that is none for the first one', async () => {
  for (const query of ['?page=0', '?page=x', '?page=99999'])
    expect((await read(query)).versions[0], query).toBe('1.0.400');
});
