import { randomUUID } from 'node:crypto';
import type { JWK, JWTPayload } from 'jose';

/** Keys of a claim file are read without it. */
const jose = () => import('jose');

/** Codes as in answers of submit_rating (docs/ratings.md). */
export type ReceiptFaultCode =
  | 'proof_invalid'
  | 'proof_key_unknown'
  | 'proof_not_yours'
  | 'proof_wrong_subject';

/** A receipt shows nothing. The message contains no text of the receipt. */
export class ReceiptFault extends Error {
  readonly code: ReceiptFaultCode;

  constructor(code: ReceiptFaultCode, message: string) {
    super(message);
    this.name = 'ReceiptFault';
    this.code = code;
  }
}

/** A public key that a service published for its receipts (RFC 7517). */
export interface PublicJwk {
  readonly kty: 'OKP' | 'EC';
  readonly crv: 'Ed25519' | 'P-256' | 'secp256k1';
  readonly x: string;
  /** Present for curves with two coordinates. */
  readonly y?: string | undefined;
}

/** A key, and when its signatures count (RFC 3339). A missing time sets no limit. */
export interface PublishedKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
  /** When the key was first seen published. */
  readonly valid_from?: string | undefined;
  /** When it was first seen missing or replaced, or the claim was suspended. */
  readonly valid_until?: string | undefined;
}

const clockSkew_ms = 5 * 60_000;

const isInForceAt = ({ valid_from, valid_until }: PublishedKey, at_ms: number): boolean =>
  (valid_from === undefined || at_ms >= Date.parse(valid_from) - clockSkew_ms) &&
  (valid_until === undefined || at_ms <= Date.parse(valid_until) + clockSkew_ms);

/** The keys published at a time in ms since 1970, give or take five minutes. */
export const keysAt = (keys: readonly PublishedKey[], at_ms: number): readonly PublishedKey[] =>
  keys.filter((key) => isInForceAt(key, at_ms));

const coordinate = /^[A-Za-z0-9_-]{43}$/;
const isCoordinate = (value: unknown): value is string => typeof value === 'string' && coordinate.test(value);

/** Undefined for a key that is malformed, on another curve, or has a private half. */
export function toPublicJwk({ kty, crv, x, y, d }: Readonly<Record<string, unknown>>): PublicJwk | undefined {
  if (d !== undefined || !isCoordinate(x)) return undefined;
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x };
  if (kty !== 'EC' || (crv !== 'P-256' && crv !== 'secp256k1') || !isCoordinate(y)) return undefined;
  return { kty, crv, x, y };
}

/** A line `receipt-key <kid> <base64url of the public JWK>` of a claim file. */
export type ReceiptKeyLine = Pick<PublishedKey, 'kid' | 'jwk'>;

const mostKeys = 5;

const receiptKeyLine = /^[ \t]*receipt-key[ \t]+([!-~]{1,64})[ \t]+([\w-]{40,1000})[ \t]*$/;

function readJwk(encoded: string): PublicJwk | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? toPublicJwk({ ...value }) : undefined;
  } catch {
    return undefined;
  }
}

/** The first five usable keys of a claim file; of two with one name, the first. */
export function parseReceiptKeys(text: string): readonly ReceiptKeyLine[] {
  const keys = new Map<string, ReceiptKeyLine>();
  for (const [, kid = '', encoded = ''] of text
    .split(/[\r\n]+/)
    .flatMap((row) => [receiptKeyLine.exec(row) ?? []])) {
    const jwk = readJwk(encoded);
    if (jwk && !keys.has(kid) && keys.size < mostKeys) keys.set(kid, { kid, jwk });
  }
  return [...keys.values()];
}

/**
 * The line that publishes a key, without its private half.
 * @throws TypeError for another curve, or a name that a claim file cannot have
 */
