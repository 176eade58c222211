/** Reads a body to its end; undefined as soon as it has more than `limit_bytes`, and the rest is not read. */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  limit_bytes: number,
): Promise<Buffer | undefined> {
  const read: Uint8Array[] = [];
  let size_bytes = 0;
  for await (const chunk of chunks) {
    size_bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size_bytes > limit_bytes) return undefined;
    read.push(chunk);
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
