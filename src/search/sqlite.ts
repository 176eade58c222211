import { sql } from 'kysely';
import { memoize } from '../core/lazy.ts';
import type { SearchDocument } from './document.ts';
import type { Atom, Probe } from './plan.ts';
import { type FacetChoice, toPosition } from './query.ts';
import type { Db, SearchSchema } from './schema.ts';
import type { EngineIndex } from './search-index.ts';

/** A tokenizer would divide it at its colon. */
const toFacetToken = (facet: string): string => `f${Buffer.from(facet).toString('hex')}`;

const join = (prefix: string, terms: readonly string[]) =>
  terms.length > 0 ? `${prefix}${terms.join(` ${prefix}`)} ` : '';

const toPairs = (documents: readonly SearchDocument[], toPair: (document: SearchDocument) => unknown) =>
  JSON.stringify(documents.map(toPair));

/** By key: FTS5 begins a segment at each smaller one. */
function toIndexRows(documents: readonly SearchDocument[]) {
  // Many listings have the same facets.
  const toToken = memoize(toFacetToken, Infinity);
  const toFacetText = (facets: readonly string[]) => facets.map((one) => ` ${toToken(one)}`).join('');
  const byPosition = documents.toSorted((a, b) => a.position - b.position);
  const byId = documents.toSorted((a, b) => a.id - b.id);
  return {
    terms: toPairs(byPosition, ({ position, terms, strong, facets }) => [
      position,
      `${join('w', terms)}${join('h', strong)}${toFacetText(facets)}`,
    ]),
    facets: toPairs(byId, ({ id, facets }) => [id, toFacetText(facets)]),
    texts: toPairs(byPosition, ({ position, text }) => [position, text]),
  };
}

const toAtomExpression = ({ terms, strong }: Atom) =>
  terms.length === 1
    ? `"${strong ? 'h' : 'w'}${terms[0]}"`
    : `(${terms.map((term) => `"${strong ? 'h' : 'w'}${term}"`).join(' AND ')})`;

const toFacetExpression = (facet: FacetChoice): string =>
  `(${Array.from([facet].flat(), (one) => `"${toFacetToken(one)}"`).join(' OR ')})`;

/** Each may be empty. */
const toExpression = ({ groups, facets, excluded }: Probe) => ({
  wanted: [
    ...groups.map((group) => `(${group.map(toAtomExpression).join(' OR ')})`),
    ...facets.map(toFacetExpression),
  ].join(' AND '),
  excluded: excluded.map((term) => `"w${term}"`).join(' OR '),
});

/** A list is JSON, so that a statement is prepared once. */
const among = (values: readonly unknown[]) =>
  sql`in (select value from json_each(${JSON.stringify(values)}))`;

const mergedPages = 200;

const countChanges = async (db: Db) =>
  (await sql<{ changes: number }>`select total_changes() as changes`.execute(db)).rows[0]?.changes ?? 0;

/** A negative number begins a merge of the whole table. True if there is more. */
async function mergePages(db: Db, table: 'listing_search' | 'listing_facet', pages: number) {
  const before = await countChanges(db);
  await sql`insert into ${sql.table(table)} (${sql.ref(table)}, rank) values ('merge', ${pages})`.execute(db);
  // FTS5 makes fewer changes if nothing is left to merge.
  return (await countChanges(db)) - before >= 2;
}

/**
 * Rowids are positions in `listing_search` and ids in `listing_facet`, and are read in order, no further
 * than needed.
 */
export const sqliteSearch: EngineIndex = {
  async remove(db, ids) {
    const positions = among(ids.map(toPosition));
    const removed = sql<{ text: string }>`delete from search_doc where position ${positions} returning text`;
    const { rows } = await removed.execute(db);
    await sql`delete from listing_search where rowid ${positions}`.execute(db);
    await sql`delete from listing_facet where rowid ${among(ids)}`.execute(db);
    return rows.map(({ text }) => text);
  },

  async put(db, documents) {
    const { terms, facets, texts } = toIndexRows(documents);
    await sql`insert into listing_search (rowid, terms)
      select value ->> 0, value ->> 1 from json_each(${terms})`.execute(db);
    await sql`insert into search_doc (position, text)
      select value ->> 0, value ->> 1 from json_each(${texts})`.execute(db);
    await sql`insert into listing_facet (rowid, facets)
      select value ->> 0, value ->> 1 from json_each(${facets})`.execute(db);
  },

  async merge(db, isFirst) {
    const pages = isFirst ? -mergedPages : mergedPages;
    const isMore = await mergePages(db, 'listing_search', pages);
    const isMoreOfFacets = await mergePages(db, 'listing_facet', pages);
    return isMore || isMoreOfFacets;
  },

  async addTermCounts(db, changes) {
    const rows = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
    const sorted = JSON.stringify(rows.map(([term, { listings, strong }]) => [term, listings, strong]));
    await sql`insert into search_term (term, listings, strong)
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${sorted}) where true
      on conflict (term) do update set listings = listings + excluded.listings, strong = strong + excluded.strong`.execute(
      db,
    );
  },

  async readTermCounts(db, terms) {
    const known = sql<SearchSchema['search_term']>`select term, listings, strong from search_term
      where term ${among(terms)} and listings > 0`;
    return new Map(
      (await known.execute(db)).rows.map(({ term, listings, strong }) => [term, { listings, strong }]),
    );
  },

  async find(db, probe) {
    const { wanted, excluded } = toExpression(probe);
    // FTS5 takes neither an empty expression nor one that only excludes.
    const positions = wanted
      ? sql`select rowid as position from listing_search
          where listing_search match ${excluded ? `(${wanted}) NOT (${excluded})` : wanted} order by rowid`
      : excluded
        ? sql`select position from search_doc where position not in
            (select rowid from listing_search where listing_search match ${excluded}) order by position`
        : sql`select position from search_doc order by position`;
    // Reading thousands of rows takes longer than finding them.
    const found = sql<{ positions: string }>`select json_group_array(position) as positions
      from (${positions} limit ${probe.limit})`;
    return JSON.parse((await found.execute(db)).rows[0]?.positions ?? '[]') as number[];
  },

  async readTexts(db, positions) {
    const found = sql<{ position: number; text: string }>`select position, text from search_doc
      where position ${among(positions)}`;
    return (await found.execute(db)).rows;
  },

  hasId: (ids) => sql`id ${among(ids)}`,

  async list(db, { facets, order, after, limit }) {
    const expression = facets.map(toFacetExpression).join(' AND ');
    const behind =
      order === 'oldest'
        ? sql`rowid > ${after ?? 0} order by rowid`
        : sql`rowid < ${after ?? Number.MAX_SAFE_INTEGER} order by rowid desc`;
    const found = sql<{ id: number }>`select rowid as id from listing_facet
      where listing_facet match ${expression} and ${behind} limit ${limit}`;
    return (await found.execute(db)).rows.map(({ id }) => id);
  },
};
