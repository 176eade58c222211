/** When to stop reading a body. */
export interface BodyEnd {
  readonly limit_bytes: number;
  /** Whether what has been read so far is enough; the rest is then not read. */
  readonly isComplete?: ((read: Buffer) => boolean) | undefined;
}

/** Reads a body to its end, or until it is complete; undefined as soon as it has more than `limit_bytes`. */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  { limit_bytes, isComplete }: BodyEnd,
): Promise<Buffer | undefined> {
  const read: Uint8Array[] = [];
  let size_bytes = 0;
  for await (const chunk of chunks) {
    size_bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size_bytes > limit_bytes) return undefined;
    read.push(chunk);
    if (isComplete?.(Buffer.concat(read))) break;
  }
  return Buffer.concat(read);
}
