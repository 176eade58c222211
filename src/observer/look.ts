import type { Timeouts } from '../config/timeouts.ts';
import { type Fetched, type NoAnswer, toContent } from '../evidence/observation/answer.ts';
import type { DnsLook, EndpointLook, TlsLook } from '../evidence/observation/endpoint-look.ts';
import type { Look, Subject } from '../evidence/observation/look.ts';
import type { ImageReference } from '../evidence/observation/package-look.ts';
import type { Reach } from '../outbound/client.ts';
import { isAddress } from '../outbound/public-address.ts';
import type { RepositoryReader } from '../repositories/reader.ts';
import { askEndpoint } from './endpoint/ask.ts';
import type { Dns } from './endpoint/dns.ts';
import type { ClientInfo } from './endpoint/eras.ts';
import { askOverStream } from './endpoint/sse.ts';
import { readCertificate } from './endpoint/tls.ts';
import type { PackageRegistries } from './packages/registries.ts';
import type { PoliteFetch } from './polite/polite-fetch.ts';
import type { Robots } from './polite/robots.ts';
import { createTimes } from './polite/time-left.ts';
import type { PriceCatalogs } from './price-catalogs.ts';
import { createRepositoryLook } from './repository-look.ts';

/** What the looks of one process share. */
export interface LookParts {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  readonly repositories: RepositoryReader;
  readonly packages: PackageRegistries;
  readonly catalogs: PriceCatalogs;
  readonly client: ClientInfo;
  readonly timeouts: Timeouts;
  readonly dns: Dns;
  /** Where a recorded address is reached, HOST_OVERRIDES included; undefined for one that is not public. */
  reach(url: URL): Reach | undefined;
}

const notChecked = (reason: string): NoAnswer => ({ result: 'not_checked', reason });

/** Why an address is not asked at all; undefined for one that can be. */
function whyNot(url: string): NoAnswer | undefined {
  if (/[{}]/.test(url)) return notChecked('The recorded address is a template that each caller fills in.');
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return notChecked('The recorded address is not an http or https URL.');
  if (parsed.username + parsed.password !== '')
    return notChecked('The recorded address contains credentials; Dossier sends none.');
  return undefined;
}

/** Most remotes of one listing that are checked. */
const mostRemotes = 10;

/** One remote for each address, the one of a transport that is checked first: a fact is about an address. */
function distinct({ remotes, ...listing }: Subject): Subject {
  const checkedFirst = remotes.toSorted((a, b) => Number(a.type === 'sse') - Number(b.type === 'sse'));
  const byUrl = new Map(checkedFirst.toReversed().map((remote) => [remote.url, remote]));
  const one = remotes.filter((remote) => byUrl.get(remote.url) === remote);
  return { ...listing, remotes: one.slice(0, mostRemotes) };
}

/** Asks once for each key. */
function memoize<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const answer = known.get(key) ?? ask(key);
    known.set(key, answer);
    return answer;
  };
}

/** Who gets one of these for initialize asks over the older transport (2025-11-25, Transports, Backwards Compatibility). */
const fallBackAfter: ReadonlySet<unknown> = new Set([400, 404, 405]);

async function askAsClients(url: string, parts: LookParts): Promise<EndpointLook | NoAnswer> {
  const look = await askEndpoint(url, parts);
  if (look.result === 'answered' || !fallBackAfter.has(look.cause)) return look;
  const older = await askOverStream(url, parts);
  return older.result === 'answered' && older.introduction ? older : look;
}

async function ask(url: string, isStream: boolean, parts: LookParts): Promise<EndpointLook | NoAnswer> {
  const refused = whyNot(url) ?? (await parts.robots(url));
  return refused ?? (isStream ? askOverStream(url, parts) : askAsClients(url, parts));
}

async function get(url: string, { fetch, robots }: LookParts): Promise<Fetched | NoAnswer> {
  return whyNot(url) ?? (await robots(url)) ?? toContent(await fetch({ url }));
}

async function certificate(origin: string, { reach }: LookParts): Promise<TlsLook | NoAnswer> {
  const url = URL.parse(origin);
  if (url?.protocol !== 'https:') return notChecked('The recorded address is not an https URL.');
  const reached = reach(url);
  if (reached && reached.url.protocol !== 'https:')
    return notChecked('The host is reached at an address without TLS here (HOST_OVERRIDES).');
  return readCertificate(url, reached);
}

async function dns(hostname: string, parts: LookParts): Promise<DnsLook | NoAnswer> {
  if (isAddress(hostname)) return notChecked('The recorded address names no host, but an IP address.');
  return parts.dns(hostname);
}

/**
 * A look at one listing: each question is asked once, and every kind of fact shares the answer. If `refusal` is given,
 * nothing of the publisher's is asked, and that is why.
 */
export function createLook(
  subject: Subject,
  parts: LookParts,
  { now, refusal }: { readonly now: Date; readonly refusal: NoAnswer | undefined },
): Look {
  const listing = distinct(subject);
  const unlessRefused = <T>(question: (key: string) => Promise<T | NoAnswer>) =>
    memoize(async (key: string) => refusal ?? question(key));
  const timesOf = createTimes(parts.timeouts);
  const fetch: PoliteFetch = (request) => parts.fetch({ ...request, times: timesOf(request.url) });
  const timed = { ...parts, fetch };
  const streams = new Set(listing.remotes.flatMap(({ type, url }) => (type === 'sse' ? [url] : [])));
  const endpoint = unlessRefused((url) => ask(url, streams.has(url), timed));
  const repository = createRepositoryLook(listing, parts.repositories);
  const headOnce = memoize(() => repository.head());
  const commit = memoize(async () => repository.commit(await headOnce('')));
  const file = memoize(async (path) => repository.file(await headOnce(''), path));
  const npm = memoize((path) => parts.packages.registry('npm', path));
  const pypi = memoize((path) => parts.packages.registry('pypi', path));
  const image = memoize((key) => parts.packages.image(JSON.parse(key) as ImageReference));
  return {
    listing,
    now,
    endpoint: ({ url }) => endpoint(url),
    get: unlessRefused((url) => get(url, timed)),
    tls: unlessRefused((origin) => certificate(origin, parts)),
    dns: unlessRefused((hostname) => dns(hostname, parts)),
    head: () => headOnce(''),
    commit: () => commit(''),
    file,
    catalogs: (url) => parts.catalogs(url),
    registry: (name, path) => (name === 'npm' ? npm(path) : pypi(path)),
    image: (asked) => image(JSON.stringify(asked)),
    signature: (bundle) => parts.packages.signature(bundle),
    advisories: (ecosystem, name) => parts.packages.advisories(ecosystem, name),
  };
}
