import { dayText } from '../core/text.ts';
import type { OptOut } from './claim.ts';

export const costOfNewClaim =
  'The cost of a new claim: ratings that the listing has made until then can no longer be changed or withdrawn, and count as those of an ended source; ratings that it has received until then can no longer be responded to; and every earlier capability ends.';

export const howToReplaceCapability =
  'Call claim_agent with rotate: true and the old capability in the Authorization header, publish the new line beside the old one, and call again without rotate. POST /api/capability/revoke with the old capability then ends it at once, and the claim goes on.';

export const lineRules: readonly [lines: string, waiting: string, elsewhere: string] = [
  'A line in the file stands for a capability. The first works at once. A further one works at once if it was asked for with a capability that works, and otherwise after it has stood in the file for seven days, which the page, the history and the feed show from the first reading. A line that two readings a day apart do not find is gone. If none of the earlier lines is left, it is a new claim.',
  'A line has stood for seven days when checks on seven days found it, the first at least seven days ago, and no check that could read the file missed it. Until then, taking it out of the file ends it, and so does anybody with a key that works, by POST /api/capability/revoke with the query id=<capability_id>. At most five lines wait at a time.',
  'The file is at the location of the claim. At another location of the same account or domain, a line that was asked for with a key moves the claim as soon as a check reads it. Any other line at another location begins a new claim when none of the lines of the claim is left.',
];

/** The texts before and after the line. */
export const howToOptOut = (claimFile: string): readonly [string, string] => [
  'To have a listing withdrawn, put the line ',
  ` into ${claimFile} at the root of the default branch of the recorded repository, or anywhere else where the listing can be claimed by a line. Then have the line checked on the claim page, or by claim_agent with the method of that location.`,
];

const onlyOfHolder =
  'While a listing is claimed, only a line at a location of the account or domain that holds the claim withdraws it.';

export const whileWithdrawn = [
  'The page of a withdrawn listing answers 410, the listing leaves the search, and Dossier no longer checks the service.',
  'If the listing is claimed, the claim is suspended meanwhile: its capabilities do not work, and ratings that the listing has made count as those of an ended source.',
];

export const optOutRules: readonly string[] = [
  'A check that is asked for with a capability of the claim withdraws the listing at once, if it reads the line.',
  'Any other check that reads the line only makes a note of it. The listing is withdrawn when a check a day or more later reads the line again. Dossier makes that second check by itself.',
  onlyOfHolder,
  ...whileWithdrawn,
  'The listing is listed again when a check of the location of the line finds a text without that line. If there is no text at all, two checks a day or more apart must find none. The listing is also listed again when it records a repository other than the one with the line. If the line of the claim is still in its place then, the claim is restored as well.',
  'Withdrawal and return are entries of the log.',
];

export const optOutEnd =
  'Keep the line as long as the listing is to stay withdrawn. To have the listing shown again, remove the line, but leave or put some other text there. Without any text, the listing is shown only after a second check a day or more later.';

export function optOutText({ handle, state, seen_at, missing_at }: OptOut, claimState?: string): string {
  const read = `The line "optout ${handle}" was read on ${dayText(seen_at)}`;
  const sooner =
    claimState === 'claimed'
      ? ', and at once if a check is asked for with a capability of its claim (in the Authorization header, or in the field of the claim page)'
      : '';
  const back =
    missing_at === undefined
      ? 'It is listed again when a check finds a text without the line at its location, or when two checks a day or more apart find no text there at all.'
      : `A check on ${dayText(missing_at)} found no text there. The listing is listed again when a check a day or more later finds none either, or when a check before that finds a text without the line. Dossier makes that second check by itself.`;
  return {
    seen: `${read}. The listing is withdrawn when a check a day or more later reads the line again${sooner}. Dossier makes that check by itself.`,
    contested: `${read}. The line withdraws nothing now. ${onlyOfHolder}`,
    overruled: `${read}. The operator had the listing shown again afterwards, so the line withdraws nothing until it has been taken away and put there again.`,
    withdrawn: `${read}, and the listing is withdrawn. ${back}`,
  }[state];
}
