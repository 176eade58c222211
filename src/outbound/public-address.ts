import { type LookupAddress, type LookupOptions, lookup as resolveByHost } from 'node:dns';
import ipaddr from 'ipaddr.js';

const globalUnicast6 = ipaddr.parseCIDR('2000::/3');

/** Whether an address is global unicast: not private, loopback, link-local, mapped, translated or reserved. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast6));
}

/** Whether an address is a loopback address. */
export const isLoopbackAddress = (text: string): boolean =>
  ipaddr.isValid(text) && ipaddr.parse(text).range() === 'loopback';

/** Whether a URL's host is an IP address, not a name. */
export const isAddress = (hostname: string): boolean => ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''));

/** Whether a base URL names this machine: `localhost` or a loopback address. */
export const isLoopbackBase = (base: URL): boolean =>
  base.hostname === 'localhost' || isLoopbackAddress(base.hostname.replace(/^\[|\]$/g, ''));

type LookupDone = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;
type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Error code of a name that resolves to a refused address; never shown to callers. */
export const refusedAddress = 'EREFUSEDADDRESS';

/**
 * A `lookup` for sockets that fails unless every resolved address is allowed. The socket connects to the address checked
 * here, so that DNS rebinding has no effect.
 */
export const createGuardedLookup =
  (isAllowed: (address: string) => boolean, resolve: Resolve = resolveByHost) =>
  (hostname: string, options: LookupOptions, done: LookupDone): void =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return done(error ?? new Error('no address'), '');
      if (!addresses.every(({ address }) => isAllowed(address)))
        return done(Object.assign(new Error('not a public address'), { code: refusedAddress }), '');
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });
