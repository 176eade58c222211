import type { ClaimKind, ProofPlace, SeenFacts } from '../proof-place.ts';

/** The parts of a listing that decide where it can be claimed. */
export interface ClaimableRecord {
  readonly handle: string;
  readonly repository: string | undefined;
}

/** `host/path` of a repository's address in lower case; undefined unless this service is configured to read it. */
export type ToRepositoryKey = (address: string) => string | undefined;

/** What a sentence about a claim is made of. */
export interface ShownClaim {
  readonly claimed_at: string;
  readonly commit?: string | undefined;
  /** Where it was proven: the address of a repository, or a domain. */
  readonly place?: string | undefined;
  readonly seen?: SeenFacts | undefined;
}

/** One way to claim a listing: where it is proven, how it is explained, and what it shows. */
export interface ClaimMethod {
  readonly kind: ClaimKind;
  /** What is done, in a few words. */
  readonly title: string;
  /** What is looked for. */
  readonly noun: string;
  /** What is shown, to be read after `claimed: `. */
  readonly control: string;
  /** Where this listing can be claimed so; undefined if it cannot. */
  placeOf(record: ClaimableRecord, toKey: ToRepositoryKey): ProofPlace | undefined;
  /** False where it would add nothing to the other ways; absent: never. */
  isOffered?(record: ClaimableRecord, toKey: ToRepositoryKey): boolean;
  /** Where the challenge line goes, in one sentence. */
  whereToPut(place: ProofPlace, claimFile: string): string;
  /** What is copied: a shell command or a record, with the challenge in it. */
  toCopy(place: ProofPlace, challenge: string): string;
  /** What a claim showed, without its end: `Write access to ... was shown at commit ... on ...`. */
  shown(claim: ShownClaim): string;
}

/** The day of a time. */
export const dayOf = (time: string): string => time.slice(0, 10);

/** A number of DNS servers, in words. */
export const resolversText = (resolvers = 1): string =>
  `${{ 1: 'one', 2: 'two', 3: 'three' }[resolvers] ?? resolvers} resolver${resolvers === 1 ? '' : 's'}`;
