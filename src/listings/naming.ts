import {
  hasPublicSuffix,
  hostingDomain,
  ownerAt,
  placesOfEndpoints,
  repositoryIdentity,
} from '../core/identity.ts';
import { hasTemplateHost, isTemplate } from '../core/text.ts';
import { isAddress as isIpAddress, isPublicAddress, plainAddress } from '../net/addresses.ts';
import { toRepositoryKey } from '../net/repository-place.ts';
import {
  type Listing,
  type ListingInput,
  type ListingPackage,
  type RecordedOwners,
  recordedOwners,
} from './listing.ts';
import { isAddress } from './references/command.ts';
import { toPackageReference } from './references/references.ts';
import { startedBeside } from './references/started-beside.ts';

export interface Secret {
  /** As spelled first. */
  readonly name: string;
  required: boolean;
  /** The places of endpoints and the packages that get it. */
  readonly to: Set<string>;
  readonly places: Set<string>;
  /** Called a secret by another record of the listing only. */
  readonly isPlain?: true;
}

/** A word or variable with which a package is started. */
export interface Setting {
  readonly text: string;
  readonly hosts: ReadonlyMap<string, string | undefined>;
  /** Can start other code. */
  readonly isOfRuntime: boolean;
}

export type Naming = Readonly<ReturnType<typeof toNaming>>;

