import { expect, it, vi } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const entries = Array.from({ length: 401 }, (_, at) =>
  registryEntry(
    'com.example/many',
    { version: `1.0.${at}` },
    { publishedAt: new Date(Date.UTC(2025, 0, 1, 0, at)).toISOString(), isLatest: at === 400 },
  ),
);
const directory = await openedDirectory({ entries });

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

/** Counts the rows that reads of listings returned while an address was read. */
async function countRows(path: string) {
  const { listings } = directory.store;
  const names = Object.keys(listings) as (keyof typeof listings)[];
  const spies = names.map((name) => vi.spyOn(listings, name));
  const answer = await directory.app.request(path);
  const found = await Promise.all(
    spies.flatMap((spy) => spy.mock.results.map(({ value }) => value as unknown)),
  );
  for (const spy of spies) spy.mockRestore();
  const rows = found.reduce((sum: number, one) => sum + (Array.isArray(one) ? one.length : 1), 0);
  return { rows, answer };
}

it('a page of it, and one of the registry API, reads no more versions than it shows', async () => {
  const page = await countRows('/agents/com.example/many/versions?page=2');
  expect(await page.answer.text()).toContain('<code class="foreign">1.0.200<');
  expect(page.rows).toBeGreaterThanOrEqual(200);
  expect(page.rows).toBeLessThanOrEqual(205);
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const path = `/v0.1/servers/com.example%2Fmany/versions${cursor && `?cursor=${cursor}`}`;
    const { rows, answer } = await countRows(path);
    expect(rows).toBeLessThanOrEqual(210);
    const { servers, metadata } = (await answer.json()) as {
      servers: { server: { version: string } }[];
      metadata: { nextCursor?: string };
    };
    names.push(...servers.map(({ server }) => server.version));
    cursor = metadata.nextCursor;
  }
  expect(names).toEqual(Array.from({ length: 401 }, (_, at) => `1.0.${400 - at}`));
});

it('counts months and years by the calendar', async () => {
  const dates = ['2028-06-15', '2028-06-16', '2029-06-15', '2029-06-16', '2030-06-15'];
  const old = await openedDirectory({
    entries: dates.map((date, at) =>
      registryEntry(
        'com.example/old',
        { version: `1.0.${at}` },
        { publishedAt: `${date}T08:00:00Z`, isLatest: at === 4 },
      ),
    ),
    isClockStill: true,
  });
  old.wait((Date.parse('2031-06-15T12:00:00Z') - old.context.clock().getTime()) / 1000);
  const page = await (await old.app.request('/agents/com.example/old/versions')).text();
  const ages = [...page.matchAll(/\d{4}-\d\d-\d\d<\/time> <span class="note">([^<]*)</g)].map(
    ([, age]) => age,
  );
  expect(ages).toEqual(['12 months ago', '23 months ago', '2 years ago', '2 years ago', '3 years ago']);
});
