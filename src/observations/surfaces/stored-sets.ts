import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { countValues } from '../../core/json.ts';
import type { SurfaceMember } from '../endpoint/surface.ts';
import type { SurfaceAt } from '../table.ts';

/**
 * Bytes of stored lists that one answer reads: publishers choose how many endpoints they record, and how
 * large their lists are.
 */
const mostRead_bytes = 4 * 1024 * 1024;
/**
 * Values of all of them, because a value takes as long as many bytes: the largest list, and the array that it
 * is.
 */
const mostRead_values = 100_001;

/** The same in words. */
export const mostReadText = '4 MiB or 100,000 values';

/** A stored list: its digest, and how large it is as JSON. */
export type StoredSet = Awaited<ReturnType<Context['store']['observations']['surfaces']>>[number];

/**
 * Reads stored lists for one answer, one after the other, as long as they have at most 4 MiB and 100,000
 * values together: `left_out` is a list that has no room, undefined one that is not stored any more.
 */
export function createSetReader({ store }: Pick<Context, 'store'>) {
  let left_bytes = mostRead_bytes;
  let left_values = mostRead_values;
  return async (
    at: SurfaceAt,
    { digest, size_bytes }: Pick<StoredSet, 'digest' | 'size_bytes'>,
  ): Promise<readonly SurfaceMember[] | 'left_out' | undefined> => {
    if (size_bytes > left_bytes) return 'left_out';
    left_bytes -= size_bytes;
    const text = await store.observations.surfaceText(at, digest);
    if (text === undefined) return undefined;
    const values = countValues(text);
    if (values > left_values) return 'left_out';
    left_values -= values;
    // Requests of others are answered before each set.
    await setImmediate();
    return JSON.parse(text) as SurfaceMember[];
  };
}
