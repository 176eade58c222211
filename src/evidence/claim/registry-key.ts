import { createPublicKey, ECDH, type KeyObject, verify } from 'node:crypto';

/** A public key that a domain publishes for the MCP registry. */
export interface PublishedKey {
  readonly algorithm: 'ed25519' | 'ecdsap384';
  /** Base64, as published: 32 bytes of Ed25519, or the 49 bytes of a compressed point of P-384. */
  readonly key: string;
}

// The registry's own form: v=MCPv1; k=<algorithm>; p=<base64>.
const published = /v=MCPv1;\s*k=(ed25519|ecdsap384);\s*p=([A-Za-z0-9+/]{1,128}={0,2})(?![A-Za-z0-9+/=])/g;
/** Keys of one listing that are looked at, wherever they are published. */
export const mostPublishedKeys = 8;

/** The keys in the text of a TXT record or of /.well-known/mcp-registry-auth, each once, at most eight. */
export function parsePublishedKeys(text: string): PublishedKey[] {
  const found = [...text.matchAll(published)].map(([, algorithm, key = '']) => ({
    algorithm: algorithm as PublishedKey['algorithm'],
    key,
  }));
  return [...new Map(found.map((one) => [toKeyText(one), one])).values()].slice(0, mostPublishedKeys);
}

/** A key in one line: how a capability stores which key signed its challenge. */
export const toKeyText = ({ algorithm, key }: PublishedKey): string => `${algorithm} ${key}`;

const keyBytes = { ed25519: 32, ecdsap384: 49 } as const;
const coordinateBytes = 48;

function toKeyObject({ algorithm, key }: PublishedKey): KeyObject | undefined {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== keyBytes[algorithm]) return undefined;
  try {
    if (algorithm === 'ed25519')
      return createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
        format: 'jwk',
      });
    const point = ECDH.convertKey(bytes, 'secp384r1', undefined, undefined, 'uncompressed') as Buffer;
    const [x, y] = [point.subarray(1, coordinateBytes + 1), point.subarray(coordinateBytes + 1)];
    const jwk = { kty: 'EC', crv: 'P-384', x: x.toString('base64url'), y: y.toString('base64url') };
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined; // not a point of the curve
  }
}

const longestSignature = 256;

/** The bytes that a text may stand for: hex, or base64 of either alphabet. */
function readings(text: string): Buffer[] {
  const trimmed = text.replace(/\s+/g, '');
  if (trimmed.length > longestSignature) return [];
  return [
    ...(/^([0-9a-f]{2})+$/i.test(trimmed) ? [Buffer.from(trimmed, 'hex')] : []),
    ...(/^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed) ? [Buffer.from(trimmed, 'base64')] : []),
  ];
}

/** R and S of 48 bytes each as the registry has it, or the DER form that openssl writes. */
const dsaEncodingOf = ({ length }: Buffer) =>
  length === 2 * coordinateBytes ? ('ieee-p1363' as const) : ('der' as const);

/** Whether a signature (base64, base64url or hex) over the ASCII of a challenge is valid for a published key. */
export function isSignedBy(published: PublishedKey, challenge: string, signature: string): boolean {
  const key = toKeyObject(published);
  if (!key) return false;
  const signed = Buffer.from(challenge, 'ascii');
  return readings(signature).some((bytes) =>
    published.algorithm === 'ed25519'
      ? verify(null, signed, key, bytes)
      : verify('sha384', signed, { key, dsaEncoding: dsaEncodingOf(bytes) }, bytes),
  );
}
