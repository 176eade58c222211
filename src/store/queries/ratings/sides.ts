import type { RatingSide, RatingSides, SideClaim } from '../../../evidence/rating/rating-sides.ts';
import type { RatingReads } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
import type { ClaimRow } from '../../schema/claims.ts';
import { precompileQuery } from '../precompiled-query.ts';

/** One statement, because every submission runs it while all other writers wait. */
const readSideRows = precompileQuery((db, hash: string, subject: string) =>
  db
    .selectFrom('capability')
    .innerJoin('listing as source', 'source.handle', 'capability.handle')
    .leftJoin('claim', 'claim.handle', 'capability.handle')
    .leftJoin('listing as subject', (join) => join.on('subject.handle', '=', subject))
    .leftJoin('claim as theirs', (join) => join.on('theirs.handle', '=', subject))
    .select(['capability.state as capability_state', 'source.handle', 'source.repository_key'])
    .select(['source.withdrawn', 'subject.handle as subject_handle'])
    .select(['subject.repository_key as subject_repository_key', 'subject.withdrawn as subject_withdrawn'])
    .select([
      'claim.state as claim_state',
      'claim.place_key as claim_place_key',
      'claim.root as claim_root',
      'claim.root_generation as claim_root_generation',
      'claim.first_proved_at as claim_first_proved_at',
    ])
    .select([
      'theirs.state as theirs_state',
      'theirs.place_key as theirs_place_key',
      'theirs.root as theirs_root',
      'theirs.root_generation as theirs_root_generation',
      'theirs.first_proved_at as theirs_first_proved_at',
    ])
    .where('capability.hash', '=', hash),
);

type ClaimColumns = Pick<ClaimRow, 'state' | 'place_key' | 'root' | 'root_generation' | 'first_proved_at'>;
type JoinedClaim = { readonly [Column in keyof ClaimColumns]: ClaimColumns[Column] | null };

function decodeSideClaim({ state, ...columns }: JoinedClaim): SideClaim | undefined {
  const { place_key, root, root_generation, first_proved_at } = columns;
  if (place_key === null || root === null || root_generation === null || first_proved_at === null)
    return undefined;
  return { isInForce: state === 'claimed', place_key, root, root_generation, first_proved_at };
}

type Row = Awaited<ReturnType<typeof readSideRows>>[number];

const sourceOf = (row: Row): RatingSide => ({
  handle: row.handle,
  repository_key: row.repository_key ?? undefined,
  withdrawn: row.withdrawn ?? undefined,
  claim: decodeSideClaim({
    state: row.claim_state,
    place_key: row.claim_place_key,
    root: row.claim_root,
    root_generation: row.claim_root_generation,
    first_proved_at: row.claim_first_proved_at,
  }),
});

const subjectOf = (row: Row): RatingSide | undefined =>
  row.subject_handle === null
    ? undefined
    : {
        handle: row.subject_handle,
        repository_key: row.subject_repository_key ?? undefined,
        withdrawn: row.subject_withdrawn ?? undefined,
        claim: decodeSideClaim({
          state: row.theirs_state,
          place_key: row.theirs_place_key,
          root: row.theirs_root,
          root_generation: row.theirs_root_generation,
          first_proved_at: row.theirs_first_proved_at,
        }),
      };

/** Both sides of a rating by the holder of a capability (contract/ratings.ts). */
export async function readSides(
  db: Db,
  ...sides: Parameters<RatingReads['sides']>
): Promise<RatingSides | undefined> {
  const [row] = await readSideRows(db, ...sides);
  if (!row) return undefined;
  return { capability_state: row.capability_state, source: sourceOf(row), subject: subjectOf(row) };
}
