import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../engine.ts';
import { isPrefixBetterTested } from './estimate.ts';
import { type SearchTerms, toExpression, toOthersExpression, toPrefixExpression } from './terms.ts';

interface Match {
  readonly id: number;
}

/** At most `limit` matches of one tier after an id. */
interface TierRange {
  readonly tier: number;
  readonly afterId: number;
  readonly limit: number;
}

/**
 * Listings tested in static rank before the index is used. No index of PostgreSQL finds words in static rank, and the
 * planner cannot tell how many will match, but the first thousand listings can: a word of one listing in five hundred or
 * more is found by testing on, a rarer one by its index, and neither takes longer than the other (docs/decisions/0012).
 */
const sampledRows = 1000;
/** As many as are tested where the sample has matches, but too few. */
export const scannedRows = 10_000;

const matches = (terms: SearchTerms, tier: number) =>
  sql<boolean>`words @@ ${toExpression(terms, tier)}::tsquery`;

/** Excludes the matches of narrower tiers, row by row, because the index is slow at that. */
const notNarrower = (terms: SearchTerms, tier: number) =>
  tier > 1 ? sql`and not ${matches(terms, tier - 1)}` : sql``;

const nextRows = (afterId: number, rows: number) =>
  sql`(select id, words from listing_search where id > ${afterId} order by id limit ${rows}) as next`;

/** Matches among the next thousand listings, each with its tier. */
async function readSample(db: Db, terms: SearchTerms, afterId: number) {
  const widest = terms.words.length > 0 ? 3 : 0;
  const tier =
    widest === 0
      ? sql`0`
      : sql`case when ${matches(terms, 1)} then 1 when ${matches(terms, 2)} then 2 else 3 end`;
  const query = sql<Match & { tier: number }>`select id, ${tier} as tier
    from ${nextRows(afterId, sampledRows)} where ${matches(terms, widest)}`;
  return (await query.execute(db)).rows.sort((a, b) => a.id - b.id);
}

/** Matches of one tier among the next ten thousand listings; reading stops at the last match. */
async function scan(db: Db, terms: SearchTerms, { tier, afterId, limit }: TierRange): Promise<Match[]> {
  const query = sql<Match>`select id from ${nextRows(afterId, scannedRows)}
    where ${matches(terms, tier)} ${notNarrower(terms, tier)} order by id limit ${limit}`;
  return (await query.execute(db)).rows;
}

/** A condition that the index can answer, for each tier. */
export type IndexCondition = (tier: number) => RawBuilder<boolean>;

/** Chooses how the index is used for a search. */
export async function createIndexCondition(db: Db, terms: SearchTerms): Promise<IndexCondition> {
  if (!(await isPrefixBetterTested(db, terms))) return (tier) => matches(terms, tier);
  // The empty vector that is added keeps the second test out of the index.
  return (tier) => sql<boolean>`words @@ ${toOthersExpression(terms, tier)}::tsquery
    and words || ''::tsvector @@ ${toPrefixExpression(terms, tier)}::tsquery`;
}

async function readIndex(
  db: Db,
  condition: RawBuilder<unknown>,
  { afterId, limit }: TierRange,
): Promise<Match[]> {
  // The sum keeps PostgreSQL from reading all listings in the order of their ids instead.
  const query = sql<Match>`select id from listing_search where ${condition} and id > ${afterId}
    order by id + 0 limit ${limit}`;
  return (await query.execute(db)).rows;
}

/** Returns a function that reads matches of one tier, without those of narrower tiers, in static rank. */
export function createTierReader(db: Db, terms: SearchTerms): (range: TierRange) => Promise<Match[]> {
  const samples = new Map<number, ReturnType<typeof readSample>>();
  const readFromSample = async ({ tier, afterId }: TierRange) => {
    const sample = samples.get(afterId) ?? readSample(db, terms, afterId);
    samples.set(afterId, sample);
    return (await sample).filter((match) => match.tier === tier);
  };
  let condition: Promise<IndexCondition> | undefined;
  return async (range) => {
    const { tier, limit } = range;
    let found: Match[] = await readFromSample(range);
    if (found.length > 0 && found.length < limit) found = await scan(db, terms, range);
    if (found.length >= limit) return found.slice(0, limit);
    condition ??= createIndexCondition(db, terms);
    return readIndex(db, sql`${(await condition)(tier)} ${notNarrower(terms, tier)}`, range);
  };
}
