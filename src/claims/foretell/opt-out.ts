import { dayText } from '../../core/text.ts';
import type { Claim, OptOut, ProofPlace } from '../claim.ts';
import { decide } from '../opt-out.ts';
import { isHeld, secondReading_ms } from '../standing.ts';
import type { StandingClaim } from './foretell.ts';

/** The reading that withdraws the listing: the first, a second one a day or more later, or none. */
export type OptOutFate = 'at once' | 'later' | 'never';

/** Of a line on a listing that has no opt-out line yet. */
export function foretellOptOut(
  standing: StandingClaim,
  { place, isHolder }: { readonly place: ProofPlace; readonly isHolder: boolean },
): OptOutFate {
  const { kind, shown, key } = place;
  const { handle, claim, now } = standing;
  const sighting = { kind, place: shown, place_key: key, isThere: true, isText: true };
  const held = claim && isHeld(claim, standing) ? claim : undefined;
  const first = decide([], [sighting], { handle, held, isHolder, now });
  if (first.withdrawnBy) return 'at once';
  const later = new Date(now.getTime() + secondReading_ms);
  const second = decide(first.rows, [sighting], { handle, held, isHolder: false, now: later });
  return second.withdrawnBy ? 'later' : 'never';
}

const fates: Readonly<Record<OptOutFate, string>> = {
  'at once':
    'A check that is asked for with a capability of the claim withdraws the listing at once, if it reads the line.',
  later:
    'Any other check that reads the line only makes a note of it. The listing is withdrawn when a check a day or more later reads the line again. Dossier makes that second check by itself.',
  never:
    'While a listing is claimed, only a line at a location of the account or domain that holds the claim withdraws it.',
};

const comesBack =
  'when a check finds a text without the line at its location, or when two checks a day or more apart find no text there at all';

export const withdrawn = [
  'The page of a withdrawn listing answers 410, and the listing leaves the search.',
  'If the listing is claimed, the claim is suspended meanwhile: its secret keys (capabilities) do not work, and ratings that the listing has made count as those of an ended source.',
  'The listing is listed again when a check of the location of the line finds a text without that line. If there is no text at all, two checks a day or more apart must find none. The listing is also listed again when it records a repository other than the one with the line. If the line of the claim is still in its place then, the claim is restored as well.',
  'Withdrawal and return are entries of the log.',
];

export const optOutEnd =
  'Keep the line as long as the listing is to stay withdrawn. To have the listing shown again, remove the line, but leave or put some other text there. Without any text, the listing is shown only after a second check a day or more later.';

/** The texts before and after the line. */
export const howToOptOut = (claimFile: string): readonly [string, string] => [
  'To have a listing withdrawn, put the line ',
  ` into ${claimFile} at the root of the default branch of the recorded repository, or anywhere else where the listing can be claimed by a line. Then have the line checked on the claim page, or by claim_agent with the method of that location.`,
];

/** For any listing. */
export const optOutEffects: readonly string[] = [fates['at once'], fates.later, fates.never, ...withdrawn];

/** For this listing. */
export function optOutRules(standing: StandingClaim, places: readonly ProofPlace[]): readonly string[] {
  const found = new Set(
    places.flatMap((place) => [
      ...(standing.claim?.state === 'claimed' ? [foretellOptOut(standing, { place, isHolder: true })] : []),
      foretellOptOut(standing, { place, isHolder: false }),
    ]),
  );
  const isOnly = !found.has('at once');
  const later = isOnly ? fates.later.replace('Any other check', 'A first check') : fates.later;
  const said = [...(isOnly ? [] : [fates['at once']]), later, ...(found.has('never') ? [fates.never] : [])];
  return [...said, ...withdrawn];
}

export function optOutText(
  { handle, state, seen_at, missing_at }: OptOut,
  claim: Pick<Claim, 'state'> | undefined,
): string {
  const read = `The line "optout ${handle}" was read on ${dayText(seen_at)}`;
  const sooner =
    claim?.state === 'claimed'
      ? ', and at once if a check is asked for with a capability of its claim (in the Authorization header, or in the field of the claim page)'
      : '';
  const back =
    missing_at === undefined
      ? `It is listed again ${comesBack}.`
      : `A check on ${dayText(missing_at)} found no text there. The listing is listed again when a check a day or more later finds none either, or when a check before that finds a text without the line. Dossier makes that second check by itself.`;
  return {
    seen: `${read}. The listing is withdrawn when a check a day or more later reads the line again${sooner}. Dossier makes that check by itself.`,
    contested: `${read}. The line withdraws nothing now. ${fates.never}`,
    overruled: `${read}. The operator had the listing shown again afterwards, so the line withdraws nothing until it has been taken away and put there again.`,
    withdrawn: `${read}, and the listing is withdrawn. ${back}`,
  }[state];
}
