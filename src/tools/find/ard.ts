import { z } from 'zod';
import type { Context } from '../../context.ts';
import { isJsonObject, ownMember } from '../../core/json.ts';
import { Problem, wrongField } from '../../core/problem.ts';
import { inTurns } from '../../core/turns.ts';
import { toListingDocument } from '../../document/document.ts';
import { ownNamespace, readUrn, serverCardType, toArdEntry } from '../../document/registry/ard.ts';
import type { Facet, SearchHit, SearchQuery } from '../../search/query.ts';
import { parseInput } from '../tool.ts';
import { getListing } from './listing.ts';
import { pageOf } from './page.ts';

const queryForm = z.strictObject({
  '@context': z.unknown().optional(),
  text: z.string().max(10_000).regex(/\S/),
  // z.record silently drops a member named `__proto__`.
  filter: z
    .unknown()
    .refine(
      (sent) => !(isJsonObject(sent) && Object.hasOwn(sent, '__proto__')),
      'has a term that is not read here',
    )
    .pipe(z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1).max(4)])))
    .default({}),
});
type ArdQuery = z.output<typeof queryForm>;

const searchForm = z.strictObject({
  query: queryForm,
  federation: z.enum(['auto', 'referrals', 'none']).optional(),
  pageSize: z.int().min(1).default(10),
  pageToken: z.string().max(2000).optional(),
});

const kinds = {
  tags: 'tag',
  publisher: 'publisher',
  'dossier:claimState': 'state',
  'dossier:transport': 'transport',
  'dossier:packageType': 'package',
} as const;

/** '' for a term of others: @context says which prefix is our namespace (5.3.1). */
function toTerm(key: string, { '@context': context }: ArdQuery, publicUrl: string): string {
  const [prefix = '', term, ...more] = key.split(':');
  if (term === undefined) return key;
  const bound = [context].flat().findLast((one) => isJsonObject(one) && Object.hasOwn(one, prefix));
  const isOurs = isJsonObject(bound) && bound[prefix] === ownNamespace(publicUrl);
  return isOurs && more.length === 0 ? `dossier:${term}` : '';
}

const plain = /^[\w.+-]{1,200}$/;

/** A publisher is a domain in ARD and a reversed domain here. */
const toFacet = (kind: (typeof kinds)[keyof typeof kinds], value: string): Facet =>
  `${kind}:${kind === 'publisher' ? value.toLowerCase().split('.').toReversed().join('.') : value}`;

function toGroups(query: ArdQuery, publicUrl: string): Facet[][] {
  const terms = Object.entries(query.filter).map(
    ([key, written]) => [toTerm(key, query, publicUrl), [...new Set([written].flat())]] as const,
  );
  const groups = terms.flatMap(([term, values]) => {
    if (term === 'type') return values.includes(serverCardType) ? [] : [[]];
    const kind = ownMember(kinds, term);
    if (kind) return [values.filter((value) => plain.test(value)).map((value) => toFacet(kind, value))];
    const known = ['type', ...Object.keys(kinds)].join(', ');
    const message = `has a term that is not read here; use ${known}, and bind dossier to ${ownNamespace(publicUrl)} in @context`;
    throw wrongField('query.filter', message);
  });
  if (new Set(terms.map(([term]) => term)).size < terms.length)
    throw wrongField('query.filter', 'names a term twice; give all of its values in one list');
  return groups;
}

const nothing = { hits: [], words: 0 };

async function find(
  query: ArdQuery,
  { store, searches, caller, clock, config }: Context,
  signal: AbortSignal,
) {
  const groups = toGroups(query, config.publicUrl);
  const search: SearchQuery = { text: query.text.trim(), facets: groups.flat(), sort: 'relevance' };
  if (groups.some(({ length }) => length === 0)) return { search, found: nothing };
  const found = await searches.run({ network: caller.network, now_ms: clock().getTime() }, async () => {
    if (signal.aborted) throw new Problem('invalid_request', 'The connection ended before the search began.');
    return store.listings.search({ ...search, facets: groups });
  });
  return { search, found };
}

/** A hit by name may match fewer words than a later one; it gets the higher percentage. */
function scoresOf(hits: readonly SearchHit[], words: number, shown: readonly SearchHit[]): number[] {
  const shareOf = ({ matched }: SearchHit) =>
    matched === undefined ? 100 : words && Math.round((100 * matched) / words);
  const scores = hits.slice(shown[0] ? hits.indexOf(shown[0]) : 0).map(shareOf);
  for (let at = scores.length - 2; at >= 0; at -= 1)
    scores[at] = Math.max(scores[at] ?? 0, scores[at + 1] ?? 0);
  return scores.slice(0, shown.length);
}

const scoreMeans =
  'The percentage of the words of the query that the texts of this listing have, or the higher percentage of a later result. It is no judgment of the listing.';

/** POST /search (5.3.2); no other registry is asked. */
export async function searchEntries(sent: unknown, context: Context, signal: AbortSignal) {
  const { query, pageSize, pageToken } = parseInput({ input: searchForm }, sent);
  const { store, clock, config } = context;
  const { search, found } = await find(query, context, signal);
  const { shown, next } = pageOf(found.hits, search, { limit: Math.min(pageSize, 100), cursor: pageToken });
  const briefs = await store.listings.briefs(shown.map(({ id }) => id));
  const now = clock();
  const handles = briefs.map(({ handle }) => handle);
  const facts = await store.documents.factsOfAll(handles, now.toISOString());
  const factsOf = new Map(facts.map((one) => [one.listing.id, one]));
  const scores = scoresOf(found.hits, found.words, shown);
  const results = await inTurns(shown.entries(), ([at, { id }]) => {
    const one = factsOf.get(id);
    if (!one || one.listing.withdrawn) return [];
    const entry = toArdEntry(toListingDocument(one, config, now), config.publicUrl);
    const score = scores[at] ?? 0;
    return [{ ...entry, score, 'dossier:scoreMeans': scoreMeans, source: `${config.publicUrl}/ard` }];
  });
  return { results: results.flat(), pageToken: next };
}

/** GET /agents/{identifier} (5.3.4). Throws invalid_input, not_found, unknown_handle or listing_withdrawn. */
export async function retrieveEntry(identifier: string, context: Context) {
  const handle = readUrn(identifier);
  if (handle === undefined) throw new Problem('not_found', 'No listing has this identifier.');
  return { handle, entry: toArdEntry(await getListing(handle, context), context.config.publicUrl) };
}
