import { repositoryRoot } from '../../namespace.ts';
import { type ClaimMethod, dayOf } from './method.ts';

/** A file in the recorded repository (specification, "Claim procedure"). */
export const repositoryMethod: ClaimMethod = {
  kind: 'repository',
  title: 'Commit a file to the recorded repository',
  noun: 'File in the repository',
  control: 'write access to its repository',
  placeOf({ repository }, toKey) {
    const key = repository === undefined ? undefined : toKey(repository);
    if (repository === undefined || key === undefined) return undefined;
    return { kind: 'repository', shown: repository, key, root: repositoryRoot(key) };
  },
  whereToPut: ({ shown }, claimFile) =>
    `Commit the line to ${shown} as ${claimFile}, at the root of the default branch.`,
  toCopy: (_place, challenge) => challenge,
  shown: ({ claimed_at, commit }) =>
    `Write access to the default branch of the repository recorded for the listing was shown${commit ? ` at commit ${commit}` : ''} on ${dayOf(claimed_at)}`,
};
