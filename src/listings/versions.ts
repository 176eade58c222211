import type { Context } from '../context.ts';
import type { VersionSummary } from './listing.ts';

/** All stored versions of a listing but deleted ones, the newest first. */
export const readVersions = async (
  handle: string,
  { store }: Pick<Context, 'store'>,
): Promise<VersionSummary[]> =>
  (await store.listings.versionSummaries([handle]))
    .filter(({ status }) => status !== 'deleted')
    .toSorted((a, b) => {
      const order = b.published_at.localeCompare(a.published_at);
      return order === 0 ? a.version.localeCompare(b.version) : order;
    });
