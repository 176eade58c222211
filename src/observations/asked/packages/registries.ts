import type { Config } from '../../../config/config.ts';
import { officialRegistries } from '../../../config/settings.ts';
import type { Timeouts } from '../../../config/timeouts.ts';
import { cachedOnce } from '../../../core/cached-once.ts';
import { isWebAddress } from '../../../core/text.ts';
import { own, say } from '../../../core/words.ts';
import { notAsked } from '../../../net/answer.ts';
import { createOutboundClient, type OutboundRules } from '../../../net/client.ts';
import { createPoliteFetch, observerRules, type PoliteFetch, type PoliteParts } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';
import { openAdvisories } from './advisories.ts';
import { askFile } from './file.ts';
import { openImage } from './image.ts';

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
