import type { Context } from '../context.ts';
import type { VersionSummary } from './listing.ts';

/** All stored versions of a listing but deleted ones, the newest first. */
export const readVersions = async (
  handle: string,
  { store }: Pick<Context, 'store'>,
): Promise<VersionSummary[]> =>
  (await store.listings.versionSummaries([handle]))
    .filter(({ status }) => status !== 'deleted')
    .toSorted((a, b) => (a.published_at < b.published_at ? 1 : -1));
