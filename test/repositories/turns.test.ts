import { afterEach, expect, it, vi } from 'vitest';
import { createFairPool } from '../../src/core/fair-pool.ts';

const rules = { places: 3, preferredPlaces: 1, placesOfKey: 1, waiting: 3, longestWait_ms: 5000 };

/** Lets askers enter and writes down, in order, who began and who was refused. */
function openTurns() {
  const turns = createFairPool(rules);
  const events: string[] = [];
  const leaves = new Map<string, () => void>();
  const enter = (name: string, network: string, isPreferred = false) =>
    void turns.enter({ keys: [network], isPreferred }).then((leave) => {
      events.push(leave ? name : `${name} refused`);
      if (leave) leaves.set(name, leave);
    });
  const settled = () => new Promise<void>((done) => setImmediate(done));
  return { events, enter, settled, leave: (name: string) => leaves.get(name)?.() };
}

afterEach(() => void vi.useRealTimers());

it('gives a free place to the network with the fewest running, and one place to claimed listings alone', async () => {
  const { events, enter, settled, leave } = openTurns();
  enter('a1', 'a');
  enter('a2', 'a');
  enter('b1', 'b');
  enter('c1', 'c');
  await settled();
  expect(events).toEqual(['a1', 'b1']);
  enter('d1', 'd', true);
  await settled();
  expect(events).toEqual(['a1', 'b1', 'd1']);
  leave('b1');
  await settled();
  expect(events).toEqual(['a1', 'b1', 'd1', 'c1']);
  leave('a1');
  await settled();
  expect(events).toEqual(['a1', 'b1', 'd1', 'c1', 'a2']);
});

it('takes the place in a full line from the network that has the most waiting, and refuses that network at once', async () => {
  const { events, enter, settled, leave } = openTurns();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) enter(name, 'a');
  await settled();
  expect(events.sort()).toEqual(['a1', 'a5 refused']);
  enter('b1', 'b');
  enter('c1', 'c');
  await settled();
  expect(events.slice(2).sort()).toEqual(['a4 refused', 'b1']);
  leave('a1');
  leave('b1');
  await settled();
  expect(events.slice(4).sort()).toEqual(['a2', 'c1']);
});

it('lets nobody wait longer than the longest wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { events, enter, settled, leave } = openTurns();
  enter('a1', 'a');
  enter('a2', 'a');
  vi.advanceTimersByTime(5000);
  await settled();
  expect(events).toEqual(['a1', 'a2 refused']);
  leave('a1');
  enter('a3', 'a');
  await settled();
  expect(events).toEqual(['a1', 'a2 refused', 'a3']);
});
