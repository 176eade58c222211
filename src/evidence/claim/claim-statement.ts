const place = 'access to the default branch of the repository recorded for the listing';
const limit = 'says nothing of quality or of the publisher.';

/** What a claim shows, for publishers who consider making one. */
export const whatAClaimShows = `A claim shows write ${place}, at a commit, on a date. It ${limit}`;

/** What the word `claimed` means on this service. */
export const whatClaimedMeans = (claimFile: string): string =>
  `Claimed means: write ${place} was shown, at a commit, on a date, by committing a challenge as ${claimFile}. It ${limit}`;

/** When a claim was made, and at which commit if that is known. */
interface ShownClaim {
  readonly claimed_at: string;
  readonly commit?: string | undefined;
  /** Where and when the claim line was last read. */
  readonly proven_commit?: string | undefined;
  readonly proven_at?: string | undefined;
}

const lastProof = ({ commit, proven_commit, proven_at }: ShownClaim) =>
  proven_commit && proven_at && proven_commit !== commit
    ? ` The claim line was last read there at commit ${proven_commit} on ${proven_at.slice(0, 10)}.`
    : '';

/** What one claim showed, at which commit and when: the same sentence on every face. */
export const claimStatement = (claim: ShownClaim): string => {
  const { claimed_at, commit } = claim;
  const at = commit ? ` at commit ${commit}` : '';
  return `Write ${place} was shown${at} on ${claimed_at.slice(0, 10)}.${lastProof(claim)} This ${limit}`;
};
