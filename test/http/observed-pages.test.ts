import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
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
    expect(home.match(/17 +listings/g)).toHaveLength(1);
    expect(home).toContain('com.toolbench/files : tools it lists changed');
  });
});
