import type { Listing } from '../listing.ts';

/** A line `optout <handle>` that a check read in the listing's recorded repository. Times are RFC 3339 UTC. */
export interface OptOut {
  readonly handle: string;
  /** `seen`: waits for a second check. `withdrawn`: the listing is. `overruled`: the operator restored the listing. */
  readonly state: 'seen' | 'withdrawn' | 'overruled';
  readonly repository: string;
  readonly repository_key: string;
  readonly seen_at: string;
  readonly checked_at: string;
  /** The withdrawn listing as its record states it, to restore it from. */
  readonly listing: Listing | undefined;
}

/** How long after the first check that read the line a listing that was never claimed is withdrawn. */
export const secondCheck_ms = 86_400_000;

/** How a repository opts a listing out, for its maintainers: the texts before and after the line. */
export const howToOptOut = (claimFile: string): readonly [string, string] => [
  'To have a listing withdrawn, put the line ',
  ` into ${claimFile} at the root of the default branch of the recorded repository. A claimed listing is withdrawn at the next check, one that was never claimed when two checks a day apart read the line. Its page then answers 410 and it leaves the search. When the line is gone, or the listing records another repository, it is listed again. Both are entries of the log.`,
];

/** What a listing that was never claimed waits for, after the first check that read the line. */
export const waitsForSecondCheck = ({ handle, seen_at }: OptOut): string =>
  `The line "optout ${handle}" was read on ${seen_at.slice(0, 10)}. A listing that was never claimed is withdrawn when a check a day or more later reads it again.`;
