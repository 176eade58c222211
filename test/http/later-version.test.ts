import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const published = (name: string, version: string, day: string, isLatest: boolean) =>
  registryEntry(
    name,
    { version, remotes: [], packages: [] },
    { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, isLatest },
  );
const name = 'io.github.containers/server';
const plain = 'io.github.containers/plain';
const directory = await openedDirectory({
  entries: [
    published(name, '0.0.50', '2025-09-16', false),
    published(name, '1.0.0', '2025-09-16', true),
    published(name, '0.0.51', '2025-12-05', false),
    published(plain, '1.0.0', '2025-09-16', false),
    published(plain, '1.1.0', '2025-12-05', true),
    registryEntry('com.example/remote', {
      remotes: [{ type: 'sse', url: 'https://remote.example.com/sse' }],
    }),
    registryEntry('com.example/packaged', {
      packages: [{ registryType: 'npm', identifier: 'packaged', version: '1.0.0' }],
    }),
  ],
});

const later = '`0.0.51`, not the version shown, was published later, 2025-12-05';

it('says in Kept up that a version was published after the one that the registry shows', async () => {
  interface Answer {
    readonly signals: { readonly imported: string };
  }
  const { signals } = await callTool<Answer>(directory, 'get_agent', { handle: name });
  expect(signals.imported).toMatch(
    /^Version `1\.0\.0`; published 2025-09-16; `0\.0\.51`, not the version shown, was published later, 2025-12-05; 3 versions/,
  );
  const { signals: others } = await callTool<Answer>(directory, 'get_agent', { handle: plain });
  expect(others.imported).not.toContain('later');
});

it('says it in a hit and for a name, and that nothing is recorded to reach the listing by', async () => {
  interface Found {
    readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
  }
  const { listings } = await callTool<Found>(directory, 'search_agents', {
    publisher: 'io.github.containers',
  });
  const factsOf = (handle: string) => listings.find((one) => one.handle === handle)?.facts;
  const nothing = 'no endpoint or package recorded that Dossier reads';
  expect(factsOf(name)).toEqual(['GitHub account containers', nothing, 'updated 2025-09-16', later]);
  expect(factsOf(plain)).toEqual(['GitHub account containers', nothing, 'updated 2025-12-05']);
  const { results } = await callTool<{ results: readonly { readonly facts: readonly string[] }[] }>(
    directory,
    'resolve_agents',
    { handles: [name, plain] },
  );
  expect(results.map(({ facts }) => facts)).toEqual([factsOf(name), factsOf(plain)]);
});

it('says nothing of what is not recorded where the copy records no endpoint of any listing', async () => {
  const lacking = await openedDirectory({
    entries: [
      published(plain, '1.1.0', '2025-12-05', true),
      registryEntry('com.example/packaged', {
        packages: [{ registryType: 'npm', identifier: 'packaged', version: '1.0.0' }],
      }),
    ],
  });
  const { listings } = await callTool<{ listings: readonly { readonly facts: readonly string[] }[] }>(
    lacking,
    'search_agents',
    { publisher: 'io.github.containers' },
  );
  expect(listings[0]?.facts).toEqual(['GitHub account containers', 'updated 2025-12-05']);
});
