import { getDomain } from 'tldts';
import { handleParts } from '../handle.ts';

const forgeNamespaces = /^io\.git(hub|lab)\./;
/** RFC 1123 section 2.1: letters, digits and hyphens. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const longestName = 230;

/**
 * The domain that a namespace stands for: its labels reversed. Undefined for the namespaces of forge accounts, and where it
 * is no name that someone can register.
 */
export function namespaceDomain(handle: string): string | undefined {
  const namespace = handleParts(handle).namespace.toLowerCase();
  if (forgeNamespaces.test(namespace)) return undefined;
  const labels = namespace.split('.').toReversed();
  const domain = labels.join('.');
  const isName = domain.length <= longestName && labels.every((one) => label.test(one));
  return isName && getDomain(domain, { allowPrivateDomains: true }) ? domain : undefined;
}

/** Names of one listing that are asked for. */
const mostNames = 5;

/**
 * A domain and those above it, down to the one that can be registered: whose DNS proves the namespace too. Of a deeper one the
 * domain itself and the four names nearest to the registrable one.
 */
export function domainsAbove(domain: string): string[] {
  const registrable = getDomain(domain, { allowPrivateDomains: true }) ?? domain;
  const labels = domain.split('.');
  const last = labels.length - registrable.split('.').length;
  const names = labels.slice(0, last + 1).map((_, at) => labels.slice(at).join('.'));
  return names.length > mostNames ? [domain, ...names.slice(1 - mostNames)] : names;
}

/** The hosts of recorded remotes that are the domain or below it. */
export const remotesOn = (domain: string, remotes: readonly { readonly url: string }[]): string[] => [
  ...new Set(
    remotes
      .map(({ url }) => URL.parse(url.replace(/[{}]/g, '_'))?.hostname.toLowerCase() ?? '')
      .filter((host) => host === domain || host.endsWith(`.${domain}`)),
  ),
];
