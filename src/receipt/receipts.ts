import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { toReceiptKeyLine } from './key-line.ts';

/** Where a caller names its own listing, and where it finds the receipt: `_meta` of MCP. */
export const metaKeys = { rater: 'dossier/rater', receipt: 'dossier/receipt' } as const;
/** The same as headers of HTTP. */
export const headerNames = { rater: 'dossier-rater', receipt: 'dossier-receipt' } as const;

/** A private Ed25519 or P-256 key as a JWK. */
export type PrivateJwk = JWK & { readonly d: string };

/** What a service signs receipts with. */
export interface ReceiptSettings {
  /** The handle of the service's listing. */
  readonly handle: string;
  /** The name of the key in the claim file. */
  readonly kid: string;
  readonly key: PrivateJwk;
}

type Meta = Readonly<Record<string, unknown>>;
type Awaitable<T> = T | Promise<T>;

/** Gives receipts to callers that name their listing; everything else stays as it is. */
export interface Receipts {
  /** A receipt for one interaction with the listing `rater`, as a compact JWS. */
  issue(rater: string, interactionId?: string): Promise<string>;
  /** Wraps the callback of a tool of the MCP SDK, version 1 or 2: its results get the receipt in `_meta`. */
  tool<Args extends readonly unknown[], Result extends object>(
    callback: (...args: Args) => Awaitable<Result>,
  ): (...args: Args) => Promise<Result>;
  /** Wraps a fetch handler: its responses get the receipt in the header `Dossier-Receipt`. */
  fetch<Rest extends readonly unknown[]>(
    handler: (request: Request, ...rest: Rest) => Awaitable<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
}

const isHandle = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 200 && /^[\w.-]+\/[\w.-]+$/.test(value);

/** The listing that calls: SDK 1 has the `_meta` of a request in the last argument, SDK 2 in `mcpReq` there. */
function raterOf(args: readonly unknown[]): unknown {
  const extra = args.at(-1) as { _meta?: Meta; mcpReq?: { _meta?: Meta } } | undefined;
  return (extra?._meta ?? extra?.mcpReq?._meta)?.[metaKeys.rater];
}

/** A new Ed25519 key: keep `key` secret, and put `line` into your claim file. */
export async function createReceiptKey(kid: string): Promise<{ key: PrivateJwk; line: string }> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const key = (await exportJWK(privateKey)) as PrivateJwk;
  return { key, line: toReceiptKeyLine(kid, key) };
}

/** Receipts of one service (docs/receipts.md). */
export function createReceipts({ handle, kid, key }: ReceiptSettings): Receipts {
  const alg = key.crv === 'P-256' ? 'ES256' : 'EdDSA';
  const signer = importJWK(key, alg);
  const issue: Receipts['issue'] = async (rater, interactionId = randomUUID()) =>
    new SignJWT()
      .setProtectedHeader({ alg, kid })
      .setIssuer(handle)
      .setSubject(rater)
      .setJti(interactionId)
      .setIssuedAt()
      .sign(await signer);
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
