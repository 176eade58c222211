import { createHash, createPublicKey, hkdfSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { toNoteKey } from '../evidence/log/signed-note.ts';
import { type LogContext, openLogSeed } from '../transparency-log/keys.ts';

/** The key that requests of the observer are signed with, apart from the one that signs checkpoints. */
export interface ObserverKey {
  readonly privateKey: KeyObject;
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
  /** JWK thumbprint (RFC 7638). */
  readonly id: string;
}

const purpose = 'dossier/observer/v1';
const valid_s = 300;

/** The observer's key: derived from the seed of the log, so that all nodes of a database share it. */
export async function openObserverKey(context: LogContext): Promise<ObserverKey> {
  const seed = await openLogSeed(context);
  const { privateKey } = toNoteKey(purpose, Buffer.from(hkdfSync('sha256', seed, '', purpose, 32)));
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x });
  return { privateKey, jwk, id: createHash('sha256').update(members).digest('base64url') };
}

/** A request as it is signed: where it goes, who sends it, when. */
export interface SignedRequest {
  /** Host and port as in the Host header. */
  readonly authority: string;
  /** PUBLIC_URL, under which the key is published. */
  readonly agent: string;
  readonly now: Date;
}

/** Headers that sign a request (Web Bot Auth: RFC 9421 over the authority and the signature agent). */
export function signRequest(
  { privateKey, id }: ObserverKey,
  { authority, agent, now }: SignedRequest,
): Readonly<Record<string, string>> {
  const created = Math.floor(now.getTime() / 1000);
  const nonce = randomBytes(64).toString('base64');
  const params = `("@authority" "signature-agent");created=${created};keyid="${id}";alg="ed25519";expires=${created + valid_s};nonce="${nonce}";tag="web-bot-auth"`;
  const base = `"@authority": ${authority}\n"signature-agent": "${agent}"\n"@signature-params": ${params}`;
  return {
    'signature-agent': `"${agent}"`,
    'signature-input': `sig=${params}`,
    signature: `sig=:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`,
  };
}

/** Media type of the directory of keys. */
export const keyDirectoryType = 'application/http-message-signatures-directory+json';

/** The published directory of keys: who gets a signed request finds the key under its signature agent. */
export const toKeyDirectory = ({ jwk, id }: ObserverKey) => ({
  keys: [{ ...jwk, kid: id, use: 'sig' }],
  purpose: 'Dossier checks the endpoints that listings record',
});
