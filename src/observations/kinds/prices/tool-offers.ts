import { z } from 'zod';
import { asMembers } from '../../../core/json.ts';
import { code, day, join, listed, own, say, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { shortNameOf, surfaces } from '../../endpoint/surface.ts';
import type { ShownFinding } from '../../kind.ts';
import { decodeOffers, type Offer, readAccepted } from './offer.ts';
import { offersWords, paidOffers, toOffersWithPayees, toPaidOffers } from './offers.ts';
import { payeesWords } from './payees-change.ts';

/**
 * An offer without `tool` is for the endpoint itself. The payee is part of the offer, because no other fact
 * has the payees of a list.
 */
const toolOffer = paidOffers.element.extend({
  /** An eip155 address is in lower case. */
  pay_to: z.string().optional(),
  tool: z.string().optional(),
  /** Dossier has only a part of the ways to pay for this tool. */
  is_part: z.literal(true).optional(),
});
export const toolOffers = z.array(toolOffer);
export type ToolOffer = z.infer<typeof toolOffer>;

/** For a document or list that was read and states no price. */
export const statesNone = (why: Words) => ({ value: null, outcome: 'nothing' as const, why });

interface ReadOffers {
  readonly offers: readonly Offer[];
  /** There are more offers, which Dossier did not read or keep. */
  readonly hasMore: boolean;
}

/** Prices without `tool` are for the endpoint itself. */
export interface PricedTool extends ReadOffers {
  readonly tool?: string;
}

/**
 * Reads a way to pay in either version of x402. Returns undefined if it names a different amount for each
 * version, because a client may read either.
 */
function readOfEither(stated: unknown): Offer | undefined {
  const { amount, maxAmountRequired } = asMembers(stated);
  if (maxAmountRequired === undefined) return readAccepted(2)(stated);
  return amount === undefined || amount === maxAmountRequired ? readAccepted(1)(stated) : undefined;
}

/** The list may be of either version of x402. */
export function acceptedOf(accepts: readonly unknown[]): ReadOffers {
  const { seen, offers } = decodeOffers(accepts, readOfEither);
  return { offers, hasMore: seen > offers.length };
}

const byTool = (a: Pick<PricedTool, 'tool'>, b: Pick<PricedTool, 'tool'>) =>
  (a.tool ?? '') < (b.tool ?? '') ? -1 : 1;

const ofTool = ({ tool, isPart }: { readonly tool: string | undefined; readonly isPart: boolean }) => ({
  ...(tool !== undefined && { tool }),
  ...(isPart && { is_part: true as const }),
});

/** Returns the value of a price list: its offers, sorted by tool. */
export const toSortedOffers = (
  priced: readonly {
    readonly tool?: string;
    readonly offers: readonly (Offer | ToolOffer)[];
    readonly hasMore: boolean;
  }[],
): ToolOffer[] =>
  priced
    .toSorted(byTool)
    .flatMap(({ tool, offers, hasMore }) =>
      toOffersWithPayees(offers).map((offer) => ({ ...offer, ...ofTool({ tool, isPart: hasMore }) })),
    );

/** The most offers of several parts that are kept together. */
export const mostJoined = 100;

const mostShown = 50;
const mostOffers = 20;

/** The details have the first offers of the first tools, as quoted. */
const toolDetails = (priced: readonly PricedTool[], unlisted: readonly string[]) => ({
  offers: priced
    .toSorted(byTool)
    .slice(0, mostShown)
    .flatMap(({ tool, offers, hasMore }) => {
      const isPart = hasMore || offers.length > mostOffers;
      return offers.slice(0, mostOffers).map((offer) => ({ ...offer, ...ofTool({ tool, isPart }) }));
    }),
  tools: priced.length,
  ...(unlisted.length > 0 && { unlisted }),
});

interface BesidePrices {
  /** The priced tools that the endpoint does not list. */
  readonly unlisted: readonly string[];
  /** There are more entries, which Dossier did not read or keep. */
  readonly hasMore: boolean;
  readonly details?: Readonly<Record<string, string>>;
}

export const statesPrices = (
  priced: readonly PricedTool[],
  { unlisted, hasMore, details }: BesidePrices,
) => ({
  value: toSortedOffers(priced),
  outcome: 'seen' as const,
  details: { ...toolDetails(priced, unlisted), ...details },
  ...((hasMore || priced.some((one) => one.hasMore)) && { hasMore: true as const }),
});

/** Returns none if the endpoint's list is not known. */
export function unlistedOf(priced: readonly PricedTool[], list: EndpointAnswer['list']): string[] {
  if (list.result !== 'listed') return [];
  const names = new Set(list.members.map((tool) => shortNameOf(tool, surfaces.tools)));
  return priced.flatMap(({ tool }) => (tool === undefined || names.has(tool) ? [] : [tool])).sort();
}

export const unlistedWords = (list: Words, unlisted: readonly string[], now: Date): Words =>
  unlisted.length === 0
    ? own('')
    : say`${list} names ${toolsWords(unlisted)}, which the endpoint did not list on ${day(now.toISOString())}.`;

const quotedOffer = z.looseObject({ ...toolOffer.shape, chain_id: z.number().optional() });

type ListFinding = Pick<ShownFinding<ToolOffer[]>, 'value' | 'value_digest' | 'details'>;

/** If the value is shortened, reads the details, unless these have fewer offers. */
export function storedOffers({ value, value_digest, details }: ListFinding): readonly ToolOffer[] {
  if (value_digest === undefined) return value;
  const quoted = z.array(quotedOffer).safeParse(details?.offers).data ?? [];
  const offers = [...Map.groupBy(quoted, ({ tool }) => tool)].flatMap(([tool, all]) =>
    toOffersWithPayees(all).map((offer) => ({
      ...offer,
      ...ofTool({ tool, isPart: all.some((one) => one.is_part) }),
    })),
  );
  return offers.length < value.length ? value : offers;
}

/** Tells whether the stored offers are all that were compared. */
export const isWholeList = ({ value_digest }: ListFinding, stored: readonly ToolOffer[]): boolean =>
  value_digest === undefined || canonicalDigest({ value: stored }) === value_digest;

const mostNamed = 3;
const mostPayees = 2;

/** An undefined name stands for the endpoint itself. */
export const toolsWords = (tools: readonly (string | undefined)[]): Words =>
  listed(
    tools.map((tool) => (tool === undefined ? own('the endpoint itself') : code(tool))),
    mostNamed,
  );

function paidWords(offers: readonly ToolOffer[]): Words {
  const payees = [...new Set(offers.flatMap(({ pay_to }) => pay_to ?? []))];
  if (payees.length === 0) return own('');
  return payees.length > mostPayees
    ? say`, paid to ${payees.length} addresses`
    : say`, paid to ${payeesWords(payees)}`;
}

export function toolOffersWords(found: ShownFinding<ToolOffer[]>): Words {
  const stored = storedOffers(found);
  const tools = [...Map.groupBy(stored, ({ tool }) => tool)];
  const named = tools.slice(0, mostNamed).map(([tool, all]) => {
    const offers = toPaidOffers(all);
    if (tool !== undefined) return say`${code(tool)} ${offersWords(offers)}`;
    return tools.length > 1 ? say`${offersWords(offers)} for the endpoint itself` : offersWords(offers);
  });
  const left = Math.max(tools.length, Number(found.details?.tools ?? 0)) - mostNamed;
  const more = left > 0 ? [say`${left} more ${left === 1 ? own('tool') : own('tools')}`] : [];
  const unlisted = z.array(z.string()).safeParse(found.details?.unlisted).data ?? [];
  const missing =
    unlisted.length > 0
      ? say`; not among the tools that the endpoint lists: ${toolsWords(unlisted)}`
      : own('');
  return say`${join([...named, ...more], ', ')}, advertised${paidWords(stored)}${missing}`;
}
