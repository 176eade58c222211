import { expect, it } from 'vitest';
import type { SharedCheck } from '../../src/claims/checks/shared.ts';
import type { Store } from '../../src/store/store.ts';

const place = 'repository github.com/a/one';
const check = (change: Partial<SharedCheck> = {}): SharedCheck => ({
  handle: 'a/one',
  place,
  begun_at: '2026-11-21T10:00:00.000Z',
  owner: 'node/1',
  outcome: { checked: 1 },
  ...change,
});

/** What every engine must do alike with the checks that all nodes share; `store` returns an empty one. */
export function describeChecks(store: () => Store): void {
  const put = (given: SharedCheck) => store().write((tx) => tx.checks.put(given));

  it('stores the latest check of each place of each listing', async () => {
    expect(await store().checks.newest('a/one', place)).toBeUndefined();
    await put(check());
    await put(check({ handle: 'a/two', outcome: { checked: 2 } }));
    await put(check({ place: 'dns dns:a.example', outcome: { checked: 4 } }));
    const done = check({ begun_at: '2026-11-21T10:00:31.000Z', outcome: { checked: 3 } });
    await put(done);
    expect(await store().checks.newest('a/one', place)).toEqual(done);
    expect(await store().checks.newest('a/two', place)).toMatchObject({ outcome: { checked: 2 } });
    expect(await store().checks.newest('a/one', 'dns dns:a.example')).toMatchObject({
      outcome: { checked: 4 },
    });
  });
  it('refuses a check without an outcome', async () => {
    const { outcome: _, ...unfinished } = check();
    await expect(put(unfinished as SharedCheck)).rejects.toThrow(/not.null/i);
  });
  it('purges checks that began before a time', async () => {
    await put(check());
    await put(check({ handle: 'a/two', begun_at: '2026-11-21T10:00:00.001Z' }));
    await store().write((tx) => tx.checks.purge('2026-11-21T10:00:00.001Z'));
    expect(await store().checks.newest('a/one', place)).toBeUndefined();
    expect(await store().checks.newest('a/two', place)).toBeDefined();
  });
  it('notifies no listener, because a check changes no listing', async () => {
    const heard: unknown[] = [];
    const stop = store().onChange((written) => heard.push(written));
    await put(check());
    stop();
    expect(heard).toEqual([]);
  });
}
