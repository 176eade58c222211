import { type RegistryEntry, registryEntry } from '../../../test/support/entries.ts';
import { heavyShapes } from '../../../test/support/heavy-records.ts';
import { createSynthetic } from '../../synthetic.ts';
import { allPublishers } from './attacks.ts';
import { healthyEntries } from './healthy.ts';
import { toEntries } from './hostile.ts';
import { heavyHandles, manyVersions, plain, plainHandles } from './listings.ts';

const versions = 10_000;

const versionEntries = (): RegistryEntry[] =>
  Array.from({ length: versions }, (_, at) =>
    registryEntry(
      manyVersions,
      { version: `1.${at}.0` },
      {
        isLatest: at === versions - 1,
        publishedAt: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString(),
        updatedAt: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString(),
      },
    ),
  );

/** Thirty versions of each, of which each names other hosts than the one before it. */
const heavyEntries = (): RegistryEntry[] =>
  Object.values(heavyShapes).flatMap((shape, of) =>
    Array.from({ length: 30 }, (_, at) => {
      const record = JSON.stringify(shape(100)).replaceAll('.io', ['.io', '.com', '.net'][at % 3] ?? '');
      const publishedAt = new Date(Date.UTC(2026, 0, 1, at)).toISOString();
      return registryEntry(
        heavyHandles[of] ?? '',
        { ...(JSON.parse(record) as object), version: `1.${at}.0` },
        { isLatest: at === 29, publishedAt, updatedAt: publishedAt },
      );
    }),
  );

const withoutAddresses = ({ server, _meta }: RegistryEntry): RegistryEntry => {
  const { remotes: _, packages: __, repository: ___, ...record } = server;
  return { server: record, _meta };
};

/** What the registry of the run lists: others, healthy publishers, and hostile ones. */
export function toRegistry(): RegistryEntry[] {
  const { entries } = createSynthetic({ listings: plain });
  const others = plainHandles.flatMap((_, at) => entries(at).map(withoutAddresses));
  const hostile = Object.entries(allPublishers).flatMap(([name, publisher]) => toEntries(name, publisher));
  return [...others, ...healthyEntries, ...versionEntries(), ...heavyEntries(), ...hostile];
}

/** The same with a hundred listings changed. */
export const toChangedRegistry = (registry: readonly RegistryEntry[]): RegistryEntry[] =>
  registry.map(({ server, _meta }, at) =>
    at < 100
      ? registryEntry(
          String(server.name),
          { ...server, description: 'Changed' },
          { updatedAt: '2026-11-01T00:00:00Z' },
        )
      : { server, _meta },
  );
