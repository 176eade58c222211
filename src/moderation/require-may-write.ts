import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import type { Reads } from '../store/store.ts';
import { type Moderation, toAppeal } from './moderation.ts';
import { isInNetwork } from './network.ts';
import type { Writer } from './table.ts';

/**
 * Finds an action of the operator that keeps this listing or the caller's network from writing. Without
 * `writing` only the network counts. `store` must be a transaction if the check may not miss an action that
 * the operator takes at the same time. A blocked writer can still take back what it wrote
 * (docs/moderation.md).
 */
export async function findAgainst(
  context: Pick<Context, 'config' | 'caller'> & { readonly store: Pick<Reads, 'moderation'> },
  writing?: Writer,
): Promise<Moderation | undefined> {
  const { network } = context.caller;
  // Revoked capabilities and blocked networks may not take back either, because whoever stole a capability
  // must not withdraw ratings with it, and a blocked network's requests stay refused.
  const applies = ({ target_kind, target }: Moderation) =>
    (target_kind !== 'network' || isInNetwork(network, target)) &&
    (!writing?.isTakingBack || target_kind === 'capability' || target_kind === 'network');
  return (await context.store.moderation.against(writing)).find(applies);
}

/**
 * Throws writing_blocked or capability_revoked if the operator keeps this listing or the caller's network
 * from writing.
 */
export async function requireMayWrite(
  context: Parameters<typeof findAgainst>[0],
  writing?: Writer,
): Promise<void> {
  const against = await findAgainst(context, writing);
  if (!against) return;
  const detail = `${against.statement} ${toAppeal(context.config)}`;
  throw new Problem(against.action === 'revoke' ? 'capability_revoked' : 'writing_blocked', detail);
}
