import { expect, it } from 'vitest';
import { createQueue, type WaitingListing } from '../../src/observations/waiting.ts';

const listing = (handle: string): WaitingListing => ({ handle, why: 'due', notBefore_ms: 0 });
const handlesOf = (found: Iterable<WaitingListing>) => Array.from(found, ({ handle }) => handle);

/** A queue of listings of the domain of each name: `big/1` is of `big`, which is full. */
function fill(...handles: readonly string[]) {
  const queue = createQueue();
  for (const handle of handles) queue.add(listing(handle));
  for (const one of queue.candidates(() => false)) {
    const [domain = ''] = one.handle.split('/');
    if (domain === 'big') queue.putBehind(one, domain);
  }
  return queue;
}

it('who waits for a full key is no candidate, and is one in its order once the key is not full', () => {
  const queue = fill('big/1', 'big/2', 'small/1', 'big/3');
  expect(queue.size()).toBe(4);
  expect(handlesOf(queue.candidates((key) => key === 'big'))).toEqual(['small/1']);
  const [first] = queue.candidates(() => false);
  expect(first?.handle).toBe('big/1');
});

it('of those behind a key no more are candidates than may be checked at once', () => {
  const queue = fill('big/1', 'big/2', 'big/3');
  let isFull = false;
  const looked: string[] = [];
  for (const one of queue.candidates(() => isFull)) {
    looked.push(one.handle);
    queue.take(one);
    isFull = true;
  }
  expect(looked).toEqual(['big/1']);
});

it('who waits for one key, then for another one, is a candidate once the second is not full', () => {
  const queue = fill('big/1', 'big/2');
  for (const one of queue.candidates((key) => key === 'other')) queue.putBehind(one, 'other');
  expect(handlesOf(queue.candidates((key) => key === 'other'))).toEqual([]);
  expect(handlesOf(queue.candidates((key) => key === 'big'))).toContain('big/1');
  expect(queue.size()).toBe(2);
});

it('keys that one check frees together take turns, so that a namespace does not keep others from its domain', () => {
  const queue = createQueue();
  for (const handle of ['big/1', 'big/2', 'big/3', 'small/1']) queue.add(listing(handle));
  for (const one of queue.candidates(() => false))
    queue.putBehind(one, one.handle.startsWith('big/') ? 'namespace big' : 'domain of both');
  const begun = [1, 2, 3, 4].map(() => {
    const [first] = queue.candidates(() => false);
    if (first) queue.delete(first);
    return first?.handle;
  });
  expect(begun).toEqual(['big/1', 'small/1', 'big/2', 'big/3']);
});

it('a check that runs is no candidate, and waits again if it is put back', () => {
  const queue = fill('small/1');
  const [one] = queue.candidates(() => false);
  if (!one) throw new Error('none waits');
  queue.take(one);
  expect(handlesOf(queue.candidates(() => false))).toEqual([]);
  queue.putBack(one);
  expect(handlesOf(queue.candidates(() => false))).toEqual(['small/1']);
  queue.delete(one);
  expect([queue.has('small/1'), queue.size()]).toEqual([false, 0]);
  expect(handlesOf(queue.candidates(() => false))).toEqual([]);
});
