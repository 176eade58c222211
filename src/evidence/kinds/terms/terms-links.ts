import type { Fetched } from '../../observation/answer.ts';
import { asObject, readObject } from '../../text/json-object.ts';

/** A link that may be shown: https or http, plain ASCII, bounded; undefined for anything else. */
function toLink(stated: unknown, base: string): string | undefined {
  const url = typeof stated === 'string' && stated.length <= 1000 ? URL.parse(stated, base) : null;
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : undefined;
}

const relation = /(?:^|\s)terms-of-service(?:\s|$)/i;
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag)?.slice(1).find(Boolean);

/** The link of relation `terms-of-service` (RFC 6903) in a page. */
export function termsOfPage({ text, url }: Fetched): string | undefined {
  for (const [tag] of text.matchAll(/<(?:a|link)\s[^<>]{1,2000}>/gi))
    if (relation.test(attribute(tag, 'rel') ?? '')) {
      const link = toLink(attribute(tag, 'href')?.replaceAll('&amp;', '&'), url);
      if (link) return link;
    }
  return undefined;
}

/** `info.termsOfService` of an OpenAPI document. */
export const termsOfOpenapi = ({ text, url }: Fetched): string | undefined =>
  toLink(asObject(readObject(text)?.info)?.termsOfService, url);

/** `termsOfServiceUrl` in the trust manifest of the host or an entry of an AI catalog, the first one. */
export function termsOfAiCatalog({ text, url }: Fetched): string | undefined {
  const { host, entries } = readObject(text) ?? {};
  const stating = [host, ...(Array.isArray(entries) ? entries.slice(0, 1000) : [])].map(asObject);
  for (const one of stating) {
    const stated = asObject(one?.trustManifest)?.termsOfServiceUrl ?? one?.termsOfServiceUrl;
    const link = toLink(stated, url);
    if (link) return link;
  }
  return undefined;
}
