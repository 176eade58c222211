import type { z } from 'zod';
import { wrongField } from '../problem.ts';

/** Not signed, because a forged one gives access to nothing else. */
export const toCursor = (position: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Throws invalid_input. Only a cursor has its schema made, which takes longer than parsing. */
export function readCursor<T extends z.ZodType>(cursor: string | undefined, toSchema: () => T) {
  if (cursor === undefined) return undefined;
  try {
    const text = Buffer.from(cursor, 'base64url').toString('utf8');
    // PostgreSQL stores no NUL in a text.
    if (text.includes('\\u0000')) throw new Error('NUL in a cursor');
    return toSchema().parse(JSON.parse(text));
  } catch {
    const message = 'not a cursor of this list; leave it out to start from the beginning';
    throw wrongField('cursor', message, `cursor: ${message}.`);
  }
}
