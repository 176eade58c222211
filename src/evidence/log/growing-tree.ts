import { createHash } from 'node:crypto';
import { leafHash, nodeHash } from './merkle.ts';

/** A complete subtree: node `position` of `level`, as in merkle.ts. */
export interface TreeNode {
  readonly level: number;
  readonly position: number;
  readonly hash: Buffer;
}

/** A tree that is built leaf by leaf; it stores only the hashes that its root needs (RFC 6962 section 2.1). */
export interface GrowingTree {
  /** How many leaves it has. */
  size(): number;
  /** Adds a leaf; returns the subtrees that it completes, the leaf itself first. */
  add(leaf: string): TreeNode[];
  root(): Buffer;
}

/** An empty tree. */
export function createGrowingTree(): GrowingTree {
  const complete: Buffer[] = [];
  let size = 0;
  return {
    size: () => size,
    add(leaf) {
      let [hash, level, position] = [leafHash(leaf), 0, size];
      const nodes = [{ level, position, hash }];
      for (; position % 2 === 1; level++, position = (position - 1) / 2) {
        hash = nodeHash(complete.pop() ?? hash, hash);
        nodes.push({ level: level + 1, position: (position - 1) / 2, hash });
      }
      complete.push(hash);
      size += 1;
      return nodes;
    },
    root: () =>
      complete.length === 0
        ? createHash('sha256').digest()
        : complete.reduceRight((right, left) => nodeHash(left, right)),
  };
}
