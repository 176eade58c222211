import { expect, vi } from 'vitest';

/**
 * Polls a condition in a hook, as `expect.poll` does in a test. The limit of a minute catches hangs, not
 * slowness.
 */
export const until = <T>(read: () => T, wanted: Awaited<T>): Promise<void> =>
  vi.waitFor(async () => expect(await read()).toEqual(wanted), { timeout: 60_000 });
