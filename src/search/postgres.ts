import { sql } from 'kysely';
import type { SearchDocument } from './document.ts';
import type { Atom, Probe } from './plan.ts';
import { type FacetChoice, toId, windowsOf } from './query.ts';
import type { Db, SearchSchema } from './schema.ts';
import type { EngineIndex, FacetRange } from './search-index.ts';

const toFacetLexeme = (facet: string) => `f${facet}`;
const toWindowLexeme = (window: number) => `z${window}`;

const toLexemes = ({ terms, strong, facets, position }: SearchDocument): string[] => [
  ...terms.map((term) => `w${term}`),
  ...strong.map((term) => `h${term}`),
  ...facets.map(toFacetLexeme),
  ...Array.from({ length: windowsOf(position) }, (_, at) => toWindowLexeme(at + 1)),
];

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, '$&$&')}'`;

const toAtomExpression = ({ terms, strong }: Atom) =>
  `(${terms.map((term) => quote(`${strong ? 'h' : 'w'}${term}`)).join(' & ')})`;

const toFacetExpression = (facet: FacetChoice): string =>
  `(${Array.from([facet].flat(), (one) => quote(toFacetLexeme(one))).join(' | ')})`;

/** Window 0 is everything. */
const toExpression = ({ groups, facets, excluded }: Probe, window: number): string =>
  [
    ...groups.map((group) => `(${group.map(toAtomExpression).join(' | ')})`),
    ...facets.map(toFacetExpression),
    ...excluded.map((term) => `!${quote(`w${term}`)}`),
    ...(window > 0 ? [quote(toWindowLexeme(window))] : []),
  ].join(' & ');

/**
 * GIN reads every match, so a query for few of many names a window: the first has the lower half of all
 * positions, each further one the lower half of that.
 */
const windowSize = 2;
const mostWindows = 10;
/** No narrower window for fewer. */
const fewMatches = 300;
/** A window is expected to have so many times the needed matches. */
const spare = 1.2;

function chooseWindow(expected: number, limit: number): number {
  let window = 0;
  let matches = expected;
  while (window < mostWindows && matches > fewMatches && matches / windowSize > limit * spare) {
    window += 1;
    matches /= windowSize;
  }
  return window;
}

async function findInWindow(db: Db, probe: Probe, window: number): Promise<number[]> {
  const expression = toExpression(probe, window);
  // An empty expression matches nothing.
  const where = expression === '' ? sql`` : sql`where terms @@ ${expression}::tsquery`;
  // The sum keeps PostgreSQL on the index of terms.
  const found = sql<{ position: number }>`select position from listing_search ${where}
    order by position + 0 limit ${probe.limit}`;
  return (await found.execute(db)).rows.map(({ position }) => position);
}

/**
 * Read first, in the order of ids. GIN, which keeps no order, is used only if these have too few matches.
 */
const scannedRows = 10_000;

async function listBy(db: Db, { facets, order, after, limit }: FacetRange, scanned: number | undefined) {
  const expression = facets.map(toFacetExpression).join(' & ');
  const isAfterCursor =
    order === 'oldest' ? sql`id > ${after ?? 0}` : sql`id < ${after ?? Number.MAX_SAFE_INTEGER}`;
  const direction = order === 'oldest' ? sql`` : sql`desc`;
  const rows = scanned
    ? sql`(select id, terms from listing_search where ${isAfterCursor} order by id ${direction} limit ${scanned}) as next`
    : sql`listing_search`;
  const found = sql<{
    id: number;
  }>`select id from ${rows} where terms @@ ${expression}::tsquery and ${isAfterCursor}
    order by id + 0 ${direction} limit ${limit}`;
  return (await found.execute(db)).rows.map(({ id }) => id);
}

/** Without PostgreSQL's parser and dictionaries, so that terms are as in SQLite. */
export const postgresSearch: EngineIndex = {
  async remove(db, ids) {
    const removed = sql<{ text: string }>`delete from listing_search where id = any(${ids}::bigint[])
      returning text`;
    return (await removed.execute(db)).rows.map(({ text }) => text);
  },

  async put(db, documents) {
    await sql`insert into listing_search (id, position, terms, text)
      select id, position, array_to_tsvector(string_to_array(terms, ' ')), text from unnest(
        ${documents.map(({ id }) => id)}::bigint[], ${documents.map(({ position }) => position)}::bigint[],
        ${documents.map((one) => toLexemes(one).join(' '))}::text[],
        ${documents.map(({ text }) => text)}::text[]) as put (id, position, terms, text)`.execute(db);
  },

  async merge(db) {
    await sql`select gin_clean_pending_list('listing_search_terms')`.execute(db);
    return false;
  },

  async addTermCounts(db, changes) {
    const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
    await sql`insert into search_term (term, listings, strong) select * from unnest(
        ${sorted.map(([term]) => term)}::text[], ${sorted.map(([, by]) => by.listings)}::bigint[],
        ${sorted.map(([, by]) => by.strong)}::bigint[])
      on conflict (term) do update set listings = search_term.listings + excluded.listings,
        strong = search_term.strong + excluded.strong`.execute(db);
  },

  async readTermCounts(db, terms) {
    const known = sql<SearchSchema['search_term']>`select term, listings, strong from search_term
      where term = any(${terms}::text[]) and listings > 0`;
    return new Map((await known.execute(db)).rows.map(({ term, ...count }) => [term, count]));
  },

  async find(db, probe) {
    let window = chooseWindow(probe.expected, probe.limit);
    for (;;) {
      const found = await findInWindow(db, probe, window);
      if (window === 0 || found.length >= probe.limit) return found;
      // A new estimate from this window.
      window = Math.min(window - 1, chooseWindow(found.length * windowSize ** window, probe.limit));
    }
  },

  async readTexts(db, positions) {
    const found = sql<{ position: number; text: string }>`select position, text from listing_search
      where id = any(${positions.map(toId)}::bigint[])`;
    return (await found.execute(db)).rows;
  },

  hasId: (ids) => sql`id = any(${ids}::bigint[])`,

  async list(db, range) {
    const near = await listBy(db, range, scannedRows);
    return near.length >= range.limit ? near : listBy(db, range, undefined);
  },
};
