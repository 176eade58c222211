import { code, dayOf, join, listed as joinNames, own, say, type Words } from '../../core/words.ts';
import { priceChallenge } from '../kinds/prices/offer.ts';
import { isWhole, offerWords } from '../kinds/prices/offers.ts';
import { pricePayTo } from '../kinds/prices/pay-to.ts';
import { isWholeList, storedOffers, type ToolOffer, toolOffers } from '../kinds/prices/tool-offers.ts';
import { kinds } from '../kinds.ts';
import type { StoredObservation } from '../observation.ts';
import { ownProbe } from '../remotes.ts';
import { isNetworkName, partNames } from './compare.ts';
import type { SentOffer } from './sent-offer.ts';

/** The prices for an endpoint in a document of its host, or in a catalogue. */
export interface PriceList {
  readonly source: string;
  readonly endpoint: string | undefined;
  /** RFC 3339. A catalogue may have been read up to a day before the check. */
  readonly observed_at: string;
  /** The time of the first later check that did not see the list, RFC 3339. */
  readonly missed_since: string | undefined;
  readonly offers: readonly ToolOffer[];
  /** Dossier did not read or store all of the list, so an entry may be missing. */
  readonly isPart?: true;
}

const advertising = kinds.filter(
  ({ kind, line }) => line === 'costs' && kind !== priceChallenge.kind && kind !== pricePayTo.kind,
);

export function toPriceLists(facts: readonly StoredObservation[]): PriceList[] {
  return facts
    .filter(({ kind, outcome }) => outcome === 'seen' && advertising.some((one) => one.kind === kind))
    .flatMap(
      ({
        value: stored,
        value_digest,
        details,
        hasMore,
        source,
        source_url,
        observed_at,
        missed,
        subject,
        recorded = subject,
      }) => {
        const value = toolOffers.safeParse(stored).data ?? [];
        const url = source === ownProbe && source_url !== undefined ? URL.parse(source_url) : undefined;
        const place = url ? `${url.host}${url.pathname}` : source;
        const found = { value, value_digest, details };
        const offers = storedOffers(found);
        const isPart = hasMore || !isWholeList(found, offers);
        const read_at = typeof details?.read_at === 'string' ? details.read_at : observed_at;
        const when = { observed_at: read_at, missed_since: missed?.since };
        const list = { source: place, endpoint: recorded, ...when, offers };
        return value.length > 0 ? [isPart ? { ...list, isPart: true as const } : list] : [];
      },
    );
}

export const listStates = ['as_listed', 'other', 'higher', 'lower', 'not_known'] as const;
type ListState = (typeof listStates)[number];

const stateWords: Readonly<Record<ListState, Words>> = {
  as_listed: own('as listed'),
  other: own('other'),
  higher: own('higher'),
  lower: own('lower'),
  not_known: own('not known'),
};

export interface ListComparison extends Readonly<Record<(typeof partNames)[number], ListState>> {
  readonly source: string;
  readonly observed_at: string;
  readonly missed_since: string | undefined;
  /** The endpoint of the list, if the offer is compared with quotes of a different one. */
  readonly endpoint?: string | undefined;
  /** The tool that the list names for this price. */
  readonly tool: string | undefined;
  /** The price was chosen by similarity, because the request for the payment names no tool. */
  readonly isSimilar: boolean;
  /** The number of other prices for what is paid for. */
  readonly others: number;
  readonly text: Words;
}

/** The scheme decides before the amount, because amounts of two schemes are not comparable. */
const likeness = (one: ToolOffer, offer: SentOffer): number =>
  (one.asset === offer.asset && one.network === offer.network ? 8 : 0) +
  (one.scheme === offer.scheme ? 4 : 0) +
  (one.amount === offer.amount ? 2 : 0) +
  (one.pay_to === offer.pay_to ? 1 : 0);

const toState = (stated: string | undefined, listed: string): ListState =>
  stated === undefined ? 'not_known' : stated === listed ? 'as_listed' : 'other';

/** A network whose name Dossier does not know may be the network of a CAIP-2 name. */
function networkState(stated: string | undefined, listed: string): ListState {
  const isKnown = stated !== undefined && isNetworkName(stated) === isNetworkName(listed);
  return isKnown ? toState(stated, listed) : 'not_known';
}

/** An offer without a scheme is compared if only one scheme is listed for its asset and network. */
function amountState(
  { amount, scheme }: SentOffer,
  listed: ToolOffer,
  asset: ListState,
  hasOneScheme: boolean,
): ListState {
  const isSameUnit =
    asset === 'as_listed' && (scheme === undefined ? hasOneScheme : scheme === listed.scheme);
  if (!isSameUnit || amount === undefined || !isWhole(listed.amount)) return 'not_known';
  const sent = BigInt(amount);
  const known = BigInt(listed.amount);
  if (sent === known) return 'as_listed';
  return sent > known ? 'higher' : 'lower';
}

/** A payee may have a different address on each network. */
function payeeState(stated: string | undefined, listed: readonly string[], network: ListState): ListState {
  if (stated === undefined || listed.length === 0) return 'not_known';
  if (listed.includes(stated)) return 'as_listed';
  return network === 'as_listed' ? 'other' : 'not_known';
}

