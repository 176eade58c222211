import { z } from 'zod';
import { type Context, noteChange } from '../../context.ts';
import { wrongField } from '../../core/problem.ts';
import { dayText } from '../../core/text.ts';
import { own, type Words } from '../../core/words.ts';
import { publisherLine } from '../../document/answers/for-publisher.ts';
import { endOfDay } from '../../document/as-of.ts';
import { toListingDocument } from '../../document/document.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { copyLacksWords, type ListingFacts } from '../../document/record.ts';
import { isSample } from '../../listings/listing.ts';
import { readTools } from '../../observations/known/changes/history.ts';
import { dueAt_ms } from '../../observations/schedule.ts';
import { readFacts } from './listing.ts';

export const getListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toListingDocument(await readFacts(handle, context), context.config, context.clock());

const readAgain =
  'A check of this listing by Dossier is waiting or running. Read the listing again in 10 seconds.';
const readAgain_ms = 10_000;
/** For a check that is due, but was refused to this caller. */
const tryAgain_ms = 60_000;

export const readListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toReadDocument(await readFacts(handle, context), context);

/** Not for crawlers, the sample or hidden listings, nor beyond a limit. */
export function toReadDocument(facts: ListingFacts, context: Context): ListingDocument {
  const { askedChecks, caller, config, clock } = context;
  const { listing, observed: { observed_at = null, due_since } = {} } = facts;
  const document = toListingDocument(facts, config, clock());
  if (!askedChecks.read || listing.hidden || isSample(listing)) return document;
  const last = { observed_at, due_since };
  const asked = { handle: listing.handle, remotes: listing.remotes, network: caller.network, ...last };
  const isAsked = !caller.isAutomatic && askedChecks.read(asked);
  const now_ms = clock().getTime();
  // An answer from the cache requests no check.
  const due_ms = Math.max(now_ms + tryAgain_ms, dueAt_ms(listing.handle, last, config.observeInterval_s));
  noteChange(context, isAsked ? now_ms + readAgain_ms : due_ms);
  return isAsked ? { ...document, being_checked: readAgain } : document;
}

export const toPublisherLine = (facts: ListingFacts, { config, clock }: Context): string | undefined =>
  publisherLine(toListingDocument(facts, config, clock()), config);

export async function readListedTools(handle: string, context: Context) {
  const { observed } = await readFacts(handle, context);
  return readTools(handle, observed?.observations ?? [], context);
}

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
    const listed = found.claimHistory.findLast(({ type }) => type.startsWith('listing_'));
    const withdrawn = listed?.type === 'listing_withdrawn' && { is_withdrawn: true };
    const log_index = await store.documents.lastEntry(handle, at);
    return { ...found, asOf: { day, is_today, ...withdrawn, log_index } };
  };
  return {
    ...context,
    askedChecks: {},
    clock: is_today ? clock : () => new Date(at),
    store: { ...store, documents: { ...store.documents, facts } },
  };
}

export function whyNone({ listing, observed, reading }: ListingFacts): Words | undefined {
  if (listing.remotes.length > 0)
    return observed ? undefined : own('Dossier has made no observation of this listing.');
  return copyLacksWords(reading.copyLacks, 'endpoint') ?? own('The listing records no endpoint.');
}
