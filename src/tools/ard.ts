import { z } from 'zod';
import type { Context } from '../context.ts';
import { isJsonObject } from '../core/json.ts';
import { Problem, wrongField } from '../core/problem.ts';
import { ownNamespace, readUrn, serverCardType, toArdEntry } from '../document/ard.ts';
import { toListingDocument } from '../document/document.ts';
import type { Facet } from '../search/facets.ts';
import type { SearchHit, SearchQuery } from '../search/query.ts';
import { getListing } from './get-agent.ts';
import { pageOf } from './search.ts';
import { parseInput } from './tool.ts';

const queryForm = z.strictObject({
  '@context': z.unknown().optional(),
  text: z.string().max(10_000).default(''),
  filter: z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1).max(20)])).default({}),
});
type Query = z.output<typeof queryForm>;

const searchForm = z.strictObject({
  query: queryForm.extend({ text: queryForm.shape.text.unwrap().regex(/\S/) }),
  federation: z.enum(['auto', 'referrals', 'none']).optional(),
  pageSize: z.int().min(1).default(10),
  pageToken: z.string().max(2000).optional(),
});

const exploreForm = z.strictObject({
  query: queryForm.prefault({}),
  resultType: z.strictObject({
    facets: z
      .array(
        z.strictObject({
          field: z.string().max(200),
          limit: z.int().min(1).max(100).default(20),
          minCount: z.int().min(1).default(1),
        }),
      )
      .max(10),
  }),
});

/** Terms of entries that listings can be filtered and counted by, each with its kind of facet. */
const kinds: Readonly<Record<string, string>> = {
  tags: 'tag',
  'dossier:claimState': 'state',
  'dossier:transport': 'transport',
  'dossier:packageType': 'package',
};

/** What a query calls a term, as it is called here: by its namespace, whatever the prefix (5.3.1). */
function toTerm(key: string, { '@context': context }: Query, publicUrl: string): string {
  const colon = key.indexOf(':');
  const bound = [context]
    .flat()
    .findLast((one) => isJsonObject(one) && Object.hasOwn(one, key.slice(0, colon)));
  const isOwn = isJsonObject(bound) && bound[key.slice(0, colon)] === ownNamespace(publicUrl);
  return isOwn ? `dossier:${key.slice(colon + 1)}` : colon < 0 ? key : '';
}

const unread = (field: string, message: string) => wrongField(field.slice(0, 200), message);

/** The filter as facets that must all match; undefined if no listing can. Throws invalid_input for a term that is not read. */
function toFacets(query: Query, publicUrl: string): Facet[] | undefined {
  const facets: Facet[] = [];
  let isPossible = true;
  for (const [key, values] of Object.entries(query.filter).map(
    ([name, value]) => [name, [value].flat()] as const,
  )) {
    const term = toTerm(key, query, publicUrl);
    const kind = term === 'publisher' ? 'publisher' : kinds[term];
    const [value = '', ...others] = values;
    if (term === 'type') isPossible &&= values.includes(serverCardType);
    else if (!kind)
      throw unread(
        key,
        `is not read here; type, publisher, ${Object.keys(kinds).join(', ')} are, with dossier bound to ${ownNamespace(publicUrl)} in @context`,
      );
    else if (others.length > 0) throw unread(key, 'takes one value here; send a request for each');
    else {
      const namespace = value.toLowerCase().split('.').toReversed().join('.');
      facets.push(`${kind}:${kind === 'publisher' ? namespace : value}` as Facet);
    }
  }
  return isPossible ? facets : undefined;
}

const nothing = { hits: [], words: 0, counts: { facets: {} } };

async function find(query: Query, { store, searches, caller, clock, config }: Context) {
  const facets = toFacets(query, config.publicUrl);
  const search: SearchQuery = { text: query.text.trim(), facets: facets ?? [], sort: 'relevance' };
  const asked = { network: caller.network, now_ms: clock().getTime() };
  if (!facets) return { search, found: nothing };
  if (!search.text) return { search, found: { ...nothing, counts: await store.listings.listCounts(facets) } };
  return { search, found: await searches.run(asked, () => store.listings.search(search)) };
}

