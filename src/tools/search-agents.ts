import { z } from 'zod';
import { readCursor, toCursor } from '../evidence/cursor.ts';
import type { Facet } from '../evidence/facets.ts';
import { claimStates } from '../evidence/listing-document.ts';
import { shortListing, toShortListing } from '../evidence/short-listing.ts';
import { toWords } from '../evidence/words.ts';
import { cursorInput } from './inputs.ts';
import { defineTool, readsOnly } from './tool.ts';

const transports = ['streamable-http', 'sse', 'stdio'] as const;
const packageTypes = ['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'cargo'] as const;
const maxWords = 10;
const defaultLimit = 20;

const input = z.strictObject({
  query: z.string().max(200).optional().describe('Words; all must match, the last one also as a beginning'),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9.-]{0,39}$/))
    .max(5)
    .optional()
    .describe('All must be there; see list_tags'),
  transport: z.enum(transports).optional(),
  package: z.enum(packageTypes).optional(),
  state: z.enum(claimStates).optional(),
  has_endpoint: z.literal(true).optional(),
  has_native_ratings: z.literal(true).optional(),
  limit: z.int().min(1).max(50).optional().describe('20 unless said'),
  cursor: cursorInput,
});

const output = z.object({
  listings: z.array(shortListing),
  total: z.object({ count: z.int(), capped: z.boolean().describe('true: more than count') }),
  facets: z
    .array(z.object({ facet: z.string(), count: z.int() }))
    .describe('kind:value, counted over the same hits'),
  next_cursor: z.string().optional(),
  order: z.string(),
});

/** The facets that an input names. */
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

/** Finds listings; the order follows from where the words were found and when a listing first appeared. */
export const searchAgents = defineTool({
  name: 'search_agents',
  title: 'Search listings',
  description:
    'Finds agent services by words, tags and facts. Use it when you need a handle or want to compare what exists; then read each candidate with get_agent. Order: found in the name, then in tags, then anywhere; inside by first publication, which nobody can buy. A place in the list is not a recommendation.',
  effects: readsOnly,
  input,
  output,
  example: { query: 'webhook', limit: 5 },
  async run(query, { store }) {
    const search = { words: toWords(query.query ?? '').slice(0, maxWords), facets: toFacetList(query) };
    const limit = query.limit ?? defaultLimit;
    const position = readCursor(query.cursor, z.tuple([z.int().min(0).max(3), z.int().min(0)]));
    const after = position && { tier: position[0], id: position[1] };
    const hits = await store.listings.search({ ...search, after, limit: limit + 1 });
    const counts = await store.listings.searchCounts(search);
    const shown = hits.slice(0, limit);
    const last = hits.length > limit ? shown.at(-1) : undefined;
    return {
      listings: shown.map(({ listing, tier }) => toShortListing(listing, tier)),
      total: { count: counts.total, capped: counts.capped },
      facets: Object.entries(counts.facets)
        .map(([facet, count]) => ({ facet, count }))
        .sort((a, b) => b.count - a.count || (a.facet < b.facet ? -1 : 1))
        .slice(0, 40),
      ...(last && { next_cursor: toCursor([last.tier, last.listing.id]) }),
      order: 'name, then tags, then text; inside by first publication; never by ratings',
    };
  },
});
