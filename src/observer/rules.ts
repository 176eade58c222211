import type { Config } from '../config/config.ts';
import type { OutboundRules, Reach } from '../outbound/client.ts';
import { overridden } from '../outbound/host-overrides.ts';
import { isAddress, isPublicAddress } from '../outbound/public-address.ts';

const plainAddress = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function reach(url: URL, overrides: Config['hostOverrides']): Reach | undefined {
  const other = overridden(url, overrides);
  if (other) return { url: other, addresses: 'any' };
  if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return undefined;
  if (isAddress(url.hostname) && !isPublicAddress(plainAddress(url.hostname))) return undefined;
  return { url, addresses: 'public' };
}

/** What the observer may fetch: http and https on any port of public addresses, and the hosts of HOST_OVERRIDES. */
export const observerRules = ({ hostOverrides, version, publicUrl }: Config): OutboundRules => ({
  userAgent: `Dossier/${version} (+${publicUrl}/about#observer)`,
  bodyLimit_bytes: 2 * 1024 * 1024,
  headerLimit_bytes: 64 * 1024,
  reach: (url) => reach(url, hostOverrides),
});
