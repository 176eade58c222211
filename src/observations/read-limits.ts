import { createMemoryLimit, type LimitSettings, toWidestNetwork } from '../limits/limit.ts';

/** Each node counts for itself. One /24 or /48 (`site`) may use a fifth of `all`. */
export const readCheckLimits = {
  listing: { name: 'read_check_listing', burst: 1, refill_s: 600 },
  network: { name: 'read_check', burst: 60, refill_s: 3600 },
  site: { name: 'read_check_site', burst: 120, refill_s: 3600 },
  domain: { name: 'read_check_domain', burst: 60, refill_s: 3600 },
  all: { name: 'read_check_all', burst: 600, refill_s: 3600 },
} as const;

interface ReadCheck {
  readonly handle: string;
  readonly network: string;
  readonly domains: readonly string[];
}

/** A network and a domain may begin two slow checks an hour. */
const slowCost = readCheckLimits.network.burst / 2;

export function createReadLimits(settings: LimitSettings) {
  const listing = createMemoryLimit(readCheckLimits.listing, settings);
  const network = createMemoryLimit(readCheckLimits.network, settings);
  const site = createMemoryLimit(readCheckLimits.site, settings);
  const domain = createMemoryLimit(readCheckLimits.domain, settings);
  const all = createMemoryLimit(readCheckLimits.all, settings);
  return {
    hasRoom(one: ReadCheck, now_ms: number): boolean {
      const counted = [
        { limit: listing, key: one.handle },
        { limit: network, key: one.network },
        { limit: site, key: toWidestNetwork(one.network) },
        ...one.domains.map((key) => ({ limit: domain, key })),
        { limit: all, key: 'all' },
      ];
      if (counted.some(({ limit, key }) => limit.refusalOf(key, now_ms))) return false;
      for (const { limit, key } of counted) limit.take(key, now_ms);
      return true;
    },
    countSlow({ network: of, domains }: Omit<ReadCheck, 'handle'>, now_ms: number): void {
      for (let counted = 1; counted < slowCost; counted += 1) {
        network.tryTake(of, now_ms);
        for (const key of domains) domain.tryTake(key, now_ms);
      }
    },
  };
}
