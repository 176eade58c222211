import { domainPlace } from './domain-place.ts';
import { type ClaimMethod, dayOf } from './method.ts';

/** Where the file stands on the web server of a domain (RFC 8615). */
export const wellKnownPath = (claimFile: string): string => `/.well-known/${claimFile}`;

/** A file on the web server of the namespace's domain. */
export const wellKnownMethod: ClaimMethod = {
  kind: 'well_known',
  title: 'Put a file on the web server of the domain',
  noun: 'File on the web server',
  control: 'control of what the web server of its domain serves',
  placeOf: (record) => domainPlace('well_known', record),
  whereToPut: ({ shown }, claimFile) =>
    `Serve the line as plain text at https://${shown}${wellKnownPath(claimFile)}, without a redirect.`,
  toCopy: (_place, challenge) => challenge,
  shown: ({ claimed_at, place }) =>
    `Control of what https://${place}/.well-known/ serves was shown on ${dayOf(claimed_at)}`,
};
