import { asMembers, asObject, type JsonObject, readObject } from '../../../core/json.ts';
import { code, own } from '../../../core/words.ts';
import { type NoAnswer, returned } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { nameOf, surfaces } from '../../endpoint/surface.ts';
import { toolOf, toToolName } from '../../prices/x402-item.ts';
import type { CheckRun } from '../../run.ts';
import type { Offer } from './offer.ts';
import { acceptedOf, type PricedTool } from './tool-offers.ts';

/**
 * The paths at which hosts state what they sell over x402. Its form is no standard: most documents list
 * addresses, some list objects as a catalogue does (x402-foundation/x402 869, 2582 and 2979).
 */
const paths = ['/.well-known/x402', '/.well-known/x402.json'];

/** The members that hold the list in deployed documents. */
const lists = ['resources', 'items', 'endpoints', 'services'];

const mostResources = 10_000;

/** A document as it was read; the list in it is untrusted. */
interface Document {
  readonly result: 'document';
  readonly at: string;
  readonly resources: readonly unknown[];
}

/** The list in a document; undefined for any other JSON. */
function resourcesOf(text: string): readonly unknown[] | undefined {
  const document = asMembers(readObject(text));
  return lists
    .map((name) => document[name])
    .find(Array.isArray)
    ?.slice(0, mostResources);
}

/**
 * Gets the document of an origin from the first path that has one, or the reason why there is none. A host
 * that does not answer is not asked twice.
 */
export async function findDocument(run: CheckRun, origin: string): Promise<Document | NoAnswer> {
  let failure: NoAnswer | undefined;
  for (const path of paths) {
    const at = `${origin}${path}`;
    const answer = await run.get(at);
    const resources = answer.result === 'response' ? resourcesOf(answer.text) : undefined;
    if (resources) return { result: 'document', at, resources };
    const none = answer.result === 'response' ? returned(code(at), answer, own('an x402 document')) : answer;
    if (!failure || failure.outcome === 'absent') failure = none;
    if (none.outcome === 'silent' || none.outcome === 'not_asked') break;
  }
  return failure as NoAnswer;
}

/** Reads an entry of a list, which is an address or an object with an address in one of these members. */
function toEntry(listed: unknown): { readonly address: string; readonly item: JsonObject } | undefined {
  if (typeof listed === 'string') return { address: listed, item: {} };
  const item = asMembers(listed);
  const { resource, url, endpoint } = item;
  const address = [resource, asMembers(resource).url, url, endpoint].find((one) => typeof one === 'string');
  return typeof address === 'string' ? { address, item } : undefined;
}

/** The host and path of an address, which tell endpoints apart. */
const placeOf = ({ host, pathname }: URL) => `${host}${pathname.replace(/\/+$/, '')}`;

/** The form in which x402 names a tool of MCP without an endpoint: `mcp://tool/search`. */
const toolForm = /^mcp:\/\/tool\/([^/?#]{1,600})$/;

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * The entries of a document that name an endpoint, with or without a tool, or a tool that the endpoint lists,
 * by the names of the tools.
 */
export function atEndpoint(
  { at, resources }: Document,
  { url, list }: Pick<EndpointAnswer, 'url' | 'list'>,
): PricedTool[] {
  const place = placeOf(new URL(url));
  const names = new Set(
    list.result === 'listed' ? list.members.map((tool) => nameOf(tool, surfaces.tools)) : [],
  );
  const found = new Map<string, PricedTool & { readonly offers: Offer[] }>();
  for (const listed of resources) {
    const entry = toEntry(listed);
    if (!entry) continue;
    const alone = toolForm.exec(entry.address)?.[1];
    const tool = alone === undefined ? toolOf(entry.item) : toToolName(decoded(alone));
    const named = alone === undefined ? URL.parse(entry.address, at) : undefined;
    const isHere = named
      ? /^https?:$/.test(named.protocol) && placeOf(named) === place
      : names.has(tool ?? '');
    if (!isHere) continue;
    const accepts = Array.isArray(entry.item.accepts) ? entry.item.accepts : [asObject(entry.item)];
    const known = found.get(tool ?? '') ?? { ...(tool !== undefined && { tool }), offers: [] };
    found.set(tool ?? '', known);
    for (const offer of acceptedOf(accepts)) known.offers.push(offer);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, named]) => named);
}
