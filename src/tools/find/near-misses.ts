import { z } from 'zod';
import { type Context, noteChange } from '../../context.ts';
import { countEdits } from '../../core/difference/edits.ts';
import { ifAny } from '../../core/json.ts';
import { Problem } from '../../core/problem.ts';
import { inTurns } from '../../core/turns.ts';
import { isEmpty, join, say, toText, type Words, wordsSchema } from '../../core/words.ts';
import { toAnswer } from '../../document/answers/answers.ts';
import { type CriterionName, judge, lackWords } from '../../document/criteria/criteria.ts';
import { toListingDocument } from '../../document/document.ts';
import {
  copyLacksSentence,
  endOfCopyWords,
  type ListingFacts,
  nextChange_ms,
} from '../../document/record.ts';
import { noneChecked } from '../../document/status.ts';
import { type CopyField, lackedByAll } from '../../imports/import-run.ts';
import type { ListingReads } from '../../listings/reads.ts';
import { matchPhrases } from '../../listings/tags.ts';
import { type Facet, findOmissions, ownerLabel, readVersions, type SearchQuery } from '../../search/query.ts';
import { isEnglish, isTranslated } from '../../search/synonyms.ts';
import { toWords, withoutForeign } from '../../search/words.ts';
import type { Reads } from '../../store/store.ts';
import { findMeant, inputOf, meantText, readPriceLimit, unsearchedTexts } from './meant-filters.ts';

const mostNear = 5;
const mostCompared = 2000;
const longestTag = 100;

/** Those of the vocabulary come before similar ones. */
function toNearWords(tag: string, frequent: readonly string[]): string[] {
  const meant = new Set(matchPhrases(tag.split(/[.-]/)).map((match) => match.tag));
  const similar = frequent
    .map((other) => ({
      other,
      edits: other.includes(tag) || tag.includes(other) ? 1 : countEdits(tag, other),
    }))
    .filter(({ other, edits }) => other.length > 2 && edits <= Math.max(1, Math.floor(other.length / 3)))
    .sort((a, b) => a.edits - b.edits)
    .map(({ other }) => other);
  return [...new Set([...frequent.filter((other) => meant.has(other)), ...similar])].slice(0, mostNear);
}

const valuesOf = async (listings: ListingReads, kind: string): Promise<string[]> =>
  (await listings.facetCounts(kind)).map(({ facet }) => facet.slice(kind.length + 1));

const findNearTags = async (listings: ListingReads, tag: string) =>
  toNearWords(tag, (await valuesOf(listings, 'tag')).slice(0, mostCompared));

/** As inputs. Another kind may have the value of a tag: `sse` is a transport. */
async function findNear(facet: Facet, listings: ListingReads): Promise<string[]> {
  const [kind = '', value = ''] = facet.split(/:(.*)/);
  if (kind === 'tag') {
    const others: string[] = [];
    for (const other of ['transport', 'package'])
      if ((await valuesOf(listings, other)).includes(value)) others.push(`${other}:${value}`);
    return [...others, ...(await findNearTags(listings, value)).map((tag) => `tags:${tag}`)];
  }
  if (kind !== 'publisher' && kind !== 'owner') return [];
  const [longest = ''] = value.split(/[./]/).toSorted((a, b) => b.length - a.length);
  const { near, others } = await listings.near(longest, mostCompared);
  return toNearWords(longest, [...near, ...others].map(ownerLabel)).map((label) => `publisher:${label}`);
}

async function findUnknown(listings: ListingReads, facets: readonly Facet[]) {
  const unknown = [];
  for (const facet of facets)
    if ((await listings.listCounts([facet])).total === 0)
      unknown.push({ filter: inputOf(facet), near: await findNear(facet, listings) });
  return unknown;
}

/** Throws not_found for a tag that no listing has. */
export async function refuseUnknownTag(tag: string, { store }: Pick<Context, 'store'>): Promise<void> {
  const detail = 'No listing has this tag.';
  if (tag.length > longestTag) throw new Problem('not_found', detail);
  if ((await valuesOf(store.listings, 'tag')).includes(tag)) return;
  throw new Problem('not_found', { detail, near: await findNearTags(store.listings, tag) });
}

const mostFilters = 8;
const mostConditions = 3;

export const nearMisses = z.object({
  near: z.array(z.string()).describe('Similar handles, or else those that match without filters'),
  leave_out: z
    .array(
      z.object({
        facet: z.string().optional().describe('a filter to leave out'),
        text: z.string().optional().describe('a part of the query to leave out'),
        query: z.string().optional().describe('the query that remains'),
        only: z.string().optional().describe('the one filter to keep, if leaving out one is not enough'),
        count: z.int(),
      }),
    )
    .describe('Changes of the search that find something, and the number of listings'),
  unknown_filters: z
    .array(z.object({ filter: z.string(), near: z.array(z.string()) }))
    .optional()
    .describe('Filters that no listing passes, and near ones'),
  copy_lacks: ifAny(z.string(), 'Names a field that a filter needs and no listing of this copy has'),
});
export type NearMisses = z.infer<typeof nearMisses>;

