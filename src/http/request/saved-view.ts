import { z } from 'zod';
import type { SavedView } from '../../evidence/comparison/saved-view.ts';
import { readCursor, toCursor } from '../../evidence/text/cursor.ts';
import { Problem } from '../../problem.ts';
import type { ViewPlace } from '../../tools/support/view-members.ts';
import type { Face, Request } from '../environment.ts';

const place = z.tuple([z.int(), z.string()]);
/** The place that a cursor names. Throws invalid_input. */
export const toPlace = (cursor: string | undefined): ViewPlace | undefined => {
  const [id, updated_at] = readCursor(cursor, place) ?? [];
  return id === undefined || updated_at === undefined ? undefined : { id, updated_at };
};
/** The cursor of a place. */
export const fromPlace = (next: ViewPlace | undefined) => next && toCursor([next.id, next.updated_at]);

/** The view that an address names. Throws not_found. */
export function viewOf(c: Request, { site }: Face): SavedView {
  const view = site.config.views.find(({ name }) => name === c.req.param('view'));
  if (!view) throw new Problem('not_found', { detail: 'No view has this name; /views lists them all.' });
  return view;
}
