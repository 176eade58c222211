import type { Context } from '../../context.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { PlaceCheck } from './place-check.ts';

/** Reads the claim file of a repository. */
export async function readRepository(
  { shown }: ProofPlace,
  { repositories, config }: Context,
): Promise<PlaceCheck> {
  const repository = repositories.place(shown);
  if (!repository) return { result: 'host_unreachable', pinned: false };
  return repositories.check(repository, config.claimFile);
}
