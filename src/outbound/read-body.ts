/** When to stop reading a body. */
export interface BodyEnd {
  readonly limit_bytes: number;
  /** Gets each piece as it arrives; whether what was read so far is enough: the rest is then not read. */
  readonly isComplete?: ((piece: Uint8Array) => boolean) | undefined;
}

const first_bytes = 16 * 1024;

/** Joins pieces in one growing buffer: a body of a million pieces of one byte costs no more than its bytes. */
function createBuffer() {
  let buffer = Buffer.allocUnsafe(first_bytes);
  let size_bytes = 0;
  return {
    add(piece: Uint8Array) {
      if (size_bytes + piece.byteLength > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, size_bytes + piece.byteLength));
        buffer.copy(larger, 0, 0, size_bytes);
        buffer = larger;
      }
      buffer.set(piece, size_bytes);
      size_bytes += piece.byteLength;
    },
    read: () => Buffer.from(buffer.subarray(0, size_bytes)),
  };
}

/** Reads a body to its end, or until it is complete; undefined as soon as it has more than `limit_bytes`. */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  { limit_bytes, isComplete }: BodyEnd,
): Promise<Buffer | undefined> {
  const read = createBuffer();
  let size_bytes = 0;
  for await (const chunk of chunks) {
    size_bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size_bytes > limit_bytes) return undefined;
    read.add(chunk);
    if (isComplete?.(chunk)) break;
  }
  return read.read();
}
