import type { Config } from '../config/config.ts';
import type { OutboundRules } from '../outbound/client.ts';
import { reachPublic } from '../outbound/reach.ts';

/** What the observer may fetch: http and https on any port of public addresses, and the hosts of HOST_OVERRIDES. */
export const observerRules = ({ hostOverrides, version, publicUrl }: Config): OutboundRules => ({
  userAgent: `Dossier/${version} (+${publicUrl}/about#observer)`,
  bodyLimit_bytes: 2 * 1024 * 1024,
  headerLimit_bytes: 64 * 1024,
  reach: (url) => reachPublic(url, hostOverrides),
});
