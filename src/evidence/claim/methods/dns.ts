import { domainPlace } from './domain-place.ts';
import { type ClaimMethod, dayOf, resolversText } from './method.ts';

/** The name whose TXT records are read, under a domain. */
export const challengeName = (domain: string): string => `_dossier-challenge.${domain}`;

/** A TXT record in the DNS of the namespace's domain, or of one above it. */
export const dnsMethod: ClaimMethod = {
  kind: 'dns',
  title: 'Add a TXT record to the DNS of the domain',
  noun: 'TXT record',
  control: 'control of the DNS of its domain',
  placeOf: (record) => domainPlace('dns', record),
  whereToPut: ({ shown }) => `Add a TXT record with the line at ${challengeName(shown)}.`,
  toCopy: ({ shown }, challenge) => `${challengeName(shown)}. 300 IN TXT "${challenge}"`,
  shown: ({ claimed_at, place, seen }) =>
    `Control of the DNS of ${seen?.domain ?? place} was shown on ${dayOf(claimed_at)}, seen by ${resolversText(seen?.resolvers)}${seen?.dnssec ? ' that validated it with DNSSEC' : ''}`,
};
