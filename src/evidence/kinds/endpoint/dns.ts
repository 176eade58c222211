import { defineKind } from '../../observation/kind.ts';
import type { Look, Subject } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { originsOf, ownProbe, withoutAnswer } from '../remotes.ts';

async function ofHost(look: Look, hostname: string): Promise<Finding> {
  const seen = await look.dns(hostname);
  if (seen.result !== 'dns') return withoutAnswer(seen, hostname);
  const { ipv4, ipv6, caa, unanswered } = seen;
  const families = [...(ipv4 > 0 ? ['IPv4'] : []), ...(ipv6 > 0 ? ['IPv6'] : [])];
  const isFound = families.length > 0;
  return {
    subject: hostname,
    value: families.join(' and ') || null,
    state: isFound ? 'observed' : 'not_found',
    ...(!isFound && { reason: `DNS has no address of ${hostname}.` }),
    // Balancing of load changes how many there are from one minute to the next.
    ...(unanswered && { reason: unanswered, isPartial: true as const }),
    details: { caa },
    as_seen: { ipv4, ipv6 },
    source: ownProbe,
  };
}

const hostsOf = (listing: Subject): string[] => [
  ...new Set(originsOf(listing).map((origin) => new URL(origin).hostname)),
];

/** What DNS says about the hosts of the recorded endpoints. */
export const endpointDns = defineKind({
  kind: 'endpoint.dns',
  question: 'reach',
  title: 'Addresses in DNS',
  means:
    'Which kinds of addresses DNS had for the endpoint’s host on that date; the details name the authorities that may issue its certificates (CAA, RFC 8659).',
  doesNotMean: 'How many addresses there are says nothing, and most hosts have no CAA records.',
  method_version: 'dns/2',
  about: (listing) => hostsOf(listing).map((subject) => ({ subject })),
  check: (look) => Promise.all(hostsOf(look.listing).map((host) => ofHost(look, host))),
});