const addressForm = /^([a-z][a-z0-9+.-]*):\/\/((?:[^/?#]*@)?)([^/?#]*)([^#]*)/i;

/** As requested, so that `/a/../b` is `/b`. */
function behindHost(behind: string): string {
  const url = URL.parse(`https://host${behind.startsWith('/') ? '' : '/'}${behind}`);
  const requested = url ? `${url.pathname}${url.search}` : behind;
  return requested
    .replace(/%7B/gi, '{')
    .replace(/%7D/gi, '}')
    .replace(/\/(?=\?|$)/, '');
}

/**
 * Variables of a template stay as written. `text`: `https://host/path?query`, the host in lower case;
 * `place`: the host, or `owner` at one that serves many publishers.
 */
export function readAddress(address: string) {
  const slashed = address.replaceAll('\\', '/');
  const parsed = URL.parse(address);
  const found = addressForm.exec(slashed) ?? addressForm.exec(parsed?.href ?? '');
  const [, scheme = '', user = '', written = slashed, behind = ''] = found ?? [];
  const isOpen = isTemplate(written);
  const isPlain = scheme.toLowerCase() === 'http';
  const named = (isOpen ? undefined : parsed?.host) || written;
  const usualPort = isOpen && (isPlain ? /:80$/ : /:443$/);
  // The dot of the DNS root makes no other name.
  const host = (usualPort ? named.replace(usualPort, '') : named).toLowerCase().replace(/\.(?=:\d+$|$)/, '');
  const rest = behindHost(behind);
  const owner = ownerAt(host, rest);
  const text = found ? `${scheme.toLowerCase()}://${user}${host}${rest}` : host;
  return { text, host, owner, place: owner.startsWith(`${host}/`) ? owner : host, isPlain };
}

/** Files are named by the repository, host or account of their address. */
function nameOfPackage(recorded: ListingPackage): readonly [name: string, owner: string | undefined] {
  const { key, registry = '' } = toPackageReference(recorded);
  if (!isAddress(recorded.identifier)) return [`${registry}:${key}`, ownerOfPackage(registry, key)];
  const { host, text } = readAddress(recorded.identifier);
  const [, , , folder = ''] = text.split(/[/?]/);
  const owner = ownerAt(host, `/${folder}`);
  const repository = toRepositoryKey(recorded.identifier);
  const isOfForge = repository !== undefined && repositoryIdentity(repository) === owner;
  return [`${registry}:${isOfForge ? repository : owner.startsWith(`${host}/`) ? owner : host}`, owner];
}

export const versionInFile = /[-_.]?(?:v?\d+(?:\.\d+)+(?:-?(?:alpha|beta|rc)(?:[.\d]*\d)?)?|\d{6,})/gi;

/** Without a version; a file also by its name, as each of a release is its own. */
export function nameOfStarted(recorded: ListingPackage): ReturnType<typeof nameOfPackage> {
  const [name, owner] = nameOfPackage(recorded);
  if (!isAddress(recorded.identifier)) return [name, owner];
  const file = recorded.identifier.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  return [`${name}/${file.replace(versionInFile, '')}`, owner];
}

/** The scope or account in the name. */
function ownerOfPackage(registry: string, key: string): string | undefined {
  if (/^npm(?: |$)/.test(registry))
    return /^@[^/]+(?=\/)/.test(key) ? `${registry}:${key.split('/')[0]}` : undefined;
  if (!/^(?:oci|mcpb)(?: |$)/.test(registry) || !key.includes('/')) return undefined;
  return /^[^/]*[.:]/.test(key) ? repositoryIdentity(key) : key.split('/')[0];
}

/** One item of each owner first, so that many of one hide no other. */
export function firstOfEach<T>(items: readonly T[], ownerOf: (item: T) => string): T[] {
  const first = new Set(new Map(items.toReversed().map((item) => [ownerOf(item), item])).values());
  return items.toSorted((a, b) => Number(first.has(b)) - Number(first.has(a)));
}

type Owning = Pick<Listing, 'handle' | 'remotes' | 'packages'>;

/** Looks hosts up in the public suffix list, so the import stores the result. */
export const deriveOwners = ({ handle, remotes, packages }: Owning): RecordedOwners => ({
  remotes: remotes.map(({ url }) => {
    const { owner, place } = readAddress(url);
    const [at] = placesOfEndpoints(handle, [url]) ?? [];
    const hosting = hasTemplateHost(url) ? undefined : hostingDomain(URL.parse(url)?.hostname ?? '');
    return { owner, place, ...(at && { at }), ...(hosting && { hosting }) };
  }),
  packages: packages.map((recorded) => {
    const [name, owner = name] = nameOfPackage(recorded);
    const addresses = recorded.runtime_arguments?.filter((word) => word.includes('://')) ?? [];
    const hosts = [...hostsIn(addresses.join(' ')).keys()];
    const starts = startedBeside(recorded).map(({ text }) => text);
    return {
      name,
      owner,
      ...(hosts.length > 0 && { runtime_hosts: hosts }),
      ...(starts.length > 0 && { starts }),
    };
  }),
});

/** Of a listing, or of its document. */
export const ownersOf = (
  listing: Owning & { readonly [key in 'owners' | typeof recordedOwners]?: RecordedOwners | undefined },
): RecordedOwners => listing[recordedOwners] ?? listing.owners ?? deriveOwners(listing);

/** Undefined if they cannot be compared with the namespace, or there are none. */
export function holdsEndpoints(listing: Parameters<typeof ownersOf>[0]): boolean | undefined {
  const places = ownersOf(listing).remotes.map(({ at }) => at);
  return places.length === 0 || places.includes(undefined) ? undefined : places.every((at) => at === 'on');
}

interface Asking {
  readonly remotes: readonly {
    readonly url: string;
    readonly places?: readonly string[];
    readonly inputs?: readonly ListingInput[] | undefined;
  }[];
  readonly packages: readonly (ListingPackage & { readonly name?: string })[];
}

/** By name in lower case, because names of headers ignore case. */
export function secretsOf({ remotes, packages }: Asking, isSecret = true): Map<string, Secret> {
  const secrets = new Map<string, Secret>();
  const add = (to: readonly string[], isEndpoint: boolean, inputs: readonly ListingInput[] = []) => {
    for (const { name, secret, required } of inputs) {
      if (secret !== isSecret) continue;
      const none = { name, required: false, to: new Set<string>(), places: new Set<string>() };
      const known = secrets.get(name.toLowerCase()) ?? none;
      known.required ||= required;
      for (const one of to) known.to.add(one);
      if (isEndpoint) for (const one of to) known.places.add(one);
      secrets.set(name.toLowerCase(), known);
    }
  };
  for (const { url, places = [readAddress(url).place], inputs } of remotes) add(places, true, inputs);
  for (const { name, ...recorded } of packages)
    add([name ?? nameOfPackage(recorded)[0]], false, recorded.inputs);
  return secrets;
}

/** The caller's own machine or network. */
const ownHost = /^[^.]*$|\.(?:localhost|local|internal|lan)$/;

function isRemote(host: string): boolean {
  const name = plainAddress(host.replace(/:(?:\d+|\{[^{}]*\})$/, ''));
  return isIpAddress(name) ? isPublicAddress(name) : !ownHost.test(name);
}

/** Endings of file names that are also public suffixes. */
const fileEnding = /\.(?:py|sh|rs|md|pl|so|ps|cc|zip|mov|app)$/i;
const bareHost = /(?<![\w./-])((?:[a-z0-9-]+\.)+[a-z]{2,}|\d+(?:\.\d+){3})(?::\d+)?([/:][^\s"'`<>]*)?/gi;

/** In addresses or alone, with their owners, but not the caller's own. */
export function hostsIn(text: string): Map<string, string> {
  const hosts = new Map<string, string>();
  const spaced = text.replace(/[a-z][a-z0-9+.-]{0,19}:\/\//gi, ' $&');
  const others = spaced.replace(/[a-z][a-z0-9+.-]{0,19}:\/\/[^\s"'`<>]+/gi, (address) => {
    const { host, place, owner } = readAddress(address.replace(/(?<![,;|)\]])[,;|)\]]+$/, ''));
    if (isRemote(host)) hosts.set(place, owner);
    return ' ';
  });
  for (const [, written = '', path = ''] of others.matchAll(bareHost)) {
    const host = written.toLowerCase();
    const isNamed = isIpAddress(host) ? isRemote(host) : hasPublicSuffix(host) && !fileEnding.test(host);
    if (isNamed) hosts.set(host, ownerAt(host, path.replace(/^:/, '/')));
  }
  return hosts;
}

interface Recorded extends Pick<Listing, 'repository_key'> {
  /** A form that Dossier does not read, too many items or too long values. */
  readonly isPartlyRead: boolean;
  readonly mayNameMore: { readonly endpoints: boolean; readonly packages: boolean };
  readonly remotes: readonly {
    readonly url: string;
    readonly type: string;
    readonly addresses: readonly string[];
    readonly inputs?: readonly ListingInput[];
  }[];
  readonly packages: readonly (ListingPackage & { readonly settings: readonly Setting[] })[];
}

/** A record may name one place or package several times. */
const allByName = <T>(named: readonly (readonly [name: string, one: T])[]): ReadonlyMap<string, T[]> =>
  new Map([...Map.groupBy(named, ([name]) => name)].map(([name, all]) => [name, all.map(([, one]) => one)]));

/** Where callers go, what they run and who gets their secrets, as versions are compared. */
export function toNaming({ remotes, packages, repository_key, isPartlyRead, mayNameMore }: Recorded) {
  const read = remotes.map(({ addresses, ...remote }) => ({
    ...remote,
    addresses: addresses.map(readAddress),
  }));
  const all = read.flatMap(({ addresses }) => addresses);
  const named = packages.map((recorded) => ({ recorded, owned: nameOfStarted(recorded) }));
  const types = [
    ...read.flatMap(({ type, addresses }) => addresses.map(({ text }) => [text, type] as const)),
    ...named.map(({ recorded, owned: [name] }) => [name, recorded.transport ?? ''] as const),
  ].filter(([, type]) => type !== '');
  const asking = {
    remotes: read.map(({ addresses, ...one }) => ({ ...one, places: addresses.map(({ place }) => place) })),
    packages: named.map(({ recorded, owned: [name] }) => ({ ...recorded, name })),
  };
  return {
    /** At hosts that serve many publishers, with the owner's part of the path. */
    endpoints: new Map<string, string | undefined>(all.map(({ place, owner }) => [place, owner])),
    /** One for each value of a variable. `isPlain` marks http. */
    addresses: new Map(all.map(({ text, place, isPlain }) => [text, { place, isPlain }])),
    /** The types, by addresses of endpoints and names of packages. */
    transports: new Map([...allByName(types)].map(([place, all]) => [place, new Set(all)] as const)),
    /** Without versions; each file of a release is its own. */
    packages: new Map(named.map(({ owned }) => owned)),
    /** With the whole name; that of a file is its address. */
    packageKeys: new Set(packages.map(toPackageReference).map(({ key, registry }) => `${registry}:${key}`)),
    /** Of each package with the name. */
    starts: allByName(named.map(({ recorded, owned: [name] }) => [name, recorded.settings] as const)),
    secrets: secretsOf(asking),
    /** Not called secrets. */
    plainInputs: secretsOf(asking, false),
    repository_key,
    isPartlyRead,
    mayNameMore,
  };
}
