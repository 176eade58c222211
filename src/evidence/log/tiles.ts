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

/** The leaves of an entry bundle; a cut last entry is left out. */
export function readEntryBundle(bundle: Buffer): string[] {
  const leaves: string[] = [];
  for (let at = 0; at + 2 <= bundle.length; ) {
    const end = at + 2 + bundle.readUInt16BE(at);
    if (end > bundle.length) break;
    leaves.push(bundle.toString('utf8', at + 2, end));
    at = end;
  }
  return leaves;
}

/** The path of a tile of `width` entries or nodes from `from` on, a multiple of 256 (C2SP tlog-tiles). */
export function toTilePath({ from, width }: TileRange): string {
  const digits = String(from / tileWidth);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const number = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === tileWidth ? number : `${number}.p/${width}`;
}
