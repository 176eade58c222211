import type { Config } from '../../config/config.ts';
import { claimMethods } from '../../evidence/claim/methods/index.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';

/** What to do next with a new pair. */
export function nextWhenIssued(place: ProofPlace, file: string): string {
  if (place.kind === 'repository')
    return `Keep the capability that came with the challenge you commit; it is shown only now. Commit file_contents as ${file} at the root of the default branch of the recorded repository, keeping the lines it already has, then send the same request again.`;
  const then = place.kind === 'registry_key' ? '' : ' Then send the same request again, with this method.';
  return `Keep the capability that came with the challenge you use; it is shown only now. ${claimMethods[place.kind].whereToPut(place, file)}${then}`;
}

/** What to do next with a claim that stands. */
export function nextWhenClaimed(
  { kind }: ProofPlace,
  { claimFile, isObserving }: Pick<Config, 'claimFile' | 'isObserving'>,
): string {
  const use = 'Use the capability whose capability_id is in capabilities, as Authorization: Bearer.';
  const look = isObserving
    ? ' POST /api/capability/look with it asks Dossier to look at your service at once, every 10 minutes.'
    : '';
  const more = `Request with rotate: true to get a new one.${look}`;
  if (kind === 'registry_key')
    return `${use} It works while the key that signed its line is published. ${more}`;
  const place = kind === 'repository' || kind === 'profile_repository' ? `in ${claimFile}` : 'where it is';
  return `${use} Keep its line ${place}: removing it suspends the capability. ${more}`;
}

/** What to do next with a challenge that is not proven. */
export const nextWhenNotProven = (place: ProofPlace, file: string): string =>
  place.kind === 'repository'
    ? `Commit the challenge line in ${file} at the root of the default branch, then send the same request again. Omit challenge to get a new one.`
    : `${claimMethods[place.kind].whereToPut(place, file)} Then send the same request again. Omit challenge to get a new one.`;
