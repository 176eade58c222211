import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload } from 'jose';
import { ReceiptFault } from './fault.ts';
import { keysAt, type PublicJwk, type PublishedKey } from './published-key.ts';

/** What a receipt says: the service `iss` confirms the interaction `jti` with the rater `sub` at `iat` (seconds since 1970). */
export interface Receipt {
  readonly iss: string;
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  /** SHA-256 of the request, hex. */
  readonly request_digest?: string | undefined;
}

/** What a receipt has to fit. */
export interface ExpectedReceipt {
  /** The keys that the service published. */
  readonly keys: readonly PublishedKey[];
  /** Handle of the service. */
  readonly subject: string;
  /** Handle of the listing that called it. */
  readonly rater: string;
}

/** Header members by which a signer names its key itself, or asks for more than this check does. */
const refusedHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c'];

const invalid = (message: string) => new ReceiptFault('proof_invalid', message);

function readParts(receipt: string) {
  try {
    return { header: decodeProtectedHeader(receipt), payload: decodeJwt(receipt) };
  } catch {
    throw invalid('It is not a compact JWS with a JSON payload.');
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function toReceipt({ iss, sub, jti, iat, request_digest }: JWTPayload): Receipt {
  if (!isText(iss) || !isText(sub) || !isText(jti) || !Number.isSafeInteger(iat) || iat === undefined)
    throw invalid('Its payload needs iss, sub, jti and iat (whole seconds).');
  const digest = request_digest ?? undefined;
  if (digest !== undefined && !/^[\da-f]{64}$/.test(String(digest)))
    throw invalid('Its request_digest is not a SHA-256 in hex.');
  return { iss, sub, jti, iat, ...(digest !== undefined && { request_digest: String(digest) }) };
}

const algorithms: Readonly<Record<string, PublicJwk['crv']>> = { EdDSA: 'Ed25519', ES256: 'P-256' };

/** The algorithm that a header names; only EdDSA (Ed25519) and ES256. */
export function requireAlgorithm({ alg, ...header }: { readonly alg?: string }): 'EdDSA' | 'ES256' {
  const refused = refusedHeaders.find((name) => name in header);
  if (refused !== undefined) throw invalid(`Its header may not have ${refused}.`);
  if (alg === 'EdDSA' || alg === 'ES256') return alg;
  throw invalid('Its header needs alg EdDSA or ES256.');
}

const isSignedBy = async (jws: string, jwk: PublicJwk, alg: string): Promise<boolean> => {
  try {
    await compactVerify(jws, await importJWK({ ...jwk }, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
};

/** Checks the signature of a compact JWS by the published key that its `kid` names, as of a time in ms since 1970. */
export async function verifyByKey(
  jws: string,
  keys: readonly PublishedKey[],
  at_ms: number,
): Promise<Readonly<Record<string, unknown>>> {
  const { header, payload } = readParts(jws);
  const alg = requireAlgorithm(header);
  const named = keysAt(keys, at_ms).filter(({ kid }) => kid === header.kid);
  if (named.length === 0)
    throw new ReceiptFault(
      'proof_key_unknown',
      'Its kid names no key that was published when it was issued.',
    );
  const fitting = named.filter(({ jwk }) => jwk.crv === algorithms[alg]);
  if (fitting.length === 0) throw invalid('Its alg does not fit the curve of the published key.');
  // Around a rotation that keeps the name both keys count.
  for (const { jwk } of fitting) if (await isSignedBy(jws, jwk, alg)) return payload;
  throw invalid('Its signature is not valid for the published key.');
}

/**
 * Checks a receipt: its signature by a key that was published when it was issued, its service and its rater. Whether it is
 * too old, or used before, is for the caller to judge. Throws ReceiptFault.
 */
export async function verifyReceipt(receipt: string, expected: ExpectedReceipt): Promise<Receipt> {
  const { header, payload } = readParts(receipt);
  requireAlgorithm(header);
  const read = toReceipt(payload);
  if (read.iss !== expected.subject)
    throw new ReceiptFault('proof_wrong_subject', 'It was issued by another service.');
  await verifyByKey(receipt, expected.keys, read.iat * 1000);
  if (read.sub !== expected.rater)
    throw new ReceiptFault('proof_not_yours', 'It was issued to another listing.');
  return read;
}
