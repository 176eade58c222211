import { getDomain, parse } from 'tldts';
import { handleParts } from './handle.ts';
import { ownMember } from './json.ts';
import knownHosts from './known-hosts.json' with { type: 'json' };
import { hasTemplateHost } from './text.ts';

/**
 * `hosting`: hosting services that the public-suffix list (tldts, November 2026) lacks. Each host below one
 * belongs to another publisher.
 * `shared`: hosts and domains that serve many publishers.
 * `forges`: hosts of forges and their image registries, with the host of names of accounts.
 * `routes`: first segments of a path at a forge that name no account.
 * `pages`: of accounts: the holder of alice.github.io is github.com/alice.
 */
const {
  hosting: hostingDomains,
  shared: sharedDomains,
  forges: forgeHosts,
  routes: forgeRoutes,
  pages: pagesHosts,
} = knownHosts;

/**
 * `value` is the `id` or `place` of a Holder, `proven` by a namespace or claim or `stated` by a record.
 * `first_imported_at` (RFC 3339) is by this service.
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
  readonly packages: readonly { readonly registry_type: string; readonly identifier: string }[];
}

const isBelow = (host: string, domain: string) => host.endsWith(`.${domain}`);

/**
 * One label below the public suffix; the host itself below a `hosting` domain, or if it has no such domain.
 */
export const registrableDomain = (host: string): string =>
  hostingDomains.some((domain) => isBelow(host, domain))
    ? host
    : (getDomain(host, { allowPrivateDomains: true }) ?? host);

/** The service above the host (`vercel.app`). */
export function hostingDomain(host: string): string | undefined {
  const named = hostingDomains.find((domain) => isBelow(host, domain));
  if (named !== undefined) return named;
  const { publicSuffix, isPrivate } = parse(host, { allowPrivateDomains: true });
  return isPrivate && publicSuffix !== host ? (publicSuffix ?? undefined) : undefined;
}

const pages = /(?:^|\.)([^.]+)\.([^.]+\.[^.]+)$/;

function accountOfPages(domain: string): string | undefined {
  const [, owner, host = ''] = pages.exec(domain) ?? [];
  const forge = ownMember(pagesHosts, host);
  return forge && `${forge}/${owner}`;
}

/** The same for each host and port of a forge. */
export function repositoryIdentity(repositoryKey: string): string | undefined {
  const [written = '', owner] = repositoryKey.toLowerCase().split('/');
  const host = written.replace(/:\d+$/, '');
  return owner ? `${ownMember(forgeHosts, host) ?? host}/${owner}` : undefined;
}

const domainOfNamespace = (handle: string) =>
  handleParts(handle).namespace.toLowerCase().split('.').toReversed().join('.');

/** The registry verifies the namespace, never the repository. A domain cannot be compared. */
export function namespaceMatchesRepositoryOwner(
  handle: string,
  repositoryKey: string | undefined,
): 'yes' | 'no' | 'not_comparable' {
  const account = accountOfPages(domainOfNamespace(handle));
  if (account === undefined || !repositoryKey) return 'not_comparable';
  return repositoryIdentity(repositoryKey) === account ? 'yes' : 'no';
}

/** docs/ratings.md */
export class Holder {
  /** Matches holders: an account `host/owner`, or else `registrableDomain`. */
  readonly id: string;
  /** As proven or named: the account, or `dns:` and the exact domain. */
  readonly place: string;

  /** A control root, or a repository of a forge. */
  constructor(root: string) {
    const domain = root.startsWith('dns:') ? root.slice('dns:'.length).toLowerCase() : undefined;
    const account = domain === undefined ? (repositoryIdentity(root) ?? root) : accountOfPages(domain);
    this.id = account ?? registrableDomain(domain ?? root);
    this.place = account ?? `dns:${domain}`;
  }

  static ofHost(host: string): Holder {
    return new Holder(`dns:${host}`);
  }

  static ofNamespace(handle: string): Holder {
    return Holder.ofHost(domainOfNamespace(handle));
  }

  get isAccount(): boolean {
    return this.id.includes('/');
  }

  /** A hosting service counts as one, because one account can create any number of its hosts. */
  get counted(): string {
    return this.isAccount ? this.id : (getDomain(this.id) ?? this.id);
  }

  get proven(): string[] {
    return [...new Set([this.id, this.place])];
  }

  same(other: Holder): boolean {
    return this.id === other.id;
  }

  /** A hosting service does not contain its users' hosts, which `same` tells apart. */
  contains(other: Holder): boolean {
    const isWithin = this.place.startsWith('dns:') && isBelow(other.place, this.place.slice('dns:'.length));
    return this.same(other) && (this.place === other.place || isWithin);
  }
}

/**
 * `on` is the domain or below it. `beside` has the same registrable domain, which does not show that the
 * publisher controls the host.
 */
export type EndpointPlace = 'on' | 'beside' | 'elsewhere';

/** Undefined for an account, without endpoints, and for a template or unreadable host. */
export function placesOfEndpoints(handle: string, urls: readonly string[]): EndpointPlace[] | undefined {
  const publisher = Holder.ofNamespace(handle);
  const hosts = urls.map((url) => URL.parse(url)?.hostname ?? '');
  if (publisher.isAccount || hosts.length === 0 || hosts.includes('') || urls.some(hasTemplateHost))
    return undefined;
  return urls.map((url, at) => {
    if (isOnNamespace(handle, url)) return 'on';
    return publisher.same(Holder.ofHost(hosts[at] ?? '')) ? 'beside' : 'elsewhere';
  });
}

