import { z } from 'zod';
import { claimStates } from '../claims/claim.ts';
import type { Context } from '../context.ts';
import { ifAny } from '../core/json.ts';
import { amount, code, lines, list, paragraphs, toQuote } from '../core/text.ts';
import { toMarkdown } from '../core/words.ts';
import { closingText, untrustedOf } from '../document/answers/closing.ts';
import { packageTypes, transports } from '../document/record.ts';
import { type Hit, hit } from '../document/resolved.ts';
import { searchLimit } from '../limits/searches.ts';
import type { Facet, SearchCounts } from '../search/query.ts';
import { fixedFilterNames, fixedFilters, inputOf } from './find/meant-filters.ts';
import { leftOut, type NearMisses, nearMisses } from './find/near-misses.ts';
import { answerSimilar, findPage } from './find/page.ts';
import { publisherFacet } from './find/publisher.ts';
import { cursorInput, oneOf, tagInput } from './input/fields.ts';
import { defineTool, readsOnly } from './tool.ts';

const inlineAll = (texts: readonly string[]) => texts.map(code).join(', ');

function listingLine({ handle, title, description = '', facts }: Hit): string {
  const written = [title, description].filter(Boolean).map((text) => toQuote(text ?? ''));
  return [[code(handle), ...written].join(' '), ...facts.map(toMarkdown)].join(' | ');
}

function omissionLine({ facet, text, query, only, count }: NearMisses['leave_out'][number]): string {
  if (only !== undefined) return `${code(only)} alone: ${count}`;
  if (facet !== undefined) return `without ${code(facet)}: ${count}`;
  return `without ${toQuote(text ?? '')}: ${count}${query ? `, query ${toQuote(query)}` : ''}`;
}

const noMatchText = ({ near, leave_out, unknown_filters = [] }: NearMisses) =>
  lines(
    near.length > 0 && `Near: ${near.map(code).join(', ')}`,
    leave_out.length > 0 && `How many match with fewer conditions:\n${list(leave_out, omissionLine)}`,
    ...unknown_filters.map(
      ({ filter, near: others }) =>
        `No listing passes the filter ${code(filter)}${others.length > 0 ? `; near: ${inlineAll(others)}` : ''}.`,
    ),
  );

const leftOutText = ({ count, capped, best }: z.infer<typeof leftOut>) =>
  lines(
    `The filters by facts about a service leave out ${count}${capped ? ' or more' : ''} of what matches the rest. The first of these:`,
    list(best, ({ handle, why }) => `${code(handle)}: ${toMarkdown(why)}`),
  );

const mostUnknown = 3;

/** Of words without a near one, one line names a few. */
function unknownLines(unknown: readonly z.output<typeof unknownWord>[]): string[] {
  const alone = unknown.filter(({ near }) => near.length === 0).map(({ word }) => toQuote(word));
  const rest = alone.length > mostUnknown ? ` or ${alone.length - mostUnknown} more words of the search` : '';
  const others = unknown.filter(({ near }) => near.length > 0);
  const lines = others.map(
    ({ word, near }) =>
      `No name, title, tag or description has the word ${toQuote(word)}; searched for instead, unless in quotes: ${inlineAll(near)}.`,
  );
  if (alone.length === 0) return lines;
  const first = alone.slice(0, mostUnknown).join(' or ');
  return [
    ...lines,
    `No name, title, tag or description has the word ${first}${rest}; no other was searched for instead.`,
  ];
}

const toSearchText = (answer: z.output<typeof output>): string =>
  paragraphs(
    answer.no_match?.copy_lacks,
    `Matching listings: ${answer.total.count}${answer.total.capped ? ' or more' : ''}. Order: ${answer.order === 'alike' ? 'most alike first' : answer.order}.`,
    lines(...unknownLines(answer.did_you_mean ?? []), answer.advice),
    answer.listings.length > 0 && list(answer.listings, listingLine),
    answer.no_match && noMatchText(answer.no_match),
    answer.left_out && leftOutText(answer.left_out),
    answer.successor &&
      `The publisher of the listing that you asked about names ${code(answer.successor)} as that listing’s successor; ${code(answer.successor)} is ${answer.successor_is_listed ? '' : 'not '}listed here.`,
    answer.order === 'alike' &&
      answer.listings.length === 0 &&
      'No listing of another publisher was found that shares an endpoint, repository, package, description, tools, a tag or a word of the name with the listing that you asked about.',
    answer.facets &&
      `Matching listings by filter${answer.total.capped ? `, among the first ${amount(answer.total.count)}` : ''}: ${Object.entries(
        answer.facets,
      )
        .map(([facet, count]) => `${code(facet)} ${count}`)
        .join(', ')}`,
    closingText(answer),
  );

const maxFacetsOfKind = 20;
const defaultLimit = 20;
const maxQueryLength = 10_000;

const onlyTrue = () => z.literal(true, { error: 'must be true, or omitted' }).optional();

