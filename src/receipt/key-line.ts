import { type PublicJwk, type PublishedKey, toPublicJwk } from './published-key.ts';

/** A line `receipt-key <kid> <base64url of the public JWK>` of a claim file. */
export type ReceiptKeyLine = Pick<PublishedKey, 'kid' | 'jwk'>;

/** Keys of one listing at a time. */
const mostKeys = 5;

const line = /^[ \t]*receipt-key[ \t]+([!-~]{1,256})[ \t]+([\w-]{40,1000})[ \t]*$/;

/** The public key that a line holds in base64url; undefined if it holds anything else. */
function readJwk(encoded: string): PublicJwk | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? toPublicJwk({ ...value }) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The keys for receipts in a claim file, each name once, the first five. A line with a private key, another curve or
 * anything else that is no public JWK does not count.
 */
export function parseReceiptKeys(text: string): readonly ReceiptKeyLine[] {
  const keys = new Map<string, ReceiptKeyLine>();
  for (const [, kid = '', encoded = ''] of text.split(/[\r\n]+/).flatMap((row) => [line.exec(row) ?? []])) {
    const jwk = readJwk(encoded);
    if (jwk && !keys.has(kid) && keys.size < mostKeys) keys.set(kid, { kid, jwk });
  }
  return [...keys.values()];
}

/** The line that publishes a key; the private half of a JWK stays out of it. Throws for a curve that cannot be used. */
export function toReceiptKeyLine(
  kid: string,
  { d: _private, ...members }: Readonly<Record<string, unknown>>,
): string {
  const jwk = toPublicJwk(members);
  if (!jwk) throw new TypeError('a key for receipts is an Ed25519, P-256 or secp256k1 JWK');
  return `receipt-key ${kid} ${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
}
