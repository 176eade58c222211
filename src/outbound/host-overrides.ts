import type { Config } from '../config/config.ts';
import { own } from '../evidence/text/json-object.ts';

/** The address of a URL under HOST_OVERRIDES or WEBHOOK_OVERRIDES; undefined if its host is not named there. */
export function overridden(url: URL, overrides: Config['hostOverrides']): URL | undefined {
  const base = own(overrides, url.host) ?? own(overrides, url.hostname);
  return base === undefined ? undefined : new URL(`${base}${url.pathname}${url.search}`);
}
