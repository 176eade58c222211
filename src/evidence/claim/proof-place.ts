import { z } from 'zod';

/** Ways to claim a listing, the easiest first (docs/trust.md section 1). */
export const claimKinds = ['repository', 'profile_repository', 'registry_key', 'well_known', 'dns'] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** The kind of a claim, as documents carry it. */
export const claimKind = z.enum(claimKinds);

/** Where one listing can be claimed. */
export interface ProofPlace {
  readonly kind: ClaimKind;
  /** The address of a repository, or a domain: as it is shown. */
  readonly shown: string;
  /** What challenges are bound to: `host/path` of a repository in lower case, or `dns:` and the domain. */
  readonly key: string;
  /** The account or domain that whoever proves a claim there controls: `host/owner`, or `dns:` and the domain. */
  readonly root: string;
}

/** What a check of a domain saw, besides the text. */
export interface SeenFacts {
  /** The domain where the proof stands: that of the namespace, or for DNS one above it. */
  readonly domain: string;
  /** How many DNS servers gave the same answer; absent where none was asked. */
  readonly resolvers?: number;
  /** Whether all of them said that they validated the answer (DNSSEC, the AD bit of RFC 4035). */
  readonly dnssec?: boolean;
}

/** Whether claims of a kind are proven in a git repository; the others are proven by a domain. */
export const isInRepository = (kind: ClaimKind): boolean =>
  kind === 'repository' || kind === 'profile_repository';

/** The member of documents that names where a claim was proven: `repository`, or `domain`. */
export const placeMember = (kind: ClaimKind, place: string): { repository: string } | { domain: string } =>
  isInRepository(kind) ? { repository: place } : { domain: place };
