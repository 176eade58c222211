import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { countValues, type Json } from '../../../core/json.ts';
import { canonicalDigest } from '../../../log/leaf.ts';

/** A value that exceeds these bounds is none. */
const mostValue_bytes = 2 * 2 ** 20;
const mostValues = 100_000;

export interface PackedValue {
  readonly digest: string;
  readonly bytes: number;
  readonly value: string;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export async function packValue(whole: Json, digest = canonicalDigest({ value: whole })) {
  const text = JSON.stringify(whole);
  const bytes = Buffer.byteLength(text);
  if (bytes > mostValue_bytes || countValues(text) > mostValues) return 'too_large';
  return { digest, bytes, value: (await compress(text)).toString('base64') } satisfies PackedValue;
}

export const unpackValue = async (value: string): Promise<string> =>
  (await decompress(Buffer.from(value, 'base64'))).toString('utf8');
