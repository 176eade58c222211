import { z } from 'zod';
import { Problem } from './problem.ts';
import { code, type Words } from './words.ts';

/** As in server.schema.json, `name`. */
const shortest = 3;
const longest = 200;
const handlePattern = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/** Compared with capitals. */
export const handleSchema = z.string().min(shortest).max(longest).regex(handlePattern);

export const isHandle = (text: string): boolean =>
  text.length >= shortest && text.length <= longest && handlePattern.test(text);

/** Throws invalid_handle. */
export function requireHandle(text: string): string {
  if (!isHandle(text)) throw new Problem('invalid_handle');
  return text;
}

/** No handle or facet is `*`. */
export const everyListing = '*';

export function handleParts(handle: string): { namespace: string; name: string } {
  const slash = handle.indexOf('/');
  return { namespace: handle.slice(0, slash), name: handle.slice(slash + 1) };
}

/** As `host/owner`. */
export const repositoryRoot = (repositoryKey: string): string =>
  repositoryKey.split('/').slice(0, 2).join('/');

export const ownerTexts = {
  yes: 'The namespace names the same owner as the repository.',
  no: 'The namespace names a different owner than the repository.',
  not_comparable: 'Namespace and repository owner cannot be compared.',
} as const;

/** In lower case. */
export const githubAccount = (handle: string): string | undefined =>
  /^io\.github\.([a-z0-9-]{1,39})$/i.exec(handleParts(handle).namespace)?.[1]?.toLowerCase();

/** `domain webhook.co` or `GitHub account alice`. */
export function namespaceText(handle: string): string {
  const { namespace } = handleParts(handle);
  const account = /^io\.github\.(.+)$/i.exec(namespace)?.[1];
  return account ? `GitHub account ${account}` : `domain ${namespace.split('.').toReversed().join('.')}`;
}

export const handleWords = (handle: string): Words => code(handle, `/agents/${handle}`);
