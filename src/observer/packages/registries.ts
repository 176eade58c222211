import { cachedOnce } from '../../cached-once.ts';
import type { Config } from '../../config/config.ts';
import type { Timeouts } from '../../config/timeouts.ts';
import type { Fetched, NoAnswer } from '../../evidence/observation/answer.ts';
import type { Look } from '../../evidence/observation/look.ts';
import { createOutboundClient, type OutboundRules } from '../../outbound/client.ts';
import type { HostQueue } from '../polite/host-queue.ts';
import { createPoliteFetch, type PoliteFetch } from '../polite/polite-fetch.ts';
import type { Robots } from '../polite/robots.ts';
import { observerRules } from '../rules.ts';
import { createAdvisories } from './advisories.ts';
import { readManifest } from './images.ts';

/** Answers questions about packages and images: from the registries of PACKAGE_REGISTRIES, and from files. */
export type PackageRegistries = Pick<Look, 'registry' | 'image' | 'signature' | 'advisories'>;

/** What the requests of one process share. */
export interface RegistryParts {
  readonly fetch: PoliteFetch;
  readonly queue: HostQueue;
  readonly robots: Robots;
  readonly timeouts: Timeouts;
}

type Bases = Config['packageRegistries'];

/** Only what lies under a configured base, at any address: the operator named it. HOST_OVERRIDES come first. */
function registryRules(config: Config): OutboundRules {
  const rules = observerRules(config);
  const bases = Object.values(config.packageRegistries).filter(Boolean);
  return {
    ...rules,
    reach(url) {
      if (!bases.some((base) => url.href.startsWith(`${base}/`))) return undefined;
      const usual = rules.reach(url);
      return usual?.addresses === 'any' ? usual : { url, addresses: 'any' };
    },
  };
}

const off = (name: keyof Bases): NoAnswer => ({
  result: 'not_checked',
  reason: `This service is not configured to look up ${name} packages (PACKAGE_REGISTRIES).`,
});

/**
 * Creates the questions about packages. Configured registries are APIs for programs, so their robots.txt is not read
 * (docs/decisions/0028-how-package-registries-are-asked.md); that of any other image host is.
 */
export function createPackageRegistries(
  config: Config,
  { fetch, queue, robots, timeouts }: RegistryParts,
): PackageRegistries {
  const bases = config.packageRegistries;
  const client = createOutboundClient(registryRules(config));
  const ask = createPoliteFetch({ client, queue, timeouts, pauses: 'host', sign: async () => ({}) });
  const askPublic: PoliteFetch = async (request) => (await robots(request.url)) ?? fetch(request);
  // Loaded lazily: only packages with provenance need it.
  const openCheck = cachedOnce(async () => {
    const { openBundleCheck } = await import('./sigstore.ts');
    return openBundleCheck(config.sigstoreRoot);
  });
  return {
    advisories: createAdvisories(config.advisories),
    async signature(bundle) {
      const check = await openCheck().catch(() => undefined);
      return (
        check?.(bundle) ?? { result: 'not_checked', reason: 'The file of SIGSTORE_ROOT cannot be read.' }
      );
    },
    async registry(name, path): Promise<Fetched | NoAnswer> {
      return bases[name] === '' ? off(name) : ask({ url: `${bases[name]}${path}` });
    },
    async image({ host, name, reference }) {
      if (bases.oci === '') return off('oci');
      const isHub = host === 'docker.io';
      const url = `${isHub ? bases.oci : `https://${host}`}/v2/${name}/manifests/${reference}`;
      return readManifest(url, { ask: isHub ? ask : askPublic, askPublic });
    },
  };
}
