import { z } from 'zod';
import type { SavedView } from '../../evidence/comparison/saved-view.ts';
import { readCursor, toCursor } from '../../evidence/text/cursor.ts';
import { Problem } from '../../problem.ts';
import type { Face, Request } from '../environment.ts';

const place = z.tuple([z.string().max(200)]);
/** The handle that a cursor names. Throws invalid_input. */
export const toPlace = (cursor: string | undefined): string | undefined => readCursor(cursor, place)?.[0];
/** The cursor of a handle. */
export const fromPlace = (next: string | undefined): string | undefined => next && toCursor([next]);

/** The view that an address names. Throws not_found. */
export function viewOf(c: Request, { site }: Face): SavedView {
  const view = site.config.views.find(({ name }) => name === c.req.param('view'));
  if (!view) throw new Problem('not_found', { detail: 'No view has this name; /views lists them all.' });
  return view;
}
