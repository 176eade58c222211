import type { RatingSide, RatingSides } from '../../../evidence/rating/rating-sides.ts';
import type { RatingReads } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { isCurrent } from './counts.ts';

/** One statement, because every submission runs it while all other writers wait. */
const readSideRows = precompileQuery((db, hash: string, subject: string, since: string) =>
  db
    .selectFrom('capability')
    .innerJoin('listing as source', 'source.handle', 'capability.handle')
    .leftJoin('claim', 'claim.handle', 'capability.handle')
    .leftJoin('listing as subject', (join) => join.on('subject.handle', '=', subject))
    .select(['capability.state as capability_state', 'claim.claimed_at'])
    .select(['source.handle', 'source.repository_key', 'source.endpoint', 'source.withdrawn'])
    .select([
      'subject.handle as subject_handle',
      'subject.repository_key as subject_repository_key',
      'subject.endpoint as subject_endpoint',
      'subject.withdrawn as subject_withdrawn',
    ])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('rating')
          .select('rating.id')
          .whereRef('rating.source_handle', '=', 'subject.handle')
          .whereRef('rating.subject_handle', '=', 'source.handle')
          .where('rating.is_current', '=', isCurrent)
          .where('rating.created_at', '>=', since),
      ).as('reciprocal'),
    )
    .where('capability.hash', '=', hash),
);

type SideColumns = Pick<ListingRow, 'repository_key' | 'endpoint' | 'withdrawn'>;

const decodeSide = (handle: string, { repository_key, endpoint, withdrawn }: SideColumns): RatingSide => ({
  handle,
  repository_key: repository_key ?? undefined,
  endpoint: endpoint ?? undefined,
  withdrawn: withdrawn ?? undefined,
});

/** Both sides of a rating by the holder of a capability (contract/ratings.ts). */
export async function readSides(
  db: Db,
  ...sides: Parameters<RatingReads['sides']>
): Promise<RatingSides | undefined> {
  const [row] = await readSideRows(db, ...sides);
  if (!row) return undefined;
  const { capability_state, claimed_at, handle, subject_handle } = row;
  return {
    capability_state,
    claimed_at: claimed_at ?? undefined,
    source: decodeSide(handle, row),
    subject:
      subject_handle === null
        ? undefined
        : decodeSide(subject_handle, {
            repository_key: row.subject_repository_key,
            endpoint: row.subject_endpoint,
            withdrawn: row.subject_withdrawn,
          }),
    reciprocal: Boolean(row.reciprocal),
  };
}
