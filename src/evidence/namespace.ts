import { handleParts } from './handle.ts';

/** Forges whose accounts the registry maps to namespaces, by the namespace's start. */
const forgeNamespaces = { 'io.github.': 'github.com', 'io.gitlab.': 'gitlab.com' } as const;

/** `host/owner` of a repository key: the account that holds the repository. */
export const repositoryRoot = (repositoryKey: string): string =>
  repositoryKey.split('/').slice(0, 2).join('/');

/**
 * Whether the account in the handle's namespace is the one that holds the recorded repository. The registry proves
 * the namespace, never the repository; a namespace that is a domain cannot be compared.
 */
export function namespaceMatchesRepositoryOwner(
  handle: string,
  repositoryKey: string | null | undefined,
): 'yes' | 'no' | 'not_comparable' {
  const namespace = handleParts(handle).namespace.toLowerCase();
  const forge = Object.entries(forgeNamespaces).find(([start]) => namespace.startsWith(start));
  if (!forge || !repositoryKey) return 'not_comparable';
  const [start, host] = forge;
  return repositoryRoot(repositoryKey) === `${host}/${namespace.slice(start.length)}` ? 'yes' : 'no';
}

/** The three answers to that question in words, the same on every face. */
export const ownerTexts = {
  yes: 'The namespace names the same owner as the repository.',
  no: 'The namespace names another owner than the repository.',
  not_comparable: 'Namespace and repository owner cannot be compared.',
} as const;
