import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import type { Reads } from '../store/store.ts';
import { type Moderation, toAppeal } from './moderation.ts';
import { isInNetwork } from './network.ts';
import type { Writer } from './table.ts';

/**
 * Finds an action of the operator that keeps a listing or the caller's network from writing. Without
 * `writing` only the network counts. A blocked namespace or account, and a withdrawn listing, can still take
 * back what they wrote (docs/moderation.md). `store` must be a transaction if the check may not miss an
 * action that the operator takes at the same time.
 */
export async function findAgainst(
  context: Pick<Context, 'config' | 'caller'> & { readonly store: Pick<Reads, 'moderation'> },
  writing?: Writer,
): Promise<Moderation | undefined> {
  const { network } = context.caller;
  // Revoked capabilities and blocked networks may not take back either. Whoever stole a capability must not
  // withdraw ratings with it, and requests of a blocked network stay refused.
  const applies = ({ target_kind, target }: Moderation) =>
    (target_kind !== 'network' || isInNetwork(network, target)) &&
    (!writing?.isTakingBack || target_kind === 'capability' || target_kind === 'network');
  return (await context.store.moderation.against(writing)).find(applies);
}

/**
 * Throws writing_blocked or capability_revoked if an action of the operator keeps the writer from writing.
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
