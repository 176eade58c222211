import { cachedOnce } from '../../core/cached-once.ts';
import { asMembers, asObject, type JsonObject, readObject } from '../../core/json.ts';
import { code, day, own, say } from '../../core/words.ts';
import { noAnswer, returned, whyTooLong } from '../../net/answer.ts';
import type { PoliteFetch } from './hosts/polite.ts';
import type { Robots } from './hosts/robots.ts';

const cached_ms = 24 * 3600 * 1000;
const failed_ms = 600_000;
const page = 100;
const mostPages = 200;

/** The catalogue is not read further, because anybody may list resources in it. */
const mostKept_characters = 32 * 1024 * 1024;

interface Kept {
  /** The offers as JSON, since objects take several times as much memory. */
  readonly items: Map<string, { readonly offers: Set<string>; last_updated: string }>;
  characters: number;
}

function addItems(kept: Kept, text: string, readOffer: CatalogContext['readOffer']) {
  const { items: listed, pagination } = readObject(text) ?? {};
  if (!Array.isArray(listed)) return undefined;
  for (const one of listed.slice(0, page)) {
    const item = asObject(one);
    const url = typeof item?.resource === 'string' ? URL.parse(item.resource) : null;
    if (!item || !url || whyTooLong(url)) continue;
    const address = kept.items.get(url.href) ?? { offers: new Set(), last_updated: '' };
    kept.items.set(url.href, address);
    const { accepts, lastUpdated } = item;
    for (const way of Array.isArray(accepts) ? accepts : []) {
      const offer = JSON.stringify(readOffer(way, item));
      if (!address.offers.has(offer)) kept.characters += offer.length;
      address.offers.add(offer);
    }
    const date = typeof lastUpdated === 'string' ? lastUpdated.slice(0, 40) : '';
    if (date > address.last_updated) address.last_updated = date;
    kept.characters += url.href.length;
  }
  const { total } = asMembers(pagination);
  return { length: Math.min(page, listed.length), total: typeof total === 'number' ? total : Infinity };
}

interface CatalogContext {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  readonly readOffer: (way: unknown, resource: JsonObject) => object;
}

/** A catalogue may give fewer items than it is asked for. */
async function read(base: string, { fetch, robots, readOffer }: CatalogContext, read_at: string) {
  const kept: Kept = { items: new Map(), characters: 0 };
  const { items } = kept;
  for (let pages = 0, offset = 0; pages < mostPages && kept.characters < mostKept_characters; pages += 1) {
    const url = `${base}/discovery/resources?limit=${page}&offset=${offset}`;
    const answer = (await robots(url)) ?? (await fetch({ url }));
    if (answer.result !== 'response') return answer;
    const added = answer.status === 200 ? addItems(kept, answer.text, readOffer) : undefined;
    if (!added) return returned(say`The catalogue at ${code(base)}`, answer, own('a list of resources'));
    offset += added.length;
    if (added.length === 0 || offset >= added.total)
      return { result: 'read' as const, read_at, items, isWhole: true };
  }
  return { result: 'read' as const, read_at, items, isWhole: false };
}

/** Nothing is known of a catalogue that was not read to its end. */
export function createPriceCatalogs(bases: readonly string[], parts: CatalogContext & { clock(): Date }) {
  const readOnce = cachedOnce((base) => read(base, parts, parts.clock().toISOString()), {
    most: 100,
    ttl_ms: cached_ms,
    isFailure: (found) => found.result === 'no_answer',
    failureTtl_ms: failed_ms,
    clock: () => parts.clock(),
  });
  const findListed = async (catalog: string, url: string) => {
    const found = await readOnce(catalog);
    if (found.result === 'no_answer') return { catalog, ...found };
    const { read_at, isWhole, items } = found;
    const address = items.get(URL.parse(url)?.href ?? '');
    if (!isWhole) {
      const why = say`Dossier read the first ${items.size} resources of the catalogue on ${day(read_at)}, and not its end, so it does not know all that the catalogue lists.`;
      return { catalog, ...noAnswer('not_asked', why) };
    }
    const offers = [...(address?.offers ?? [])].map((one) => JSON.parse(one) as unknown);
    const listed = address && { offers, last_updated: address.last_updated };
    return { catalog, result: 'read' as const, read_at, ...(listed && { listed }) };
  };
  return (url: string) => Promise.all([...new Set(bases)].map((base) => findListed(base, url)));
}
