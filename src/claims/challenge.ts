import { createHmac, randomBytes, timingSafeEqual, verify } from 'node:crypto';
import type { Context } from '../context.ts';
import { toPublicKey } from '../core/keys/public-key.ts';
import { day_s } from '../core/text.ts';

export interface ClaimKey {
  readonly kid: number;
  readonly secret: Buffer;
}

export interface ChallengeBinding {
  readonly origin: string;
  readonly handle: string;
  readonly placeKey: string;
  /** See `continuationOf`. Absent if the challenge was requested without a capability of the claim. */
  readonly continues?: string | undefined;
}

/** How long after its issue a challenge can first be found. */
export const challengeLife_s = 7 * day_s;
const clockSkew_s = 300;
const version = 1;
const macBytes = 16;
const payloadBytes = 38;
const form = /^dossier-claim-v1\.([A-Za-z0-9_-]{72})$/;

function toMac(
  { secret }: ClaimKey,
  { origin, handle, placeKey, continues }: ChallengeBinding,
  payload: Buffer,
) {
  const mac = createHmac('sha256', secret);
  const continued = continues === undefined ? '' : `continues ${continues}\n`;
  mac.update(`dossier/claim/v1\n${origin}\n${handle}\n${placeKey}\n${continued}`).update(payload);
  return mac.digest().subarray(0, macBytes);
}

/** It has only the hash of its capability, so it can be published. */
export function createChallenge(
  key: ClaimKey,
  binding: ChallengeBinding,
  issued: { readonly hash: string; readonly at_s: number },
): string {
  const payload = Buffer.alloc(payloadBytes);
  payload.writeUInt8(version, 0);
  payload.writeUInt8(key.kid, 1);
  payload.writeUInt32BE(issued.at_s, 2);
  payload.write(issued.hash, 6, 'hex');
  return `dossier-claim-v1.${Buffer.concat([payload, toMac(key, binding, payload)]).toString('base64url')}`;
}

export function readChallenge(text: string) {
  const bytes = Buffer.from(form.exec(text)?.[1] ?? '', 'base64url');
  if (bytes.length !== payloadBytes + macBytes || bytes[0] !== version) return undefined;
  return {
    kid: bytes.readUInt8(1),
    issued_s: bytes.readUInt32BE(2),
    /** SHA-256 of its capability, hex. */
    hash: bytes.subarray(6, payloadBytes).toString('hex'),
    payload: bytes.subarray(0, payloadBytes),
    mac: bytes.subarray(payloadBytes),
  };
}

/** Its MAC and its time may not be valid. */
export type Challenge = NonNullable<ReturnType<typeof readChallenge>>;

/** Whether its capability is stored is not considered. */
export function findChallengeFailure(
  challenge: Challenge,
  binding: ChallengeBinding,
  at: { readonly ring: readonly ClaimKey[]; readonly now_s: number },
) {
  const key = at.ring.find(({ kid }) => kid === challenge.kid);
  if (!key) return 'challenge_key_retired';
  if (!timingSafeEqual(toMac(key, binding, challenge.payload), challenge.mac)) return 'challenge_foreign';
  if (challenge.issued_s <= at.now_s - challengeLife_s) return 'challenge_expired';
  if (challenge.issued_s > at.now_s + clockSkew_s) return 'challenge_from_future';
  return undefined;
}

export interface PublishedRegistryKey {
  readonly algorithm: 'ed25519' | 'ecdsap384';
  /** Base64 as published: 32 bytes of Ed25519, or a compressed point of P-384 in 49 bytes. */
  readonly key: string;
}

// The form of the MCP registry: v=MCPv1; k=<algorithm>; p=<base64>.
const published = /v=MCPv1;\s*k=(ed25519|ecdsap384);\s*p=([A-Za-z0-9+/]{1,128}={0,2})(?![A-Za-z0-9+/=])/g;
export function parsePublishedKeys(text: string): PublishedRegistryKey[] {
  const found = [...text.matchAll(published)].map(([, algorithm, key = '']) => ({
    algorithm: algorithm as PublishedRegistryKey['algorithm'],
    key,
  }));
  return [...new Map(found.map((one) => [toKeyText(one), one])).values()];
}

export const toKeyText = ({ algorithm, key }: PublishedRegistryKey): string => `${algorithm} ${key}`;

const forms = { ed25519: 'ed25519', ecdsap384: 'p384' } as const;

const longestSignature = 256;

function readings(text: string): Buffer[] {
  const trimmed = text.replace(/\s+/g, '');
  if (trimmed.length > longestSignature) return [];
  return [
    ...(/^([0-9a-f]{2})+$/i.test(trimmed) ? [Buffer.from(trimmed, 'hex')] : []),
    ...(/^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed) ? [Buffer.from(trimmed, 'base64')] : []),
  ];
}

/** The tools of the MCP registry write R and S in 48 bytes each; openssl writes DER. */
const dsaEncodingOf = ({ length }: Buffer) => (length === 96 ? ('ieee-p1363' as const) : ('der' as const));

/** Base64, base64url or hex, over the ASCII of the challenge. */
export function isSignedBy(published: PublishedRegistryKey, challenge: string, signature: string): boolean {
  const key = toPublicKey(forms[published.algorithm], Buffer.from(published.key, 'base64'));
  if (!key) return false;
  const signed = Buffer.from(challenge, 'ascii');
  return readings(signature).some((bytes) =>
    published.algorithm === 'ed25519'
      ? verify(null, signed, key, bytes)
      : verify('sha384', signed, { key, dsaEncoding: dsaEncodingOf(bytes) }, bytes),
  );
}

/** Several nodes that find no stored key agree on one. */
async function storedKeys({ store, clock }: Context): Promise<ClaimKey[]> {
  const stored = await store.claims.signingKeys();
  const rows =
    stored.length > 0
      ? stored
      : await store.write(async (tx) => {
          const secret = randomBytes(32).toString('base64');
          const made = { kid: 1, secret, created_at: clock().toISOString() };
          if ((await tx.claims.signingKeys()).length === 0) await tx.claims.addSigningKey(made);
          return tx.claims.signingKeys();
        });
  return rows.map(({ kid, secret }) => ({ kid, secret: Buffer.from(secret, 'base64') }));
}

/** In the order of CLAIM_KEYS. The first key signs. */
export async function claimKeyRing(context: Context): Promise<readonly [ClaimKey, ...ClaimKey[]]> {
  // `kid:base64,...`; the operator retires a key by removing it.
  const [newest, ...older] = context.config.claimKeys
    ? context.config.claimKeys.split(',').map((pair) => {
        const colon = pair.indexOf(':');
        return { kid: Number(pair.slice(0, colon)), secret: Buffer.from(pair.slice(colon + 1), 'base64') };
      })
    : await storedKeys(context);
  if (!newest) throw new Error('no claim key');
  return [newest, ...older];
}
