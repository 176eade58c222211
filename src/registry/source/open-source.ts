import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedOnce } from '../../cached-once.ts';
import { type Config, copySuffix } from '../../config/config.ts';
import { isHandle } from '../../evidence/handle.ts';
import { sampleOrigin, sampleSource } from '../../evidence/listing/state/sample.ts';
import { createRegistryClient, type Patience } from './client.ts';
import { openSavedCopy } from './saved-copy.ts';
import { RegistryError, type RegistrySource } from './source.ts';

const samplePath = fileURLToPath(new URL('../../../data/sample.json', import.meta.url));
const official = 'registry.modelcontextprotocol.io';
/** Origin of the directories that start with the shipped sample; one of another registry does not. */
export const officialOrigin = `${official} (MCP)`;

type Settings = Pick<
  Config,
  'serviceName' | 'version' | 'publicUrl' | 'registryUrl' | 'registryName' | 'origin'
>;

const isWeb = (source: string) => /^https?:\/\//i.test(source);

/**
 * The origin stored with a source's listings: the configured one for the configured source, else the host. A saved copy
 * has no host: its origin is REGISTRY_NAME, else the official registry if that is configured, else its file name.
 */
function originOf(source: string, { registryUrl, registryName, origin }: Settings): string {
  if (source.replace(/\/+$/, '') === registryUrl) return origin;
  if (isWeb(source)) return `${new URL(source).host} (MCP)`;
  const configured = URL.parse(registryUrl)?.host === official ? official : basename(source);
  return `${registryName || configured} (MCP)${copySuffix}`;
}

const openSample = () => openSavedCopy(samplePath, sampleOrigin, sampleSource);

async function readHandles(): Promise<readonly string[]> {
  const { entries } = await (await openSample()).page({});
  const names = entries.map((entry) => (entry as { server: { name: string } }).server.name);
  return [...new Set(names.filter(isHandle))];
}

/** The handles of the shipped sample, which fits on one page. */
export const readSampleHandles = cachedOnce<readonly string[]>(readHandles);

/**
 * Opens a source: the http(s) address of a registry, `sample`, or a saved copy as `file:path` or plain path. Throws
 * RegistryError for `off`, for an invalid address and for a copy that cannot be read.
 */
export async function openSource(
  source: string,
  settings: Settings,
  patience?: Partial<Patience>,
): Promise<RegistrySource> {
  const { serviceName, version, publicUrl } = settings;
  if (source === 'off') throw new RegistryError('no registry is configured (REGISTRY_URL is off)', false);
  const url = isWeb(source) ? URL.parse(source) : undefined;
  if (url === null) throw new RegistryError('invalid address', false);
  if (url?.username) throw new RegistryError('the address must not contain a user name', false);
  const origin = originOf(source, settings);
  if (source === sampleSource) return openSample();
  const path = source.replace(/^file:(\/\/(?=\/))?/, '');
  if (!url) return resolve(path) === samplePath ? openSample() : openSavedCopy(path, origin);
  const userAgent = `${serviceName.replaceAll(' ', '-')}/${version} (+${publicUrl})`;
  return createRegistryClient({ url: source, userAgent, origin, patience });
}
