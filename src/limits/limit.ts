import type { Config } from '../config/config.ts';
import { memoize } from '../core/lazy.ts';
import { Problem } from '../core/problem.ts';

/** `burst` calls at once, refilled call by call within `refill_s`. */
export interface Limit {
  /** In RateLimit-Policy and LIMIT_OVERRIDES. */
  readonly name: string;
  readonly burst: number;
  readonly refill_s: number;
}

export type LimitSettings = Pick<Config, 'hasLimits' | 'limitOverrides'>;

export const toEffective = (limit: Limit, { limitOverrides }: LimitSettings): Limit => ({
  ...limit,
  ...limitOverrides[limit.name],
});

export const widen = (limit: Limit, times: number): Limit => ({ ...limit, burst: limit.burst * times });

export const toBucket = ({ burst, refill_s }: Limit) => ({
  step_ms: (refill_s * 1000) / burst,
  capacity_ms: refill_s * 1000,
});

/** `retry_after_s` is whole, at least one. */
export interface Refusal {
  readonly retry_after_s: number;
  readonly limit: Limit;
}

export const toRefusal = ({ name, burst, refill_s }: Limit, wait_ms: number): Refusal => ({
  retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)),
  limit: { name, burst, refill_s },
});

export const toRateLimited = (refusal: Refusal): Problem => new Problem('rate_limited', { ...refusal });

const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/;
const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/** From the narrowest; a wider one allows `times` as many calls. */
type CountedNetworks = readonly { readonly network: string; readonly times: number }[];

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

/** Then the one charged least recently is forgotten. */
const mostNetworks = 100_000;
/** For rounding errors. */
const tolerance_ms = 0.5;

export type MemoryLimit = ReturnType<typeof createMemoryLimit>;

/** By the generic cell rate algorithm, for each process. */
export function createMemoryLimit(limit: Limit, settings: LimitSettings) {
  const effective = toEffective(limit, settings);
  const { step_ms, capacity_ms } = toBucket(effective);
  const fullAt = new Map<string, number>();
  const store = (network: string, full_ms: number) => {
    fullAt.delete(network);
    fullAt.set(network, full_ms);
    const [oldest] = fullAt.size > mostNetworks ? fullAt.keys() : [];
    if (oldest !== undefined) fullAt.delete(oldest);
  };
  const fullAfter_ms = (network: string, times: number, now_ms: number, cost: number) => {
    // A clock set back refuses nobody for longer than a refill.
    const known_ms = Math.min(fullAt.get(network) ?? 0, now_ms + capacity_ms);
    return Math.max(known_ms, now_ms) + (step_ms * Math.min(cost, effective.burst)) / times;
  };
  const findRefusal = (networks: CountedNetworks, now_ms: number, cost = 1): Refusal | undefined => {
    for (const { network, times } of networks) {
      const wait_ms = fullAfter_ms(network, times, now_ms, cost) - now_ms - capacity_ms;
      if (wait_ms > tolerance_ms) return toRefusal(widen(effective, times), wait_ms);
    }
    return undefined;
  };
  const tryTake = (network: string, now_ms: number, cost = 1): Refusal | undefined => {
    const networks = toCountedNetworks(network);
    const refusal = findRefusal(networks, now_ms, cost);
    if (refusal) return settings.hasLimits ? refusal : undefined;
    for (const { network: one, times } of networks) store(one, fullAfter_ms(one, times, now_ms, cost));
    return undefined;
  };
  return {
    /** Charges wider networks too. Throws rate_limited. */
    take(network: string, now_ms: number, cost = 1): void {
      const refusal = tryTake(network, now_ms, cost);
      if (refusal) throw toRateLimited(refusal);
    },
    tryTake,
    /** From 0 to 1, of the network or a wider one. */
    usedShare(network: string, now_ms: number): number {
      const left_ms = toCountedNetworks(network).map(({ network: one }) => (fullAt.get(one) ?? 0) - now_ms);
      return Math.min(1, Math.max(0, ...left_ms) / capacity_ms);
    },
    /** Charges nothing. */
    refusalOf: (network: string, now_ms: number, cost = 1): Refusal | undefined =>
      settings.hasLimits ? findRefusal(toCountedNetworks(network), now_ms, cost) : undefined,
  };
}
