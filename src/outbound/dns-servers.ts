import type { Config } from '../config/config.ts';

/** The settings that say who is asked about names. */
export type DnsRules = Pick<Config, 'dnsServers' | 'hostOverrides'>;

const publicServers = ['1.1.1.1:53', '8.8.8.8:53'];

const withoutPort = (host: string) => host.replace(/:\d+$/, '');

/**
 * The DNS servers (`address:port`) that may be asked about a name: those of DNS_SERVERS, else two public ones. Undefined for
 * a name of HOST_OVERRIDES, or below one, without servers of one's own: it need not exist outside, and would leak.
 */
export function dnsServersFor(
  { dnsServers, hostOverrides }: DnsRules,
  name: string,
): readonly string[] | undefined {
  if (dnsServers !== undefined) return dnsServers;
  const isPrivate = Object.keys(hostOverrides).some((host) => `.${name}`.endsWith(`.${withoutPort(host)}`));
  return isPrivate ? undefined : publicServers;
}
