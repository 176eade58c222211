import { z } from 'zod';
import type { Facet } from '../evidence/listing/facets.ts';
import { claimStates } from '../evidence/listing/listing-document.ts';
import { packageTypes, transports } from '../evidence/listing/recorded-kinds.ts';
import { shortListing, toShortListing } from '../evidence/listing/short-listing.ts';
import { readCursor, toCursor } from '../evidence/text/cursor.ts';
import { tokenize } from '../evidence/text/tokenize.ts';
import type { ListingReads, SearchCounts } from '../store/contract/listings.ts';
import { cursorInput } from './support/inputs.ts';
import { findNearMisses, nearMisses } from './support/near-misses.ts';
import { defineTool, readsOnly } from './tool.ts';

const maxWords = 10;
const maxFacetsOfKind = 20;
const defaultLimit = 20;

const onlyTrue = () => z.literal(true, { error: 'must be true, or omitted' }).optional();

const input = z.strictObject({
  query: z
    .string()
    .max(200)
    .refine((text) => tokenize(text).length <= maxWords, 'at most ten words')
    .optional()
    .describe('At most ten words; all must match, the last one also as a prefix'),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9.-]{0,39}$/))
    .max(5)
    .optional()
    .describe('All must match; see list_tags'),
  transport: z.enum(transports).optional(),
  package: z.enum(packageTypes).optional(),
  state: z.enum(claimStates).optional(),
  has_endpoint: onlyTrue().describe('true, or omitted'),
  has_native_ratings: onlyTrue().describe('true, or omitted'),
  limit: z.int().min(1).max(50).optional().describe('Default 20'),
  cursor: cursorInput,
});

const output = z.object({
  listings: z.array(shortListing),
  total: z.object({ count: z.int(), capped: z.boolean().describe('true: more than count') }),
  facets: z
    .array(z.object({ facet: z.string(), count: z.int() }))
    .describe('kind:value, counted over the same hits'),
  next_cursor: z.string().optional(),
  no_match: nearMisses.optional().describe('Only if nothing matches: near matches, and what to leave out'),
  order: z.string(),
  untrusted_fields: z.array(z.string()),
});

/** The facets to filter by. */
function toFacetList(query: z.output<typeof input>): Facet[] {
  return [
    ...(query.tags ?? []).map((tag): Facet => `tag:${tag}`),
    ...(query.transport ? [`transport:${query.transport}` as const] : []),
    ...(query.package ? [`package:${query.package}` as const] : []),
    ...(query.state ? [`state:${query.state}` as const] : []),
    ...(query.has_endpoint ? ['has:endpoint' as const] : []),
    ...(query.has_native_ratings ? ['has:ratings' as const] : []),
  ];
}

const noCounts: SearchCounts = { total: 0, capped: false, facets: {} };
const noNearMisses = { near: [], leave_out: [] };

/** Hits and their counts. A query without any word matches nothing, not everything. */
async function find(query: z.output<typeof input>, limit: number, listings: ListingReads) {
  const text = query.query ?? '';
  const words = tokenize(text);
  const position = readCursor(query.cursor, z.tuple([z.int().min(0).max(3), z.int().min(0)]));
  if (words.length === 0 && text.trim()) return { hits: [], counts: noCounts, no_match: noNearMisses };
  const search = { words, facets: toFacetList(query) };
  const after = position && { tier: position[0], id: position[1] };
  const hits = await listings.search({ ...search, after, limit });
  if (hits.length === 0 && !after)
    return { hits, counts: noCounts, no_match: await findNearMisses(text, search, listings) };
  return { hits, counts: await listings.searchCounts(search) };
}

/** The most frequent facets of each kind, so that tags do not crowd out the other kinds. */
function toFacetCounts({ facets }: SearchCounts) {
  const ofKind = new Map<string, number>();
  return Object.entries(facets)
    .map(([facet, count]) => ({ facet, count }))
    .sort((a, b) => b.count - a.count || (a.facet < b.facet ? -1 : 1))
    .filter(({ facet }) => {
      const kind = facet.slice(0, facet.indexOf(':'));
      ofKind.set(kind, (ofKind.get(kind) ?? 0) + 1);
      return (ofKind.get(kind) ?? 0) <= maxFacetsOfKind;
    });
}

/** Finds listings, ordered by where the words were found and then by first publication. */
export const searchAgents = defineTool({
  name: 'search_agents',
  title: 'Search listings',
  description:
    'Finds agent services by words, tags and facts. Use it when you need a handle or want to compare what exists; then read each candidate with get_agent. Do not use it for a handle you know. Order: found in the name, then in tags, then anywhere; inside by first publication, which nobody can buy. A place in the list is not a recommendation.',
  effects: readsOnly,
  input,
  output,
  example: { query: 'webhook', limit: 5 },
  cacheTags: () => 'all',
  async run(query, { store }) {
    const limit = query.limit ?? defaultLimit;
    const { hits, counts, no_match } = await find(query, limit + 1, store.listings);
    const shown = hits.slice(0, limit);
    const last = hits.length > limit ? shown.at(-1) : undefined;
    return {
      listings: shown.map(({ listing, tier }) => toShortListing(listing, tier)),
      total: { count: counts.total, capped: counts.capped },
      facets: toFacetCounts(counts),
      ...(last && { next_cursor: toCursor([last.tier, last.listing.id]) }),
      ...(no_match && { no_match }),
      order: 'name, then tags, then text; inside by first publication; never by ratings',
      untrusted_fields: ['listings', 'facets', ...(no_match ? ['no_match'] : [])],
    };
  },
});