/** Looks up no public suffix, so that readers may ask for any number of listings. */
export function isOnNamespace(handle: string, url: string): boolean {
  const domain = domainOfNamespace(handle);
  const { hostname = '' } = URL.parse(url) ?? {};
  if (accountOfPages(domain) !== undefined || hasTemplateHost(url)) return false;
  return hostname === domain || isBelow(hostname, domain);
}

/** `github.com/alice`, or a registrable domain. */
export const namespaceIdentity = (handle: string): string => Holder.ofNamespace(handle).id;

/** The beginning of all namespaces of one owner. */
export function namespacePrefix(handle: string): string {
  const reversed = namespaceIdentity(handle).split('.').toReversed().join('.');
  const { namespace } = handleParts(handle);
  return `${namespace}.`.startsWith(`${reversed}.`) ? reversed : namespace;
}

const servesMany = (host: string): boolean =>
  sharedDomains.some((domain) => host === domain || isBelow(host, domain)) ||
  hostingDomains.includes(host) ||
  (parse(host, { allowPrivateDomains: true }).isPrivate === true &&
    getDomain(host, { allowPrivateDomains: true }) === null);

const anyLabel = '0any0';

/**
 * May name one publisher of many: an account such as `@alice`, the path without the usual ending of an
 * endpoint, or else the query.
 */
function tenantOf(rest: string): string {
  const [path = '', query] = rest.split('?', 2);
  const segments = path.split('/').filter(Boolean);
  if (segments[0]?.startsWith('@')) return segments[0].toLowerCase();
  const named = /^(?:mcp|sse)$/i.test(segments.at(-1) ?? '') ? segments.slice(0, -1) : segments;
  return named.length > 0 ? named.join('/') : query ? `?${query}` : '';
}

/**
 * As far as the address tells; at a host that serves many with `tenantOf`. The host may be a template and
 * have a port.
 */
export function ownerAt(host: string, rest: string): string {
  const label = host.replace(/:(?:\d+|\{[^{}]*\})$/, '').replace(/\{[^{}]*\}/g, anyLabel);
  const forge = ownMember(forgeHosts, label);
  const account = rest.split(/[/?]/)[1]?.toLowerCase();
  if (forge && account && !forgeRoutes.includes(account)) return `${forge}/${account}`;
  if (servesMany(label)) return `${host}/${tenantOf(rest)}`.replace(/\/$/, '');
  const { id } = Holder.ofHost(label);
  return id.includes(anyLabel) ? host : id;
}

const publicAddress = /^(?!0\.|10\.|127\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|192\.168\.)\d+(\.\d+){3}$/;

export function hasPublicSuffix(name: string): boolean {
  const { isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  return isIcann === true || isPrivate === true;
}

/** Undefined also for private addresses and names without a registrable domain. */
function readHost(named: string): Holder | undefined {
  const host = named.toLowerCase().replace(/\.$/, '');
  if (publicAddress.test(host)) return Holder.ofHost(host);
  if (servesMany(host) || !getDomain(host, { allowPrivateDomains: true })) return undefined;
  return Holder.ofHost(host);
}

function readUrl(text: string): Holder | undefined {
  // tldts finds no domain in a host with braces.
  const url = URL.parse(text.replace(/[{}]/g, '_'));
  if (!url) return undefined;
  const forge = ownMember(forgeHosts, url.hostname.toLowerCase().replace(/\.$/, ''));
  const owner = url.pathname.split('/')[1]?.toLowerCase();
  if (forge) return owner && !forgeRoutes.includes(owner) ? new Holder(`${forge}/${owner}`) : undefined;
  return readHost(url.hostname);
}

/** Undefined for an account, and for a host or a domain that serves many. */
export function websiteDomain(website: string): string | undefined {
  const holder = readUrl(website);
  return holder && !holder.isAccount ? holder.id : undefined;
}

/** Only an account of a forge: strangers share other hosts of downloads. */
function readPackage({ registry_type, identifier }: NamingRecord['packages'][number]): Holder | undefined {
  const holder = readUrl(registry_type.toLowerCase() === 'oci' ? `https://${identifier}` : identifier);
  return holder?.isAccount ? holder : undefined;
}

export function recordedHolders({ repository_key, website, remotes, packages }: NamingRecord): Holder[] {
  const account = repository_key === undefined ? undefined : repositoryIdentity(repository_key);
  const named = [...remotes.map(({ url }) => url), website ?? ''].map(readUrl);
  const holders = [account === undefined ? undefined : new Holder(account), ...named];
  return [...holders, ...packages.map(readPackage)].filter((holder) => holder !== undefined);
}

/** Proven by the registry, and stated by a version of a record. */
export function recordedIdentities(
  handle: string,
  record: NamingRecord,
): Pick<RecordedIdentity, 'kind' | 'value'>[] {
  const proven = namespaceIdentity(handle);
  const stated = new Set(recordedHolders(record).map(({ id }) => id));
  stated.delete(proven);
  return [
    { kind: 'proven', value: proven },
    ...[...stated].map((value) => ({ kind: 'stated' as const, value })),
  ];
}

const isName = (host: string) => /[a-z]/i.test(host) && host.includes('.') && !host.includes(':');

/** `localhost` for an IP address or one label. */
export function reversedHost(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return isName(hostname) ? hostname.split('.').reverse().join('.') : 'localhost';
}

/** Like `com.example`. */
export function isOfReversedDomain(handle: string): boolean {
  const labels = handleParts(handle).namespace.split('.');
  return (
    labels.length > 1 && parse(labels.toReversed().join('.'), { allowPrivateDomains: false }).isIcann === true
  );
}