export type Omission = NearMisses['leave_out'][number];

type Try = readonly [left: Omit<Omission, 'count'>, search: SearchQuery];

function withoutOne(search: SearchQuery): Try[] {
  const { facets } = search;
  const text = search.text.trim();
  const conditions = findOmissions(text)
    .filter(({ query }) => query !== '' && query !== text)
    .slice(0, mostConditions);
  const all = text && facets.length > 0 ? [{ text, query: '' }] : [];
  return [
    ...(facets.length > 1 || text ? facets.slice(0, mostFilters) : []).map(
      (facet): Try => [
        { facet: inputOf(facet) },
        { ...search, facets: facets.filter((other) => other !== facet) },
      ],
    ),
    ...[...conditions, ...all].map((left): Try => [left, { ...search, text: left.query }]),
  ];
}

const withOnlyOne = ({ facets, ...search }: SearchQuery): Try[] =>
  (facets.length > 1 ? facets.slice(0, mostFilters) : []).map((only) => [
    { only: inputOf(only) },
    { ...search, text: '', facets: [only] },
  ]);

async function countTries(listings: ListingReads, tries: readonly Try[]): Promise<Omission[]> {
  const counted: Omission[] = [];
  for (const [left, search] of tries) {
    const counts = search.text.trim()
      ? (await listings.search({ ...search, most: 1 })).counts
      : await listings.listCounts(search.facets);
    if (counts.total > 0) counted.push({ ...left, count: counts.total });
  }
  return counted.sort((a, b) => a.count - b.count);
}

async function findNearHandles(listings: ListingReads, search: SearchQuery): Promise<readonly string[]> {
  const text = search.text.trim();
  const { near } = text.includes('/') ? await listings.near(text, mostNear) : { near: [] };
  if (near.length > 0 || !text || search.facets.length === 0) return near;
  const { hits } = await listings.search({ ...search, facets: [], most: mostNear });
  return (await listings.briefs(hits.map(({ id }) => id))).map(({ handle }) => handle);
}

function recordedFor(facet: Facet): CopyField[] {
  if (facet === 'has:endpoint' || facet.startsWith('seen:')) return ['endpoint'];
  if (facet.startsWith('package:') || facet === 'transport:stdio') return ['package'];
  if (facet.startsWith('transport:')) return ['endpoint'];
  return facet === 'is:without_secret' ? ['endpoint', 'package'] : [];
}

export async function findLacking({ imports }: Pick<Reads, 'imports'>, asked: readonly CopyField[]) {
  const { run } = await imports.last();
  const lacked = lackedByAll(run?.progress.recorded);
  const lacking = asked.filter((field) => lacked.includes(field));
  return lacking[0] && copyLacksSentence(lacking, lacking[0]);
}

export async function endOfCopy({ imports }: Pick<Reads, 'imports'>): Promise<string | undefined> {
  const { source = '', progress } = (await imports.last()).run ?? {};
  const newest = source.startsWith('file:') ? progress?.newestUpdatedAt : undefined;
  const isOfLatest = (progress?.counts.older_versions ?? 0) === 0;
  const withdrawn = isOfLatest ? ' What was withdrawn before may be missing from it.' : '';
  return newest && `${toText(endOfCopyWords(newest))}${withdrawn}`;
}

export const readLacking = async ({ store }: Pick<Context, 'store'>) => ({
  endpoint: await findLacking(store, ['endpoint']),
  repository: await findLacking(store, ['repository']),
});

export const freeFacet = 'seen:no_payment_seen';

const ofPrices = /^(?:price[ds]?|pricing|costs?|cents?|usdc?|eurc?|dollars?|euros?)$/i;
/** What a listing asks for, where `ofPrices` may be what it is about (`stock prices`). */
const asksPrice =
  /(?<![\w-])(?:free|gratis|kostenlos\w*|gratuite?s?|gratuit[oa]s?|paid|cheap(?:er|est)?|affordable|inexpensive)(?![\w-])|無料|免[费費]/i;
const notEnglish = /[^ -~]/;

/** Looks for what costs, and not for what is free. */
const asksPaid = /(?<![\w-])paid(?![\w-])/i;

const kindsOfFilters = ['is', 'has', 'seen', 'transport', 'package', 'state'];

async function readPassed({ facetCounts }: Reads['listings']): Promise<ReadonlySet<string>> {
  const counted = await Promise.all(kindsOfFilters.map(facetCounts));
  return new Set(counted.flat().map(({ facet }) => facet));
}

