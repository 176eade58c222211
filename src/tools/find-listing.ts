import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { isHandle } from '../core/handle.ts';
import { Problem } from '../core/problem.ts';
import { copyLacksSentence, type ListingFacts } from '../document/record.ts';
import { isSample, type Listing } from '../listings/listing.ts';
import type { ListingReads } from '../listings/reads.ts';
import { matchPhrases } from '../listings/tags.ts';
import { toAppeal } from '../moderation/moderation.ts';
import type { Facet } from '../search/facets.ts';
import { findOmissions, type Omission, type SearchQuery } from '../search/query.ts';

const maxNear = 5;

/** What a list adds to an answer about one listing; nothing while searches and lists cannot be read. */
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

async function refuseUnknown(handle: string, context: Context): Promise<never> {
  const near = await orEmpty(context.store.listings.near(handle, maxNear), context);
  const twin = near.find((other) => other.toLowerCase() === handle.toLowerCase());
  throw new Problem('unknown_handle', {
    near,
    ...(twin && { detail: 'A listing has this handle with different capitals: it is the first in near.' }),
  });
}

const withdrawnBy = {
  deleted: 'The registry deleted it; this is not a verdict about it.',
  optout: 'A line in its repository withdrew it; this is not a verdict about it.',
} as const;

/** No registry has deleted what no registry had. */
const sampleEnded =
  'It was part of the sample that Dossier ships with, which ended with the first import from a registry.';

async function withdrawal(listing: Listing, { store, config }: Context): Promise<string> {
  const { handle, withdrawn } = listing;
  if (withdrawn === 'deleted' && isSample(listing)) return sampleEnded;
  if (withdrawn !== 'operator') return withdrawn ? withdrawnBy[withdrawn] : '';
  const standing = await store.moderation.standing({ target_kind: 'listing', target: handle });
  const action = standing.find(({ action: name }) => name === 'withdraw');
  return action ? `${action.statement} Log index ${action.log_index}. ${toAppeal(config)}` : '';
}

async function requireShown<T>(found: T, listing: Listing, context: Context): Promise<T> {
  if (!listing.withdrawn) return found;
  throw new Problem('listing_withdrawn', { detail: await withdrawal(listing, context) });
}

/** Whether there is, or was, a listing with this handle. */
export const isKnown = async (handle: string, { store }: Context): Promise<boolean> =>
  isHandle(handle) && (await store.listings.byHandle(handle)) !== undefined;

/** Whether there is a listing with this handle that is not withdrawn. */
export async function isListed(handle: string, { store }: Context): Promise<boolean> {
  const listing = isHandle(handle) ? await store.listings.byHandle(handle) : undefined;
  return listing !== undefined && !listing.withdrawn;
}

/** Throws invalid_handle unless the text is a well-formed handle. */
export function requireHandle(handle: string): void {
  if (!isHandle(handle)) throw new Problem('invalid_handle');
}

/** A visible listing; throws invalid_handle, unknown_handle (with near ones) or listing_withdrawn. */
export async function findListing(handle: string, context: Context): Promise<Listing> {
  requireHandle(handle);
  const listing = (await context.store.listings.byHandle(handle)) ?? (await refuseUnknown(handle, context));
  return requireShown(listing, listing, context);
}

/** All facts of a shown listing; throws as findListing does. */
export async function findListingFacts(handle: string, context: Context): Promise<ListingFacts> {
  requireHandle(handle);
  const facts =
    (await context.store.documents.facts(handle, context.clock().toISOString())) ??
    (await refuseUnknown(handle, context));
  return requireShown(facts, facts.listing, context);
}

const mostNear = 5;
/** The most frequent tags, which an unknown one is compared with. */
const mostCompared = 2000;
/** A longer one is compared with none. */
const longestTag = 100;

/** Tags near an unknown one: those the vocabulary gives its words, then similar ones, the most similar first. */
function toNearTags(tag: string, frequent: readonly string[]): string[] {
  const meant = new Set(matchPhrases(tag.split(/[.-]/)).map((match) => match.tag));
  const similar = frequent
    .map((other) => ({ other, edits: other.includes(tag) || tag.includes(other) ? 1 : distance(tag, other) }))
    .filter(({ other, edits }) => other.length > 2 && edits <= Math.max(1, Math.floor(other.length / 3)))
    .sort((a, b) => a.edits - b.edits)
    .map(({ other }) => other);
  return [...new Set([...frequent.filter((other) => meant.has(other)), ...similar])].slice(0, mostNear);
}

