import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Reads the hash of a complete subtree. Level 0 is the leaf hashes; node i of level n covers the leaves from i * 2^n up to
 * (i + 1) * 2^n. Called only for complete subtrees.
 */
export type ReadNode = (level: number, index: number) => Promise<Buffer>;

/** Hash of an inner node (RFC 6962 section 2.1). */
export const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();

/** Hash of a leaf (RFC 6962 section 2.1). */
export const leafHash = (leaf: string | Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(0)).update(leaf).digest();

/** Root of the empty tree: the hash of nothing. */
const emptyRoot = () => createHash('sha256').digest();

/** Largest power of two below `size`, for sizes from 2 on. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const levelOf = (size: number): number => Math.log2(size);

/** Hash of the leaves from `start` up to `end`; `start` is a multiple of the largest complete subtree inside. */
async function rangeHash(read: ReadNode, start: number, end: number): Promise<Buffer> {
  const size = end - start;
  const level = levelOf(size);
  if (Number.isInteger(level)) return read(level, start / size);
  const middle = start + splitOf(size);
  return nodeHash(await rangeHash(read, start, middle), await rangeHash(read, middle, end));
}

/** Root of the tree of the first `size` leaves. */
export const treeRoot = async (read: ReadNode, size: number): Promise<Buffer> =>
  size === 0 ? emptyRoot() : rangeHash(read, 0, size);

/** Root of the tree of these leaves, given as data. */
export function rootOfLeaves(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (!first) return emptyRoot();
  if (leaves.length === 1) return leafHash(first);
  const split = splitOf(leaves.length);
  return nodeHash(rootOfLeaves(leaves.slice(0, split)), rootOfLeaves(leaves.slice(split)));
}

/** Audit path of one leaf in the tree of `size` leaves, leaf side first (RFC 6962 section 2.1.1). */
export async function inclusionProof(read: ReadNode, index: number, size: number): Promise<Buffer[]> {
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    const isLeft = index < middle;
    path.unshift(await (isLeft ? rangeHash(read, middle, end) : rangeHash(read, start, middle)));
    if (isLeft) end = middle;
    else start = middle;
  }
  return path;
}

/** Proof that the tree of `from` leaves is a prefix of the tree of `to` leaves (RFC 6962 section 2.1.2). */
export async function consistencyProof(read: ReadNode, from: number, to: number): Promise<Buffer[]> {
  if (from === 0 || from === to) return [];
  const path: Buffer[] = [];
  let [start, end] = [0, to];
  while (from !== end) {
    const middle = start + splitOf(end - start);
    const isLeft = from <= middle;
    path.unshift(await (isLeft ? rangeHash(read, middle, end) : rangeHash(read, start, middle)));
    if (isLeft) end = middle;
    else start = middle;
  }
  return start === 0 ? path : [await rangeHash(read, start, end), ...path];
}

/** Whether the tree of `size` leaves with this root has a leaf hash at `index` (RFC 9162 section 2.1.3.2). */
export function isIncluded(
  leaf: Buffer,
  place: { readonly index: number; readonly size: number; readonly root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (place.index < 0 || place.index >= place.size) return false;
  let [node, last] = [place.index, place.size - 1];
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && isSame(hash, place.root);
}

/** Size and root hash of a tree. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** Whether the older tree is a prefix of the newer one (RFC 9162 section 2.1.4.2). */
export function isConsistent(older: TreeHead, newer: TreeHead, path: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && isSame(older.root, newer.root);
  if (older.size === 0) return path.length === 0;
  const isPowerOfTwo = Number.isInteger(levelOf(older.size));
  const [first, ...rest] = isPowerOfTwo ? [older.root, ...path] : path;
  if (!first) return false;
  let [node, last] = [older.size - 1, newer.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  let [olderHash, newerHash] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      olderHash = nodeHash(sibling, olderHash);
      newerHash = nodeHash(sibling, newerHash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      newerHash = nodeHash(newerHash, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && isSame(olderHash, older.root) && isSame(newerHash, newer.root);
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
