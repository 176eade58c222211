import type { Context } from '../context.ts';
import { parseClaimFile } from '../evidence/claim/claim-file.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import type { NoAnswer } from '../evidence/observation/answer.ts';

/**
 * Whether the publisher asks to be left alone: a line `observe: no` in the claim file of the recorded repository. A file
 * that cannot be read asks for nothing.
 */
export async function findRefusal(
  { repository }: Listing,
  { repositories, config }: Pick<Context, 'repositories' | 'config'>,
): Promise<NoAnswer | undefined> {
  const place = repository === undefined ? undefined : repositories.place(repository);
  if (!place) return undefined;
  const read = await repositories.check(place, config.claimFile);
  const file = read.result === 'file' ? parseClaimFile(read.text) : 'too_large';
  if (file === 'too_large' || !file.isObservationRefused) return undefined;
  return {
    result: 'refused',
    reason: `${config.claimFile} in ${place.key} asks Dossier not to check this service (a line "observe: no").`,
  };
}
