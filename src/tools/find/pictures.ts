import type { Context } from '../../context.ts';
import { readEvents } from '../../document/answers/history-events.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { toMarks } from '../../document/pictures/changes.ts';
import { toPriceSeries } from '../../document/pictures/prices.ts';
import { endOfDay, type ListingFacts } from '../../document/record.ts';

export type OverTime = Awaited<ReturnType<typeof readOverTime>>;

/** Reads what the pictures of an answer are drawn from. JSON omits members whose key is a symbol. */
export const readPictured = Symbol('what pictures of this answer are drawn from');
export interface Pictured {
  readonly [readPictured]?: () => Promise<readonly [listing: ListingDocument, overTime: OverTime]>;
}

const mostEvents = 100;

/** What pictures of a listing are drawn from, beside its document; as of a past day, what was known then. */
export async function readOverTime(facts: ListingFacts, context: Context) {
  const at = context.clock().toISOString();
  const [{ events: all, next }, timelines] = await Promise.all([
    readEvents(facts, { until: facts.asOf && endOfDay(facts.asOf.day), limit: mostEvents }, context),
    context.store.observations.until(facts.listing.handle, at),
  ]);
  const events = all.filter((one) => one.type !== 'version.published' || !one.data.moved.unchanged);
  return {
    /** Of the oldest event that was read, which may be no change. */
    since: events.at(-1)?.at ?? at,
    marks: toMarks(events),
    /** Older events are left out. */
    isCut: next !== undefined,
    prices: toPriceSeries(timelines),
  };
}
