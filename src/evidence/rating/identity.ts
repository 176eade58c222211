import { getDomain } from 'tldts';
import { handleParts } from '../handle.ts';
import { own } from '../text/json-object.ts';
import { forgeHosts, hostingDomains, sharedDomains } from './hosting.ts';

/**
 * What tells whether two listings have something in common (docs/trust.md section 3): an account `host/owner` of a
 * forge, or a host by its registrable domain. `claim` is an account that a claim proved.
 */
export interface Identity {
  readonly kind: 'account' | 'host' | 'claim';
  readonly value: string;
}

/** An identity of a listing, and when this service first read it, RFC 3339. */
export interface RecordedIdentity extends Identity {
  readonly handle: string;
  readonly first_imported_at: string;
}

/** The parts of a record that name accounts and hosts. */
export interface NamingRecord {
  readonly repository_key: string | undefined;
  readonly website: string | undefined;
  readonly remotes: readonly { readonly url: string }[];
}

const account = (value: string): Identity => ({ kind: 'account', value });
const isBelow = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`);

/** The domain of a host that one publisher registers: below a hosting domain the host itself, of an unknown name the name. */
export const registrableDomain = (host: string): string =>
  hostingDomains.some((domain) => host.endsWith(`.${domain}`))
    ? host
    : (getDomain(host, { allowPrivateDomains: true }) ?? host);

/** A host, lower-case and without port and final dot, by the domain that a publisher can register; none if shared. */
function hostIdentity(named: string): Identity | undefined {
  const host = named.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (sharedDomains.some((domain) => isBelow(host, domain))) return undefined;
  if (hostingDomains.some((domain) => host.endsWith(`.${domain}`))) return { kind: 'host', value: host };
  const domain = getDomain(host, { allowPrivateDomains: true });
  return domain && !hostingDomains.includes(domain) ? { kind: 'host', value: domain } : undefined;
}

function urlIdentity(text: string): Identity | undefined {
  // The host of a template may be written before its variables.
  const url = URL.parse(text.replace(/[{}]/g, '_'));
  if (!url) return undefined;
  const forge = own(forgeHosts, url.hostname.toLowerCase().replace(/\.$/, ''));
  const owner = url.pathname.split('/')[1]?.toLowerCase();
  if (forge) return owner ? account(`${forge}/${owner}`) : undefined;
  return hostIdentity(url.hostname);
}

/** The account of a repository key, whatever host name and port its forge was written with. */
export function repositoryIdentity(repositoryKey: string): Identity | undefined {
  const [written = '', owner] = repositoryKey.toLowerCase().split('/');
  const host = written.replace(/:\d+$/, '');
  return owner ? account(`${own(forgeHosts, host) ?? host}/${owner}`) : undefined;
}

/** What a control root stands for: the account of `host/owner`, the registrable domain of `dns:` and a domain. */
export const rootIdentity = (root: string): Identity | undefined =>
  root.startsWith('dns:') ? hostIdentity(root.slice('dns:'.length)) : repositoryIdentity(root);

const forgeNamespaces = { 'io.github': 'github.com', 'io.gitlab': 'gitlab.com' } as const;

/** What the registry proved about a namespace: `io.github.<account>` is that account, any other its domain. */
export function namespaceIdentity(handle: string): Identity | undefined {
  const labels = handleParts(handle).namespace.toLowerCase().split('.');
  const [first, second, owner] = labels;
  const forge = Object.entries(forgeNamespaces).find(([start]) => start === `${first}.${second}`)?.[1];
  if (forge) return owner ? account(`${forge}/${owner}`) : undefined;
  return hostIdentity(labels.reverse().join('.'));
}

/** Every account and host that a version of a record names, its namespace included, each once. */
export function recordedIdentities(
  handle: string,
  { repository_key, website, remotes }: NamingRecord,
): Identity[] {
  const named = [
    namespaceIdentity(handle),
    repository_key === undefined ? undefined : repositoryIdentity(repository_key),
    ...[...remotes.map(({ url }) => url), website ?? ''].map(urlIdentity),
  ].filter((identity) => identity !== undefined);
  return [...new Map(named.map((identity) => [identity.value, identity])).values()];
}
