import { hash } from 'node:crypto';
import { z } from 'zod';
import { type Context, noteChange } from '../../context.ts';
import { readCursor, toCursor } from '../../core/paging/cursor.ts';
import { readPayeeOrPage } from '../../core/payee.ts';
import { wrongField } from '../../core/problem.ts';
import { inTurns } from '../../core/turns.ts';
import { toText } from '../../core/words.ts';
import { pickAlike, toAlikeQuery } from '../../document/alike.ts';
import { needsReplacement, successorOf } from '../../document/answers/answers.ts';
import { untrustedOf } from '../../document/answers/closing.ts';
import { askedPart, hitAt, malwareBeside, partFound } from '../../document/asked-part.ts';
import { toListingDocument } from '../../document/document.ts';
import { type HitFacts, toHit, toWritten } from '../../document/hit.ts';
import type { Hit } from '../../document/resolved.ts';
import { ifThisService, isAboutService } from '../../document/service.ts';
import { type Listing, withoutHidden } from '../../listings/listing.ts';
import { payeeReferences, readName } from '../../listings/references/name.ts';
import { holderOfReference } from '../../listings/references/references.ts';
import { networkWords } from '../../observations/known/prices/assets.ts';
import type { SearchHit, SearchQuery } from '../../search/query.ts';
import { readToolNames } from '../../search/tool-names.ts';
import { isInflection } from '../../search/words.ts';
import { askedVersion, readOfRecord } from './asked-version.ts';
import { mostNamed, mostRecording } from './holders.ts';
import { findListingFacts, isListed } from './listing.ts';
import { meantWords } from './meant-filters.ts';
import { findLeftOut, findNearMisses, freeFacet, toAdvice } from './near-misses.ts';
import { readSearchedName, type SearchedName } from './searched-name.ts';

