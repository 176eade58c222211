import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
import { observedStates } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';

let directory: ClaimedDirectory;
beforeAll(async () => {
  directory = await openObservedStates();
});
afterAll(() => directory.close());

/** What the main part of a page says, without its markup. */
const textOf = async (path: string) => {
  const page = await (await directory.app.request(path, { headers: { accept: 'text/html' } })).text();
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? [];
  return main.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
};

describe('home', () => {
  it('says how many listings there are once, and that tools changed once', async () => {
    const home = await textOf('/');
    expect(home.match(/21 +listings/g)).toHaveLength(1);
    expect(home).toContain(
      'com.toolbench/files : changed: tools it lists (changed words in 1 tool; added 1 tool) and hints of the tools',
    );
  });
});

it('a comparison keeps each answer in the row of its criterion, although a check answers it for one listing', async () => {
  const { healthy, notThere } = observedStates;
  const handles = `handle=${healthy}&handle=${notThere}`;
  const response = await directory.app.request(`/compare?${handles}&has_repository=true&active=true`, {
    headers: { accept: 'text/html' },
  });
  const rows = (await response.text())
    .split('<tr role="row"')
    .map((row) => row.replace(/^[^>]*>|<[^>]+>/g, ' '));
  const rowsOf = (criterion: string) =>
    rows.filter((row) => row.trim().startsWith(criterion)).map((row) => row.replace(/\s+/g, ' ').trim());
  const [recorded, checked] = rowsOf('Source repository recorded');
  expect(recorded).toMatch(
    /^Source repository recorded com\.findwell\/search Met A source repository is recorded\. ?1.* com\.vanished\/api Answered below under “As checked by Dossier”\.$/,
  );
  expect(checked).toMatch(
    /^Source repository recorded com\.findwell\/search Answered above under “As recorded and imported”\. com\.vanished\/api Not met A source repository is recorded; Dossier looked for it, and it is not there\./,
  );
  expect(rowsOf('Listed as active')[0]).toMatch(/Met The registry lists it as active\./);
});

describe('the pages of listings that were checked', () => {
  const { packaged, stale, paid, healthy, deprecated, twinOfAccount } = observedStates;

  it.each(Object.values(observedStates))('%s: no wrong plural, no brackets in brackets', async (handle) => {
    for (const page of ['', '/tools', '/history', '/versions', '/ratings']) {
      const text = await textOf(`/agents/${handle}${page}`);
      expect(text).not.toMatch(/(?<![\d.,-])1 (?!times)[a-z]+s (?:of|record|are|were|from|stored)\b/);
      expect(text).not.toMatch(
        /(?<![\d.,-])1 (?:listings|versions|ratings|tools|sources|secrets|facts|endpoints)\b/,
      );
      expect(text).not.toMatch(/[a-z,] \([^()]*\([^()]*\)[^()]*\)/);
      expect(text).not.toMatch(/advisorys|get_history/);
    }
  });

  it('say of tools what there is to compare with, and nothing where there is none', async () => {
    expect(await textOf(`/agents/${packaged}/tools`)).toContain('The listing records no endpoint,');
    expect(await textOf(`/agents/${stale}/tools`)).toMatch(/ 1 tool, seen on [\d-]+ from /);
    // The page of the listing says where checks are made from, because other places may get other answers.
    expect(await textOf(`/agents/${stale}`)).toMatch(/Checks of Dossier are made from [\w.:-]+;/);
    for (const [handle, has] of [
      [packaged, false],
      [paid, false],
      [stale, true],
    ] as const)
      expect((await textOf(`/agents/${handle}/tools`)).includes('Compare with what you are shown')).toBe(has);
  });

  it('say once what the registry says of a status, and of a single version when it was published', async () => {
    const deprecatedPage = await textOf(`/agents/${deprecated}`);
    const versions = await textOf(`/agents/${healthy}/versions`);
    expect(deprecatedPage.split('All facts and sources')[0]?.match(/Replaced by com\.retired/g)).toHaveLength(
      1,
    );
    expect(versions).toContain('1 version, published 13 months ago.');
  });

  it('say first of a claim what one gets or that it stands, then what it shows', async () => {
    for (const [handle, first] of [
      [stale, 'What you get'],
      [healthy, 'The listing is claimed'],
    ] as const) {
      const text = await textOf(`/agents/${handle}/claim`);
      expect(text.indexOf(first)).toBeGreaterThan(0);
      expect(text.indexOf(first)).toBeLessThan(text.indexOf('A claim shows write access'));
    }
  });

  it('say how many listings of a publisher record a repository', async () => {
    expect(await textOf('/publishers/com.findwell')).toContain('1 listing records a repository.');
    expect(await textOf(`/publishers/${twinOfAccount.split('/')[0]}`)).toContain(
      'No repository is recorded.',
    );
  });
});
