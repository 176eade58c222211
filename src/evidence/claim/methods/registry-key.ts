import { domainPlace } from './domain-place.ts';
import { type ClaimMethod, dayOf, resolversText } from './method.ts';

/** Where a domain publishes the key that the MCP registry checks, besides TXT records of the domain itself. */
export const registryKeyPath = '/.well-known/mcp-registry-auth';

const sign = (challenge: string) => `printf %s '${challenge}' > line.txt
# an Ed25519 key:
openssl pkeyutl -sign -rawin -inkey key.pem -in line.txt | base64 | tr -d '\\n'
# an ECDSA P-384 key:
openssl dgst -sha384 -sign key.pem line.txt | base64 | tr -d '\\n'`;

/** A signature with the key that the domain publishes for the MCP registry: nothing has to be published. */
export const registryKeyMethod: ClaimMethod = {
  kind: 'registry_key',
  title: 'Sign with the key that the domain publishes for the MCP registry',
  noun: 'Signature',
  control: 'possession of the key that its domain publishes for the registry',
  placeOf: (record) => domainPlace('registry_key', record),
  whereToPut: ({ shown }) =>
    `Publish nothing: sign the line with the private key whose public half ${shown} publishes for the MCP registry (a TXT record v=MCPv1, or https://${shown}${registryKeyPath}), and send challenge and signature.`,
  toCopy: (_place, challenge) => sign(challenge),
  shown: ({ claimed_at, place, seen }) =>
    `Possession of the key that ${seen?.domain ?? place} publishes for the MCP registry was shown on ${dayOf(claimed_at)} by a signature; the key was read ${seen?.resolvers ? `in DNS, seen by ${resolversText(seen.resolvers)}` : `at https://${seen?.domain ?? place}${registryKeyPath}`}`,
};
