/**
 * Names that no public resolver answers for (RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal), and .arpa.
 */
const specialUse =
  /\.(alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/;

/** Tells whether a host is a name below a public top-level domain. An address in any notation is not. */
export const isPublicHost = (hostname: string): boolean =>
  /^[a-z0-9._-]+\.[a-z][a-z0-9-]*$/i.test(hostname) && !specialUse.test(hostname);
