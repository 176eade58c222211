import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.ts';
import { createRegistryClient, type Patience } from './client.ts';
import { openSavedCopy } from './saved-copy.ts';
import { RegistryError, type RegistrySource } from './source.ts';

/** Names the sample that is shipped for a first run without a network. */
export const sampleSource = 'sample';

const samplePath = fileURLToPath(new URL('../../data/sample.json', import.meta.url));
const official = 'registry.modelcontextprotocol.io';
/** Where the shipped sample’s listings come from; a directory of another registry does not begin with it. */
export const sampleOrigin = `${official} (MCP)`;

type Settings = Pick<
  Config,
  'serviceName' | 'version' | 'publicUrl' | 'registryUrl' | 'registryName' | 'origin'
>;

const isWeb = (source: string) => /^https?:\/\//i.test(source);

/**
 * What a source's listings say they come from, for good: the configured origin for the configured source, else the host.
 * A saved copy has no host: it counts as one of the named or the official registry where that is configured.
 */
function originOf(source: string, { registryUrl, registryName, origin }: Settings): string {
  if (source === sampleSource) return sampleOrigin;
  if (source.replace(/\/+$/, '') === registryUrl) return origin;
  if (isWeb(source)) return `${new URL(source).host} (MCP)`;
  const configured = URL.parse(registryUrl)?.host === official ? official : basename(source);
  return `${registryName || configured} (MCP)`;
}

/**
 * Opens what a source text names: an http(s) address of a registry, `sample`, or a saved copy as `file:path` or plain
 * path. Throws RegistryError for `off`, for what is no address, and for a copy that cannot be read.
 */
export async function openSource(
  source: string,
  settings: Settings,
  patience?: Partial<Patience>,
): Promise<RegistrySource> {
  const { serviceName, version, publicUrl } = settings;
  if (source === 'off') throw new RegistryError('no registry is configured (REGISTRY_URL is off)', false);
  const url = isWeb(source) ? URL.parse(source) : undefined;
  if (url === null) throw new RegistryError('not an address', false);
  if (url?.username) throw new RegistryError('an address with a user in it is not read', false);
  const origin = originOf(source, settings);
  if (source === sampleSource) return openSavedCopy(samplePath, origin, sampleSource);
  if (!url) return openSavedCopy(source.replace(/^file:(\/\/(?=\/))?/, ''), origin);
  const userAgent = `${serviceName.replaceAll(' ', '-')}/${version} (+${publicUrl})`;
  return createRegistryClient({ url: source, userAgent, origin, patience });
}
