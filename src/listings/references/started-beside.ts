import { toRepositoryKey } from '../../net/repository-place.ts';
import type { ListingPackage } from '../listing.ts';
import { type Command, readCommands, readCommandsIn } from './command.ts';
import { toPackageKey, toPackageReference } from './references.ts';

/** An image with its registry, in whichever type of package. */
const imageForm =
  /^(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?\/[a-z\d][\w./-]*(?::[\w.-]+)?(?:@sha256:[\da-f]{64})?$/;
/** A package with its scope, or the code of a repository. */
const codeForm = /^(?:@[a-z\d][\w.-]*\/[a-z\d]|git\+https:\/\/|github:)/i;

const mostOfOne = 5;

const readWord = (word: string): Command[] => {
  const by = imageForm.test(word) ? ['docker', 'run'] : codeForm.test(word) ? ['npx'] : undefined;
  return by ? readCommands([...by, word], {}) : [];
};

/** What the start arguments of a package name that is not it: other packages, and repositories. */
export function startedBeside(recorded: ListingPackage) {
  const { runtime_arguments = [], arguments: behind = [] } = recorded;
  const own = toPackageReference(recorded).key;
  const found = [...runtime_arguments.flatMap(readWord), ...readCommandsIn(behind)];
  const named = found.flatMap(({ registry, name, address = '' }) => {
    const key = name === undefined ? toRepositoryKey(address) : toPackageKey(name, registry);
    return key === undefined || key === own ? [] : [[key, { key, text: name ?? address }] as const];
  });
  return [...new Map(named).values()].slice(0, mostOfOne);
}
