import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const toprank = onGitHub('nowork/toprank');
const directory = await openedDirectory({
  entries: [
    registryEntry('io.github.nowork/ads', { ...toprank, title: 'Ads marketing' }, { status: 'deprecated' }),
    registryEntry('io.github.nowork/fair', { ...toprank, title: 'Fair' }),
    registryEntry('io.github.nowork/other', { title: 'Other' }),
    registryEntry('io.github.nowork/active', { ...toprank, title: 'Active' }),
    registryEntry('com.fork/copy', { ...toprank, title: 'Copy' }),
    registryEntry('com.stranger/promotion', { title: 'Ads promotion', description: 'Something else' }),
  ],
});

interface Found {
  readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
}
const similarTo = (handle: string) => callTool<Found>(directory, 'search_agents', { similar_to: handle });

it('of a deprecated listing names first what has its repository, then others of its publisher', async () => {
  const { listings } = await similarTo('io.github.nowork/ads');
  const found = listings.map(({ handle, facts: [first] }) => [handle, first]);
  expect(found.slice(0, 3).toSorted()).toEqual([
    ['com.fork/copy', 'shares the recorded repository'],
    ['io.github.nowork/active', 'of the same publisher, shares the recorded repository'],
    ['io.github.nowork/fair', 'of the same publisher, shares the recorded repository'],
  ]);
  expect(found.slice(3)).toEqual([
    ['io.github.nowork/other', 'of the same publisher'],
    ['com.stranger/promotion', 'shares the tag `marketing`; the word `ads` in name or title'],
  ]);
});

it('of an active listing leaves out its own publisher', async () => {
  const { listings } = await similarTo('io.github.nowork/fair');
  expect(listings.map(({ handle }) => handle)).toEqual(['com.fork/copy']);
});