const input = z.strictObject({
  query: z.string().max(maxQueryLength).optional().describe('Words, "phrase", -without'),
  tags: z.array(tagInput).max(5).optional().describe('All must match'),
  transport: oneOf(transports).optional(),
  package: oneOf(packageTypes).optional(),
  state: oneOf(claimStates).optional(),
  publisher: z
    .string()
    .regex(/^[\w./-]{1,200}$/, 'must be a namespace, such as com.example or io.github.account')
    .optional()
    .describe('Namespace'),
  active: onlyTrue(),
  needs_secret: z.literal(false, { error: 'must be false, or omitted' }).optional(),
  has_endpoint: onlyTrue(),
  has_native_ratings: onlyTrue(),
  answered: onlyTrue(),
  no_payment_seen: onlyTrue(),
  similar_to: z.string().optional().describe('A handle, alone or with limit'),
  sort: oneOf(['relevance', 'updated', 'published']).optional(),
  limit: z.int().min(1).max(50).optional().meta({ default: defaultLimit }),
  facets: onlyTrue(),
  cursor: cursorInput,
});

const unknownWord = z.object({
  word: z.string(),
  near: z.array(z.string()).describe('words that were searched for instead'),
});

const output = z.object({
  listings: z.array(hit),
  total: z.object({ count: z.int(), capped: z.boolean().describe('true: more than count') }),
  facets: ifAny(
    z.record(z.string(), z.int()),
    'Number of hits by filter:value, among the hits that total counts',
  ),
  next_cursor: z.string().optional(),
  successor: ifAny(
    z.string(),
    'The listing that the publisher of the listing in similar_to names as its successor',
  ),
  successor_is_listed: z.boolean().optional(),
  did_you_mean: z.array(unknownWord).optional().describe('Words that no listing has'),
  advice: z.string().optional(),
  no_match: nearMisses.optional().describe('Present only if nothing matches'),
  left_out: ifAny(leftOut, 'Present only if filters leave out listings and all hits are on one page'),
  order: z.string(),
  untrusted_fields: z.array(z.string()),
});

const toFacetList = (query: z.output<typeof input>, publisher: Facet | undefined): Facet[] => [
  ...(query.tags ?? []).map((tag): Facet => `tag:${tag}`),
  ...(['transport', 'package', 'state'] as const).flatMap((kind): Facet[] =>
    query[kind] ? [`${kind}:${query[kind]}`] : [],
  ),
  ...(publisher ? [publisher] : []),
  ...fixedFilterNames.filter((name) => query[name] !== undefined).map((name) => fixedFilters[name].facet),
];

/** Limited for each kind, so that tags do not displace the others. */
function toFacetCounts({ facets }: SearchCounts) {
  const ofKind = new Map<string, number>();
  const shown = Object.entries(facets)
    .filter(([facet]) => !facet.startsWith('told:'))
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .filter(([facet]) => {
      const kind = facet.slice(0, facet.indexOf(':'));
      ofKind.set(kind, (ofKind.get(kind) ?? 0) + 1);
      return (ofKind.get(kind) ?? 0) <= maxFacetsOfKind;
    });
  return Object.fromEntries(shown.map(([facet, count]) => [inputOf(facet), count]));
}

/** `named` is what the query names. */
export async function searchListings(query: z.output<typeof input>, context: Context) {
  if (query.similar_to !== undefined)
    return { ...(await answerSimilar(query.similar_to, query, context)), named: undefined };
  const { query: text = '', sort = 'relevance', limit = defaultLimit, cursor } = query;
  const publisher = query.publisher ? await publisherFacet(query.publisher, context) : undefined;
  const search = { text, facets: toFacetList(query, publisher), sort };
  const find = () => findPage(context, search, { limit, cursor });
  const asked = { network: context.caller.network, now_ms: context.clock().getTime() };
  const isPlain = text.trim() === '' && search.facets.length === 0;
  const page = await (isPlain ? find() : context.searches.run(asked, find));
  const { listings, counts, next, unknown, advice, no_match, left_out, named } = page;
  const isOfSome = text.trim() !== '' && counts.capped && sort !== 'relevance';
  // Without words, all listings are equally relevant.
  const orderText = text.trim() === '' && sort === 'relevance' ? 'oldest publication first' : sort;
  const facets = query.facets && toFacetCounts(counts);
  const told = no_match && noMatchText(no_match) ? no_match : undefined;
  return {
    listings,
    total: { count: counts.total, capped: counts.capped },
    facets,
    next_cursor: next,
    ...(unknown.length > 0 && { did_you_mean: unknown }),
    advice,
    no_match,
    left_out,
    order:
      page.order ??
      (isOfSome ? `${orderText}, among the ${counts.total} listings that were read` : orderText),
    named,
    untrusted_fields: untrustedOf({ listings, facets, advice: named?.advice, no_match: told, left_out }, [
      'listings',
      'facets',
      'advice',
      'no_match',
      'left_out',
    ]),
  };
}

export const searchAgents = defineTool({
  name: 'search_agents',
  title: 'Search listings',
  description:
    'Searches listings: finds an MCP server or agent service for a task, by words, tags and facts. Read it with get_agent. Ratings and payment change no place. A first place is no recommendation.',
  asked:
    'find, search, discover, look up, explore, hire, buy, need, want, look for, look up, recommend or suggest an MCP server, agent, tool, service or paid API for a task; something that can; agent that; integration, connector, plugin; which server can; is there any; what are alternatives to this MCP server, what else does the same job, instead of it, similar to, like; free; list of available, that exist; catalog, registry, marketplace, directory of MCP servers and services',
  effects: readsOnly,
  input,
  output,
  ownLimits: [searchLimit],
  example: { query: 'webhook', limit: 5 },
  cacheTags: () => 'all',
  toText: toSearchText,
  async run(query, context) {
    const { named: _, ...answer } = await searchListings(query, context);
    return answer;
  },
});
