import { getDomain } from 'tldts';
import { handleParts } from './handle.ts';
import { own } from './json.ts';
import knownHosts from './known-hosts.json' with { type: 'json' };

/**
 * `hosting`: domains that are missing from the public-suffix list (tldts, November 2026): each host below them is a publisher
 * of its own. Those under which several namespaces of the registry publish, and services that give a host to anyone. `shared`:
 * hosts and domains that serve many publishers: naming one shows nothing in common. `forges`: hosts of forges, and the host that
 * names their accounts; a forge is compared by account, never by host. `pages`: where forges serve the pages of their accounts:
 * who holds alice.github.io is github.com/alice.
 */
const { hosting: hostingDomains, shared: sharedDomains, forges: forgeHosts, pages: pagesHosts } = knownHosts;

/**
 * What tells whether two listings have something in common (docs/ratings.md): an account `host/owner` of a
 * forge, or a domain that one publisher registers. It is proven by the registry (the namespace) or by a claim, or only
 * stated by a record; `first_imported_at` is when this service first read it, RFC 3339.
 */
export interface RecordedIdentity {
  readonly handle: string;
  readonly kind: 'proven' | 'stated';
  readonly value: string;
  readonly first_imported_at: string;
}

interface NamingRecord {
  readonly repository_key?: string | undefined;
  readonly website?: string | undefined;
  readonly remotes: readonly { readonly url: string }[];
}

const isBelow = (host: string, domain: string) => host.endsWith(`.${domain}`);

/** The domain of a host that one publisher registers: below a hosting domain the host itself, of an unknown name the name. */
export const registrableDomain = (host: string): string =>
  hostingDomains.some((domain) => isBelow(host, domain))
    ? host
    : (getDomain(host, { allowPrivateDomains: true }) ?? host);

/**
 * Whether all of some endpoints are at the registered domain of a handle's namespace; undefined of a namespace that is an
 * account, without an endpoint, and if a host is a template or cannot be read.
 */
export function namespaceHoldsEndpoints(handle: string, urls: readonly string[]): boolean | undefined {
  const domain = handleParts(handle).namespace.toLowerCase().split('.').toReversed().join('.');
  const hosts = urls.map((url) => URL.parse(url)?.hostname ?? '');
  const isAccount = Object.hasOwn(pagesHosts, domain.split('.').slice(-2).join('.'));
  if (isAccount || hosts.length === 0 || hosts.some((host) => host === '' || /[{}]/.test(host)))
    return undefined;
  return hosts.every((host) => registrableDomain(host) === registrableDomain(domain));
}

const pages = /(?:^|\.)([^.]+)\.([^.]+\.[^.]+)$/;

/** Who holds a domain in lower case: an account, else the domain that was registered. */
function holderOf(domain: string): string {
  const [, owner, host = ''] = pages.exec(domain) ?? [];
  const forge = own(pagesHosts, host);
  return forge ? `${forge}/${owner}` : registrableDomain(domain);
}

/** The account of a repository key, whatever host name and port its forge was written with. */
export function repositoryIdentity(repositoryKey: string): string | undefined {
  const [written = '', owner] = repositoryKey.toLowerCase().split('/');
  const host = written.replace(/:\d+$/, '');
  return owner ? `${own(forgeHosts, host) ?? host}/${owner}` : undefined;
}

/** Whom a control root stands for: its account, or the registrable domain of `dns:` and a domain. */
export const rootIdentity = (root: string): string =>
  root.startsWith('dns:')
    ? holderOf(root.slice('dns:'.length).toLowerCase())
    : (repositoryIdentity(root) ?? root);

/**
 * What a control root is counted as: its account, or the domain below a public suffix of a registry. All hosts of a hosting
 * service are one there: an account of it gives as many as one wants.
 */
export function countedSource(root: string): string {
  const identity = rootIdentity(root);
  return identity.includes('/') ? identity : (getDomain(identity) ?? identity);
}

/** What the registry proved about a namespace, as a control root. */
export const namespaceRoot = (handle: string): string =>
  `dns:${handleParts(handle).namespace.toLowerCase().split('.').toReversed().join('.')}`;

/** Whom a namespace stands for: `io.github.<account>` for that account, any other for its domain. */
export const namespaceIdentity = (handle: string): string => rootIdentity(namespaceRoot(handle));

/** What a control root proves: whom it stands for, and of a domain also itself. */
export function provenBy(root: string): string[] {
  const identity = rootIdentity(root);
  return identity.includes('/') ? [identity] : [identity, root.toLowerCase()];
}

/** Whether a proven value is an account or one very domain, not all that is below the domain that was registered. */
export const isExact = (value: string): boolean => value.includes('/') || value.startsWith('dns:');

const publicAddress = /^(?!0\.|10\.|127\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|192\.168\.)\d+(\.\d+){3}$/;

/** What a record names: the account or host as it is written there, and whom that stands for. */
export interface RecordedName {
  readonly name: string;
  readonly holder: string;
}

/** Whom a record names by a host; nobody if the host serves many publishers, or is no public name or address. */
function nameOfHost(named: string): RecordedName | undefined {
  const host = named.toLowerCase().replace(/\.$/, '');
  if (publicAddress.test(host)) return { name: host, holder: host };
  if (sharedDomains.some((domain) => host === domain || isBelow(host, domain))) return undefined;
  if (!getDomain(host, { allowPrivateDomains: true }) || hostingDomains.includes(host)) return undefined;
  const holder = holderOf(host);
  return { name: holder.includes('/') ? holder : host, holder };
}

const nameOfAccount = (account: string | undefined): RecordedName | undefined =>
  account === undefined ? undefined : { name: account, holder: account };

function nameOfUrl(text: string): RecordedName | undefined {
  // The host of a template may be written before its variables.
  const url = URL.parse(text.replace(/[{}]/g, '_'));
  if (!url) return undefined;
  const forge = own(forgeHosts, url.hostname.toLowerCase().replace(/\.$/, ''));
  const owner = url.pathname.split('/')[1]?.toLowerCase();
  if (forge) return nameOfAccount(owner && `${forge}/${owner}`);
  return nameOfHost(url.hostname);
}

/** Every account and host that a record names. */
export const recordedNames = ({ repository_key, website, remotes }: NamingRecord): RecordedName[] =>
  [
    repository_key === undefined ? undefined : nameOfAccount(repositoryIdentity(repository_key)),
    ...[...remotes.map(({ url }) => url), website ?? ''].map(nameOfUrl),
  ].filter((name) => name !== undefined);

/** Whom a version of a record names, and what the registry proved of its namespace, each once. */
export function recordedIdentities(
  handle: string,
  record: NamingRecord,
): Pick<RecordedIdentity, 'kind' | 'value'>[] {
  const proven = namespaceIdentity(handle);
  const stated = new Set(recordedNames(record).map(({ holder }) => holder));
  stated.delete(proven);
  return [
    { kind: 'proven', value: proven },
    ...[...stated].map((value) => ({ kind: 'stated' as const, value })),
  ];
}

/** Names have letters and a dot; addresses have only digits, or colons. */
const isName = (host: string) => /[a-z]/i.test(host) && host.includes('.') && !host.includes(':');

/** The labels of PUBLIC_URL's host in reverse, as names of servers begin; `localhost` for an address and for localhost. */
export function reversedHost(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return isName(hostname) ? hostname.split('.').reverse().join('.') : 'localhost';
}
