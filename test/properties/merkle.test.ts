import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  treeRoot,
} from '../../src/log/merkle.ts';

const sha256 = (...parts: readonly Buffer[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const leafOf = (index: number) => sha256(Buffer.of(0), Buffer.from(`leaf ${index}`));

/** The Merkle tree hash in the words of RFC 6962 section 2.1, apart from our code. */
function definition(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (!only) return sha256();
  if (leaves.length === 1) return only;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.of(1), definition(leaves.slice(0, split)), definition(leaves.slice(split)));
}

const most = 130;
const leaves = Array.from({ length: most }, (_, index) => leafOf(index));
const known = new Map<string, Buffer>();
const read = async (level: number, index: number) => {
  const key = `${level} ${index}`;
  const start = index * 2 ** level;
  const end = (index + 1) * 2 ** level;
  if (end > most) throw new Error('asked for a subtree that is not complete');
  const node = known.get(key) ?? definition(leaves.slice(start, end));
  known.set(key, node);
  return node;
};
const size = fc.integer({ min: 1, max: most });

/** Proofs that say something else: a hash changed, dropped, doubled, swapped or added. */
const forgeries = (path: readonly Buffer[], at: number): Buffer[][] => {
  const flipped = path.map((hash, place) => (place === at ? sha256(hash) : hash));
  const without = path.filter((_, place) => place !== at);
  const doubled = path.flatMap((hash, place) => (place === at ? [hash, hash] : [hash]));
  const longer = [...path, sha256()];
  return path.length === 0 ? [longer] : [flipped, without, doubled, longer, [sha256(), ...path]];
};

it('the tree has the root that RFC 6962 defines, at any size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(most), async (count) => {
      expect(await treeRoot(read, count)).toEqual(definition(leaves.slice(0, count)));
    }),
  );
});

it('an inclusion proof holds for its leaf and place, and for no other leaf, place, root or proof', async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.nat(), fc.nat(), fc.nat(), async (count, some, other, at) => {
      const index = some % count;
      const elsewhere = other % count;
      const place = { index, size: count, root: definition(leaves.slice(0, count)) };
      const path = await inclusionProof(read, index, count);
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
      expect(isIncluded(leafOf(index), place, path)).toBe(true);
      expect(isIncluded(leafOf(most), place, path)).toBe(false);
      expect(isIncluded(leafOf(index), { ...place, root: sha256() }, path)).toBe(false);
      if (elsewhere !== index) {
        expect(isIncluded(leafOf(elsewhere), place, path)).toBe(false);
        expect(isIncluded(leafOf(index), { ...place, index: elsewhere }, path)).toBe(false);
      }
      for (const outside of [-1, count, count + 1, Number.NaN, 0.5, Number.POSITIVE_INFINITY])
        expect(isIncluded(leafOf(index), { ...place, index: outside }, path)).toBe(false);
      for (const forged of forgeries(path, at % Math.max(1, path.length)))
        expect(isIncluded(leafOf(index), place, forged)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it('a consistency proof holds between two sizes of one log, and for no rewritten one or other proof', async () => {
  await fc.assert(
    fc.asyncProperty(size, size, fc.nat(), fc.nat(), async (one, two, changed, at) => {
      const from = Math.min(one, two);
      const to = Math.max(one, two);
      const head = (count: number, rewritten = leaves) => ({
        size: count,
        root: definition(rewritten.slice(0, count)),
      });
      const path = await consistencyProof(read, from, to);
      expect(isConsistent(head(from), head(to), path)).toBe(true);
      const rewritten = leaves.with(changed % from, leafOf(most));
      expect(isConsistent(head(from, rewritten), head(to), path)).toBe(false);
      expect(isConsistent(head(from), head(to, rewritten), path)).toBe(false);
      if (from !== to) expect(isConsistent(head(to), head(from), path)).toBe(false);
      for (const forged of forgeries(path, at % Math.max(1, path.length)))
        expect(isConsistent(head(from), head(to), forged)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
