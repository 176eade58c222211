import { createHmac, randomBytes } from 'node:crypto';
import { memoize } from '../core/lazy.ts';
import type { LimitTransaction } from './schema.ts';

const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/;
const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/** From the narrowest; a wider one allows `times` as many calls. */
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

/** docs/contract.md */
export const toCountedNetworks = memoize(readNetworks, 10_000);

export const toWidestNetwork = (network: string): string =>
  toCountedNetworks(network).at(-1)?.network ?? network;

/** An HMAC-SHA256 by a key of all nodes that is deleted after the day (docs/contract.md). */
export async function openNetworkKeys(
  tx: LimitTransaction,
  day: string,
): Promise<(network: string) => string> {
  const known = await tx.limits.dailyKey(day);
  const text = known ?? (await tx.limits.addDailyKey(day, randomBytes(32).toString('base64')));
  const secret = Buffer.from(text, 'base64');
  return (network) => createHmac('sha256', secret).update(network).digest('base64url').slice(0, 22);
}
