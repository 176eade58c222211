import { type ClaimKind, claimKinds, type ProofPlace } from '../proof-place.ts';
import { dnsMethod } from './dns.ts';
import type { ClaimableRecord, ClaimMethod, ToRepositoryKey } from './method.ts';
import { profileRepositoryMethod } from './profile-repository.ts';
import { registryKeyMethod } from './registry-key.ts';
import { repositoryMethod } from './repository.ts';
import { wellKnownMethod } from './well-known.ts';

/** Every way to claim a listing, by its kind. */
export const claimMethods: Readonly<Record<ClaimKind, ClaimMethod>> = {
  repository: repositoryMethod,
  profile_repository: profileRepositoryMethod,
  registry_key: registryKeyMethod,
  well_known: wellKnownMethod,
  dns: dnsMethod,
};

/** The places where a listing can be claimed, the easiest first. */
export const placesOf = (record: ClaimableRecord, toKey: ToRepositoryKey): ProofPlace[] =>
  claimKinds
    .map((kind) => claimMethods[kind])
    .filter(({ isOffered }) => isOffered?.(record, toKey) ?? true)
    .flatMap((method) => method.placeOf(record, toKey) ?? []);
