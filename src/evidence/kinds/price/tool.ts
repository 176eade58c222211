import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import { asObject, type JsonObject } from '../../text/json-object.ts';
import { toLine } from '../../text/sanitize.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';

const mostTools = 50;
const dollars = /^(?:dynamic|\d{1,20}(?:\.\d{1,20})?)$/;

/** The stated price of a tool: a number, "0.01" or "dynamic"; null for any other form. */
const toPrice = (stated: unknown) =>
  (typeof stated === 'number' && stated >= 0) || (typeof stated === 'string' && dollars.test(stated))
    ? stated
    : null;

/** What a tool object states of its price in `_meta`; undefined if it states nothing. */
function toPriced({ name, _meta }: JsonObject) {
  const { 'agents-x402/priceUSD': price, 'agents-x402/paymentRequired': required } = asObject(_meta) ?? {};
  if (price === undefined && !required) return undefined;
  return {
    name: typeof name === 'string' ? toLine(name).slice(0, 128) : '',
    ...(required !== undefined && { payment_required: Boolean(required) }),
    ...(price !== undefined && { price_usd: toPrice(price) }),
  };
}

function toFinding({ list }: EndpointLook) {
  if (list.result !== 'tools') return list;
  const { tools } = list;
  const priced = tools.map(toPriced).filter((one) => one !== undefined);
  if (priced.length === 0) {
    const reason = 'No tool in the list that Dossier read states a price in its _meta (agents-x402).';
    return { value: null, state: 'no_price_seen' as const, reason };
  }
  return {
    value: `${priced.length} of ${tools.length}`,
    state: 'advertised' as const,
    ...(priced.length > mostTools && { reason: `Dossier shows the first ${mostTools} of them.` }),
    details: { tools: priced.slice(0, mostTools) },
  };
}

/** The prices that tools state in the list of tools. */
export const priceTool = defineKind({
  kind: 'price.tool',
  question: 'price',
  title: 'Tools that state a price',
  means:
    'How many tools state in the endpoint’s own list that a call costs something, and the dollars that each states (`agents-x402/priceUSD`; null where the form is none that Dossier knows).',
  doesNotMean: 'Dossier calls no tool, so it has not seen what a call is charged.',
  unit: 'tools',
  method_version: 'price/1',
  about: remotesOf,
  isOptional: true,
  check: (look) => ofRemotes(look, toFinding),
});
