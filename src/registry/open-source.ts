import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { createRegistryClient, type Patience } from './client.ts';
import { openSavedCopy } from './saved-copy.ts';
import { RegistryError, type RegistrySource } from './source.ts';

/** Names the sample that is shipped for a first run without a network. */
export const sampleSource = 'sample';

const samplePath = fileURLToPath(new URL('../../data/sample.json', import.meta.url));
/** Where the shipped sample’s listings come from; a directory of another registry does not begin with it. */
export const sampleOrigin = 'registry.modelcontextprotocol.io (MCP)';

/**
 * Opens what a source text names: an http(s) address of a registry, `sample`, or a saved copy as `file:path` or plain
 * path. Throws RegistryError for `off` and for a copy that cannot be read.
 */
export async function openSource(
  source: string,
  { serviceName, version, PUBLIC_URL }: Pick<Config, 'serviceName' | 'version' | 'PUBLIC_URL'>,
  patience?: Partial<Patience>,
): Promise<RegistrySource> {
  if (source === 'off') throw new RegistryError('no registry is configured (REGISTRY_URL is off)', false);
  if (source === sampleSource)
    return { ...(await openSavedCopy(samplePath, sampleSource)), origin: sampleOrigin };
  if (!/^https?:\/\//i.test(source)) return openSavedCopy(source.replace(/^file:(\/\/(?=\/))?/, ''));
  if (URL.parse(source)?.username) throw new RegistryError('an address with a user in it is not read', false);
  const userAgent = `${serviceName}/${version} (+${PUBLIC_URL})`;
  return createRegistryClient({ url: source, userAgent, patience });
}
