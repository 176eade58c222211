/** Nodes or entries in a full tile (C2SP tlog-tiles). */
export const tileWidth = 256;

/** `<N>[.p/<W>]`: three-digit path elements, all but the last with an x (C2SP tlog-tiles). */
const tileForm = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The entries or nodes that a tile's path stands for. */
export interface TileRange {
  readonly from: number;
  readonly width: number;
}

/** Parses a tile's path; undefined where it is malformed or reaches beyond the `complete` nodes of its level. */
export function parseTilePath(path: string, complete: number): TileRange | undefined {
  const [, number = '', width = String(tileWidth)] = tileForm.exec(path) ?? [];
  const from = Number(number.replaceAll(/[x/]/g, '')) * tileWidth;
  const isInTree = number !== '' && Number(width) <= tileWidth && from + Number(width) <= complete;
  return isInTree ? { from, width: Number(width) } : undefined;
}

/** An entry bundle: each leaf behind its length as 16 bits, big endian (C2SP tlog-tiles). */
export const toEntryBundle = (leaves: readonly string[]): Buffer<ArrayBuffer> =>
  Buffer.concat(
    leaves.flatMap((leaf) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(leaf));
      return [length, Buffer.from(leaf)];
    }),
  );
