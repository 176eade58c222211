import type { Config } from '../../../config/config.ts';
import { officialRegistries } from '../../../config/settings.ts';
import type { Timeouts } from '../../../config/timeouts.ts';
import { cachedOnce } from '../../../core/cached-once.ts';
import { readObject } from '../../../core/json.ts';
import { isWebAddress } from '../../../core/text.ts';
import { own, say } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, notAsked } from '../../../net/answer.ts';
import { challengesOf } from '../../../net/challenges.ts';
import { createOutboundClient, type OutboundRules } from '../../../net/client.ts';
import { meaningOf } from '../../../net/meaning.ts';
import { createPoliteFetch, observerRules, type PoliteFetch, type PoliteParts } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';
import { openAdvisories } from './advisories.ts';

const mostHosts = 3;

/** Undefined also for a redirect to a sign-in page or to an address without https. */
function redirectOf(response: Fetched): string | undefined {
  const { location } = response.headers;
  const isRedirect = response.status >= 300 && response.status < 400 && meaningOf(response) === 'otherwise';
  const to = isRedirect && location !== undefined ? URL.parse(location, response.url) : null;
  return to?.protocol === 'https:' ? to.href : undefined;
}

interface FileContext {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  readonly hosts: Config['repositoryHosts'];
}

/** No robots.txt is read at REPOSITORY_HOSTS (docs/decisions/packages.md). */
async function askFile(url: string, { fetch, robots, hosts }: FileContext): Promise<Fetched | NoAnswer> {
  const isAtForge = Object.hasOwn(hosts, URL.parse(url)?.host ?? '');
  let asked = url;
  for (let left = mostHosts; ; left -= 1) {
    const refused = isAtForge ? undefined : await robots(asked);
    const answer = refused ?? (await fetch({ url: asked, method: 'HEAD' }));
    if (answer.result !== 'response') return answer;
    const to = redirectOf(answer);
    // Signed addresses, to which forges redirect, differ with each request.
    if (to === undefined || left === 1) return { ...answer, url };
    asked = to;
  }
}

const manifests = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Where everyone gets a token for public images (distribution specification). */
function tokenUrl(response: Fetched, asked: URL): URL | undefined {
  const { parameters } = challengesOf(response).find(({ scheme }) => scheme === 'bearer') ?? {};
  const url = URL.parse(parameters?.get('realm') ?? '');
  if (!url || (url.protocol !== 'https:' && url.origin !== asked.origin)) return undefined;
  for (const name of ['service', 'scope']) {
    const value = parameters?.get(name);
    if (value) url.searchParams.set(name, value);
  }
  return url;
}

function readToken({ status, text }: Fetched): string | undefined {
  const { token, access_token } = (status === 200 && readObject(text)) || {};
  const found = token ?? access_token;
  return typeof found === 'string' && /^[\x21-\x7e]{1,8192}$/.test(found) ? found : undefined;
}

interface ImageContext {
  readonly ask: PoliteFetch;
  /** Asks hosts other than that of the registry. */
  readonly askPublic: PoliteFetch;
}

function openImage(base: string, { ask, askPublic }: ImageContext) {
  let authorization: string | undefined;
  const get = async (path: string, accept: string): Promise<Fetched | NoAnswer> => {
    const url = `${base}/${path}`;
    const send = () => ask({ url, headers: { accept, ...(authorization && { authorization }) } });
    const first = await send();
    if (first.result !== 'response' || first.status !== 401 || authorization !== undefined) return first;
    const asked = new URL(url);
    const at = tokenUrl(first, asked);
    if (!at) return first;
    const given = await (at.origin === asked.origin ? ask : askPublic)({ url: at.href });
    const token = given.result === 'response' ? readToken(given) : undefined;
    if (token === undefined) return first;
    authorization = `Bearer ${token}`;
    return send();
  };
  return {
    manifest: (reference: string) => get(`manifests/${reference}`, manifests),
    /** Other hosts, to which registries redirect, do not get the token. */
    async blob(digest: string): Promise<Fetched | NoAnswer> {
      const answer = await get(`blobs/${digest}`, '*/*');
      const to = answer.result === 'response' ? redirectOf(answer) : undefined;
      if (answer.result !== 'response' || to === undefined) return answer;
      const moved = await askPublic({ url: to });
      return moved.result === 'response' ? { ...moved, url: answer.url } : moved;
    },
  };
}

/** The operator chose the base URLs, so private addresses are allowed. */
function registryRules(config: Config, timeouts: Pick<Timeouts, 'name_ms'>): OutboundRules {
  const rules = observerRules(config, timeouts);
  const bases = [...Object.values(config.packageRegistries), config.advisories].filter(isWebAddress);
  return {
    ...rules,
    reach(url) {
      if (!bases.some((base) => url.href.startsWith(`${base}/`))) return undefined;
      const usual = rules.reach(url);
      return usual?.addresses === 'any' ? usual : { url, addresses: 'any' };
    },
  };
}

const lookupIsOff = (name: keyof Config['packageRegistries']) =>
  notAsked(say`This service is not configured to look up ${own(name)} packages (PACKAGE_REGISTRIES).`);

/** Requests to the configured APIs are not signed, without robots.txt (docs/decisions/packages.md). */
export function createPackageRegistries(
  config: Config,
  {
    fetch,
    robots,
    ...parts
  }: Pick<PoliteParts, 'queue' | 'watch'> & {
    readonly timeouts: Timeouts;
    readonly fetch: PoliteFetch;
    readonly robots: Robots;
  },
) {
  const bases = config.packageRegistries;
  const client = createOutboundClient(registryRules(config, parts.timeouts));
  const fetchConfigured = createPoliteFetch({ ...parts, client, pauses: 'host', sign: async () => ({}) });
  const fetchIfAllowed: PoliteFetch = async (request) => (await robots(request.url)) ?? fetch(request);
  // Only packages with provenance need it.
  const openCheck = cachedOnce(async () => {
    const { openBundleCheck } = await import('./sigstore.ts');
    return openBundleCheck(config.sigstoreRoot);
  });
  return {
    advisories: openAdvisories(config.advisories, {
      ask: fetchConfigured,
      isPublic: (registry) => bases[registry] === officialRegistries[registry],
    }),
    async verifyBundle(bundle: unknown) {
      const check = await openCheck().catch(() => undefined);
      return check?.(bundle) ?? notAsked(own('The Sigstore keys (SIGSTORE_ROOT) could not be loaded.'));
    },
    async registry(name: Exclude<keyof typeof bases, 'oci'>, path: string) {
      return bases[name] === '' ? lookupIsOff(name) : fetchConfigured({ url: `${bases[name]}${path}` });
    },
    headFile: (url: string, fetchFile: PoliteFetch) =>
      askFile(url, { fetch: fetchFile, robots, hosts: config.repositoryHosts }),
    image({ host, name }: Readonly<Record<'host' | 'name', string>>) {
      if (bases.oci === '') return lookupIsOff('oci');
      const isHub = host === 'docker.io';
      const base = `${isHub ? bases.oci : `https://${host}`}/v2/${name}`;
      return openImage(base, { ask: isHub ? fetchConfigured : fetchIfAllowed, askPublic: fetchIfAllowed });
    },
  };
}
