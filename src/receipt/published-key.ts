/** A public key that a service published for its receipts, as an RFC 7517 JWK. */
export interface PublicJwk {
  readonly kty: 'OKP' | 'EC';
  readonly crv: 'Ed25519' | 'P-256' | 'secp256k1';
  readonly x: string;
  /** Of curves with two coordinates. */
  readonly y?: string | undefined;
}

/** A key under its name, and the time in which its signatures count, RFC 3339; without a time, they always do. */
export interface PublishedKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
  /** When it was first seen published. */
  readonly valid_from?: string | undefined;
  /** When it was first seen missing. */
  readonly valid_until?: string | undefined;
}

/** How far the clocks of a service and of its readers may differ. */
const clockSkew_ms = 5 * 60_000;

/** Whether a key counted at a time, in ms since 1970. */
const countedAt = ({ valid_from, valid_until }: PublishedKey, at_ms: number): boolean =>
  (valid_from === undefined || at_ms >= Date.parse(valid_from) - clockSkew_ms) &&
  (valid_until === undefined || at_ms <= Date.parse(valid_until) + clockSkew_ms);

/** The keys that counted at a time, in ms since 1970. */
export const keysAt = (keys: readonly PublishedKey[], at_ms: number): readonly PublishedKey[] =>
  keys.filter((key) => countedAt(key, at_ms));

const coordinate = /^[A-Za-z0-9_-]{43}$/;
const isCoordinate = (value: unknown): value is string => typeof value === 'string' && coordinate.test(value);

/** The public key in the members of a JWK; undefined for other curves, and for a JWK that holds a private key. */
export function toPublicJwk({ kty, crv, x, y, d }: Readonly<Record<string, unknown>>): PublicJwk | undefined {
  if (d !== undefined || !isCoordinate(x)) return undefined;
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x };
  if (kty !== 'EC' || (crv !== 'P-256' && crv !== 'secp256k1') || !isCoordinate(y)) return undefined;
  return { kty, crv, x, y };
}
