import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
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
/** Higher ones take ten times as long for a tenth of the bytes. */
const pageQuality = 5;

const toBrotli = (quality: number, size: number) => ({
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});

/** A text as bytes, and the coding they are in. */
export interface Encoded {
  readonly body: Buffer<ArrayBuffer>;
  readonly encoding: Encoding;
}

/** A text in a coding; one that is too small to gain from it stays as it is, `identity`. */
export function encode(text: string, encoding: Encoding): Encoded {
  const plain = Buffer.from(text);
  if (encoding === 'identity' || plain.byteLength < leastCompressed_bytes)
    return { body: plain, encoding: 'identity' };
  if (encoding === 'gzip') return { body: gzipSync(plain), encoding };
  return { body: brotliCompressSync(plain, toBrotli(pageQuality, plain.byteLength)), encoding };
}

const mostAgain = 50;
const again = new Map<string, Encoded>();

/** The same for a text that is made anew for each request and mostly turns out as before; `tag` is what it is known by. */
export function encodeAgain(text: string, encoding: Encoding, tag: string): Encoded {
  const key = `${encoding} ${tag}`;
  const encoded = again.get(key) ?? encode(text, encoding);
  again.delete(key);
  again.set(key, encoded);
  const [oldest] = again.size > mostAgain ? again.keys() : [];
  if (oldest !== undefined) again.delete(oldest);
  return encoded;
}

const brotliLater = promisify(brotliCompress);
const gzipLater = promisify(gzip);

/** Bytes in a coding, as small as it makes them: it takes tenths of a second, beside whatever else is done. */
export async function encodeBest(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === 'identity') return new Uint8Array(bytes);
  if (encoding === 'gzip') return new Uint8Array(await gzipLater(bytes, { level: 9 }));
  const options = toBrotli(constants.BROTLI_MAX_QUALITY, bytes.byteLength);
  return new Uint8Array(await brotliLater(bytes, options));
}
