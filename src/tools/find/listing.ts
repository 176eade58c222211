import { z } from 'zod';
import { type Context, noteChange } from '../../context.ts';
import { isHandle, requireHandle } from '../../core/handle.ts';
import { isOnNamespace } from '../../core/identity.ts';
import { Problem, wrongField } from '../../core/problem.ts';
import { dayText } from '../../core/text.ts';
import { code, dayOf, listed, number, own, say, sentence, toText, type Words } from '../../core/words.ts';
import { publisherLine } from '../../document/answers/for-publisher.ts';
import { askedPart, atPart } from '../../document/asked-part.ts';
import { atRecord } from '../../document/asked-place.ts';
import { toListingDocument } from '../../document/document.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import {
  beginsWords,
  copyLacksWords,
  endOfDay,
  type ListingFacts,
  nextChange_ms,
} from '../../document/record.ts';
import { versionWords } from '../../document/version-record.ts';
import { isSample, type Listing } from '../../listings/listing.ts';
import { meantOf, type Name, readName, toReferences } from '../../listings/references/name.ts';
import type { Reference } from '../../listings/references/references.ts';
import { readTools } from '../../observations/known/changes/history.ts';
import { dueAt_ms } from '../../observations/schedule.ts';
import {
  besideInStore,
  describeSeveral,
  findHolders,
  givenEndpoints,
  readMeant,
  withBeside,
} from './asked-command.ts';
import { type FoundListing, type Several, severalListings } from './holders.ts';
import { endOfCopy } from './near-misses.ts';
import { atAsked, longestChecked, noticesOfDeleted, readKnown } from './several.ts';
import { maxNear, readTool, readWhy, toNearText, whyUnreadable, withdrawal } from './why-unknown.ts';

const ofOthers = 'Handles in others are less similar.';

/** So that one listing can be answered while lists are unavailable. */
export const orEmpty = <T>(
  read: Promise<T[]>,
  { store, log }: Pick<Context, 'store' | 'log'>,
): Promise<T[]> =>
  read.catch((error: unknown) => {
    const isAway =
      error instanceof Problem ? error.code === 'unavailable' : store.failureOf(error) === 'unavailable';
    if (!isAway) throw error;
    log.warn({ err: error }, 'lists cannot be read; an answer about one listing is given without them');
    return [];
  });

/** One or several words, such as `twilio`. */
const isName = /^@?[a-z0-9][\w .-]{0,199}$/i;

interface UnknownName {
  /** Of a text in the form of a handle. */
  readonly references?: readonly Reference[];
  readonly named?: Reference | undefined;
  /** Of any other. */
  readonly name?: Name;
  readonly beside?: Words;
}

async function refuseUnknown(
  text: string,
  context: Context,
  { references, named, name, beside: command = say`` }: UnknownName,
): Promise<never> {
  const { listings } = context.store;
  const recording = async (all: readonly Reference[]) => (await listings.recording(all, maxNear)).flat();
  const { tool } = name ?? {};
  const unread = name && whyUnreadable(name);
  const meant = name && !unread && !tool?.isSure ? meantOf(name.references) : named;
  const readOfTool = async () => tool && readTool(tool.name, context);
  const read = Promise.all([
    listings.near(text, maxNear),
    recording(references ?? []),
    recording(givenEndpoints(name?.beside ?? [])),
    readWhy(meant, context),
    readOfTool(),
    endOfCopy(context.store),
  ]);
  const [
    [{ near, others }, recorded, reached, why, ofTool, ends] = [{ near: [], others: [] }, [], []] as const,
  ] = await orEmpty(
    read.then((found) => [found]),
    context,
  );
  const isTwin = references !== undefined && near[0]?.toLowerCase() === text.toLowerCase();
  const detail = isTwin
    ? 'A listing has this handle with different capitals: it is the first in near.'
    : recorded.length > 0
      ? 'The first in near records this as a repository, an address or a package.'
      : unread
        ? toText(unread)
        : why?.detail;
  const recorders = [...[...recorded, ...reached].map(({ handle }) => handle), ...(ofTool?.handles ?? [])];
  const beside = why?.beside.map(({ handle }) => handle) ?? [];
  const ofAccount = near.length > 0 ? [] : (why?.naming ?? []);
  const { packages = [] } = why ?? {};
  const alike =
    beside.length > 0 ? beside : [...[...packages, ...ofAccount].map(({ handle }) => handle), ...near];
  const all = new Set(isTwin ? [near[0] ?? '', ...recorders, ...alike] : [...recorders, ...alike]);
  const farther = beside.length > 0 ? [] : others.filter((handle) => !all.has(handle));
  const isFirst = unread !== undefined && name !== undefined && !isName.test(name.text);
  const ofCommand = [toText(command), ofTool && toText(ofTool.words)];
  const before = isFirst ? [detail, ...ofCommand] : [...ofCommand, detail];
  const said = [...before, farther.length > 0 && ofOthers, !(isTwin || isFirst) && ends]
    .filter(Boolean)
    .join(' ');
  throw new Problem(isFirst ? 'invalid_handle' : 'unknown_handle', {
    near: [...all].slice(0, maxNear),
    ...(farther.length > 0 && { others: farther }),
    ...(said && { detail: said }),
  });
}

