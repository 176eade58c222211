import { createHmac, randomBytes } from 'node:crypto';
import { memoize } from '../core/lazy.ts';
import type { Transaction } from '../store/store.ts';

const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/;
const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/**
 * Networks that one call counts for, narrowest first, each with how many times the amount of the narrowest
 * one it may call.
 */
export type CountedNetworks = readonly { readonly network: string; readonly times: number }[];

function readNetworks(network: string): CountedNetworks {
  const own = { network, times: 1 };
  const [, first3] = ipv4.exec(network) ?? [];
  if (first3) return [own, { network: `${first3}.0/24`, times: 16 }];
  const [, site, subnet] = ipv6.exec(network) ?? [];
  if (!site || !subnet) return [own];
  const part = (Number.parseInt(subnet, 16) & 0xff00).toString(16);
  return [own, { network: `${site}:${part}::/56`, times: 4 }, { network: `${site}::/48`, times: 16 }];
}

/**
 * The networks that a caller's network (`Caller.network`) is counted for, narrowest first, each with how many
 * times the amount of the narrowest one it may call: an IPv4 address and its /24, an IPv6 /64 with its /56
 * and /48 (docs/contract.md). Anything else is counted alone.
 */
export const toCountedNetworks = memoize(readNetworks, 10_000);

/** The widest network that a caller's network is counted for. */
export const toWidestNetwork = (network: string): string =>
  toCountedNetworks(network).at(-1)?.network ?? network;

/** The UTC day of a time, `2026-11-21`. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/**
 * What makes the pseudonym of a network in the database for one day: an HMAC-SHA256 with a key that all nodes
 * share and that is deleted when the day is over. No address is ever stored (docs/contract.md).
 */
export async function openNetworkKeys(tx: Transaction, day: string): Promise<(network: string) => string> {
  const known = await tx.limits.dailyKey(day);
  const text = known ?? (await tx.limits.addDailyKey(day, randomBytes(32).toString('base64')));
  const secret = Buffer.from(text, 'base64');
  return (network) => createHmac('sha256', secret).update(network).digest('base64url').slice(0, 22);
}
