import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import type { Reads } from '../store/store.ts';
import { isInNetwork } from './action.ts';
import { type Moderation, toAppeal } from './moderation.ts';
import type { Writer } from './table.ts';

/**
 * What the operator did that keeps this listing or the caller's network from writing, if anything; without
 * `writing` only the network counts. `store` is a transaction if nothing that the operator does meanwhile may
 * be missed. A writer that is blocked can still take back what they wrote (docs/moderation.md).
 */
export async function findAgainst(
  context: Pick<Context, 'config' | 'caller'> & { readonly store: Pick<Reads, 'moderation'> },
  writing?: Writer,
): Promise<Moderation | undefined> {
  const { network } = context.caller;
  // What still applies to taking back: who lost a capability must not lose ratings by it, and traffic stays
  // refused.
  const applies = ({ target_kind, target }: Moderation) =>
    (target_kind !== 'network' || isInNetwork(network, target)) &&
    (!writing?.isTakingBack || target_kind === 'capability' || target_kind === 'network');
  return (await context.store.moderation.against(writing)).find(applies);
}

/**
 * Throws writing_blocked, or capability_revoked, if the operator keeps this listing or the caller's network
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