/** It may be an address without a scheme too. */
function refuseHandle(handle: string, context: Context): Promise<never> {
  const { references } = readName(handle, '');
  const named = references.find(({ kind }) => kind === 'endpoint');
  return refuseUnknown(handle, context, { references: [...references, ...toReferences(handle)], named });
}

async function requireShown<T>(found: T, listing: Listing, context: Context): Promise<T> {
  if (!listing.withdrawn) return found;
  throw new Problem('listing_withdrawn', await withdrawal(listing, context));
}

/** Also if the listing is withdrawn. */
export const isKnownHandle = async (handle: string, { store }: Context): Promise<boolean> =>
  isHandle(handle) && (await store.listings.byHandle(handle)) !== undefined;

export async function isListed(handle: string, { store }: Context): Promise<boolean> {
  const listing = isHandle(handle) ? await store.listings.byHandle(handle) : undefined;
  return listing !== undefined && !listing.withdrawn;
}

/** A shown listing. Throws invalid_handle, unknown_handle with near handles, or listing_withdrawn. */
export async function findListing(handle: string, context: Context): Promise<Listing> {
  requireHandle(handle);
  const listing = (await context.store.listings.byHandle(handle)) ?? (await refuseHandle(handle, context));
  return requireShown(listing, listing, context);
}

/** Beyond this number `findHolder` does not choose by the namespace. */
export const mostAtAddress = 100;

export async function firstRecording(references: readonly Reference[], { store }: Pick<Context, 'store'>) {
  const all = await store.listings.recording(references, mostAtAddress + 1);
  return all.find((some) => some.length > 0) ?? [];
}

/** Anybody may record an address, but only the holder of a domain can publish under its namespace. */
export async function findHolder(
  address: string,
  recorded: readonly Reference[],
  context: Pick<Context, 'store'>,
) {
  const recording = await firstRecording(recorded, context);
  const [only, other] = recording.filter(({ handle }) => isOnNamespace(handle, address));
  if (!only || other || recording.length > mostAtAddress) return undefined;
  const others = recording.length - 1;
  const record = others === 1 ? say`1 other listing records` : say`${number(others)} other listings record`;
  const found = say`This listing is chosen because the address is on the domain of its namespace; ${record} the address too.`;
  return { handle: only.handle, found };
}

/** What checks saw of an endpoint is the same for each of its listings. */
async function pickOfEndpoint(found: Several, name: Name, context: Context) {
  const references = name.references.filter(({ kind }) => kind === 'endpoint');
  const holder = await findHolder(name.text, references, context);
  if (holder) return { handle: holder.handle, beside: holder.found };
  const facts = await readKnown(found.candidates, context);
  const [first] = longestChecked(atAsked(facts, { ...name, references }));
  const beside =
    first &&
    say`${found.detail} What follows is of ${code(first.listing.handle)}, for which Dossier checked it first.`;
  return first && { handle: first.listing.handle, beside };
}

/** Of a deleted listing nothing but its name is told, and what is known of the package asked for. */
async function refuseDeleted(named: FoundListing, name: Name, context: Context): Promise<void> {
  const { handle, found_by } = named;
  const listing = await context.store.listings.byHandle(handle);
  if (!listing?.withdrawn) return;
  const notices = await noticesOfDeleted(listing, name, context);
  const found = toText(sentence(say`${code(handle)} is ${found_by ?? say``}`));
  const { beside = say`` } = atRecord(named);
  const about = [beside, ...notices.map(({ text }) => text)].map(toText);
  const said = [found, await withdrawal(listing, context), ...about].filter(Boolean);
  throw new Problem('listing_withdrawn', said.join(' '));
}

/**
 * Throws invalid_handle, unknown_handle with near handles, or several_listings. A well-formed handle may not
 * exist. `isOfEndpoint`: what is asked is of the endpoint that several record, so one of them is chosen.
 */
export async function findNamed(
  asked: string,
  context: Context,
  isOfEndpoint = false,
): Promise<FoundListing & { readonly name: Name }> {
  const name = await readMeant(asked, context);
  return { ...(await findOf(name, asked, context, isOfEndpoint)), name };
}

async function findOf(name: Name, asked: string, context: Context, isOfEndpoint: boolean) {
  const { text, handles, references } = name;
  const meant = handles.at(-1);
  if (isHandle(text) && references.length === 0 && name.beside.length === 0) return { handle: text };
  const beside = await besideInStore(name, context);
  for (const handle of handles)
    if (await isKnownHandle(handle, context)) return withBeside({ handle }, beside);
  const { now, before } = await findHolders(name, context);
  const found = now ?? before;
  const one = isOfEndpoint && now && 'candidates' in now && (await pickOfEndpoint(now, name, context));
  if (one) return withBeside(one, beside);
  if (found && 'candidates' in found)
    throw severalListings(await describeSeveral(found, { name, asked, beside }, context));
  if (found && found === before) await refuseDeleted(withBeside(found, beside), name, context);
  if (found) return withBeside(found, beside);
  const why = whyUnreadable(name);
  if (meant !== undefined && why === undefined)
    return isHandle(text) ? { handle: meant } : refuseUnknown(meant, context, { beside });
  return refuseUnknown(toNearText(name), context, { name, beside });
}

