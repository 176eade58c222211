/**
 * Reads a body to its end; undefined as soon as it has more than `limit_bytes`, and the rest is not read. `raise` is asked
 * once for another limit, with what was read when the first one was passed.
 */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  limit_bytes: number,
  raise: (start: Buffer) => number = () => limit_bytes,
): Promise<Buffer | undefined> {
  const read: Uint8Array[] = [];
  let size_bytes = 0;
  let raised_bytes: number | undefined;
  for await (const chunk of chunks) {
    size_bytes += chunk.byteLength;
    read.push(chunk);
    if (size_bytes <= limit_bytes) continue;
    raised_bytes ??= raise(Buffer.concat(read));
    // Leaving the loop cancels the stream.
    if (size_bytes > raised_bytes) return undefined;
  }
  return Buffer.concat(read);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of some bytes; undefined where they are not UTF-8. */
export function decodeUtf8(bytes: ArrayBuffer | Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}
