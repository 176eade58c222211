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
 * The operator chose the configured bases, so they are reached at any address, and nothing else is.
 * HOST_OVERRIDES come first.
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
 * The robots.txt of configured registries is not read, since they are APIs for programs
 * (docs/decisions/packages.md); that of other image hosts is.
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
  // Loaded on first use, since only packages with provenance need it.
  const openCheck = cachedOnce(async () => {
    const { openBundleCheck } = await import('./sigstore.ts');
    return openBundleCheck(config.sigstoreRoot);
  });
  return {
    /** Gets the advisories about a package from the source in ADVISORIES. */
    advisories: openAdvisories(config.advisories, {
      ask,
      isPublic: (registry) => bases[registry] === officialRegistries[registry],
    }),
    /** Checks whether a Sigstore bundle (JSON) is signed under the trusted keys. */
    async signature(bundle: unknown) {
      const check = await openCheck().catch(() => undefined);
      return check?.(bundle) ?? notAsked(own('The file of SIGSTORE_ROOT cannot be read.'));
    },
    /** Sends a GET for a path of a registry. */
    async registry(name: Exclude<keyof typeof bases, 'oci'>, path: string) {
      return bases[name] === '' ? off(name) : ask({ url: `${bases[name]}${path}` });
    },
    /** Sends a HEAD for the address of a package file. */
    file: (url: string, asking: PoliteFetch) =>
      askFile(url, { fetch: asking, robots, hosts: config.repositoryHosts }),
    /** Opens a public container image by its registry's host and its repository there. */
    image({ host, name }: Readonly<Record<'host' | 'name', string>>) {
      if (bases.oci === '') return off('oci');
      const isHub = host === 'docker.io';
      const base = `${isHub ? bases.oci : `https://${host}`}/v2/${name}`;
      return openImage(base, { ask: isHub ? ask : askPublic, askPublic });
    },
  };
}