/** Those tags of a search that no listing has, each with the nearest tags that listings have. */
async function findUnknownTags(listings: ListingReads, facets: readonly Facet[]) {
  const tags = facets.filter((facet) => facet.startsWith('tag:')).map((facet) => facet.slice('tag:'.length));
  if (tags.length === 0) return [];
  const known = (await listings.facetCounts('tag')).map(({ facet }) => facet.slice('tag:'.length));
  const all = new Set(known);
  const frequent = known.slice(0, mostCompared);
  return tags.filter((tag) => !all.has(tag)).map((tag) => ({ tag, near: toNearTags(tag, frequent) }));
}

/** Throws not_found for a tag that no listing has, with the nearest tags that listings have. */
export async function refuseUnknownTag(tag: string, { store }: Pick<Context, 'store'>): Promise<void> {
  const detail = 'No listing has this tag.';
  if (tag.length > longestTag) throw new Problem('not_found', { detail });
  const [unknown] = await findUnknownTags(store.listings, [`tag:${tag}`]);
  if (unknown) throw new Problem('not_found', { detail, near: unknown.near });
}

/** Filters, and conditions of the query, that are left out for a try. */
const mostFilters = 8;
const mostConditions = 3;

/** What search_agents publishes where nothing matches. */
export const nearMisses = z.object({
  near: z.array(z.string()).describe('handles'),
  leave_out: z
    .array(
      z.object({
        facet: z.string().optional().describe('a filter to leave out'),
        text: z.string().optional().describe('a part of the query to leave out'),
        query: z.string().optional().describe('the query without text'),
        only: z.string().optional().describe('the one filter to keep, where leaving out one is not enough'),
        count: z.int(),
      }),
    )
    .describe('What finds something, and how many listings'),
  unknown_tags: z.array(z.object({ tag: z.string(), near: z.array(z.string()) })).optional(),
  copy_lacks: z.string().optional().describe('That no listing has what a filter asks for'),
});
export type NearMisses = z.infer<typeof nearMisses>;

const countMatches = async (listings: ListingReads, search: SearchQuery) =>
  search.text.trim()
    ? (await listings.search(search)).counts.total
    : (await listings.listCounts(search.facets)).total;

type Left = NearMisses['leave_out'][number];

/** Filters without which something matches. */
async function tryWithoutFilters(listings: ListingReads, search: SearchQuery): Promise<Left[]> {
  const tries: Left[] = [];
  for (const facet of search.facets.slice(0, mostFilters)) {
    const facets = search.facets.filter((other) => other !== facet);
    if (facets.length === 0 && !search.text.trim()) continue;
    tries.push({ facet, count: await countMatches(listings, { ...search, facets }) });
  }
  return tries;
}

/** Conditions of the query without which something matches; with filters, all of its words are one. */
async function tryWithoutConditions(listings: ListingReads, search: SearchQuery): Promise<Left[]> {
  const text = search.text.trim();
  const all: Omission[] = text && search.facets.length > 0 ? [{ text, query: '' }] : [];
  const conditions = findOmissions(text).filter(({ query }) => query !== '' && query !== text);
  const tries: Left[] = [];
  for (const one of [...conditions.slice(0, mostConditions), ...all])
    tries.push({ ...one, count: await countMatches(listings, { ...search, text: one.query }) });
  return tries;
}

/** Each filter alone, for a search that finds nothing even with one less. */
async function countAlone(listings: ListingReads, facets: readonly Facet[]): Promise<Left[]> {
  const counts: Left[] = [];
  for (const only of facets.length > 1 ? facets.slice(0, mostFilters) : [])
    counts.push({ only, count: (await listings.listCounts([only])).total });
  return counts;
}

/** Handles of what matches without the filters, or of what the text resembles. */
async function findNearHandles(listings: ListingReads, search: SearchQuery): Promise<string[]> {
  const text = search.text.trim();
  const near = text.includes('/') ? await listings.near(text, mostNear) : [];
  if (near.length > 0 || !text || search.facets.length === 0) return near;
  const { hits } = await listings.search({ ...search, facets: [] });
  const rows = await listings.byIds(hits.slice(0, mostNear).map(({ id }) => id));
  return rows.map(({ handle }) => handle);
}

