import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { type Claim, isInRepository } from './claim.ts';
import type { MissingProof } from './standing.ts';
import { recordMissing, recordUnread } from './suspend.ts';

/** Who was asked about a claim: the host of its repository, the DNS servers, or the web server of its domain. */
const hostOf = ({ kind, place }: Claim): string =>
  isInRepository(kind) ? (URL.parse(place)?.host ?? place) : kind === 'well_known' ? place : 'DNS';

/**
 * The readings of one pass over the claims. Those that prove nothing are recorded when it ends: where most control roots of one host
 * fail alike, two at least, the host is at fault, and they count as checks that read nothing.
 */
export function createClaimPass() {
  const checked = new Map<string, Set<string>>();
  const missing = new Map<string, MissingProof>();
  const add = (roots: Map<string, Set<string>>, key: string, { root }: Claim) =>
    roots.set(key, (roots.get(key) ?? new Set()).add(root));
  const sizeOf = (roots: ReadonlyMap<string, ReadonlySet<string>>, key: string) => roots.get(key)?.size ?? 0;
  return {
    /** A claim was checked where it was proven, whatever the check read. */
    note: (claim: Claim): void => void add(checked, hostOf(claim), claim),
    onMissing: (found: MissingProof): void => void missing.set(found.claim.handle, found),
    /** Records the readings that prove nothing, of every claim that has not changed since it was read. */
    async record({ store, log }: Pick<Context, 'store' | 'log'>): Promise<void> {
      const failing = new Map<string, Set<string>>();
      const alike = ({ claim, result }: MissingProof) => `${hostOf(claim)} ${result}`;
      for (const found of missing.values()) add(failing, alike(found), found.claim);
      for (const found of missing.values()) {
        const { claim, result, now } = found;
        const roots = sizeOf(failing, alike(found));
        const isHostAtFault = roots > 1 && roots > sizeOf(checked, hostOf(claim)) / 2;
        if (isHostAtFault) log.warn({ handle: claim.handle, result }, 'most claims of this host fail alike');
        await store.write(async (tx) => {
          if (!isDeepStrictEqual(await tx.claims.claim(claim.handle), claim)) return;
          await (isHostAtFault ? recordUnread(tx, claim, now) : recordMissing(tx, found));
        });
      }
    },
  };
}
export type ClaimPass = ReturnType<typeof createClaimPass>;
