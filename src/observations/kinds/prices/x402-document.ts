import { asMembers, type JsonObject, readObject } from '../../../core/json.ts';
import { code, count, own, say } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, notAsked, returned } from '../../../net/answer.ts';
import { placeOf } from '../../cards/card-form.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { nameOf, surfaces } from '../../endpoint/surface.ts';
import { type Offer, readAccepted, statesOffers } from '../../prices/offer.ts';
import { toolOf, toToolName } from '../../prices/x402-item.ts';
import type { CheckRun } from '../../run.ts';

/** No standard: lists of addresses, or of objects as in catalogues (x402-foundation/x402 869, 2582, 2979). */
const paths = ['/.well-known/x402', '/.well-known/x402.json'];

/** The members that hold the list in deployed documents. */
const lists = ['resources', 'items', 'endpoints', 'services'];

function resourcesOf({ text }: Fetched): readonly unknown[] | undefined {
  const document = asMembers(readObject(text));
  const found = lists.map((name) => document[name]).filter(Array.isArray);
  return found.length === 0 ? undefined : found.flat();
}

/** A host that does not answer is not asked for the second path. */
async function findDocument(run: CheckRun, origin: string) {
  let failure: NoAnswer | undefined;
  for (const path of paths) {
    const at = `${origin}${path}`;
    const answer = await run.get(at);
    const resources = answer.result === 'response' ? resourcesOf(answer) : undefined;
    if (resources) return { result: 'document' as const, at, resources };
    const none = answer.result === 'response' ? returned(code(at), answer, own('an x402 document')) : answer;
    if (!failure || failure.outcome === 'absent') failure = none;
    if (none.outcome === 'silent' || none.outcome === 'not_asked') break;
  }
  return failure as NoAnswer;
}

const unknownTools = (at: string) =>
  say`${code(at)} names tools without an endpoint; Dossier did not see whether this endpoint has them.`;

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

/** An entry has a list of ways to pay, or is itself one, or only names what is paid for. */
function offersOf({ accepts, ...item }: JsonObject, tool: string | undefined): Offer[] {
  const ways = Array.isArray(accepts) ? accepts : item.payTo === undefined ? [] : [item];
  const of = tool === undefined ? {} : { for: tool };
  return ways.length > 0 ? ways.map((one) => readAccepted(one, tool)) : [of];
}

export async function x402Prices(run: CheckRun, url: string) {
  const document = await findDocument(run, new URL(url).origin);
  if (document.result !== 'document') return document;
  const { at, resources } = document;
  const endpoint = await run.endpoint({ url });
  const list: EndpointAnswer['list'] = endpoint.result === 'answered' ? endpoint.list : endpoint;
  const tools = new Set(
    list.result === 'listed' ? list.members.map((tool) => nameOf(tool, surfaces.tools)) : [],
  );
  const place = placeOf(new URL(url));
  const offers: Offer[] = [];
  for (const listed of resources) {
    const entry = toEntry(listed);
    if (!entry) continue;
    const alone = toolForm.exec(entry.address)?.[1];
    if (alone !== undefined && list.result !== 'listed') return notAsked(unknownTools(at));
    const tool = alone === undefined ? toolOf(entry.item) : toToolName(decoded(alone));
    const named = alone === undefined ? URL.parse(entry.address, at) : undefined;
    const isHere = named
      ? /^https?:$/.test(named.protocol) && placeOf(named) === place
      : tools.has(tool ?? '');
    if (isHere) for (const one of offersOf(entry.item, tool)) offers.push(one);
  }
  // An entry that only names what other entries have a price for adds nothing.
  const priced = new Set(
    offers.filter((one) => Object.keys(one).some((name) => name !== 'for')).map((one) => one.for),
  );
  const stated = offers.filter(
    (one) => !priced.has(one.for) || Object.keys(one).some((name) => name !== 'for'),
  );
  if (stated.length === 0) {
    const why = say`${code(at)} names ${count(resources.length, 'resource')}, but not this endpoint.`;
    return { value: null, outcome: 'nothing' as const, why, source_url: at };
  }
  return { ...statesOffers('x402', stated), source_url: at };
}
