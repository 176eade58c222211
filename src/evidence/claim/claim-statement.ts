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
}

/** What one claim showed, at which commit and when: the same sentence on every face. */
export const claimStatement = ({ claimed_at, commit }: ShownClaim): string =>
  `Write ${place} was shown${commit ? ` at commit ${commit}` : ''} on ${claimed_at.slice(0, 10)}. This ${limit}`;
