import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import type { Reads } from '../store/store.ts';
import { type Moderation, toAppeal } from './moderation.ts';
import { isInNetwork } from './network.ts';
import type { Writer } from './table.ts';

/**
 * Without `writing`, only the network counts. In a transaction, no action of the operator at the same time
 * is missed.
 */
export async function findAgainst(
  context: Pick<Context, 'config' | 'caller'> & { readonly store: Pick<Reads, 'moderation'> },
  writing?: Writer,
): Promise<Moderation | undefined> {
  const { network } = context.caller;
  // Even taking back is refused to a revoked capability, because whoever stole it must not withdraw ratings
  // with it, and to a blocked network.
  const applies = ({ target_kind, target }: Moderation) =>
    (target_kind !== 'network' || isInNetwork(network, target)) &&
    (!writing?.isTakingBack || target_kind === 'capability' || target_kind === 'network');
  return (await context.store.moderation.against(writing)).find(applies);
}

/** @throws writing_blocked or capability_revoked */
export async function requireMayWrite(
  context: Parameters<typeof findAgainst>[0],
  writing?: Writer,
): Promise<void> {
  const against = await findAgainst(context, writing);
  if (!against) return;
  const detail = `${against.statement} ${toAppeal(context.config)}`;
  throw new Problem(against.action === 'revoke' ? 'capability_revoked' : 'writing_blocked', detail);
}