/** Of the words asked for, how many in a hundred a hit has, or a hit behind it: found by its name or handle, it may have fewer. */
function scoresOf(hits: readonly SearchHit[], words: number, shown: readonly SearchHit[]): number[] {
  const shareOf = ({ matched = words }: SearchHit) => (words > 0 ? Math.round((100 * matched) / words) : 100);
  const from = shown[0] ? hits.indexOf(shown[0]) : 0;
  const scores = hits.slice(from).map(shareOf);
  for (let at = scores.length - 2; at >= 0; at -= 1)
    scores[at] = Math.max(scores[at] ?? 0, scores[at + 1] ?? 0);
  return scores.slice(0, shown.length);
}

const scoreMeans = 'How much of the query the texts of the listing have, in percent; no judgment of it.';

/** POST /search (5.3.2) over the listings here; no other registry is asked. Throws invalid_input. */
export async function searchEntries(sent: unknown, context: Context) {
  const { query, pageSize, pageToken } = parseInput({ input: searchForm }, sent);
  const { store, clock, config } = context;
  const { search, found } = await find(query, context);
  const { shown, next } = pageOf(found.hits, search, { limit: Math.min(pageSize, 100), cursor: pageToken });
  const briefs = await store.listings.briefs(shown.map(({ id }) => id));
  const now = clock();
  const facts = await store.documents.factsOfAll(
    briefs.map(({ handle }) => handle),
    now.toISOString(),
  );
  const factsOf = new Map(facts.map((one) => [one.listing.id, one]));
  const scores = scoresOf(found.hits, found.words, shown);
  const results = shown.flatMap(({ id }, at) => {
    const one = factsOf.get(id);
    if (!one || one.listing.withdrawn) return [];
    const entry = toArdEntry(toListingDocument(one, config, now), config.publicUrl);
    const score = scores[at] ?? 0;
    return [{ ...entry, score, 'dossier:scoreMeans': scoreMeans, source: `${config.publicUrl}/ard` }];
  });
  return { results, ...(next && { pageToken: next }) };
}

/** The values of one kind of facet, those of most listings first. */
function toBuckets(counts: Readonly<Record<string, number>>, kind: string) {
  const buckets = Object.entries(counts)
    .filter(([facet]) => facet.startsWith(`${kind}:`))
    .map(([facet, count]) => ({ value: facet.slice(kind.length + 1), count }));
  return buckets.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** POST /explore (5.3.3): how many listings of what Search finds have each value of a term. Throws invalid_input. */
export async function exploreEntries(sent: unknown, context: Context) {
  const { query, resultType } = parseInput({ input: exploreForm }, sent);
  const { counts } = (await find(query, context)).found;
  const total = 'total' in counts ? counts.total : 0;
  const facets = resultType.facets.map(({ field, limit, minCount }) => {
    const term = toTerm(field, query, context.config.publicUrl);
    const kind = kinds[term];
    if (!kind && term !== 'type') throw unread('field', `${field} is not counted here`);
    const all = kind ? toBuckets(counts.facets, kind) : [{ value: serverCardType, count: total }];
    const often = all.filter(({ count }) => count >= minCount);
    const otherCount = often.slice(limit).reduce((sum, { count }) => sum + count, 0);
    return [field, { buckets: often.slice(0, limit), ...(otherCount > 0 && { otherCount }) }] as const;
  });
  return { resultType: 'facets' as const, facets: Object.fromEntries(facets) };
}

/** GET /agents/{identifier} (5.3.4). Throws invalid_input, not_found, unknown_handle or listing_withdrawn. */
export async function retrieveEntry(identifier: string, context: Context) {
  const handle = readUrn(identifier);
  if (handle === undefined) throw new Problem('not_found', 'No listing has this identifier.');
  return { handle, entry: toArdEntry(await getListing(handle, context), context.config.publicUrl) };
}
