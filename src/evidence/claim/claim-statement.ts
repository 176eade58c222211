import { remotesOn } from './domain.ts';
import { claimMethods } from './methods/index.ts';
import { dayOf, type ShownClaim } from './methods/method.ts';
import { type ClaimKind, isInRepository } from './proof-place.ts';

const place = 'access to the default branch of the repository recorded for the listing';
const limit = 'says nothing of quality or of the publisher.';
const domains =
  'Where the namespace is a domain, a claim may instead show control of that domain, and where it is a GitHub account, write access to the repository of that name; the claim says which.';

/** What a claim shows, for publishers who consider making one. */
export const whatAClaimShows = `A claim shows write ${place}, at a commit, on a date. ${domains} It ${limit}`;

/** What the word `claimed` means on this service. */
export const whatClaimedMeans = (claimFile: string): string =>
  `Claimed means: write ${place} was shown, at a commit, on a date, by committing a challenge as ${claimFile}. ${domains} It ${limit}`;

/** A claim as its sentence needs it. */
export interface StatedClaim extends ShownClaim {
  readonly kind: ClaimKind;
  /** Where and when the claim line was last read in a repository. */
  readonly proven_commit?: string | undefined;
  readonly proven_at?: string | undefined;
  /** Days on which checks failed since the last one that read anything, and when one found the repository missing or moved. */
  readonly failed_days?: readonly string[] | undefined;
  readonly lost_at?: string | undefined;
}

type Remotes = readonly { readonly url: string }[];

const lastProof = ({ commit, proven_commit, proven_at }: StatedClaim) =>
  proven_commit && proven_at && proven_commit !== commit
    ? ` The claim line was last read there at commit ${proven_commit} on ${dayOf(proven_at)}.`
    : '';

const troubleText = ({ failed_days: [since] = [], lost_at }: StatedClaim) =>
  (lost_at ? ` A check on ${dayOf(lost_at)} found that repository missing, empty or moved.` : '') +
  (since ? ` Checks have failed since ${since}.` : '');

function remoteText({ kind, place: domain }: StatedClaim, remotes: Remotes): string {
  if (isInRepository(kind) || domain === undefined) return '';
  if (remotes.length === 0) return ' The listing records no remote.';
  const [host] = remotesOn(domain, remotes);
  return host ? ` The recorded remote ${host} is on ${domain}.` : ` No recorded remote is on ${domain}.`;
}

/** What one claim showed, where and when, and whether a recorded remote is on a proven domain: the same on every face. */
export const claimStatement = (claim: StatedClaim, remotes: Remotes): string =>
  `${claimMethods[claim.kind].shown(claim)}.${lastProof(claim)}${troubleText(claim)}${remoteText(claim, remotes)} This ${limit}`;
