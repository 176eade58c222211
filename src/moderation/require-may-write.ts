import type { Context } from '../context.ts';
import { isInNetwork, type Network, readNetwork } from '../core/network.ts';
import { Problem } from '../core/problem.ts';
import type { Reads } from '../store/store.ts';
import { type Moderation, toAppeal } from './moderation.ts';
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
    (target_kind !== 'network' || isBlocked(network, target)) &&
    (!writing?.isTakingBack || target_kind === 'capability' || target_kind === 'network');
  return (await context.store.moderation.against(writing)).find(applies);
}

/** @throws writing_blocked or capability_revoked */
export async function requireMayWrite(context: Parameters<typeof findAgainst>[0], writing?: Writer) {
  const against = await findAgainst(context, writing);
  if (!against) return;
  const detail = `${against.statement} ${toAppeal(context.config)}`;
  throw new Problem(against.action === 'revoke' ? 'capability_revoked' : 'writing_blocked', detail);
}

/**
 * IPv6 without a prefix is its /64, because callers are known by that. Undefined for a longer prefix, a
 * zone and IPv4 as IPv6, too.
 */
export function readBlockable(text: string): Network | undefined {
  const isPlainIPv6 = text.includes(':') && !text.includes('/');
  const network = readNetwork(isPlainIPv6 ? `${text}/64` : text);
  if (network?.[0].kind() !== 'ipv6') return network;
  return network[1] > 64 || network[0].range() === 'ipv4Mapped' ? undefined : network;
}

/** `caller` is IPv4 or an IPv6 /64. */
function isBlocked(caller: string, blocked: string): boolean {
  const [own] = readBlockable(caller) ?? [];
  const network = readBlockable(blocked);
  return own !== undefined && network !== undefined && isInNetwork(own, network);
}
