import { createHash } from 'node:crypto';

/** The hash of a complete subtree: node i of level n covers the 2^n leaves from leaf i * 2^n. */
export type ReadNode = (level: number, index: number) => Promise<Buffer>;

/** RFC 6962 section 2.1. */
export const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();

/** RFC 6962 section 2.1. */
export const leafHash = (leaf: string | Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(0)).update(leaf).digest();

const emptyRoot = () => createHash('sha256').digest();

/** The largest power of two below `size`, which is at least 2. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const levelOf = (size: number): number => Math.log2(size);

/** `start` is a multiple of the size of the largest complete subtree inside. */
async function rangeHash(read: ReadNode, start: number, end: number): Promise<Buffer> {
  const size = end - start;
  const level = levelOf(size);
  if (Number.isInteger(level)) return read(level, start / size);
  const middle = start + splitOf(size);
  return nodeHash(await rangeHash(read, start, middle), await rangeHash(read, middle, end));
}

export const treeRoot = async (read: ReadNode, size: number): Promise<Buffer> =>
  size === 0 ? emptyRoot() : rangeHash(read, 0, size);

export function rootOfLeaves(leaves: readonly Buffer[]): Buffer {
  const tree = createGrowingTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

/**
 * `path` has the hashes of the siblings from the root to the first range that `isReached` accepts, the lowest
 * first.
 */
async function descend(
  read: ReadNode,
  index: number,
  size: number,
  isReached: (start: number, end: number) => boolean,
) {
  const path: Buffer[] = [];
  let start = 0;
  let end = size;
  while (!isReached(start, end)) {
    const middle = start + splitOf(end - start);
    const isLeft = index < middle;
    path.unshift(await (isLeft ? rangeHash(read, middle, end) : rangeHash(read, start, middle)));
    if (isLeft) end = middle;
    else start = middle;
  }
  return { path, start, end };
}

/** RFC 6962 section 2.1.1, leaf side first. */
export const inclusionProof = async (read: ReadNode, index: number, size: number): Promise<Buffer[]> =>
  (await descend(read, index, size, (start, end) => end - start <= 1)).path;

/** RFC 6962 section 2.1.2. */
export async function consistencyProof(read: ReadNode, from: number, to: number): Promise<Buffer[]> {
  if (from === 0 || from === to) return [];
  const { path, start, end } = await descend(read, from - 1, to, (_, last) => last === from);
  return start === 0 ? path : [await rangeHash(read, start, end), ...path];
}

/**
 * `older` is the root of the leaves up to those of the node. `last` is the index of the last node of the same
 * level. Undefined if the path is too short or too long.
 */
function ascend(node: number, last: number, first: Buffer, path: readonly Buffer[]) {
  let older = first;
  let newer = first;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      older = nodeHash(sibling, older);
      newer = nodeHash(sibling, newer);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      newer = nodeHash(newer, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? { older, newer } : undefined;
}

/** RFC 9162 section 2.1.3.2. */
export function isIncluded(
  leaf: Buffer,
  place: { readonly index: number; readonly size: number; readonly root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (!Number.isInteger(place.index) || place.index < 0 || place.index >= place.size) return false;
  const roots = ascend(place.index, place.size - 1, leaf, path);
  return roots?.newer.equals(place.root) === true;
}

export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** RFC 9162 section 2.1.4.2. */
export function isConsistent(older: TreeHead, newer: TreeHead, path: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return path.length === 0;
  const isPowerOfTwo = Number.isInteger(levelOf(older.size));
  const [first, ...rest] = isPowerOfTwo ? [older.root, ...path] : path;
  if (!first) return false;
  let node = older.size - 1;
  let last = newer.size - 1;
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  const roots = ascend(node, last, first, rest);
  return roots?.older.equals(older.root) === true && roots.newer.equals(newer.root);
}

export interface TreeNode {
  readonly level: number;
  readonly position: number;
  readonly hash: Buffer;
}

/** The left siblings of the subtrees that a leaf completes, lowest first. */
export function siblingsOf(leaf: number): Omit<TreeNode, 'hash'>[] {
  const siblings: Omit<TreeNode, 'hash'>[] = [];
  for (let position = leaf; position % 2 === 1; position = (position - 1) / 2)
    siblings.push({ level: siblings.length, position: position - 1 });
  return siblings;
}

/** The leaf first. `siblings` are the hashes of its `siblingsOf`. */
export function completedNodes(leaf: TreeNode, siblings: readonly Buffer[]): TreeNode[] {
  const nodes = [leaf];
  let { position, hash } = leaf;
  for (const left of siblings) {
    hash = nodeHash(left, hash);
    position = (position - 1) / 2;
    nodes.push({ level: nodes.length, position, hash });
  }
  return nodes;
}

/** It keeps only the hashes that its root needs (RFC 6962 section 2.1). */
export function createGrowingTree() {
  const complete: Buffer[] = [];
  let size = 0;
  return {
    size: () => size,
    add(leaf: string | Buffer): TreeNode[] {
      const siblings = complete.splice(complete.length - siblingsOf(size).length).reverse();
      const nodes = completedNodes({ level: 0, position: size, hash: leafHash(leaf) }, siblings);
      complete.push(...nodes.slice(-1).map(({ hash }) => hash));
      size += 1;
      return nodes;
    },
    root: () =>
      complete.length === 0 ? emptyRoot() : complete.reduceRight((right, left) => nodeHash(left, right)),
  };
}

/** Nodes or entries of a full tile (C2SP tlog-tiles). */
export const tileWidth = 256;

/** C2SP tlog-tiles. */
const tileForm = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

export type TileRange = Readonly<Record<'from' | 'width', number>>;

/** Undefined if the path is malformed or reaches beyond `complete`. */
export function parseTilePath(path: string, complete: number): TileRange | undefined {
  const [, number = '', width = String(tileWidth)] = tileForm.exec(path) ?? [];
  const from = Number(number.replaceAll(/[x/]/g, '')) * tileWidth;
  const isInTree = number !== '' && Number(width) <= tileWidth && from + Number(width) <= complete;
  return isInTree ? { from, width: Number(width) } : undefined;
}

/** Each leaf follows its length in 16 bits, big endian (C2SP tlog-tiles). */
export const toEntryBundle = (leaves: readonly string[]): Buffer<ArrayBuffer> =>
  Buffer.concat(
    leaves.flatMap((leaf) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(leaf));
      return [length, Buffer.from(leaf)];
    }),
  );

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

/** C2SP tlog-tiles. `from` is a multiple of 256. */
export function toTilePath({ from, width }: TileRange): string {
  const digits = String(from / tileWidth);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const number = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === tileWidth ? number : `${number}.p/${width}`;
}
