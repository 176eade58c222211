import type { Context } from '../context.ts';
import { parseClaimFile } from '../evidence/claim/claim-file.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import type { NoAnswer } from '../evidence/observation/answer.ts';
import type { RepositoryCheck } from '../repositories/reader.ts';

/** Whether a claim file says it; undefined where it could not be read. */
function isRefusedIn(read: RepositoryCheck): boolean | undefined {
  if (read.result === 'file_absent') return false;
  const file = read.result === 'file' ? parseClaimFile(read.text) : 'too_large';
  return file === 'too_large' ? undefined : file.isObservationRefused;
}

/**
 * Whether the publisher asks to be left alone: a line `observe: no` in the claim file of the recorded repository. A refusal holds until
 * the file is read without that line, or is not there any more; where it was never read, a file that cannot be read asks for nothing.
 */
export async function findRefusal(
  { handle, repository }: Pick<Listing, 'handle' | 'repository'>,
  { repositories, config, store }: Pick<Context, 'repositories' | 'config' | 'store'>,
): Promise<NoAnswer | undefined> {
  const place = repository === undefined ? undefined : repositories.place(repository);
  if (!place) return undefined;
  const reason = `${config.claimFile} in ${place.key} asks Dossier not to check this service (a line "observe: no").`;
  const isRefused = isRefusedIn(await repositories.check(place, config.claimFile));
  const known = isRefused === undefined ? await store.observations.ofListing(handle) : undefined;
  const wasRefused = known?.observations.some((one) => one.state === 'refused' && one.reason === reason);
  return (isRefused ?? wasRefused) ? { result: 'refused', reason } : undefined;
}
