import type { Fetched, NoAnswer } from '../../evidence/observation/answer.ts';
import type { PoliteFetch } from '../polite/polite-fetch.ts';

/** OCI image indexes and manifests, and their older Docker forms. */
const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const bearer = /^bearer\s/i;
const parameters = /([a-z]+)="([^"]{1,1000})"/gi;

/** The address that gives everyone a token to read public images, as a 401 names it (distribution specification). */
function tokenUrl(challenge: string, asked: URL): URL | undefined {
  if (!bearer.test(challenge)) return undefined;
  const named = new Map(
    [...challenge.matchAll(parameters)].map(([, name = '', value = '']) => [name, value]),
  );
  const url = URL.parse(named.get('realm') ?? '');
  if (!url || (url.protocol !== 'https:' && url.origin !== asked.origin)) return undefined;
  for (const name of ['service', 'scope']) {
    const value = named.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

function readToken({ status, text }: Fetched): string | undefined {
  if (status !== 200) return undefined;
  try {
    const { token, access_token } = JSON.parse(text) as Record<string, unknown>;
    const found = token ?? access_token;
    return typeof found === 'string' && /^[\x21-\x7e]{1,8192}$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the manifest of an image. A registry that answers 401 is asked once more with the token that it gives to everyone
 * without credentials, as every anonymous pull does. `askPublic` asks a token service on another host.
 */
export async function readManifest(
  url: string,
  { ask, askPublic }: { readonly ask: PoliteFetch; readonly askPublic: PoliteFetch },
): Promise<Fetched | NoAnswer> {
  const first = await ask({ url, headers: { accept } });
  if (first.result !== 'response' || first.status !== 401) return first;
  const asked = new URL(url);
  const at = tokenUrl(first.headers['www-authenticate'] ?? '', asked);
  if (!at) return first;
  const given = await (at.origin === asked.origin ? ask : askPublic)({ url: at.href });
  const token = given.result === 'response' ? readToken(given) : undefined;
  return token === undefined ? first : ask({ url, headers: { accept, authorization: `Bearer ${token}` } });
}
