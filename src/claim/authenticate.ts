import type { Context } from '../context.ts';
import { capabilityHash, isCapability } from '../evidence/capability.ts';
import { Problem, type ProblemCode } from '../problem.ts';
import type { CapabilityRow } from '../store/store.ts';
import { endCapability } from './end-capability.ts';

/** The problem that each state but `active` answers with. */
const refusals: Record<Exclude<CapabilityRow['state'], 'active'>, ProblemCode> = {
  suspended: 'capability_suspended',
  revoked: 'capability_revoked',
  burnt: 'capability_revoked',
};

async function findCapability({ caller, store }: Context): Promise<CapabilityRow> {
  const { capability } = caller;
  if (!capability) throw new Problem('capability_required');
  if (capability === 'conflict') throw new Problem('capability_conflict');
  const row = isCapability(capability)
    ? await store.claims.capability(capabilityHash(capability))
    : undefined;
  if (!row) throw new Problem('capability_invalid');
  return row;
}

/**
 * The caller's active capability. Throws capability_required, capability_conflict, capability_invalid,
 * capability_revoked (burnt ones too) or capability_suspended.
 */
export async function authenticate(context: Context): Promise<CapabilityRow> {
  const row = await findCapability(context);
  if (row.state !== 'active') throw new Problem(refusals[row.state]);
  return row;
}

/** What a revocation answers. */
export interface Revocation {
  readonly handle: string;
  readonly capability_id: string;
  readonly revoked_at: string;
}

/** Ends the caller's capability for good, a suspended one too. Throws as authenticate does. */
export async function revokeCapability(context: Context): Promise<Revocation> {
  const found = await findCapability(context);
  const revoked_at = context.clock().toISOString();
  await context.store.write(async (tx) => {
    const row = await tx.claims.capability(found.hash);
    if (!row || !(await endCapability(tx, row, { state: 'revoked', at: revoked_at })))
      throw new Problem('capability_revoked');
  });
  return { handle: found.handle, capability_id: found.id, revoked_at };
}
