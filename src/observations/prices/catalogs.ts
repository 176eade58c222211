import { cachedOnce } from '../../core/cached-once.ts';
import { asMembers, asObject, type JsonObject, readObject } from '../../core/json.ts';
import { code, day, own, say } from '../../core/words.ts';
import { noAnswer, returned, whyTooLong } from '../../net/answer.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';
import { toolOf } from './x402-item.ts';

const cached_ms = 24 * 3600 * 1000;
const failed_ms = 600_000;
const page = 100;
const mostPages = 200;
const mostOffers = 20;
const mostTools = 50;

/** The catalogue is not read further, because anybody may list resources in it. */
const mostKept_characters = 32 * 1024 * 1024;

/** Ways to pay are kept as JSON, since objects take several times as much memory. */
interface KeptTool {
  readonly accepts: readonly string[];
  readonly last_updated: string;
  readonly hasMore: boolean;
  readonly isUnread: boolean;
}

interface KeptAddress {
  /** The tools by name; the name is empty for items that name none. */
  readonly tools: Map<string, KeptTool>;
  /** There are more tools, or more ways to pay for a tool, than are kept. */
  hasMore: boolean;
  /** There are ways to pay that cannot be read. */
  isUnread: boolean;
}

interface Kept {
  readonly items: Map<string, KeptAddress>;
  characters: number;
}

const members = ['scheme', 'network', 'amount', 'maxAmountRequired', 'asset', 'payTo'];
/** A way to pay with a longer member is not kept. */
const longestMember = 200;

function toKept(accepted: unknown): string | undefined {
  const stated = asMembers(accepted);
  const kept = members.flatMap((name) => (stated[name] === undefined ? [] : [[name, stated[name]] as const]));
  const isShort = kept.every(([, value]) => typeof value === 'string' && value.length <= longestMember);
  return isShort ? JSON.stringify(Object.fromEntries(kept)) : undefined;
}

/**
 * Keeps one way for each payee before a second way for one of them. Otherwise anybody could list many cheap
 * ways in the place of those that pay others.
 */
function keptWays(ways: ReadonlySet<string>): string[] {
  const sorted = [...ways].sort();
  if (sorted.length <= mostOffers) return sorted;
  const ofPayees = Map.groupBy(sorted, (way) => asMembers(JSON.parse(way)).payTo);
  const ranked = [...ofPayees.values()].flatMap((some) => some.map((way, rank) => ({ way, rank })));
  const byRank = ranked.sort((a, b) => a.rank - b.rank || (a.way < b.way ? -1 : 1));
  return byRank.slice(0, mostOffers).map(({ way }) => way);
}

/** Items about a tool may be on several pages in any order. The kept ways do not depend on that order. */
function withItem(known: KeptTool | undefined, { accepts: stated, lastUpdated }: JsonObject): KeptTool {
  const ways: readonly unknown[] = Array.isArray(stated) ? stated : [];
  const added = ways.flatMap((one) => toKept(one) ?? []);
  const all = new Set([...(known?.accepts ?? []), ...added]);
  const date = typeof lastUpdated === 'string' ? lastUpdated.slice(0, 40) : '';
  const before = known?.last_updated ?? '';
  return {
    accepts: keptWays(all),
    last_updated: date > before ? date : before,
    hasMore: known?.hasMore === true || all.size > mostOffers,
    isUnread: known?.isUnread === true || added.length < ways.length,
  };
}

/** Keeps the first fifty tools by name, whatever the order of items. */
function hasRoom(address: KeptAddress, tool: string): boolean {
  const { tools } = address;
  if (tools.has(tool) || tools.size < mostTools) return true;
  address.hasMore = true;
  const last = [...tools.keys()].reduce((a, b) => (a > b ? a : b));
  return tool < last && tools.delete(last);
}

/** Returns how many items the page has; undefined if it cannot be read. */
function addItems(kept: Kept, text: string) {
  const { items: listed, pagination } = readObject(text) ?? {};
  if (!Array.isArray(listed)) return undefined;
  for (const one of listed.slice(0, page)) {
    const item = asObject(one);
    const url = typeof item?.resource === 'string' ? URL.parse(item.resource) : null;
    if (!item || !url || whyTooLong(url)) continue;
    const address = kept.items.get(url.href) ?? {
      tools: new Map<string, KeptTool>(),
      hasMore: false,
      isUnread: false,
    };
    kept.items.set(url.href, address);
    const tool = toolOf(item) ?? '';
    if (!hasRoom(address, tool)) continue;
    const whole = withItem(address.tools.get(tool), item);
    address.tools.set(tool, whole);
    address.hasMore ||= whole.hasMore;
    address.isUnread ||= whole.isUnread;
    kept.characters += url.href.length + tool.length + whole.accepts.join('').length;
  }
  const { total } = asMembers(pagination);
  return { length: Math.min(page, listed.length), total: typeof total === 'number' ? total : Infinity };
}

interface CatalogContext {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
}

/** A catalogue may give fewer items than it is asked for. */
async function read(base: string, { fetch, robots }: CatalogContext, read_at: string) {
  const kept: Kept = { items: new Map(), characters: 0 };
  const { items } = kept;
  for (let pages = 0, offset = 0; pages < mostPages && kept.characters < mostKept_characters; pages += 1) {
    const url = `${base}/discovery/resources?limit=${page}&offset=${offset}`;
    const answer = (await robots(url)) ?? (await fetch({ url }));
    if (answer.result !== 'response') return answer;
    const added = answer.status === 200 ? addItems(kept, answer.text) : undefined;
    if (!added) return returned(say`The catalogue at ${code(base)}`, answer, own('a list of resources'));
    offset += added.length;
    if (added.length === 0 || offset >= added.total)
      return { result: 'read' as const, read_at, items, isWhole: true };
  }
  return { result: 'read' as const, read_at, items, isWhole: false };
}

const toListedPrices = ({ tools, hasMore, isUnread }: KeptAddress) => ({
  hasMore,
  isUnread,
  tools: [...tools]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tool, { accepts, last_updated, hasMore: hasMoreWays, isUnread: isUnreadWay }]) => ({
      ...(tool !== '' && { tool }),
      /** There are more ways to pay for this tool than are kept. */
      hasMore: hasMoreWays || isUnreadWay,
      accepts: accepts.map((one) => JSON.parse(one) as unknown),
      ...(last_updated !== '' && { last_updated }),
    })),
});

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
    if (!address && !isWhole) {
      const why = say`Dossier read the first ${items.size} resources of the catalogue on ${day(read_at)}, and not its end; this endpoint is not among them.`;
      return { catalog, ...noAnswer('not_asked', why) };
    }
    return {
      catalog,
      result: 'read' as const,
      read_at,
      isWhole,
      ...(address && { listed: toListedPrices(address) }),
    };
  };
  return (url: string) => Promise.all([...new Set(bases)].map((base) => findListed(base, url)));
}