/** Throws as findListing does. */
export async function readFacts(handle: string, context: Context): Promise<ListingFacts> {
  requireHandle(handle);
  const facts =
    (await context.store.documents.facts(handle, context.clock().toISOString())) ??
    (await refuseHandle(handle, context));
  if (!facts.asOf || facts.asOf.is_today) noteChange(context, nextChange_ms(facts, context));
  return requireShown(facts, facts.listing, context);
}

/** `shown` is of the endpoint or package alone that was named. Throws as `findNamed` and `readFacts` do. */
export async function findListingFacts(text: string, context: Context, then = context, isOfEndpoint = false) {
  const found = await findNamed(text, context, isOfEndpoint);
  const { name, found_by } = found;
  const facts = await readFacts(found.handle, then);
  const { asOf } = facts;
  const day = asOf && !asOf.is_today && !asOf.begins ? asOf.day : undefined;
  const { beside, formerly } = atRecord(found, facts.listing, day);
  const part = askedPart(facts.listing, name);
  const shown = part ? atPart(facts, part) : facts;
  return { name, found_by, beside, formerly, facts, shown, part_asked: part?.about };
}

/** Of several listings at one endpoint, of one of them: what checks saw there is the same for all. */
export const findFactsAt = (text: string, context: Context) => findListingFacts(text, context, context, true);

export const getListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toListingDocument(await readFacts(handle, context), context.config, context.clock());

const readAgain =
  'A check of this listing by Dossier is waiting or running. Read the listing again in 10 seconds.';
const readAgain_ms = 10_000;
/** For a check that is due, but was refused to this caller. */
const tryAgain_ms = 60_000;

export const readListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toReadDocument(await readFacts(handle, context), context);

/** `shown`: the part that is asked for. No check for crawlers, the sample, if hidden, or beyond a limit. */
export function toReadDocument(facts: ListingFacts, context: Context, shown = facts): ListingDocument {
  const { askedChecks, caller, config, clock } = context;
  const { listing, observed: { observed_at = null, due_since } = {} } = facts;
  const document = toListingDocument(shown, config, clock());
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

export const isDay = (text: string) => z.iso.date().safeParse(text).success;

/** The pattern of a date would be the longest part of a tool's definition. */
export const dayInput = z.string().max(40).refine(isDay, 'must be a date, such as 2026-11-03').optional();

const mostPublished = 3;

/** The day is right; the record's own dates say what its publisher had published by then, and where to. */
async function notKept({ listing }: ListingFacts, day: string, begins: Words, { store }: Context) {
  const { handle, undated } = listing;
  const { newestVersions, versionSpan, version: readVersion } = store.listings;
  const until = endOfDay(day);
  const query = { withDeleted: true, after: { published_at: until, version: '' }, limit: mostPublished };
  const [then, { count }, all] = await Promise.all([
    newestVersions(handle, query),
    versionSpan(handle, until),
    versionSpan(handle),
  ]);
  const said = then.map(
    ({ version, published_at, updated_at, status }) =>
      say`${code(version)} (${dayOf(published_at)}${status === 'deleted' && say`, deleted ${dayOf(updated_at)}`})`,
  );
  const newest = then.find(({ status }) => status !== 'deleted');
  const row = newest && (await readVersion(handle, newest.version));
  const published =
    said.length > 0
      ? say`these were published by then: ${listed(said, mostPublished, count)}.${row && say` Version ${code(row.version)} ${versionWords(row)}.`}`
      : say`none that Dossier has was published by then; the oldest is of ${dayOf(all.first)}.`;
  const byDates = undated
    ? own('Its registry has no dates of versions.')
    : say`By the dates of its versions, ${published}`;
  return new Problem(
    'not_kept',
    toText(say`Dossier kept nothing of ${code(handle)} on ${dayOf(day)}: it ${begins}. ${byDates}`),
  );
}

/**
 * Facts that are read in the returned context are those of the day, and no check is requested. Without a day,
 * that is the context itself. Throws invalid_input if the day is in the future. Reads of a listing of which
 * nothing is kept from so early a day throw not_kept for `as_of`; otherwise `begins` is set.
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
    const began = dayText(found.listing.imported_at);
    const isBefore = began > day && !found.listing.withdrawn;
    const [oldest] = isBefore ? await store.changes.after(0, 1, { handle }) : [];
    const begins = isBefore && beginsWords(began, !oldest || dayText(oldest.at) >= began, found.away);
    if (begins && field === 'as_of') throw await notKept(found, day, begins, context);
    const ended = found.claimHistory.findLast(({ type }) => type.startsWith('listing_'));
    const withdrawn = ended?.type === 'listing_withdrawn' && { is_withdrawn: true };
    const log_index = await store.documents.lastEntry(handle, at);
    return { ...found, asOf: { day, is_today, ...withdrawn, log_index, ...(begins && { begins }) } };
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
