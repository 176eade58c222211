/** Few sizes, so that an engine prepares few statements whatever comes. */
const sizes = [100, 10, 1] as const;

/** Hands rows on in their order, a hundred, ten or one at a time: what a statement takes at once. */
export async function inChunks<T>(
  rows: readonly T[],
  work: (chunk: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; ) {
    const size = sizes.find((one) => one <= rows.length - at) ?? 1;
    await work(rows.slice(at, at + size));
    at += size;
  }
}
