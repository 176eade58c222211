import type { ClaimKind } from '../proof-place.ts';
import { dnsMethod } from './dns.ts';
import type { ClaimMethod } from './method.ts';
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
