import type { Context } from '../context.ts';
import { isInRepository, type ProofPlace, type SeenFacts } from '../evidence/claim/proof-place.ts';
import type { ReadFailure } from '../repositories/reader.ts';

interface ReadFacts {
  /** Of a repository: the commit and branch that HEAD pointed to. */
  readonly commit?: string;
  readonly branch?: string;
  /** Whether this reading is authoritative: only such a one takes something away. */
  readonly pinned: boolean;
  readonly seen?: SeenFacts;
}

/** The text of a place where a listing can be claimed, or why it could not be read. */
export type PlaceCheck =
  | (ReadFacts & { readonly result: 'file'; readonly text: string })
  | (ReadFacts & { readonly result: ReadFailure; readonly retry_after_s?: number });

/** Reads the text of a place: claim lines, and every other line that the owner of a listing states there. Never throws. */
export async function readPlace(place: ProofPlace, { repositories, config }: Context): Promise<PlaceCheck> {
  const repository = isInRepository(place.kind) ? repositories.place(place.shown) : undefined;
  if (!repository) return { result: 'host_unreachable', pinned: false };
  return repositories.check(repository, config.claimFile);
}
