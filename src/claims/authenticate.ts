import type { Context } from '../context.ts';
import { capabilityHash, isCapability } from '../evidence/claim/capability.ts';
import { takeNetworkLimits } from '../limits/shared.ts';
import { Problem, type ProblemCode } from '../problem.ts';
import type { CapabilityRow } from '../store/store.ts';
import { endCapability } from './end-capability.ts';

/** Capabilities of one network that were sent and do not work, whatever the face. */
export const badCapabilityLimit = { name: 'bad_capability', burst: 20, refill_s: 60 } as const;

/** The problem that each state but `active` answers with. */
const refusals: Record<Exclude<CapabilityRow['state'], 'active'>, ProblemCode> = {
  suspended: 'capability_suspended',
  revoked: 'capability_revoked',
  burnt: 'capability_revoked',
};

/** Only a bad one is counted, so nobody in its network who sends a good one is ever refused for it. */
async function refuseBad(code: ProblemCode, context: Context): Promise<never> {
  await takeNetworkLimits(context, [badCapabilityLimit]);
  throw new Problem(code);
}

async function findHolder(context: Context) {
  const { capability } = context.caller;
  if (!capability) throw new Problem('capability_required');
  if (capability === 'conflict') return refuseBad('capability_conflict', context);
  const holder = isCapability(capability)
    ? await context.store.claims.holder(capabilityHash(capability))
    : undefined;
  return holder ?? refuseBad('capability_invalid', context);
}

/**
 * The caller's active capability. Throws capability_required, capability_conflict, capability_invalid,
 * capability_revoked (burnt ones too), capability_suspended, or rate_limited for a bad one after many.
 */
export async function authenticate(context: Context): Promise<CapabilityRow> {
  const { capability, isClaimed } = await findHolder(context);
  if (capability.state !== 'active') return refuseBad(refusals[capability.state], context);
  return isClaimed ? capability : refuseBad('capability_suspended', context);
}

/** What a revocation answers. */
export interface Revocation {
  readonly handle: string;
  readonly capability_id: string;
  readonly revoked_at: string;
}

/** Ends the caller's capability for good, a suspended one too. Throws as authenticate does. */
export async function revokeCapability(context: Context): Promise<Revocation> {
  const { capability: found } = await findHolder(context);
  const revoked_at = context.clock().toISOString();
  await context.store.write(async (tx) => {
    const row = await tx.claims.capability(found.hash);
    if (!row || !(await endCapability(tx, row, { state: 'revoked', at: revoked_at })))
      throw new Problem('capability_revoked');
  });
  return { handle: found.handle, capability_id: found.id, revoked_at };
}
