/** RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal, and .arpa. */
const specialUse =
  /\.(alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/;

/** A name below a public top-level domain; no address in any notation. */
export const isPublicHost = (hostname: string): boolean =>
  /^[a-z0-9._-]+\.[a-z][a-z0-9-]*$/i.test(hostname) && !specialUse.test(hostname);
