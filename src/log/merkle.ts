import { createHash } from 'node:crypto';

/**
 * Reads the hash of a complete subtree. Level 0 has the leaf hashes. Node i of level n covers 2^n leaves, the
 * first of which is leaf i * 2^n.
 */
export type ReadNode = (level: number, index: number) => Promise<Buffer>;

/** The hash of an inner node (RFC 6962 section 2.1). */
export const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();

/** The hash of a leaf (RFC 6962 section 2.1). */
export const leafHash = (leaf: string | Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(0)).update(leaf).digest();

const emptyRoot = () => createHash('sha256').digest();

/** The largest power of two below `size`. `size` is at least 2. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const levelOf = (size: number): number => Math.log2(size);

/**
 * The hash of the leaves from `start` to `end` - 1. `start` is a multiple of the size of the largest complete
 * subtree inside.
 */
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
 * Walks from the root down to the first range that contains the leaf at `index` and that `isReached` accepts.
 * `path` has the hashes of the siblings on the way, the lowest first.
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

/** The audit path of one leaf in the tree of `size` leaves, leaf side first (RFC 6962 section 2.1.1). */
export const inclusionProof = async (read: ReadNode, index: number, size: number): Promise<Buffer[]> =>
  (await descend(read, index, size, (start, end) => end - start <= 1)).path;

/** Proves that the tree of `from` leaves is a prefix of the tree of `to` leaves (RFC 6962 section 2.1.2). */
export async function consistencyProof(read: ReadNode, from: number, to: number): Promise<Buffer[]> {
  if (from === 0 || from === to) return [];
  const { path, start, end } = await descend(read, from - 1, to, (_, last) => last === from);
  return start === 0 ? path : [await rangeHash(read, start, end), ...path];
}

/**
 * Computes two roots from a node upwards. `newer` is the root of the whole tree, and `older` the root of the
 * leaves up to and including those of the node. `last` is the index of the last node of the same level.
 * Returns undefined if the path is too short or too long.
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

/** Verifies an inclusion proof (RFC 9162 section 2.1.3.2). */
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

/** Verifies a consistency proof (RFC 9162 section 2.1.4.2). */
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

/**
 * Returns the subtrees that a leaf completes, the leaf first. `siblings` are the hashes of its `siblingsOf`.
 */
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

/** Creates an empty tree. It keeps only the hashes that its root needs (RFC 6962 section 2.1). */
export function createGrowingTree() {
  const complete: Buffer[] = [];
  let size = 0;
  return {
    size: () => size,
    /** Returns the subtrees that the leaf completes, the leaf first. */
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

/** How many nodes or entries a full tile has (C2SP tlog-tiles). */
export const tileWidth = 256;

/** Path elements of three digits, all but the last with an x (C2SP tlog-tiles). */
const tileForm = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

export interface TileRange {
  readonly from: number;
  readonly width: number;
}

/** Returns undefined if the path is malformed or reaches beyond the `complete` nodes of its level. */
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

/** A last entry that is cut off is left out. */
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

/** Returns the path of a tile (C2SP tlog-tiles). `from` is a multiple of 256. */
export function toTilePath({ from, width }: TileRange): string {
  const digits = String(from / tileWidth);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const number = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === tileWidth ? number : `${number}.p/${width}`;
}
