import { createHmac, timingSafeEqual } from 'node:crypto';

/** A key that signs challenges. A `retired` one verifies only challenges of known capabilities. */
export interface ClaimKey {
  readonly kid: number;
  readonly secret: Buffer;
  readonly retired?: true;
}

/** What a challenge is bound to, besides its capability. */
export interface ChallengeBinding {
  /** Public base URL of the service. */
  readonly origin: string;
  readonly handle: string;
  /** The key of the place: `host/path` of a repository in lower case, or `dns:` and a domain. */
  readonly placeKey: string;
  /**
   * The claim, by control root and generation, whose living capability the request presented that asked for the challenge:
   * its line continues that claim. Absent for any other request.
   */
  readonly continues?: string | undefined;
}

/** A parsed challenge; its MAC and time are not checked yet. */
export interface Challenge {
  readonly kid: number;
  readonly issued_s: number;
  /** SHA-256 of its capability, hex. */
  readonly hash: string;
  readonly payload: Buffer;
  readonly mac: Buffer;
}

/** Why a challenge is not valid (docs/trust.md section 1, check.result). */
export type ChallengeFailure =
  | 'challenge_foreign'
  | 'challenge_expired'
  | 'challenge_from_future'
  | 'challenge_key_retired';

/** How long after it was issued a challenge can be committed. */
export const challengeLife_s = 7 * 86_400;
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

/** The line to put where the claim is proven. It names the capability only by its hash, so it is useless without the secret. */
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

/** Parses a challenge; undefined if the text does not have the form of one. */
export function readChallenge(text: string): Challenge | undefined {
  const bytes = Buffer.from(form.exec(text)?.[1] ?? '', 'base64url');
  if (bytes.length !== payloadBytes + macBytes || bytes[0] !== version) return undefined;
  return {
    kid: bytes.readUInt8(1),
    issued_s: bytes.readUInt32BE(2),
    hash: bytes.subarray(6, payloadBytes).toString('hex'),
    payload: bytes.subarray(0, payloadBytes),
    mac: bytes.subarray(payloadBytes),
  };
}

/** Why a challenge with an unknown capability is not valid; undefined if it is valid. */
export function findChallengeFailure(
  challenge: Challenge,
  binding: ChallengeBinding,
  at: { readonly ring: readonly ClaimKey[]; readonly now_s: number },
): ChallengeFailure | undefined {
  const key = at.ring.find(({ kid }) => kid === challenge.kid);
  if (!key) return 'challenge_key_retired';
  if (!timingSafeEqual(toMac(key, binding, challenge.payload), challenge.mac)) return 'challenge_foreign';
  if (key.retired) return 'challenge_key_retired';
  if (challenge.issued_s <= at.now_s - challengeLife_s) return 'challenge_expired';
  if (challenge.issued_s > at.now_s + clockSkew_s) return 'challenge_from_future';
  return undefined;
}
