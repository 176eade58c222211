import { readObject } from '../../../core/json.ts';
import type { Fetched, NoAnswer } from '../../../net/answer.ts';
import { challengesOf } from '../../../net/challenges.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
import { redirectOf } from './file.ts';

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

export function openImage(base: string, { ask, askPublic }: ImageContext) {
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
