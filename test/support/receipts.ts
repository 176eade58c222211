import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import type { ClaimedDirectory } from './claimed-directory.ts';

/** A key of a service under a name. */
export interface ServiceKey {
  readonly kid: string;
  readonly alg: 'EdDSA' | 'ES256';
  readonly privateKey: KeyObject;
  /** The line that publishes it in a claim file. */
  readonly line: string;
}

/** Makes a key as a service author would. */
export function makeServiceKey(kid: string, alg: ServiceKey['alg'] = 'EdDSA'): ServiceKey {
  const { privateKey, publicKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }));
  return { kid, alg, privateKey, line: `receipt-key ${kid} ${Buffer.from(jwk).toString('base64url')}` };
}

/** Signs any payload as a receipt; `header` replaces members of the protected header. */
export const signReceipt = (
  { kid, alg, privateKey }: ServiceKey,
  payload: object,
  header: Record<string, unknown> = {},
): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg, kid, ...header })
    .sign(privateKey);

const file = 'dossier-claim.txt';

/**
 * Puts lines under the challenge of co.webhook/webhook's claim file, in place of earlier ones, and lets it be
 * checked.
 */
export async function publishLines(directory: ClaimedDirectory, lines: readonly string[]): Promise<void> {
  const path = 'webhook-co/webhook';
  const found = await fetch(`${directory.git.url}/raw/${path}/main/${file}`);
  const kept = (await found.text()).split('\n').filter((line) => !line.startsWith('receipt-key'));
  directory.git.createRepository(path).commit({ [file]: [...kept, ...lines].join('\n') });
  directory.wait(31);
  await directory.post('/api/claim-github', { handle: 'co.webhook/webhook' });
}
