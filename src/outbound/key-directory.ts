import { cachedOnce } from '../cached-once.ts';
import type { Config } from '../config/config.ts';
import { asObject, type JsonObject, readObject } from '../evidence/text/json-object.ts';
import { createOutboundClient, type FetchFailure } from './client.ts';
import { reachPublic } from './reach.ts';

/** The keys of a host's directory, or why they could not be read. */
export type DirectoryKeys = readonly JsonObject[] | FetchFailure;
/** Reads the keys with which a host signs HTTP messages; `authority` is its name, with the port if that is not 443. */
export type KeyDirectories = (authority: string) => Promise<DirectoryKeys>;

const path = '/.well-known/http-message-signatures-directory';
const cachedHosts = 500;
const cached_ms = 60_000;
const exchange_ms = 8000;
/** Keys of one host; later ones are not read. */
const mostKeys = 20;

function toKeys(text: string): DirectoryKeys {
  const keys = readObject(text)?.keys;
  if (!Array.isArray(keys)) return 'host_error';
  return keys
    .slice(0, mostKeys)
    .map(asObject)
    .filter((key) => key !== undefined);
}

/** Creates a reader of key directories that asks a host at most once a minute, whatever it answers. */
export function createKeyDirectories({ hostOverrides, version, publicUrl }: Config): KeyDirectories {
  const client = createOutboundClient({
    userAgent: `Dossier/${version} (+${publicUrl})`,
    bodyLimit_bytes: 65_536,
    headerLimit_bytes: 16_384,
    reach: (url) => reachPublic(url, hostOverrides),
  });
  const read = async (authority: string): Promise<DirectoryKeys> => {
    const url = URL.parse(`https://${authority}${path}`);
    if (!url) return 'host_unreachable';
    const answer = await client.fetch({ url, deadline: AbortSignal.timeout(exchange_ms) });
    if (answer.result !== 'response') return answer.result;
    return answer.status === 200 ? toKeys(answer.body.toString('utf8')) : 'host_error';
  };
  return cachedOnce(read, { most: cachedHosts, ttl_ms: cached_ms });
}
