import type { Config } from '../../config/config.ts';
import { officialRegistries } from '../../config/settings.ts';
import type { Timeouts } from '../../config/timeouts.ts';
import { cachedOnce } from '../../core/cached-once.ts';
import { own, say } from '../../core/words.ts';
import { notAsked } from '../../net/answer.ts';
import { createOutboundClient, type OutboundRules } from '../../net/client.ts';
import { createPoliteFetch, observerRules, type PoliteFetch, type PoliteParts } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';
import { isAddress, openAdvisories } from './advisories.ts';
import { askFile } from './file.ts';
import { openImage } from './image.ts';

/**
 * Only what lies under a configured base, at any address: the operator named it. HOST_OVERRIDES come first.
 */
function registryRules(config: Config, timeouts: Pick<Timeouts, 'name_ms'>): OutboundRules {
  const rules = observerRules(config, timeouts);
  const bases = [...Object.values(config.packageRegistries), config.advisories].filter(isAddress);
  return {
    ...rules,
    reach(url) {
      if (!bases.some((base) => url.href.startsWith(`${base}/`))) return undefined;
      const usual = rules.reach(url);
      return usual?.addresses === 'any' ? usual : { url, addresses: 'any' };
    },
  };
}

const off = (name: keyof Config['packageRegistries']) =>
  notAsked(say`This service is not configured to look up ${own(name)} packages (PACKAGE_REGISTRIES).`);

/**
 * Creates the questions about packages and images, answered from PACKAGE_REGISTRIES, ADVISORIES and files.
 * Configured registries are APIs for programs, so their robots.txt is not read (docs/decisions/packages.md);
 * that of any other image host is.
 */
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
  const ask = createPoliteFetch({ ...parts, client, pauses: 'host', sign: async () => ({}) });
  const askPublic: PoliteFetch = async (request) => (await robots(request.url)) ?? fetch(request);
  // Loaded lazily: only packages with provenance need it.
  const openCheck = cachedOnce(async () => {
    const { openBundleCheck } = await import('./sigstore.ts');
    return openBundleCheck(config.sigstoreRoot);
  });
  return {
    /** Advisories about a package, as ADVISORIES says. */
    advisories: openAdvisories(config.advisories, {
      ask,
      isPublic: (registry) => bases[registry] === officialRegistries[registry],
    }),
    /** Whether a Sigstore bundle (JSON) of a statement is signed under the trusted keys. */
    async signature(bundle: unknown) {
      const check = await openCheck().catch(() => undefined);
      return check?.(bundle) ?? notAsked(own('The file of SIGSTORE_ROOT cannot be read.'));
    },
    /** What a GET of a path of a registry gives. */
    async registry(name: Exclude<keyof typeof bases, 'oci'>, path: string) {
      return bases[name] === '' ? off(name) : ask({ url: `${bases[name]}${path}` });
    },
    /** What a HEAD of the address of a package file gives. */
    file: (url: string, asking: PoliteFetch) =>
      askFile(url, { fetch: asking, robots, hosts: config.repositoryHosts }),
    /** A container image that everyone may read, by the host of its registry and its repository there. */
    image({ host, name }: Readonly<Record<'host' | 'name', string>>) {
      if (bases.oci === '') return off('oci');
      const isHub = host === 'docker.io';
      const base = `${isHub ? bases.oci : `https://${host}`}/v2/${name}`;
      return openImage(base, { ask: isHub ? ask : askPublic, askPublic });
    },
  };
}
