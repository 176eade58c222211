import { asMembers, type JsonObject, readObject } from '../../../core/json.ts';
import { code, own } from '../../../core/words.ts';
import { type NoAnswer, returned } from '../../../net/answer.ts';
import { placeOf } from '../../cards/card-form.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { nameOf, surfaces } from '../../endpoint/surface.ts';
import { toolOf, toToolName } from '../../prices/x402-item.ts';
import type { CheckRun } from '../../run.ts';
import type { Offer } from './offer.ts';
import { acceptedOf, type PricedTool } from './tool-offers.ts';

/**
 * The form of the document is no standard: most documents list addresses, some list objects as a catalogue
 * does (x402-foundation/x402 869, 2582 and 2979).
 */
const paths = ['/.well-known/x402', '/.well-known/x402.json'];

/** The members that hold the list in deployed documents. */
const lists = ['resources', 'items', 'endpoints', 'services'];

const mostResources = 10_000;

interface Document {
  readonly result: 'document';
  readonly at: string;
  readonly resources: readonly unknown[];
  /** The document has more entries, which were not read. */
  readonly hasMore: boolean;
}

/** Returns undefined for JSON without such a list. */
function resourcesOf(text: string): readonly unknown[] | undefined {
  const document = asMembers(readObject(text));
  const found = lists.map((name) => document[name]).filter(Array.isArray);
  return found.length === 0 ? undefined : found.flat();
}

/**
 * Gets the document from the first path that has one. A host that does not answer is not asked for the second
 * path.
 */
export async function findDocument(run: CheckRun, origin: string): Promise<Document | NoAnswer> {
  let failure: NoAnswer | undefined;
  for (const path of paths) {
    const at = `${origin}${path}`;
    const answer = await run.get(at);
    const all = answer.result === 'response' ? resourcesOf(answer.text) : undefined;
    if (all) {
      const resources = all.slice(0, mostResources);
      return { result: 'document', at, resources, hasMore: all.length > resources.length };
    }
    const none = answer.result === 'response' ? returned(code(at), answer, own('an x402 document')) : answer;
    if (!failure || failure.outcome === 'absent') failure = none;
    if (none.outcome === 'silent' || none.outcome === 'not_asked') break;
  }
  return failure as NoAnswer;
}

function toEntry(listed: unknown): { readonly address: string; readonly item: JsonObject } | undefined {
  if (typeof listed === 'string') return { address: listed, item: {} };
  const item = asMembers(listed);
  const { resource, url, endpoint } = item;
  const address = [resource, asMembers(resource).url, url, endpoint].find((one) => typeof one === 'string');
  return typeof address === 'string' ? { address, item } : undefined;
}

/** x402 names a tool of MCP without an endpoint in this form: `mcp://tool/search`. */
const toolForm = /^mcp:\/\/tool\/([^/?#]{1,600})$/;

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

interface EntriesAtEndpoint {
  /** The tools of the endpoint and the endpoint itself, in the order of the tools' names. */
  readonly tools: readonly PricedTool[];
  /** There may be more tools, and more offers for each, because entries were not read. */
  readonly hasMore: boolean;
  /** Some entries name a tool without an endpoint, and it is not known whether this endpoint has the tool. */
  readonly isOfUnknown: boolean;
}

/** An entry has a list of ways to pay, or is itself one. */
const acceptsOf = ({ accepts, ...item }: JsonObject): readonly unknown[] => {
  if (Array.isArray(accepts)) return accepts;
  return item.payTo === undefined ? [] : [item];
};

/** Finds the entries that name the endpoint, with or without a tool, or a tool that the endpoint lists. */
export function atEndpoint(
  { at, resources, hasMore }: Document,
  { url, list }: Pick<EndpointAnswer, 'url' | 'list'>,
): EntriesAtEndpoint {
  const place = placeOf(new URL(url));
  const names = new Set(
    list.result === 'listed' ? list.members.map((tool) => nameOf(tool, surfaces.tools)) : [],
  );
  const found = new Map<string, { readonly tool?: string; readonly offers: Offer[]; hasMore: boolean }>();
  const unknown = new Set<string>();
  for (const listed of resources) {
    const entry = toEntry(listed);
    if (!entry) continue;
    const alone = toolForm.exec(entry.address)?.[1];
    const tool = alone === undefined ? toolOf(entry.item) : toToolName(decoded(alone));
    const named = alone === undefined ? URL.parse(entry.address, at) : undefined;
    const isHere = named
      ? /^https?:$/.test(named.protocol) && placeOf(named) === place
      : names.has(tool ?? '');
    if (alone !== undefined && list.result !== 'listed') unknown.add(tool ?? '');
    if (!isHere) continue;
    const empty = { ...(tool !== undefined && { tool }), offers: [], hasMore };
    const known = found.get(tool ?? '') ?? empty;
    found.set(tool ?? '', known);
    const read = acceptedOf(acceptsOf(entry.item));
    for (const offer of read.offers) known.offers.push(offer);
    known.hasMore ||= read.hasMore;
  }
  const tools = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tool, named]) => ({ ...named, hasMore: named.hasMore || unknown.has(tool) }));
  return { tools, hasMore, isOfUnknown: unknown.size > 0 };
}
