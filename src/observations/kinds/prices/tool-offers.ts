import { z } from 'zod';
import { asObject } from '../../../core/json.ts';
import { code, day, join, listed, own, say, type Words } from '../../../core/words.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { shortNameOf, surfaces } from '../../endpoint/surface.ts';
import type { BeforeChange, ShownFinding } from '../../kind.ts';
import { decodeOffers, type Offer, readAccepted } from './offer.ts';
import {
  offersChange,
  offersWeight,
  offersWithPayees,
  offersWords,
  paidOffers,
  toPaidOffers,
} from './offers.ts';

/** One way to pay for a tool, or for the endpoint itself if there is no `tool`. */
const toolOffer = paidOffers.element.extend({ tool: z.string().optional() });
export const toolOffers = z.array(toolOffer);
export type ToolOffer = z.infer<typeof toolOffer>;

/** The fact for a source that was read and states no price. */
export const statesNone = (why: Words) => ({ value: null, outcome: 'nothing' as const, why });

/** The prices that a list has for a tool, or for the endpoint itself. */
export interface PricedTool {
  readonly tool?: string;
  readonly offers: readonly Offer[];
}

const versionOf = (quoted: unknown) => (asObject(quoted)?.maxAmountRequired === undefined ? 2 : 1);

/** Reads the first `most` ways to pay in a list, in either version of x402. */
export const acceptedOf = (accepts: readonly unknown[], most: number): Offer[] =>
  decodeOffers(accepts.slice(0, most), (one) => readAccepted(versionOf(one))(one)).offers;

const byTool = (a: PricedTool, b: PricedTool) => ((a.tool ?? '') < (b.tool ?? '') ? -1 : 1);

/** Converts the prices of tools to the compared form, in the order of the tools' names. */
export const toToolOffers = (priced: readonly PricedTool[]): ToolOffer[] =>
  priced
    .toSorted(byTool)
    .flatMap(({ tool, offers }) =>
      toPaidOffers(offers).map((offer) => ({ ...offer, ...(tool !== undefined && { tool }) })),
    );

/** The details: the offers as quoted, the number of tools, and the tools that the endpoint does not list. */
export const toolDetails = (priced: readonly PricedTool[], unlisted: readonly string[]) => ({
  offers: quotedOf(priced),
  tools: priced.length,
  ...(unlisted.length > 0 && { unlisted }),
});

const quotedOf = (priced: readonly PricedTool[]) =>
  priced
    .toSorted(byTool)
    .flatMap(({ tool, offers }) =>
      offers.map((offer) => ({ ...offer, ...(tool !== undefined && { tool }) })),
    );

/** The priced tools that an endpoint does not list; none if its list is not known. */
export function unlistedOf(priced: readonly PricedTool[], list: EndpointAnswer['list']): string[] {
  if (list.result !== 'listed') return [];
  const names = new Set(list.members.map((tool) => shortNameOf(tool, surfaces.tools)));
  return priced.flatMap(({ tool }) => (tool === undefined || names.has(tool) ? [] : [tool])).sort();
}

/**
 * Says on which day the endpoint did not list the tools in a price list; empty if there are no such tools.
 */
export const unlistedWords = (list: Words, unlisted: readonly string[], now: Date): Words =>
  unlisted.length === 0
    ? own('')
    : say`${list} names ${nameWords(unlisted)}, which the endpoint did not list on ${day(now.toISOString())}.`;

const quotedOffer = z.looseObject({
  ...toolOffer.shape,
  chain_id: z.number().optional(),
});

/** One way to pay for a tool, with its payee. */
export interface ToolOfferWithPayee extends ToolOffer {
  readonly pay_to?: string;
}

