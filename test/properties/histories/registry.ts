import { type RegistryEntry, registryEntry } from '../../support/entries.ts';

/** The listings of a history: what their names, and the records of their first versions, let claim them. */
export const listings = {
  alice: { handle: 'io.github.alice/a', repository: 'alice/a', domain: undefined },
  bob: { handle: 'com.bob/b', repository: 'bobdev/b', domain: 'bob.com' },
  below: { handle: 'com.bob.api/c', repository: undefined, domain: 'api.bob.com' },
  dora: { handle: 'org.dora/d', repository: 'alice/d', domain: 'dora.org' },
  eve: { handle: 'io.github.eve/e', repository: undefined, domain: undefined },
} as const;
export type Name = keyof typeof listings;
export const names = Object.keys(listings) as Name[];
export const handleOf = (name: Name): string => listings[name].handle;

/** What the newest version of a listing records. */
export interface Recorded {
  readonly repository: string | undefined;
  readonly host: string | undefined;
  readonly status: 'active' | 'deleted';
}

/**
 * A registry that publishes versions of the listings; every change has a later second than the one before.
 */
export interface Registry {
  /** The repository that the newest version of a listing records. */
  repositoryOf(name: Name): string | undefined;
  /** Publishes a version, or deletes all of a listing; answers the entries that changed. */
  publish(name: Name, recorded: Recorded): RegistryEntry[];
  /** Every entry, as a reading from the beginning finds it. */
  readonly entries: readonly RegistryEntry[];
}

const officialOf = ({ _meta }: RegistryEntry) => _meta['io.modelcontextprotocol.registry/official'];
const firstDay = Date.UTC(2026, 9, 3);

/** Opens a registry that has one version of each listing. */
export function createRegistry(): Registry {
  let changes = 0;
  const repositories = new Map<Name, string | undefined>();
  const versions = new Map<Name, RegistryEntry[]>();
  const nextTime = () => new Date(firstDay + ++changes * 1000).toISOString();

  function change(entry: RegistryEntry, official: Record<string, unknown>): RegistryEntry {
    return {
      ...entry,
      _meta: {
        'io.modelcontextprotocol.registry/official': {
          ...officialOf(entry),
          ...official,
          updatedAt: nextTime(),
        },
      },
    };
  }

  function createVersion(name: Name, { repository, host }: Recorded): RegistryEntry {
    const publishedAt = nextTime();
    return registryEntry(
      handleOf(name),
      {
        version: `1.0.${changes}`,
        description: `Text ${changes} of ${name}`,
        ...(repository && { repository: { url: `https://github.com/${repository}`, source: 'github' } }),
        ...(host && { remotes: [{ type: 'sse', url: `https://${host}/x` }] }),
      },
      { publishedAt, updatedAt: publishedAt },
    );
  }

  const publish: Registry['publish'] = (name, recorded) => {
    repositories.set(name, recorded.repository);
    const known = versions.get(name) ?? [];
    const next =
      recorded.status === 'deleted'
        ? known.map((entry) => change(entry, { status: 'deleted' }))
        : [...known.map((entry) => change(entry, { isLatest: false })), createVersion(name, recorded)];
    versions.set(name, next);
    return next;
  };

  for (const name of names)
    publish(name, { repository: listings[name].repository, host: undefined, status: 'active' });
  return {
    repositoryOf: (name) => repositories.get(name),
    publish,
    get entries() {
      return [...versions.values()].flat();
    },
  };
}