interface PagePlace {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** A cursor works only for its own search. */
const queryDigest = ({ text, facets, sort }: SearchQuery): string =>
  hash('sha256', JSON.stringify([text.trim(), facets.toSorted(), sort]), 'base64url').slice(0, 8);

const number = z.int().min(0);

function readRankedPlace(search: SearchQuery, cursor: string | undefined) {
  const [, at, id] =
    readCursor(cursor, () => z.tuple([z.literal(queryDigest(search)), number, number])) ?? [];
  return at === undefined ? undefined : { at, id };
}

/** A write since the previous page may have moved or withdrawn its last hit. */
function hitsBehind(hits: readonly Pick<SearchHit, 'id'>[], search: SearchQuery, cursor: string | undefined) {
  const last = readRankedPlace(search, cursor);
  if (!last) return 0;
  const at = hits.findIndex(({ id }) => id === last.id);
  return at < 0 ? last.at : at + 1;
}

/** Throws invalid_input for a cursor of a different search. */
export function pageOf<Found extends Pick<SearchHit, 'id'>>(
  hits: readonly Found[],
  search: SearchQuery,
  { limit, cursor }: PagePlace,
) {
  const from = hitsBehind(hits, search, cursor);
  const shown = hits.slice(from, from + limit);
  const last = hits.length > from + limit ? shown.at(-1) : undefined;
  return { shown, next: last && toCursor([queryDigest(search), from + limit - 1, last.id]) };
}

/** A record's texts do not have the version of the package that was asked for. */
function withoutVersion(text: string, { config }: Context): string {
  const { version, references } = readName(text, config.publicUrl);
  const named = references.find(({ kind }) => kind === 'package');
  return named && /^\d/.test(version?.text ?? '') ? named.key : text;
}

/** Of a name each is told of the part and the version that it asks for; malware in another part too. */
async function toHits(
  found: readonly HitFacts[],
  { text: asked, facets }: SearchQuery,
  isName: boolean,
  context: Context,
  matchOf: (listing: Listing) => Parameters<typeof toHit>[1],
): Promise<Hit[]> {
  const name = readName(asked, context.config.publicUrl);
  return inTurns(found, async (one) => {
    const named = isName ? askedPart(one.listing, name) : undefined;
    const part = named ?? partFound(one.listing, facets);
    const shown = part ? { ...one, ...hitAt(one, part) } : one;
    const ofRecord = isName ? await readOfRecord(asked, one.listing, context) : undefined;
    const version = isName ? askedVersion(asked, { ...shown, ofRecord }) : undefined;
    const hit = toHit(shown, matchOf(one.listing));
    const beside = malwareBeside(one.observations, shown.observations).map(({ text }) => text);
    const first = [version, named?.about, ...beside].filter((words) => words !== undefined);
    return { ...hit, facts: [...first, ...hit.facts] };
  });
}

async function findRanked(
  context: Context,
  { text: asked, ...how }: SearchQuery,
  place: PagePlace,
  { isName, leading, advice }: SearchedName,
) {
  const text = isName && advice !== undefined ? withoutVersion(asked, context) : asked;
  const meant = isName ? [] : meantWords(asked);
  const search = { ...how, text, named: leading, meant };
  const { listings, documents } = context.store;
  const last = readRankedPlace(search, place.cursor);
  const first = await listings.search({ ...search, most: (last?.at ?? -1) + place.limit + 2 });
  // If the last hit shown has moved, it may be beyond the hits that were sorted.
  const isMoved = last !== undefined && first.hits[last.at]?.id !== last.id;
  const { hits, words, unknown, counts } = isMoved ? await listings.search(search) : first;
  const { shown, next } = pageOf(hits, search, place);
  const hitOf = new Map(shown.map((one) => [one.id, one]));
  const now = context.clock().toISOString();
  const ids = shown.map(({ id }) => id);
  const found = await documents.hitsById(ids, now);
  const asksFree = search.facets.includes(freeFacet);
  const { tools } = readToolNames(search.text);
  const isAll = next === undefined && place.cursor === undefined;
  const matchOf = ({ id }: Listing) => ({ ...hitOf.get(id), words, asksFree, tools });
  const has = found.flatMap(({ listing }) => toWritten(listing, hitOf.get(listing.id)?.instead ?? []));
  const nearOf = (word: string) => has.filter(({ typed }) => typed === word).map(({ text }) => text);
  return {
    listings: await toHits(found, { ...search, text: asked }, isName, context, matchOf),
    counts,
    next,
    // Parts of a name are not misspelt words.
    unknown: (advice === undefined ? unknown : []).map(({ word, near }) => {
      const ofHits = nearOf(word);
      const isOther = (one: string) => !ofHits.some((written) => isInflection(one, written));
      return { word, near: [...new Set([...ofHits, ...near.filter(isOther)])] };
    }),
    advice: advice ?? (await toAdvice(listings, search, words, unknown)),
    no_match: hits.length === 0 ? await findNearMisses(context.store, search) : undefined,
    left_out: isAll ? await findLeftOut(context, search, counts.total) : undefined,
  };
}

async function findListed(context: Context, search: SearchQuery, place: PagePlace) {
  const { listings, documents } = context.store;
  const { facets, sort } = search;
  const toPlace = () => z.tuple([z.literal(queryDigest(search)), number, z.string().max(40)]);
  const position = readCursor(place.cursor, toPlace);
  const after = position && { id: position[1], updated_at: position[2] };
  const rows = await listings.list({ facets, sort, after, limit: place.limit + 1 });
  const asksFree = facets.includes(freeFacet);
  const shown = rows.slice(0, place.limit);
  const last = rows.length > place.limit ? shown.at(-1) : undefined;
  const ids = shown.map(({ id }) => id);
  const found = await documents.hitsById(ids, context.clock().toISOString());
  return {
    listings: await toHits(found, search, false, context, () => ({ words: 0, asksFree })),
    counts: await listings.listCounts(facets),
    next: last && toCursor([queryDigest(search), last.id, last.updated_at]),
    advice: undefined,
    no_match: rows.length === 0 && !after ? await findNearMisses(context.store, search) : undefined,
  };
}

/** Of a payee, and of a place that more listings have than an answer names. */
async function findHeld(
  context: Context,
  search: SearchQuery,
  place: PagePlace,
  { leading, advice }: SearchedName,
) {
  const { store, clock, config } = context;
  const payee = readPayeeOrPage(search.text.trim(), config.publicUrl);
  if ((!payee && leading.length < mostNamed) || search.facets.length > 0) return undefined;
  const references = payee ? payeeReferences(payee) : readName(search.text, config.publicUrl).references;
  const all = await store.listings.recording(references, mostRecording);
  const at = all.findIndex((some) => some.length > 0);
  const reference = references[at];
  if (!reference || (all[at]?.length ?? 0) <= (payee ? 0 : mostNamed)) return undefined;
  const found = await store.listings.holding(reference);
  const network = payee?.network;
  const isElsewhere = network !== undefined && reference.network === undefined;
  const isByHolder = holderOfReference(reference) !== undefined;
  const { shown, next } = pageOf(found, search, place);
  const handles = shown.map(({ handle }) => handle);
  const hits = await store.documents.hitsOf(handles, clock().toISOString());
  return {
    listings: await toHits(hits, search, !payee, context, () => undefined),
    counts: { total: found.length, capped: false, facets: {} },
    next,
    order: `${isByHolder ? 'those of the holder of the domain or account first, then ' : ''}oldest publication first`,
    advice: isElsewhere
      ? `No endpoint that Dossier checked asks to be paid at this address on ${toText(networkWords(network))}; these listings do so on a different network, or on one that Dossier does not know.`
      : advice,
  };
}

const ofSecrets =
  'A record that names no secret may be silent: an endpoint may ask by OAuth, and a package for what no record names.';

/** Throws invalid_input for a cursor of a different search. */
export async function findPage(context: Context, search: SearchQuery, place: PagePlace) {
  const isNamed = search.text.trim() !== '';
  const named = isNamed ? await readSearchedName(search.text, context) : undefined;
  const found = named
    ? ((await findHeld(context, search, place, named)) ?? (await findRanked(context, search, place, named)))
    : await findListed(context, search, place);
  const said = [
    found.advice,
    isAboutService(search.text, context.config) && ifThisService(context.config),
    search.facets.includes('is:without_secret') && ofSecrets,
  ];
  const none = { order: undefined, unknown: [], no_match: undefined, left_out: undefined };
  return { ...none, ...found, advice: said.filter(Boolean).join(' ') || undefined, named };
}

const mostCandidates = 60;
const mostSharing = 200;

/** A source stops being new as time passes: a cached list with one is at most this old. */
const shownAtMost_ms = 60_000;

const mostSimilar = 10;

export const readHits = async (handles: readonly string[], { store, clock }: Context): Promise<Hit[]> =>
  (await store.documents.hitsOf(handles, clock().toISOString())).map((one) => toHit(one));

async function findSimilar(context: Context, listing: Listing, most: number, isReplaced: boolean) {
  const { listings, documents } = context.store;
  const text = toAlikeQuery(listing);
  const sharing = (await listings.sharing(listing.handle)).filter(({ of_own }) => isReplaced || !of_own);
  const publisher = `publisher:${listing.handle.split('/')[0]?.toLowerCase() ?? ''}` as const;
  const ofOwn = isReplaced
    ? await listings.list({ facets: [publisher], sort: 'updated', after: undefined, limit: most + 1 })
    : [];
  const named = text ? await listings.best(text, mostCandidates) : [];
  const byNumber = [...Map.groupBy(sharing, ({ id }) => id)].toSorted(([, a], [, b]) => b.length - a.length);
  const ids = new Set([
    ...byNumber.slice(0, mostSharing).map(([id]) => id),
    ...ofOwn.map(({ id }) => id),
    ...named,
  ]);
  const candidates = await listings.briefs([...ids]);
  const shared = pickAlike(listing, { candidates, sharing }, most, isReplaced);
  const now = context.clock();
  const found = await documents.hitsOf([...shared.keys()], now.toISOString());
  if (found.some(({ native }) => native?.flags.new_source))
    noteChange(context, now.getTime() + shownAtMost_ms);
  return found.map((one) => toHit(one, undefined, shared.get(one.listing.handle)));
}

function refuseOthers(others: Readonly<Record<string, unknown>>): void {
  const field = Object.keys(others).find((name) => name !== 'similar_to' && others[name] !== undefined);
  if (field === undefined) return;
  const message = 'leave it out, or leave out similar_to';
  throw wrongField(field, message, `${field}: ${message}.`);
}

/** Throws as findListingFacts does, and invalid_input for any field besides `limit`. */
export async function answerSimilar(
  handle: string,
  {
    limit = mostSimilar,
    ...others
  }: Readonly<Record<string, unknown>> & { readonly limit?: number | undefined },
  context: Context,
) {
  refuseOthers(others);
  const { facts } = await findListingFacts(handle, context);
  const document = toListingDocument(facts, context.config, context.clock());
  const isReplaced = needsReplacement(document);
  const most = Math.min(limit, mostSimilar);
  const listings = await findSimilar(context, withoutHidden(facts.listing), most, isReplaced);
  const successor = successorOf(document);
  return {
    listings,
    ...(successor && { successor, successor_is_listed: await isListed(successor, context) }),
    total: { count: listings.length, capped: false },
    order: 'alike',
    untrusted_fields: untrustedOf({ listings }, ['listings']),
  };
}