/** All offers of a fact, as quoted in its details; the value has no payees, and only what fits into 1 KiB. */
export function allToolOffers({
  value,
  details,
}: Pick<ShownFinding<ToolOffer[]>, 'value' | 'details'>): readonly ToolOfferWithPayee[] {
  const quoted = z.array(quotedOffer).safeParse(details?.offers).data;
  if (!quoted) return value;
  const tools = [...Map.groupBy(quoted, ({ tool }) => tool)];
  return tools.flatMap(([tool, offers]) =>
    offersWithPayees({ value: [], details: { offers } }).map((offer) => ({
      ...offer,
      ...(tool !== undefined && { tool }),
    })),
  );
}

const mostNamed = 3;

/**
 * Says the prices of the first three tools and how many more there are, and which of the tools the endpoint
 * did not list.
 */
export function toolOffersWords(found: ShownFinding<ToolOffer[]>): Words {
  const tools = [...Map.groupBy(allToolOffers(found), ({ tool }) => tool)];
  const named = tools.slice(0, mostNamed).map(([tool, all]) => {
    const offers = toPaidOffers(all);
    if (tool !== undefined) return say`${code(tool)} ${offersWords(offers)}`;
    return tools.length > 1 ? say`${offersWords(offers)} for the endpoint itself` : offersWords(offers);
  });
  const left = tools.length - mostNamed;
  const more = left > 0 ? [say`${left} more ${left === 1 ? own('tool') : own('tools')}`] : [];
  const unlisted = z.array(z.string()).safeParse(found.details?.unlisted).data ?? [];
  const gone = listed(
    unlisted.map((tool) => code(tool)),
    mostNamed,
  );
  const missing = unlisted.length > 0 ? say`; not among the tools that the endpoint lists: ${gone}` : own('');
  return say`${join([...named, ...more], ', ')}, advertised${missing}`;
}

const toolsOf = (offers: readonly ToolOffer[]) =>
  new Map([...Map.groupBy(offers, ({ tool }) => tool)].map(([tool, all]) => [tool, toPaidOffers(all)]));

const nameWords = (tools: readonly (string | undefined)[]): Words =>
  listed(
    tools.map((tool) => (tool === undefined ? own('the endpoint itself') : code(tool))),
    mostNamed,
  );

/**
 * Says how the prices that `place` states changed, tool by tool. If a list was shortened, it says only that
 * they changed.
 */
export const toolOffersChange =
  (place: Words) =>
  (was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>, between: Words): Words | undefined => {
    const before = toolsOf(was.value ?? []);
    const after = toolsOf(allToolOffers(now));
    const isWhole =
      was.value_digest === undefined &&
      after.size === (now.details?.tools ?? after.size) &&
      (now.details?.offers !== undefined || now.value_digest === undefined);
    if (!isWhole) return say`Prices in ${place} changed (${between})`;
    if (before.size === 0) return say`States prices in ${place}, and none before (${between})`;
    const changes = [...before].flatMap(([tool, offers]) => {
      const change = after.has(tool) ? offersChange(offers, after.get(tool) ?? []) : undefined;
      return change ? [tool === undefined ? change : say`${code(tool)}: ${change}`] : [];
    });
    const added = [...after.keys()].filter((tool) => !before.has(tool));
    const gone = [...before.keys()].filter((tool) => !after.has(tool));
    const said = [
      ...changes.slice(0, mostNamed),
      ...(changes.length > mostNamed
        ? [say`${changes.length - mostNamed} more tools have different prices`]
        : []),
      ...(added.length > 0 ? [say`a new price for ${nameWords(added)}`] : []),
      ...(gone.length > 0 ? [say`no longer a price for ${nameWords(gone)}`] : []),
    ];
    return said.length > 0 ? say`In ${place}: ${join(said, '; ')} (${between})` : undefined;
  };

/** A change of prices of tools weighs as much as that of the tool whose price changed most. */
export function toolOffersWeight(was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>): number {
  const before = toolsOf(was.value ?? []);
  const after = toolsOf(allToolOffers(now));
  return Math.max(0, ...[...after].map(([tool, offers]) => offersWeight(before.get(tool) ?? [], offers)));
}
