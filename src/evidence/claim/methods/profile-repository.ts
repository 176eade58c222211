import { githubAccount, repositoryRoot } from '../../namespace.ts';
import { type ClaimMethod, dayOf } from './method.ts';

/** A file in the repository that has the name of the account in the namespace: github.com/alice/alice for io.github.alice. */
export const profileRepositoryMethod: ClaimMethod = {
  kind: 'profile_repository',
  title: 'Commit a file to the profile repository of the account',
  noun: 'File in the repository',
  control: 'write access to the repository of its account',
  placeOf({ handle }, toKey) {
    const account = githubAccount(handle);
    const shown = `https://github.com/${account}/${account}`;
    const key = account === undefined ? undefined : toKey(shown);
    return key === undefined
      ? undefined
      : { kind: 'profile_repository', shown, key, root: repositoryRoot(key) };
  },
  isOffered({ handle, repository }, toKey) {
    const key = repository === undefined ? undefined : toKey(repository);
    return key === undefined || repositoryRoot(key) !== `github.com/${githubAccount(handle)}`;
  },
  whereToPut: ({ shown }, claimFile) =>
    `Commit the line to ${shown} as ${claimFile}, at the root of the default branch; make that repository if there is none. It proves the account in the namespace.`,
  toCopy: (_place, challenge) => challenge,
  shown: ({ claimed_at, commit, place }) =>
    `Write access to the default branch of ${place}, the repository with the name of the account in the namespace, was shown${commit ? ` at commit ${commit}` : ''} on ${dayOf(claimed_at)}`,
};
