import { createOutboundClient, isAddress, isLoopbackBase, type OutboundClient } from './client.ts';

/**
 * Creates the client of reads of repositories. It reaches https hosts whose addresses are all global unicast, and
 * `loopbackOrigins` (configured bases on this machine) at loopback addresses only. Bodies up to 64 KiB.
 */
export const createSafeClient = (loopbackOrigins: ReadonlySet<string>): OutboundClient =>
  createOutboundClient({
    userAgent: 'Dossier (reads recorded repositories)',
    bodyLimit_bytes: 65_536,
    headerLimit_bytes: 16_384,
    // No check that has its turn waits for a connection; some are left for the observer.
    connections: 20,
    reach(url) {
      if (loopbackOrigins.has(url.origin) && isLoopbackBase(url)) return { url, addresses: 'loopback' };
      return url.protocol === 'https:' && !isAddress(url.hostname) ? { url, addresses: 'public' } : undefined;
    },
  });
