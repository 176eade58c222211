import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { type Claim, isFromDns, isInRepository } from './claim.ts';
import type { MissingProof } from './standing.ts';
import { recordMissing, recordUnread } from './suspend.ts';

function claimHost({ kind, place, seen }: Claim): string {
  if (isInRepository(kind)) return URL.parse(place)?.host ?? place;
  return isFromDns(seen) ? 'DNS' : place;
}

/** Claims that are not due are added until this many control roots of a host, and one more, are checked. */
const mostOthers = 5;

/**
 * Collects the readings of one pass. At its end, `record` writes those that show a line or a location to be
 * gone. If most of the checked control roots of a host, and at least two, fail alike, the host is at fault,
 * and these readings count as failed checks. Because few claims are due at once, they are compared with some
 * claims that are not due (`others`).
 */
export function createClaimPass() {
  const checked = new Map<string, Map<string, string>>();
  const missing = new Map<string, MissingProof>();
  const undue = new Map<string, Map<string, Claim>>();
  // Checks of suspended claims often fail, so they show nothing about the host.
  const put = <T>(hosts: Map<string, Map<string, T>>, claim: Claim, value: T) => {
    if (claim.state !== 'claimed') return;
    const host = claimHost(claim);
    hosts.set(host, (hosts.get(host) ?? new Map<string, T>()).set(claim.root, value));
  };
  const isHostAtFault = ({ claim, result }: MissingProof): boolean => {
    const results = [...(checked.get(claimHost(claim))?.values() ?? [])];
    const alike = results.filter((one) => one === result).length;
    return alike > 1 && alike > results.length / 2;
  };
  return {
    note: (claim: Claim, result: string): void => put(checked, claim, result),
    onMissing: (found: MissingProof): void => void missing.set(found.claim.handle, found),
    noteNotDue(claim: Claim): void {
      if ((undue.get(claimHost(claim))?.size ?? 0) < mostOthers) put(undue, claim, claim);
    },
    /**
     * Claims that are not due, at hosts where a reading found nothing and few claims were checked. Their
     * locations are read before `record` is called.
     */
    others(): Claim[] {
      const hosts = new Set([...missing.values()].map(({ claim }) => claimHost(claim)));
      return [...hosts].flatMap((host) => {
        const known = checked.get(host) ?? new Map<string, string>();
        const left = [...(undue.get(host)?.values() ?? [])].filter(({ root }) => !known.has(root));
        return left.slice(0, Math.max(0, mostOthers + 1 - known.size));
      });
    },
    async record({ store, log }: Pick<Context, 'store' | 'log'>): Promise<void> {
      for (const found of missing.values()) put(checked, found.claim, found.result);
      for (const found of missing.values()) {
        const { claim, result, now } = found;
        const isAtFault = isHostAtFault(found);
        if (isAtFault) log.warn({ handle: claim.handle, result }, 'most claims of this host fail alike');
        await store.write(async (tx) => {
          if (!isDeepStrictEqual(await tx.claims.claim(claim.handle), claim)) return;
          await (isAtFault
            ? recordUnread(tx, { ...claim, missing: undefined }, now)
            : recordMissing(tx, found));
        });
      }
    },
  };
}
export type ClaimPass = ReturnType<typeof createClaimPass>;
