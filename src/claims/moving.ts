import { isDeepStrictEqual } from 'node:util';
import { readChallenge } from './challenge.ts';
import { absences, type Claim, type ClaimFile, type ProofPlace } from './claim.ts';
import { type LocationReading, toSubject } from './locations.ts';
import type { ClaimTransaction } from './schema.ts';
import { firstReading } from './standing.ts';

export const movingKey = (place: ProofPlace, hash: string) => `${toSubject(place)} ${hash}`;

/**
 * Returns `Claim.moving` after a reading. A reading of the claim's location removes the lines that are not in
 * its text. A reading of another location removes the lines of that location that were not found at both
 * locations, and adds those that were.
 */
function movingAfter(
  { moving = {}, place_key, kind }: Claim,
  { place, agreed, signed, now }: LocationReading,
  lines: readonly string[],
): Claim['moving'] {
  const known = Object.entries(moving);
  const hashOf = (key: string) => key.slice(key.lastIndexOf(' ') + 1);
  const isHere = kind === place.kind && place_key === place.key;
  if (isHere)
    return signed ? moving : Object.fromEntries(known.filter(([key]) => lines.includes(hashOf(key))));
  const isOfPlace = ([key]: [string, string]) => key === movingKey(place, hashOf(key));
  // A signature cannot be read again. It counts while the claim's location has its line.
  const signedBefore =
    place.kind === 'registry_key' ? known.filter(isOfPlace).map(([key]) => hashOf(key)) : [];
  const present = new Set([...lines, ...signedBefore, ...(signed ? [signed.hash] : [])]);
  const both = [...present].filter((hash) => agreed.has(`${place_key} ${hash}`));
  return Object.fromEntries([
    ...known.filter((one) => !isOfPlace(one)),
    ...both
      .map((hash) => movingKey(place, hash))
      .map((key): [string, string] => [key, firstReading(moving[key], now)]),
  ]);
}

/** Returns the claim after the reading. Only an authoritative reading changes it. */
export async function noteMoving(
  tx: ClaimTransaction,
  reading: LocationReading,
  claim: Claim | undefined,
  file: ClaimFile | string,
): Promise<Claim | undefined> {
  const isConclusive = reading.read.pinned && (typeof file !== 'string' || absences.includes(file));
  if (claim?.state !== 'claimed' || !isConclusive) return claim;
  const texts = typeof file === 'string' ? [] : file.challenges;
  const moving = movingAfter(
    claim,
    reading,
    texts.flatMap((text) => readChallenge(text)?.hash ?? []),
  );
  const isEmpty = Object.keys(moving ?? {}).length === 0;
  if (isEmpty && !claim.moving) return claim;
  const noted = { ...claim, moving: isEmpty ? undefined : moving };
  if (!isDeepStrictEqual(noted, claim)) await tx.claims.putClaim(noted);
  return noted;
}
