import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import { toLeaf } from '../../src/log/leaf.ts';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  leafHash,
  treeRoot,
} from '../../src/log/merkle.ts';

/** Leaf data and tree roots of the reference tests of RFC 6962 implementations. */
const referenceLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const referenceRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

async function storeOf(leaves: readonly Buffer[]) {
  const store = await openSqliteStore(':memory:');
  await store.write(async (tx) => {
    for (const leaf of leaves) {
      await tx.log.append({ ...toLeaf('rating.submitted', {}), hash: leafHash(leaf).toString('hex') });
    }
  });
  return store;
}

describe('the log’s tree, in the store', () => {
  it('has the roots of the RFC 6962 reference tree at every size', async () => {
    const store = await storeOf(referenceLeaves.map((hex) => Buffer.from(hex, 'hex')));
    const roots = await Promise.all(referenceRoots.map((_root, size) => treeRoot(store.log.tree(1), size)));
    expect(roots.map((root) => root.toString('hex'))).toEqual(referenceRoots);
    await store.close();
  });

  it('proves every leaf and every earlier tree at sizes up to 40', async () => {
    const leaves = Array.from({ length: 40 }, (_, index) => Buffer.from(`leaf ${index}`));
    const store = await storeOf(leaves);
    const roots = await Promise.all(
      Array.from({ length: 41 }, (_, size) => treeRoot(store.log.tree(1), size)),
    );
    const head = (size: number) => ({ size, root: roots[size] ?? Buffer.alloc(0) });
    for (let size = 1; size <= 40; size++) {
      for (let index = 0; index < size; index++) {
        const path = await inclusionProof(store.log.tree(1), index, size);
        expect(isIncluded(leafHash(leaves[index] ?? ''), { index, ...head(size) }, path)).toBe(true);
      }
      for (let older = 0; older <= size; older++) {
        const path = await consistencyProof(store.log.tree(1), older, size);
        expect(isConsistent(head(older), head(size), path)).toBe(true);
      }
    }
    await store.close();
  });
});

it('a leaf commits to salt and record, and names neither handle nor text', () => {
  const leaf = toLeaf('rating.submitted', { handle: 'a/b', comment: 'hello' }, Buffer.alloc(16, 1));
  expect(leaf).toEqual({
    type: 'rating.submitted',
    leaf: '{"c":"zIQh8lJJTBWmzmZMPsGtQUzrg2mHXO1IjW9YJdMi+f4=","t":"rating.submitted","v":1}',
    hash: '3c6ab19d6d9345ae3fc14c90cac8610a30ccf214352261f711dd32f7b80b59fd',
    salt: 'AQEBAQEBAQEBAQEBAQEBAQ==',
    record: '{"comment":"hello","handle":"a/b"}',
  });
});