export function toReceiptKeyLine(
  kid: string,
  { d: _private, ...members }: Readonly<Record<string, unknown>>,
): string {
  const jwk = toPublicJwk(members);
  if (!jwk) throw new TypeError('a key for receipts is an Ed25519, P-256 or secp256k1 JWK');
  if (!/^[!-~]{1,64}$/.test(kid))
    throw new TypeError('the name of a key has 1 to 64 printable characters, none of them a space');
  return `receipt-key ${kid} ${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
}

/** Members of MCP's `_meta` in which a caller names its listing, and gets the receipt. */
export const metaKeys = { rater: 'dossier/rater', receipt: 'dossier/receipt' } as const;
/** HTTP headers in which a caller names its listing, and gets the receipt. */
export const headerNames = { rater: 'dossier-rater', receipt: 'dossier-receipt' } as const;

/** A private Ed25519 or P-256 key. */
export type PrivateJwk = JWK & { readonly d: string };

export interface ReceiptSettings {
  /** Handle of the service's listing. */
  readonly handle: string;
  /** Name of the key in the claim file. */
  readonly kid: string;
  readonly key: PrivateJwk;
}

type Meta = Readonly<Record<string, unknown>>;

export interface Receipts {
  /** Issues a compact JWS for an interaction with the listing `rater`. */
  issue(rater: string, interactionId?: string): Promise<string>;
  /**
   * Wraps a tool callback of the MCP SDK (1 or 2): results carry a receipt in `_meta` if the caller named its
   * listing.
   */
  tool<Args extends readonly unknown[], Result extends object>(
    callback: (...args: Args) => Result | Promise<Result>,
  ): (...args: Args) => Promise<Result>;
  /** Wraps a fetch handler: responses carry a `Dossier-Receipt` if the caller named its listing. */
  fetch<Rest extends readonly unknown[]>(
    handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
}

const isHandle = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 200 && /^[\w.-]+\/[\w.-]+$/.test(value);

/** `_meta` is in the last argument of SDK 1, and in its `mcpReq` in SDK 2. */
function raterOf(args: readonly unknown[]): unknown {
  const extra = args.at(-1) as { _meta?: Meta; mcpReq?: { _meta?: Meta } } | undefined;
  return (extra?._meta ?? extra?.mcpReq?._meta)?.[metaKeys.rater];
}

/** Makes an Ed25519 key: keep `key` secret, and put `line` into your claim file. */
export async function createReceiptKey(kid: string): Promise<{ key: PrivateJwk; line: string }> {
  const { exportJWK, generateKeyPair } = await jose();
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const key = (await exportJWK(privateKey)) as PrivateJwk;
  return { key, line: toReceiptKeyLine(kid, key) };
}

export function createReceipts({ handle, kid, key }: ReceiptSettings): Receipts {
  const alg = key.crv === 'P-256' ? 'ES256' : 'EdDSA';
  const signer = jose().then(({ importJWK }) => importJWK(key, alg));
  const issue: Receipts['issue'] = async (rater, interactionId = randomUUID()) => {
    const { SignJWT } = await jose();
    return new SignJWT()
      .setProtectedHeader({ alg, kid })
      .setIssuer(handle)
      .setSubject(rater)
      .setJti(interactionId)
      .setIssuedAt()
      .sign(await signer);
  };
  return {
    issue,
    tool:
      (callback) =>
      async (...args) => {
        const result = await callback(...args);
        const rater = raterOf(args);
        if (!isHandle(rater)) return result;
        const { _meta } = result as { _meta?: Meta };
        return { ...result, _meta: { ..._meta, [metaKeys.receipt]: await issue(rater) } };
      },
    fetch:
      (handler) =>
      async (request, ...rest) => {
        const response = await handler(request, ...rest);
        const rater = request.headers.get(headerNames.rater);
        if (!isHandle(rater)) return response;
        const answer = new Response(response.body, response);
        answer.headers.set(headerNames.receipt, await issue(rater));
        return answer;
      },
  };
}

/** Service `iss` had the interaction `jti` with rater `sub` at `iat` (seconds since 1970). */
export interface Receipt {
  readonly iss: string;
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  /** SHA-256 of the request, hex. */
  readonly request_digest?: string | undefined;
}

export interface ExpectedReceipt {
  readonly keys: readonly PublishedKey[];
  /** Handle of the service. */
  readonly subject: string;
  /** Handle of the listing that called it. */
  readonly rater: string;
}

/** With these a signer would supply its own key, or (`crit`) require checks that are not made here. */
const refusedHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c'];

const invalid = (message: string) => new ReceiptFault('proof_invalid', message);

async function readParts(receipt: string) {
  const { decodeJwt, decodeProtectedHeader } = await jose();
  try {
    return { header: decodeProtectedHeader(receipt), payload: decodeJwt(receipt) };
  } catch {
    throw invalid('The receipt is not a compact JWS with a JSON payload.');
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function toReceipt({ iss, sub, jti, iat, request_digest }: JWTPayload): Receipt {
  if (!isText(iss) || !isText(sub) || !isText(jti) || !Number.isSafeInteger(iat) || iat === undefined)
    throw invalid('The payload of the receipt needs iss, sub, jti and iat (whole seconds).');
  const digest = request_digest ?? undefined;
  if (digest !== undefined && !/^[\da-f]{64}$/.test(String(digest)))
    throw invalid('The request_digest of the receipt is not a SHA-256 in hex.');
  return { iss, sub, jti, iat, ...(digest !== undefined && { request_digest: String(digest) }) };
}

const algorithms: ReadonlyMap<string, PublicJwk['crv']> = new Map([
  ['EdDSA', 'Ed25519'],
  ['ES256', 'P-256'],
]);

/** @throws ReceiptFault for another algorithm or a refused header member */
export function requireAlgorithm({ alg, ...header }: { readonly alg?: string }): 'EdDSA' | 'ES256' {
  const refused = refusedHeaders.find((name) => name in header);
  if (refused !== undefined) throw invalid(`The header of the receipt may not have ${refused}.`);
  if (alg === 'EdDSA' || alg === 'ES256') return alg;
  throw invalid('The header of the receipt needs alg EdDSA or ES256.');
}

const isSignedBy = async (jws: string, jwk: PublicJwk, alg: string): Promise<boolean> => {
  try {
    const { compactVerify, importJWK } = await jose();
    await compactVerify(jws, await importJWK({ ...jwk }, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
};

/**
 * Checks a compact JWS with the keys of its `kid` published at `at_ms` (since 1970), and returns the payload.
 * @throws ReceiptFault
 */
export async function verifyByKey(
  jws: string,
  keys: readonly PublishedKey[],
  at_ms: number,
): Promise<Readonly<Record<string, unknown>>> {
  const { header, payload } = await readParts(jws);
  const alg = requireAlgorithm(header);
  const named = keysAt(keys, at_ms).filter(({ kid }) => kid === header.kid);
  if (named.length === 0)
    throw new ReceiptFault(
      'proof_key_unknown',
      'The kid of the receipt names no key that was published when the receipt was issued.',
    );
  const fitting = named.filter(({ jwk }) => jwk.crv === algorithms.get(alg));
  if (fitting.length === 0)
    throw invalid('The alg of the receipt does not fit the curve of the published key.');
  // While a key is rotated under its name, both keys count.
  for (const { jwk } of fitting) if (await isSignedBy(jws, jwk, alg)) return payload;
  throw invalid('The signature of the receipt is not valid for the published key.');
}

/**
 * Checks signature, service and rater, with a key published when it was issued. You judge whether it is too
 * old or was used before.
 * @throws ReceiptFault
 */
export async function verifyReceipt(receipt: string, expected: ExpectedReceipt): Promise<Receipt> {
  const { header, payload } = await readParts(receipt);
  requireAlgorithm(header);
  const read = toReceipt(payload);
  if (read.iss !== expected.subject)
    throw new ReceiptFault('proof_wrong_subject', 'The receipt was issued by another service.');
  await verifyByKey(receipt, expected.keys, read.iat * 1000);
  if (read.sub !== expected.rater)
    throw new ReceiptFault('proof_not_yours', 'The receipt was issued to another listing.');
  return read;
}
