import { namespaceDomain } from '../domain.ts';
import type { ClaimKind, ProofPlace } from '../proof-place.ts';
import type { ClaimableRecord } from './method.ts';

/** The domain of a listing's namespace as a place of a claim. The ways of a domain share its key, and so their challenges. */
export function domainPlace(kind: ClaimKind, { handle }: ClaimableRecord): ProofPlace | undefined {
  const domain = namespaceDomain(handle);
  return domain === undefined
    ? undefined
    : { kind, shown: domain, key: `dns:${domain}`, root: `dns:${domain}` };
}
