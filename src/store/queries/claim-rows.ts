import type { Capability, Claim } from '../../evidence/claim/claim.ts';
import type { CapabilityRow, ClaimRow } from '../schema/claims.ts';

/** A claim without nulls. */
export const decodeClaim = ({ suspended_reason, commit_id, branch, ...row }: ClaimRow): Claim => ({
  ...row,
  ...(suspended_reason !== null && { suspended_reason }),
  ...(commit_id !== null && { commit: commit_id }),
  ...(branch !== null && { branch }),
});

/** A claim as a row. */
export const encodeClaim = ({ suspended_reason, commit, branch, ...claim }: Claim): ClaimRow => ({
  ...claim,
  suspended_reason: suspended_reason ?? null,
  commit_id: commit ?? null,
  branch: branch ?? null,
});

/** A capability without nulls. */
export const decodeCapability = ({ ended_at, ...row }: CapabilityRow): Capability => ({
  ...row,
  ...(ended_at !== null && { ended_at }),
});
