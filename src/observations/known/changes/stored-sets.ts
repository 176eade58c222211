import type { Context } from '../../../context.ts';
import { countValues } from '../../../core/json.ts';
import { nextTurn } from '../../../core/turns.ts';
import type { SurfaceMember } from '../../asked/endpoint/surface.ts';
import type { StoredValue, ValueAt } from '../schema.ts';

/** Publishers may record many long lists. */
const mostRead_bytes = 4 * 1024 * 1024;
/** The longest list has 100,000 values, and its array counts as one more. */
const mostRead_values = 100_001;

export const mostReadText = '4 MiB or 100,000 values';

export type StoredSet = StoredValue;

/** `left_out`: beyond the limits. Undefined: no longer stored. */
export function createSetReader({ store }: Pick<Context, 'store'>) {
  let left_bytes = mostRead_bytes;
  let left_values = mostRead_values;
  return async (
    at: ValueAt,
    { digest, bytes }: Pick<StoredSet, 'digest' | 'bytes'>,
  ): Promise<readonly SurfaceMember[] | 'left_out' | undefined> => {
    if (bytes > left_bytes) return 'left_out';
    left_bytes -= bytes;
    const text = await store.observations.valueText(at, digest);
    if (text === undefined) return undefined;
    const values = countValues(text);
    if (values > left_values) return 'left_out';
    left_values -= values;
    // Other requests get their answers before the list is parsed.
    await nextTurn();
    return JSON.parse(text) as SurfaceMember[];
  };
}
