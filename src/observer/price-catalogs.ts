import { cachedOnce } from '../cached-once.ts';
import type { NoAnswer } from '../evidence/observation/answer.ts';
import type { CatalogItem, CatalogLook } from '../evidence/observation/catalog-look.ts';
import { asMembers, asObject, type JsonObject, readObject } from '../evidence/text/json-object.ts';
import type { PoliteFetch } from './polite/polite-fetch.ts';
import type { Robots } from './polite/robots.ts';

/** What each configured catalogue of prices lists for an address, in the order of PRICE_CATALOGS. */
export type PriceCatalogs = (url: string) => Promise<readonly CatalogLook[]>;

/** What reading a catalogue needs. */
export interface CatalogParts {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  clock(): Date;
}

const cached_ms = 24 * 3600 * 1000;
/** How long a catalogue that could not be read is not asked again. */
const failed_ms = 600_000;
const page = 100;
const mostPages = 200;
const mostOffers = 20;

interface Catalog {
  readonly read_at: string;
  readonly items: ReadonlyMap<string, CatalogItem>;
  /** Whether it was read to its end. */
  readonly isWhole: boolean;
}

/** Only what prices are read from is held: a catalogue has thousands of items. */
function toItem({ accepts, lastUpdated }: JsonObject): CatalogItem {
  return {
    accepts: Array.isArray(accepts) ? accepts.slice(0, mostOffers) : [],
    ...(typeof lastUpdated === 'string' && { last_updated: lastUpdated.slice(0, 40) }),
  };
}

/** Adds the items of a page by the address of their resource; how many it has, undefined if it cannot be read. */
function addItems(items: Map<string, CatalogItem>, text: string) {
  const { items: listed, pagination } = readObject(text) ?? {};
  if (!Array.isArray(listed)) return undefined;
  for (const one of listed.slice(0, page)) {
    const item = asObject(one);
    const url = typeof item?.resource === 'string' ? URL.parse(item.resource) : null;
    if (item && url) items.set(url.href, toItem(item));
  }
  const { total } = asMembers(pagination);
  return { length: Math.min(page, listed.length), total: typeof total === 'number' ? total : Infinity };
}

/** Reads page after page: a catalogue may give fewer items than it is asked for, and ends with an empty page, or its total. */
async function read(base: string, { fetch, robots, clock }: CatalogParts): Promise<Catalog | NoAnswer> {
  const items = new Map<string, CatalogItem>();
  const read_at = clock().toISOString();
  for (let pages = 0, offset = 0; pages < mostPages; pages += 1) {
    const url = `${base}/discovery/resources?limit=${page}&offset=${offset}`;
    const answer = (await robots(url)) ?? (await fetch({ url }));
    if (answer.result !== 'response') return answer;
    const added = answer.status === 200 ? addItems(items, answer.text) : undefined;
    if (!added) {
      const reason = `The catalogue at ${base} answered with HTTP status ${answer.status} and no list of resources.`;
      return { result: 'unreachable', reason };
    }
    offset += added.length;
    if (added.length === 0 || offset >= added.total) return { read_at, items, isWhole: true };
  }
  return { read_at, items, isWhole: false };
}

/** Reads the catalogues of PRICE_CATALOGS, each once a day in this process, and again after ten minutes if it could not be read. */
export function createPriceCatalogs(bases: readonly string[], parts: CatalogParts): PriceCatalogs {
  const readOnce = cachedOnce((base) => read(base, parts), {
    most: 100,
    ttl_ms: cached_ms,
    isFailure: (found) => 'result' in found,
    failureTtl_ms: failed_ms,
    clock: () => parts.clock(),
  });
  const look = async (catalog: string, url: string): Promise<CatalogLook> => {
    const found = await readOnce(catalog);
    if ('result' in found) return { catalog, ...found };
    const item = found.items.get(URL.parse(url)?.href ?? '');
    if (!item && !found.isWhole) {
      const reason = `Dossier read the first ${found.items.size} resources of the catalogue on ${found.read_at.slice(0, 10)}, and not its end; this endpoint is not among them.`;
      return { catalog, result: 'unreachable', reason };
    }
    return { catalog, result: 'read', read_at: found.read_at, ...(item && { item }) };
  };
  return (url) => Promise.all(bases.map((base) => look(base, url)));
}
