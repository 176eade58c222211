import { expect, vi } from 'vitest';

/** Waits in a hook until something is so, as `expect.poll` does in a test: a minute bounds a hang, not speed. */
export const until = <T>(read: () => T, wanted: Awaited<T>): Promise<void> =>
  vi.waitFor(async () => expect(await read()).toEqual(wanted), { timeout: 60_000 });
