import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { countValues, type Json } from '../core/json.ts';
import { canonicalDigest } from '../log/leaf.ts';

/** A value is read to its end within these bounds, or it is no value. */
const mostValue_bytes = 2 * 2 ** 20;
const mostValues = 100_000;

/** A whole value in the form in which it is stored. */
export interface PackedValue {
  readonly digest: string;
  readonly value: string;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Returns `too_large` for a value of more than 2 MiB or 100,000 JSON values. */
export async function packValue(whole: Json): Promise<PackedValue | 'too_large'> {
  const text = JSON.stringify(whole);
  if (Buffer.byteLength(text) > mostValue_bytes || countValues(text) > mostValues) return 'too_large';
  return { digest: canonicalDigest({ value: whole }), value: (await compress(text)).toString('base64') };
}

export async function unpackValue(value: string): Promise<Json> {
  const text = await decompress(Buffer.from(value, 'base64'), { maxOutputLength: mostValue_bytes });
  return JSON.parse(text.toString('utf8')) as Json;
}
