import { expect, it } from 'vitest';
import type { ClaimCheckRow, Store } from '../../src/store/store.ts';

const look = (change: Partial<ClaimCheckRow> = {}): ClaimCheckRow => ({
  handle: 'a/one',
  repository_key: 'github.com/a/one',
  begun_at: '2026-11-21T10:00:00.000Z',
  owner: 'node/1',
  outcome: null,
  ...change,
});

/** What every engine must do alike with the looks at repositories that all nodes share; `store` answers an empty one. */
export function describeChecks(store: () => Store): void {
  const put = (row: ClaimCheckRow) => store().write((tx) => tx.checks.put(row));

  it('keeps the newest look of each listing', async () => {
    expect(await store().checks.newest('a/one')).toBeUndefined();
    await put(look());
    await put(look({ handle: 'a/two', owner: 'node/2' }));
    const done = look({
      owner: 'node/3',
      begun_at: '2026-11-21T10:00:31.000Z',
      outcome: '{"changed":"none"}',
    });
    await put(done);
    expect(await store().checks.newest('a/one')).toEqual(done);
    expect(await store().checks.newest('a/two')).toMatchObject({ owner: 'node/2', outcome: null });
    await store().write((tx) => tx.checks.remove('a/one'));
    expect(await store().checks.newest('a/one')).toBeUndefined();
    expect(await store().checks.newest('a/two')).toBeDefined();
  });
  it('forgets the looks that began before a time', async () => {
    await put(look());
    await put(look({ handle: 'a/two', begun_at: '2026-11-21T10:00:00.001Z' }));
    await store().write((tx) => tx.checks.forget('2026-11-21T10:00:00.001Z'));
    expect(await store().checks.newest('a/one')).toBeUndefined();
    expect(await store().checks.newest('a/two')).toBeDefined();
  });
  it('shows a look inside the transaction that began it, and to one at most of many that begin at once', async () => {
    const begin = (owner: string) =>
      store().write(async (tx) => {
        if (await tx.checks.newest('a/one')) return undefined;
        await tx.checks.put(look({ owner }));
        return (await tx.checks.newest('a/one'))?.owner;
      });
    const begun = await Promise.all(Array.from({ length: 20 }, (_, at) => begin(`node/${at}`)));
    const [owner] = begun.filter((name) => name !== undefined);
    expect(begun.filter((name) => name !== undefined)).toEqual([
      (await store().checks.newest('a/one'))?.owner,
    ]);
    expect(owner).toMatch(/^node\/\d+$/);
  });
  it('calls nobody back: no listing changes by a look', async () => {
    const heard: unknown[] = [];
    const stop = store().onChange((written) => heard.push(written));
    await put(look());
    stop();
    expect(heard).toEqual([]);
  });
}
