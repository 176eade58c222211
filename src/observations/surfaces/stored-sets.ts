import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { countValues } from '../../core/json.ts';
import type { SurfaceMember } from '../endpoint/surface.ts';
import type { SurfaceAt } from '../table.ts';

/**
 * The most bytes of stored lists that one answer reads, because publishers choose how many endpoints they
 * record and how large their lists are.
 */
const mostRead_bytes = 4 * 1024 * 1024;
/**
 * The most values in these lists: those of the largest list, with its array. A value takes as long as many
 * bytes.
 */
const mostRead_values = 100_001;

/** Both limits in words. */
export const mostReadText = '4 MiB or 100,000 values';

/** A stored list: its digest, and its size as JSON. */
export type StoredSet = Awaited<ReturnType<Context['store']['observations']['surfaces']>>[number];

/**
 * Reads stored lists for one answer, one after the other, up to 4 MiB and 100,000 values in all. `left_out`:
 * there is no room for a list; undefined: it is no longer stored.
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
    // Other requests are answered before each list.
    await setImmediate();
    return JSON.parse(text) as SurfaceMember[];
  };
}