/** For example `payee other; amount, asset, network, scheme as listed`. */
function statesWords(states: ListStates): Words {
  const byState = Map.groupBy(partNames, (name) => states[name]);
  const groups = [...byState].map(([state, names]) => {
    const parts = names.map((name) => own(name));
    return say`${join(parts, ', ')} ${stateWords[state]}`;
  });
  return join(groups, '; ');
}

type ListStates = Readonly<Record<(typeof partNames)[number], ListState>>;

const notKnown: ListStates = {
  payee: 'not_known',
  amount: 'not_known',
  asset: 'not_known',
  network: 'not_known',
  scheme: 'not_known',
};
const mostPayees = 2;
const partWords = own('Dossier has only a part of this list. ');

/** An equal entry may be missing, so a difference is not known. */
const asPart = (states: ListStates): ListStates => {
  const known = partNames.filter((name) => states[name] === 'as_listed');
  return { ...notKnown, ...Object.fromEntries(known.map((name) => [name, 'as_listed'])) };
};

function listWords({ source, observed_at, missed_since }: PriceList, part = own('')): Words {
  const missed =
    missed_since === undefined ? own('') : say`, not seen by checks since ${dayOf(missed_since)}`;
  return say`${code(source)} (${dayOf(observed_at)}${missed})${part} ${own(missed_since === undefined ? 'lists' : 'listed')}`;
}

function withoutTool(list: PriceList, tool: string): ListComparison {
  const { source, endpoint, observed_at, missed_since, offers, isPart } = list;
  const words = listWords(list, isPart ? own(', as far as Dossier has it,') : own(''));
  const text = say`${words} no price for ${code(tool)}, which the request for the payment names, and ${offers.length} for others.`;
  const none = { tool: undefined, isSimilar: false, others: 0, ...notKnown };
  return { source, endpoint, observed_at, missed_since, ...none, text };
}

/** The prices for a tool, or else for the endpoint itself; all prices if the tool is not known. */
function pricesFor(offers: readonly ToolOffer[], paidTool: string | undefined): readonly ToolOffer[] {
  if (paidTool === undefined) return offers;
  const own = offers.filter(({ tool }) => tool === paidTool);
  return own.length > 0 ? own : offers.filter(({ tool }) => tool === undefined);
}

function compareWithList(
  list: PriceList,
  offer: SentOffer,
  paidTool: string | undefined,
): ListComparison | undefined {
  const { source, endpoint, observed_at, missed_since, offers, isPart } = list;
  const ofTool = pricesFor(offers, paidTool);
  const near = ofTool.toSorted((a, b) => likeness(b, offer) - likeness(a, offer))[0];
  if (!near) return paidTool === undefined ? undefined : withoutTool(list, paidTool);
  const isSame = (one: ToolOffer) =>
    (['asset', 'network', 'tool', 'amount', 'scheme'] as const).every((name) => one[name] === near[name]);
  const payees = ofTool.filter(isSame).flatMap(({ pay_to }) => pay_to ?? []);
  const network = networkState(offer.network, near.network);
  // The same address on a different network is a different asset.
  const asset =
    offer.asset !== undefined && network !== 'as_listed' ? network : toState(offer.asset, near.asset);
  const unit = ofTool.filter((one) => one.asset === near.asset && one.network === near.network);
  const hasOneScheme = new Set(unit.map(({ scheme }) => scheme)).size === 1;
  const compared = {
    payee: payeeState(offer.pay_to, payees, network),
    amount: amountState(offer, near, asset, hasOneScheme),
    asset,
    network,
    scheme: toState(offer.scheme, near.scheme),
  };
  const states = isPart ? asPart(compared) : compared;
  const named = joinNames(
    payees.map((payee) => code(payee)),
    mostPayees,
  );
  const paid = payees.length === 0 || states.payee === 'as_listed' ? own('') : say`, paid to ${named}`;
  const tool = near.tool === undefined ? own('') : say` for ${code(near.tool)}`;
  const others = ofTool.length - 1;
  const more = others > 0 ? say`; ${others} more there` : own('');
  const isSimilar = paidTool === undefined && near.tool !== undefined;
  const why = isSimilar ? own('; chosen by similarity, because the request names no tool') : own('');
  const listed = say`${offerWords(near)}${tool}${paid}${more}${why}`;
  const text = say`${listWords(list)} ${listed}. ${isPart ? partWords : own('')}This offer compared with it: ${statesWords(states)}.`;
  const where = { source, endpoint, observed_at, missed_since };
  return { ...where, tool: near.tool, isSimilar, others, ...states, text };
}

const isAsListed = (compared: ListStates): boolean =>
  partNames.every((name) => compared[name] === 'as_listed');

/** If `endpoint` is given, a list for a different endpoint is named only if it has exactly this offer. */
export function compareWithLists(
  lists: readonly PriceList[],
  offer: SentOffer,
  { paidTool, endpoint }: { readonly paidTool: string | undefined; readonly endpoint: string | undefined },
): ListComparison[] {
  const all = lists.flatMap((one) => compareWithList(one, offer, paidTool) ?? []);
  return all.flatMap(({ endpoint: of, ...one }) => {
    if (endpoint === undefined || of === undefined || of === endpoint) return one;
    return isAsListed(one)
      ? { ...one, endpoint: of, text: say`${one.text} It is published for ${code(of)}.` }
      : [];
  });
}
