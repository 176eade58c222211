import { challengeName } from '../evidence/claim/methods/dns.ts';
import { registryKeyPath } from '../evidence/claim/methods/registry-key.ts';
import { wellKnownPath } from '../evidence/claim/methods/well-known.ts';
import type { ProofPlace } from '../evidence/claim/proof-place.ts';

/** How the sentences about a check name a place. */
export interface PlaceNames {
  /** What was read. */
  readonly file: string;
  readonly host: string;
  readonly thing: 'repository' | 'domain';
  /** What to do with a challenge. */
  readonly put: 'Commit' | 'Serve' | 'Add' | 'Sign';
}

/** How the sentences about a check of this place name it. */
export function placeNames({ kind, shown }: ProofPlace, claimFile: string): PlaceNames {
  const domain = { host: `web server of ${shown}`, thing: 'domain' } as const;
  if (kind === 'well_known')
    return { ...domain, file: `https://${shown}${wellKnownPath(claimFile)}`, put: 'Serve' };
  if (kind === 'dns') return { ...domain, file: `the TXT records of ${challengeName(shown)}`, put: 'Add' };
  if (kind === 'registry_key')
    return {
      ...domain,
      file: `the TXT records of ${shown} and at https://${shown}${registryKeyPath}`,
      put: 'Sign',
    };
  return { file: claimFile, host: 'repository host', thing: 'repository', put: 'Commit' };
}
