import type { Config } from '../config/config.ts';

/** The address of a URL under HOST_OVERRIDES or WEBHOOK_OVERRIDES; undefined if its host is not named there. */
export function overridden(url: URL, overrides: Config['hostOverrides']): URL | undefined {
  const base = overrides[url.host] ?? overrides[url.hostname];
  return base === undefined ? undefined : new URL(`${base}${url.pathname}${url.search}`);
}
