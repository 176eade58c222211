import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';

/** The content codings that answers come in. */
export type Encoding = 'br' | 'gzip' | 'identity';

const preferred: readonly Encoding[] = ['br', 'gzip', 'identity'];
/** Plain text may always be sent unless it is refused, and is what is wanted least (RFC 9110, section 12.5.3). */
const unnamedIdentity = 0.001;

function negotiate(accepted: string): Encoding {
  const weights = new Map(parseAccept(accepted).map(({ type, q }) => [type.toLowerCase(), q]));
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? unnamedIdentity : 0);
  const best = preferred.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  return weightOf(best) > 0 ? best : 'identity';
}

/** Browsers and clients send a few headers; whoever sends others has them read each time. */
const remembered = 100;
const negotiated = new Map<string, Encoding>();

/** The coding that an Accept-Encoding header asks for; of those it likes alike, the one that makes the least bytes. */
export function toEncoding(accepted: string | null | undefined): Encoding {
  if (!accepted) return 'identity';
  const known = negotiated.get(accepted);
  if (known) return known;
  const encoding = negotiate(accepted);
  if (negotiated.size < remembered && accepted.length < remembered) negotiated.set(accepted, encoding);
  return encoding;
}

/** Below this a text travels in one packet whether it is compressed or not. */
const leastCompressed_bytes = 1400;
const brotliQuality = 5;

/** A text in a coding, as bytes; one that is too small to gain from it stays as it is, `identity`. */
export function encode(text: string, encoding: Encoding): { body: Buffer<ArrayBuffer>; encoding: Encoding } {
  const plain = Buffer.from(text);
  if (encoding === 'identity' || plain.byteLength < leastCompressed_bytes)
    return { body: plain, encoding: 'identity' };
  if (encoding === 'gzip') return { body: gzipSync(plain), encoding };
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength,
  };
  return { body: brotliCompressSync(plain, { params }), encoding };
}
