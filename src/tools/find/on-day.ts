import { z } from 'zod';
import type { Context } from '../../context.ts';
import { wrongField } from '../../core/problem.ts';
import { dayText } from '../../core/text.ts';
import { endOfDay } from '../../document/as-of.ts';

const isDay = (text: string) => z.iso.date().safeParse(text).success;

/** The pattern of a date would be the longest part of a tool's definition. */
export const dayInput = z.string().max(40).refine(isDay, 'must be a date, such as 2026-11-03').optional();

/**
 * Facts that are read in the returned context are those of the day, and no check is requested. Without a day,
 * that is the context itself. Throws invalid_input if the day is in the future, as do reads of a listing of
 * which nothing is kept from so early a day.
 */
export function onDay(day: string | undefined, context: Context, field = 'as_of'): Context {
  const { store, clock } = context;
  const today = dayText(clock());
  if (day === undefined) return context;
  if (day > today) throw wrongField(field, `must not be after today, ${today}: ask again on that day`);
  const at = endOfDay(day);
  const is_today = day === today;
  const facts: typeof store.documents.facts = async (handle, now) => {
    const found = await (is_today ? store.documents.facts(handle, now) : store.documents.past(handle, at));
    if (!found) return undefined;
    const begins = dayText(found.listing.imported_at);
    if (begins > day && !found.listing.withdrawn)
      throw wrongField(
        field,
        `must be ${begins} or later: what Dossier keeps of the record of ${handle} begins on that day`,
      );
    return { ...found, asOf: { day, is_today, log_index: await store.documents.lastEntry(handle, at) } };
  };
  return {
    ...context,
    askedChecks: {},
    clock: is_today ? clock : () => new Date(at),
    store: { ...store, documents: { ...store.documents, facts } },
  };
}
