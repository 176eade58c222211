import { expect, it, vi } from 'vitest';
import { readTarget } from '../../src/actions/action.ts';
import { applyAction, block, undoAction } from '../../src/actions/actions.ts';
import { createObserver } from '../../src/observations/observer.ts';
import { createSchedule } from '../../src/observations/schedule.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { opened } from '../support/opened.ts';

const service = await opened(openClaimedDirectory({ environment: { LIMITS: 'on' } }));
const capability = await service.claim('co.webhook/webhook', 'webhook-co/webhook');

const ask = async () =>
  (await (await service.post('/api/capability/check', {}, capability)).json()) as { code?: string };

it('a block refuses a check that was asked for before it and is written after it', async () => {
  const { context } = service;
  const { store, clock, askedChecks } = context;
  const schedule = createSchedule(createObserver(context), context, { signal: new AbortController().signal });
  askedChecks.add = schedule.ask;
  const target = readTarget('namespace:co.webhook');
  if (!target) throw new Error('no target');
  const at = clock().toISOString();
  const begun = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const blocking = store.write(async (tx) => {
    begun.resolve();
    await asked.promise;
    return applyAction(tx, block, { target, at, reason: 'repeated' });
  });
  await begun.promise;
  // The request has read what stands against it when it asks to write, before that transaction ends.
  const { write } = store;
  vi.spyOn(store, 'write').mockImplementationOnce((work) => {
    asked.resolve();
    return write(work);
  });
  expect(await ask()).toMatchObject({ code: 'writing_blocked' });
  expect(schedule.size()).toBe(0);
  const active = await blocking;
  await store.write((tx) => undoAction(tx, block, { active, at, reason: 'appeal' }));
  expect(await ask()).not.toHaveProperty('code');
  expect(schedule.size()).toBe(1);
});
