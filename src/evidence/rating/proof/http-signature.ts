import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { type Component, type Parameters, parseAcceptSignature, verify } from 'http-message-sig';
import { Problem } from '../../../problem.ts';
import { type PublicJwk, toPublicJwk } from '../../../receipt/published-key.ts';
import { type JsonObject, readObject } from '../../text/json-object.ts';
import type { CheckedProof, ProofFacts, ProofKind } from './proof.ts';

const invalid = (detail: string) => new Problem('proof_invalid', { detail });

/** What a signature has to cover (RFC 9421): the answer, and the address that was asked. */
const covered = ['@status', 'content-digest', '@authority;req', '@path;req'];

/** The parts of a signed response, as the rater received them. */
interface SignedResponse {
  readonly signature_input: string;
  readonly signature: string;
  readonly status: number;
  readonly content_digest: string;
  readonly authority: string;
  readonly path: string;
}

const textMembers = ['signature_input', 'signature', 'content_digest', 'authority', 'path'] as const;

function readResponse(value: string): SignedResponse {
  const sent = readObject(value) ?? {};
  const hasTexts = textMembers.every((name) => typeof sent[name] === 'string');
  if (hasTexts && Number.isSafeInteger(sent.status)) return sent as unknown as SignedResponse;
  throw invalid(`The value is a JSON object with status and ${textMembers.join(', ')}.`);
}

const nameOf = (component: Component): string =>
  typeof component === 'string'
    ? component
    : `${String(component.name)}${[...(component.parameters as Map<string, unknown>).keys()].map((name) => `;${name}`).join('')}`;

/** The parameters of a signature that covers what it has to. */
function readParameters(signatureInput: string): Parameters {
  let parsed: ReturnType<typeof parseAcceptSignature>;
  try {
    parsed = parseAcceptSignature(signatureInput);
  } catch {
    throw invalid('The signature_input is not one entry of a Signature-Input header.');
  }
  const names = parsed.components.map(nameOf);
  const missing = covered.filter((name) => !names.includes(name));
  if (missing.length > 0) throw invalid(`The signature does not cover ${missing.join(', ')}.`);
  return parsed.parameters;
}

/** Throws unless the address that was asked is a recorded endpoint, or below one. */
function requireRecorded({ authority, path }: SignedResponse, remotes: readonly string[]): void {
  const asked = URL.parse(`https://${authority}${path}`);
  if (asked?.host !== authority || asked.pathname !== path)
    throw invalid('authority and path are not written as in a request.');
  const isBelow = (url: URL | null) =>
    url?.host === authority && `${path}/`.startsWith(url.pathname.replace(/\/?$/, '/'));
  if (remotes.some((url) => isBelow(URL.parse(url)))) return;
  throw new Problem('proof_wrong_subject', { detail: 'Authority and path are of no recorded endpoint.' });
}

/** RFC 7638. */
const thumbprint = ({ kty, crv, x, y }: PublicJwk) =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

/** The key of a directory under its `kid` or its thumbprint, if it was valid at a time (seconds since 1970). */
function findKey(keys: readonly JsonObject[], keyid: string, at_s: number): PublicJwk | undefined {
  for (const key of keys) {
    const jwk = toPublicJwk(key);
    const isValid = Number(key.nbf ?? 0) <= at_s && at_s <= Number(key.exp ?? at_s);
    if (jwk && jwk.crv !== 'secp256k1' && isValid && (key.kid === keyid || thumbprint(jwk) === keyid))
      return jwk;
  }
  return undefined;
}

const algorithms: Readonly<Record<string, string>> = { Ed25519: 'ed25519', 'P-256': 'ecdsa-p256-sha256' };

function isSignedBy(
  jwk: PublicJwk,
  base: string,
  { signature, alg }: { signature: Uint8Array; alg: unknown },
) {
  if (alg !== undefined && alg !== algorithms[jwk.crv]) return false;
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  const hash = jwk.crv === 'Ed25519' ? null : 'sha256';
  return verifySignature(hash, Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** The text that was signed, if the key signed it. */
async function requireSigned(response: SignedResponse, jwk: PublicJwk): Promise<string> {
  const { signature_input, signature, status, content_digest, authority, path } = response;
  const headers = { 'signature-input': signature_input, signature, 'content-digest': content_digest };
  const request = { method: 'GET', url: `https://${authority}${path}`, headers: {} };
  const check = (base: string, bytes: Uint8Array, { alg }: Parameters) =>
    isSignedBy(jwk, base, { signature: bytes, alg }) ? base : undefined;
  const base = await verify({ request, response: { status, headers } }, check).catch(() => undefined);
  if (base === undefined) throw invalid('The signature is not valid for the published key.');
  return base;
}

async function findPublished(
  authority: string,
  { keyid, created }: { readonly keyid: string; readonly created: Date },
  { signatureKeys }: ProofFacts,
): Promise<PublicJwk> {
  const keys = await signatureKeys(authority);
  if (typeof keys === 'string') {
    const detail = `The key directory of the host could not be read (${keys}). Send it again after a minute.`;
    throw new Problem('proof_key_unknown', { detail });
  }
  const key = findKey(keys, keyid, created.getTime() / 1000);
  if (!key)
    throw new Problem('proof_key_unknown', { detail: 'The key directory of the host has no such key.' });
  return key;
}

async function check(value: string, facts: ProofFacts): Promise<CheckedProof> {
  const response = readResponse(value);
  const { keyid, created, expires } = readParameters(response.signature_input);
  if (!(created instanceof Date) || typeof keyid !== 'string')
    throw invalid('The signature needs the parameters created and keyid.');
  requireRecorded(response, facts.remotes);
  if (expires instanceof Date && expires.getTime() < facts.now_ms) throw new Problem('proof_expired');
  const key = await findPublished(response.authority, { keyid, created }, facts);
  const base = await requireSigned(response, key);
  return { identity: [base], issued_ms: created.getTime() };
}

/** A response that the host of a recorded endpoint signed (RFC 9421; docs/receipts.md). */
export const httpSignature: ProofKind = {
  name: 'Signed response',
  shows:
    'The host of a recorded endpoint signed an answer to a request for that endpoint; not who sent the request, and not that the source did.',
  check,
};
