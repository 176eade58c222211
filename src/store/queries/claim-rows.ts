import type { Capability, Claim } from '../../evidence/claim/claim.ts';
import type { SeenFacts } from '../../evidence/claim/proof-place.ts';
import type { CapabilityRow, ClaimRow } from '../schema/claims.ts';

/** A claim without nulls. */
export const decodeClaim = ({
  suspended_reason,
  commit_id,
  branch,
  proven_commit,
  proven_at,
  failed_days,
  tried_at,
  lost_at,
  missed_at,
  seen,
  ...row
}: ClaimRow): Claim => ({
  ...row,
  ...(seen !== null && { seen: JSON.parse(seen) as SeenFacts }),
  ...(proven_commit !== null && { proven_commit }),
  ...(proven_at !== null && { proven_at }),
  ...(failed_days !== null && { failed_days: failed_days.split(' ') }),
  ...(tried_at !== null && { tried_at }),
  ...(lost_at !== null && { lost_at }),
  ...(missed_at !== null && { missed_at }),
  ...(suspended_reason !== null && { suspended_reason }),
  ...(commit_id !== null && { commit: commit_id }),
  ...(branch !== null && { branch }),
});

/** A claim as a row. */
export const encodeClaim = ({
  suspended_reason,
  commit,
  branch,
  proven_commit,
  proven_at,
  failed_days,
  tried_at,
  lost_at,
  missed_at,
  seen,
  ...claim
}: Claim): ClaimRow => ({
  ...claim,
  seen: seen ? JSON.stringify(seen) : null,
  proven_commit: proven_commit ?? null,
  proven_at: proven_at ?? null,
  failed_days: failed_days?.join(' ') ?? null,
  tried_at: tried_at ?? null,
  lost_at: lost_at ?? null,
  missed_at: missed_at ?? null,
  suspended_reason: suspended_reason ?? null,
  commit_id: commit ?? null,
  branch: branch ?? null,
});

/** A capability without nulls. */
export const decodeCapability = ({ ended_at, signed_by, ...row }: CapabilityRow): Capability => ({
  ...row,
  ...(ended_at !== null && { ended_at }),
  ...(signed_by !== null && { signed_by }),
});