const byCount = (tries: readonly Left[]) =>
  tries.filter(({ count }) => count > 0).sort((a, b) => a.count - b.count);

/** That a filter finds nothing because the copy records no endpoint or package of any listing. */
async function findLacking(
  { facetCounts }: ListingReads,
  { facets }: SearchQuery,
): Promise<string | undefined> {
  const asks = (prefix: string) => facets.some((facet) => facet.startsWith(prefix));
  if (asks('has:endpoint') && !(await facetCounts('has')).some(({ facet }) => facet === 'has:endpoint'))
    return copyLacksSentence(['endpoint'], 'endpoint');
  if (asks('package:') && (await facetCounts('package')).length === 0)
    return copyLacksSentence(['package'], 'package');
  return undefined;
}

/**
 * What is near a search that found nothing: handles, what it would find with one filter or condition less, the one that
 * leaves the fewest first, and tags near unknown ones.
 */
export async function findNearMisses(listings: ListingReads, search: SearchQuery): Promise<NearMisses> {
  const withoutOne = byCount([
    ...(await tryWithoutFilters(listings, search)),
    ...(await tryWithoutConditions(listings, search)),
  ]);
  const leave_out = withoutOne.length > 0 ? withoutOne : byCount(await countAlone(listings, search.facets));
  const unknown_tags = await findUnknownTags(listings, search.facets);
  const near = await findNearHandles(listings, search);
  const copy_lacks = await findLacking(listings, search);
  return {
    near,
    leave_out,
    ...(unknown_tags.length > 0 && { unknown_tags }),
    ...(copy_lacks && { copy_lacks }),
  };
}

const mostCandidates = 50;
const longestName = 200;

/** A name of one or several words, as `twilio`, or of a package, as `@twilio/mcp`. */
const name = /^@?[a-z0-9][\w .-]*$|^@[\w.-]+\/[\w.-]+$/i;
/** An address of a repository or an image, with or without a scheme. */
const address = /^(?:https?:\/\/|git@)?(?:[\w-]+\.)+[a-z]{2,}[/:][\w.@:/#?=-]+$/i;
const hosts =
  /^(?:https?:\/\/|git@|(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|ghcr\.io|docker\.io|quay\.io)\/)/i;

/** Whether a text that is no handle names a listing in another way: by name, repository or package. */
const namesSomething = (text: string): boolean =>
  !isHandle(text) &&
  text.length <= longestName &&
  (name.test(text) || (hosts.test(text) && address.test(text)));

/** A repository as host/path, as listings record it. */
const toKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(?:https?:\/\/|git@)(?:www\.)?/, '')
    .replace(':', '/')
    .replace(/[#?].*$/, '')
    .replace(/\/$/, '')
    .replace(/\.git$/, '');

/** The words to search for: the last two parts of an address, without a package's tag. */
const toWordsOf = (text: string): string =>
  hosts.test(text) ? toKey(text).split('/').slice(1, 3).join(' ') : text.replace(/[@/]/g, ' ');

const isRecordedAs = (listing: Listing, text: string): boolean =>
  listing.repository_key === toKey(text) ||
  listing.packages.some(({ identifier }) => identifier.toLowerCase() === text.toLowerCase());

/** Handles of the listings that a name, repository or package names: those that record it exactly first. */
async function findNear(text: string, { store }: Context): Promise<string[]> {
  const { hits } = await store.listings.search({ text: toWordsOf(text), facets: [], sort: 'relevance' });
  const summaries = await store.listings.byIds(hits.slice(0, mostCandidates).map(({ id }) => id));
  const handles = summaries.map(({ handle }) => handle);
  const exact = new Set(
    (await store.listings.byHandles(handles))
      .filter((one) => isRecordedAs(one, text))
      .map(({ handle }) => handle),
  );
  return [...handles.filter((one) => exact.has(one)), ...handles.filter((one) => !exact.has(one))].slice(
    0,
    mostNear,
  );
}

/** Throws unknown_handle with near handles if a text is the name, repository or package of a listing, not a handle. */
export async function refuseName(text: string, context: Context): Promise<void> {
  if (!namesSomething(text)) return;
  throw new Problem('unknown_handle', {
    near: await findNear(text, context),
    detail: 'This is not a handle; near lists the handles of listings that match it.',
  });
}