/** A near word is found for foreign ones too, by chance, unless it is sure. */
export async function toAdvice(
  listings: Reads['listings'],
  { text, facets }: SearchQuery,
  words: number,
  unknown: readonly { readonly word: string; readonly near: readonly string[]; readonly isSure: boolean }[],
): Promise<string | undefined> {
  const foreign = unknown.filter(({ isSure }) => !isSure);
  const meant = unknown.filter(({ near }) => near.length === 1);
  const spelt = meant.reduce((left, { word, near }) => left.replace(word, near.join()), text);
  const asked = toWords(text);
  const isForeign =
    withoutForeign(asked) !== undefined ||
    asked.some((one) => isTranslated(one.text)) ||
    unknown.some(({ word }) => notEnglish.test(word)) ||
    (2 * foreign.length > words && !asked.some((one) => isEnglish(one.text)));
  const limit = readPriceLimit(text);
  const isPriced = limit ?? (asksPrice.test(text) || unknown.some(({ word }) => ofPrices.test(word)));
  const isFiltered = isPriced || findMeant(spelt, facets).length > 0;
  const passed = isFiltered ? await readPassed(listings) : new Set<string>();
  const [version] = readVersions(text).versions;
  const said = [
    isForeign && 'Listings are mostly in English; search in English.',
    isPriced &&
      !facets.includes(freeFacet) &&
      `No price is searched: ${passed.has(freeFacet) && !asksPaid.test(text) ? 'filter with no_payment_seen: true, or ' : ''}ask compare_agents for price_at_most:${limit ?? '0.01'} USDC.`,
    version && `No version is searched: ask get_agent for HANDLE@${version}, or get_history.`,
    meantText(spelt, facets, passed),
    ...unsearchedTexts(text),
  ];
  return said.filter(Boolean).join(' ') || undefined;
}

export async function findNearMisses(
  reads: Pick<Reads, 'listings' | 'imports' | 'observations'>,
  search: SearchQuery,
): Promise<NearMisses> {
  const { listings } = reads;
  const less = await countTries(listings, withoutOne(search));
  const leave_out = less.length > 0 ? less : await countTries(listings, withOnlyOne(search));
  const unknown_filters = await findUnknown(listings, search.facets);
  const near = await findNearHandles(listings, search);
  const facets = search.facets.flat();
  const isUnchecked =
    facets.some((one) => one.startsWith('seen:')) && !(await reads.observations.lastRunAt());
  const lacking = await findLacking(reads, facets.flatMap(recordedFor));
  const copy_lacks = lacking ?? (isUnchecked ? `${noneChecked}.` : undefined);
  return {
    near: [...near],
    leave_out,
    ...(unknown_filters.length > 0 && { unknown_filters }),
    copy_lacks,
  };
}

export const leftOut = z.object({
  count: z.int().describe('Number of listings that only the filters by facts about a service leave out'),
  capped: z.boolean(),
  best: z
    .array(z.object({ handle: z.string(), why: wordsSchema }))
    .describe('The first of these listings that a filter left out'),
});
const mostBest = 3;

const criterionOf: Readonly<Partial<Record<Facet, CriterionName>>> = {
  'is:active': 'active',
  'is:without_secret': 'needs_no_secret',
  'has:endpoint': 'has_endpoint',
  'seen:answered': 'endpoint_observed_alive',
  'seen:no_payment_seen': 'no_payment_seen',
  'state:claimed': 'claimed',
};

function whyWithout(facts: ListingFacts, facets: readonly Facet[], { config, clock }: Context): Words {
  const asked = facets.flatMap((facet) => {
    const criterion = criterionOf[facet];
    return criterion ? [{ criterion }] : [];
  });
  const listing = toListingDocument(facts, config, clock());
  const answer = toAnswer(listing);
  const missing = judge(listing, asked, clock().getTime()).filter(({ result }) => result !== 'met');
  const lacking = missing.map((one) => lackWords(answer, one));
  return join(lacking, ' ');
}

export async function findLeftOut(context: Context, search: SearchQuery, total: number) {
  const byFact = search.facets.filter((facet) => criterionOf[facet]);
  if (byFact.length === 0) return undefined;
  const others = search.facets.filter((facet) => !criterionOf[facet]);
  const { listings, documents } = context.store;
  const most = total + mostBest;
  const { hits, counts } = await listings.search({ ...search, facets: others, most });
  if (counts.total <= total) return undefined;
  const ids = hits.slice(0, most).map(({ id }) => id);
  const found = await documents.hitsById(ids, context.clock().toISOString());
  const without = found
    .map(({ listing: { handle, facets } }) => ({
      handle,
      facets: byFact.filter((facet) => !facets.includes(facet)),
    }))
    .filter(({ facets }) => facets.length > 0)
    .slice(0, mostBest);
  const now = context.clock().toISOString();
  const best = await inTurns(without, async ({ handle, facets }) => {
    // A listing may have been withdrawn since the search.
    const facts = await documents.facts(handle, now);
    if (!facts || facts.listing.withdrawn) return { handle, why: say`` };
    noteChange(context, nextChange_ms(facts, context));
    return { handle, why: whyWithout(facts, facets, context) };
  });
  const count = counts.total - total;
  return { count, capped: counts.capped, best: best.filter(({ why }) => !isEmpty(why)) };
}
