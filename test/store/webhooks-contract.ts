import { expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { Delivery, Webhook } from '../../src/webhooks/webhook.ts';

const at = '2026-11-21T10:00:00.000Z';
const webhook = (id: string, change: Partial<Webhook> = {}): Webhook => ({
  id,
  url: `https://a.example/${id}`,
  domain: 'a.example',
  secret: 'whsec_x',
  created_at: at,
  kind: 'all',
  value: '',
  state: 'active',
  position: 0,
  delivered: 0,
  failures: 0,
  failing_since: undefined,
  rest_until: undefined,
  delivered_at: undefined,
  last_result: undefined,
  network: undefined,
  served_at: at,
  ...change,
});
const delivery = (seq: number, change: Partial<Delivery> = {}): Delivery => ({
  webhook_id: 'w',
  seq,
  handle: 'a/one',
  state: 'waiting',
  attempts: 1,
  next_at: at,
  result: 'HTTP 500',
  ...change,
});
const changed = (handle: string) => ({ type: 'listing.changed' as const, handle, at, data: {} });

/** What every engine must do alike with webhooks; `store` returns an empty one. */
export function describeWebhooks(store: () => Store): void {
  const put = (...webhooks: Webhook[]) =>
    store().write(async (tx) => {
      for (const one of webhooks) await tx.webhooks.put(one);
    });
  const putDeliveries = (...deliveries: Delivery[]) =>
    store().write(async (tx) => {
      for (const one of deliveries) await tx.webhooks.putDelivery(one);
    });
  const addChanges = (...handles: string[]) => store().write((tx) => tx.changes.add(handles.map(changed)));
  const due = async (now = at) => (await store().webhooks.due(now, 10)).map(({ id }) => id);

  it('stores subscriptions whole, replaces them, and removes them with their deliveries', async () => {
    const full = webhook('w', {
      kind: 'tag',
      value: 'email',
      position: 7,
      delivered: 3,
      failures: 2,
      failing_since: at,
      rest_until: at,
      delivered_at: at,
      last_result: 'HTTP 500',
      state: 'failing',
      network: 'pseudonym',
      served_at: '2026-11-21T11:00:00.000Z',
    });
    await put(webhook('w'), webhook('v', { domain: 'b.example' }));
    await put(full);
    expect(await store().webhooks.byId('w')).toEqual(full);
    expect((await store().webhooks.list()).map(({ id }) => id)).toEqual(['v', 'w']);
    await putDeliveries(delivery(1), delivery(2, { state: 'dead' }));
    const remove = (id: string) => store().write((tx) => tx.webhooks.remove(id));
    expect([await remove('w'), await remove('w')]).toEqual([true, false]);
    expect(await store().webhooks.dead(10)).toEqual([]);
    expect(await store().webhooks.waiting('w')).toEqual({ handles: [], count: 0 });
  });

  it('finds who has a later change, by what each is about', async () => {
    await addChanges('a/one', 'b/two');
    await put(
      webhook('all', { position: 1 }),
      webhook('done', { position: 2 }),
      webhook('handle', { kind: 'handle', value: 'b/two' }),
      webhook('other', { kind: 'handle', value: 'a/one', position: 1 }),
      webhook('publisher', { kind: 'publisher', value: 'b', position: 1 }),
      webhook('nobody', { kind: 'publisher', value: 'bb' }),
      webhook('tag', { kind: 'tag', value: 'email', position: 1, served_at: '2026-11-21T09:00:00.000Z' }),
      webhook('gone', { state: 'gone' }),
      webhook('rests', { rest_until: '2026-11-21T10:00:00.001Z' }),
    );
    expect((await due()).toSorted()).toEqual(['all', 'handle', 'publisher', 'tag']);
    expect(await due('2026-11-21T10:00:00.001Z')).toContain('rests');
    // Not the one that is furthest behind.
    expect((await due())[0]).toBe('tag');
  });

  it('has only the first waiting delivery of each listing due, and those whose time has come', async () => {
    await addChanges('a/one', 'b/two', 'a/one');
    await put(webhook('w', { position: 3 }));
    expect(await due()).toEqual([]);
    const later = '2026-11-21T11:00:00.000Z';
    await putDeliveries(
      delivery(1, { next_at: later }),
      delivery(3),
      delivery(2, { handle: 'b/two', next_at: later }),
    );
    expect(await due()).toEqual([]);
    expect(await due(later)).toEqual(['w']);
    const dueSeqs = async () => (await store().webhooks.dueDeliveries('w', later, 10)).map(({ seq }) => seq);
    expect(await dueSeqs()).toEqual([1, 2]);
    await store().write((tx) => tx.webhooks.removeDelivery('w', 1));
    expect(await dueSeqs()).toEqual([2, 3]);
    await store().write((tx) => tx.webhooks.hasten('w', at));
    expect(await store().webhooks.dueDeliveries('w', at, 10)).toHaveLength(2);
    expect(await store().webhooks.waiting('w')).toMatchObject({ count: 2 });
  });

  it('keeps dead letters until they are revived', async () => {
    await put(webhook('w'));
    await putDeliveries(
      delivery(1, { state: 'dead', attempts: 10 }),
      delivery(2, { state: 'dead', attempts: 10 }),
    );
    expect((await store().webhooks.dead(10, 'w')).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(await store().webhooks.dead(10, 'v')).toEqual([]);
    const revive = (seq?: number) => store().write((tx) => tx.webhooks.revive('w', at, seq));
    expect([await revive(2), await revive(), await revive()]).toEqual([1, 1, 0]);
    expect(await store().webhooks.dueDeliveries('w', at, 10)).toMatchObject([{ seq: 1, attempts: 0 }]);
  });

  it('reads changes by position, listing and publisher', async () => {
    await addChanges('a/one', 'b/two', 'a/one');
    const seqs = async (filter: object) => (await store().changes.after(0, 10, filter)).map(({ seq }) => seq);
    expect([await seqs({}), await seqs({ handle: 'a/one' }), await seqs({ namespace: 'b' })]).toEqual([
      [1, 2, 3],
      [1, 3],
      [2],
    ]);
    expect(await store().changes.at(2)).toMatchObject({ seq: 2, handle: 'b/two' });
    expect(await store().changes.at(4)).toBeUndefined();
  });
}
