import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import { LRUCache } from 'lru-cache';
import type { Encoding } from '../finished.ts';

const preferred: readonly Encoding[] = ['br', 'gzip', 'identity'];
/** Weight of plain text where a header does not name it: acceptable, but last (RFC 9110, section 12.5.3). */
const unnamedIdentity = 0.001;

function negotiate(accepted: string): Encoding {
  const weights = new Map(parseAccept(accepted).map(({ type, q }) => [type.toLowerCase(), q]));
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? unnamedIdentity : 0);
  const best = preferred.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  return weightOf(best) > 0 ? best : 'identity';
}

/** The coding that an Accept-Encoding header prefers; among equals, the one that makes the fewest bytes. */
export type ChooseEncoding = (accepted: string | null | undefined) => Encoding;

const cachedHeaders = 100;
const cachedHeaderLength = 100;

/** A choice that remembers the headers it saw last: browsers send only a few different ones. */
export function createEncodingChoice(): ChooseEncoding {
  const choices = new LRUCache<string, Encoding>({ max: cachedHeaders });
  return (accepted) => {
    if (!accepted) return 'identity';
    if (accepted.length > cachedHeaderLength) return negotiate(accepted);
    const known = choices.get(accepted);
    if (known) return known;
    const choice = negotiate(accepted);
    choices.set(accepted, choice);
    return choice;
  };
}

/** A smaller text fits one packet, compressed or not. */
const leastCompressed_bytes = 1400;
/** The cheapest levels: an answer that is made anew may be asked for once. They save four fifths of a page. */
const [brotliQuality, gzipLevel] = [1, 3];
/** More is compressed off the main thread. */
const mostAtOnce_bytes = 64 * 1024;

const toBrotli = (quality: number, size: number) => ({
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});

const brotliLater = promisify(brotliCompress);
const gzipLater = promisify(gzip);

/** A text as bytes, and their coding. */
export interface Encoded {
  readonly body: Buffer<ArrayBuffer>;
  readonly encoding: Encoding;
}

/** Encodes a text; one too small to gain from it stays `identity`. */
export async function encode(text: string, encoding: Encoding): Promise<Encoded> {
  const plain = Buffer.from(text);
  const size = plain.byteLength;
  if (encoding === 'identity' || size < leastCompressed_bytes) return { body: plain, encoding: 'identity' };
  const isLong = size > mostAtOnce_bytes;
  if (encoding === 'gzip') {
    const options = { level: gzipLevel };
    return { body: isLong ? await gzipLater(plain, options) : gzipSync(plain, options), encoding };
  }
  const options = toBrotli(brotliQuality, size);
  return { body: isLong ? await brotliLater(plain, options) : brotliCompressSync(plain, options), encoding };
}

/** Encodes bytes as small as possible, off the main thread: it takes tenths of a second. */
export async function encodeBest(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === 'identity') return new Uint8Array(bytes);
  if (encoding === 'gzip') return new Uint8Array(await gzipLater(bytes, { level: 9 }));
  const options = toBrotli(constants.BROTLI_MAX_QUALITY, bytes.byteLength);
  return new Uint8Array(await brotliLater(bytes, options));
}
