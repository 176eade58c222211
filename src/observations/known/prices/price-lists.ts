import { dayText } from '../../../core/text.ts';
import { code, dayOf, join, listed, own, say, type Words } from '../../../core/words.ts';
import { ownProbe } from '../kinds/remotes.ts';
import { type ComparedOffer, compareOffer, isInNewest, partNames } from './compare.ts';
import { addressesOf, type Offer } from './offer.ts';
import type { SeenPlace } from './seen.ts';
import type { SentOffer } from './sent.ts';
import { offerWords } from './words.ts';

export const listStates = ['as_listed', 'other', 'higher', 'lower', 'not_known'] as const;
type ListState = (typeof listStates)[number];
type ListStates = Readonly<Record<(typeof partNames)[number], ListState>>;

const stateWords: Readonly<Record<ListState, Words>> = {
  as_listed: own('as listed'),
  other: own('other'),
  higher: own('higher'),
  lower: own('lower'),
  not_known: own('not known'),
};

export interface ListComparison extends ListStates, ReturnType<typeof whereOf> {
  /** The endpoint of the list, if the offer is compared with quotes of a different one. */
  readonly endpoint?: string | undefined;
  readonly tool: string | undefined;
  /** Chosen by similarity, because the request for the payment names no tool. */
  readonly isSimilar: boolean;
  readonly others: number;
  readonly text: Words;
}

/** A catalogue may have been read up to a day before the check. */
function whereOf({ fact }: SeenPlace) {
  const { source, source_url, as_seen, observed_at, missed } = fact;
  const url = source === ownProbe && source_url !== undefined ? URL.parse(source_url) : undefined;
  return {
    source: url ? `${url.host}${url.pathname}` : source,
    observed_at: typeof as_seen?.read_at === 'string' ? as_seen.read_at : observed_at,
    missed_since: missed?.since,
  };
}

/** Amounts of two schemes are not comparable. */
const likeness = (one: Offer, offer: SentOffer): number =>
  (one.asset === offer.asset && one.network === offer.network ? 8 : 0) +
  (one.scheme === offer.scheme ? 4 : 0) +
  (one.amount === offer.amount ? 2 : 0) +
  (addressesOf([one]).join() === addressesOf([offer]).join() ? 1 : 0);

const toState = (seen: ComparedOffer[keyof ComparedOffer]['seen']): ListState => {
  if (isInNewest(seen)) return 'as_listed';
  return seen === 'seen_until' || seen === 'never_seen' ? 'other' : seen;
};

/** A payee may have a different address on each network. */
function toStates(compared: ComparedOffer): ListStates {
  const states = Object.fromEntries(
    partNames.map((name) => [name, toState(compared[name].seen)]),
  ) as ListStates;
  const isElsewhere = states.payee === 'other' && states.network !== 'as_listed';
  return isElsewhere ? { ...states, payee: 'not_known' } : states;
}

/** `payee other; amount, asset, network, scheme as listed` */
function statesWords(states: ListStates): Words {
  const byState = Map.groupBy(partNames, (name) => states[name]);
  const groups = [...byState].map(([state, names]) => {
    const parts = names.map((name) => own(name));
    return say`${join(parts, ', ')} ${stateWords[state]}`;
  });
  return join(groups, '; ');
}

const mostPayees = 2;
const notKnown = Object.fromEntries(partNames.map((name) => [name, 'not_known'])) as ListStates;

function listWords(list: SeenPlace): Words {
  const { source, observed_at, missed_since } = whereOf(list);
  const { first_seen_at } = list.fact;
  const isOlder = dayText(first_seen_at) < dayText(observed_at);
  const since = isOlder && say`, the same since ${dayOf(first_seen_at)}`;
  const missed = missed_since !== undefined && say`, not seen by checks since ${dayOf(missed_since)}`;
  return say`${code(source)} (${dayOf(observed_at)}${since}${missed}) ${own(missed_since === undefined ? 'lists' : 'listed')}`;
}

function pricesFor(offers: readonly Offer[], paidTool: string | undefined): readonly Offer[] {
  if (paidTool === undefined) return offers;
  const own = offers.filter((one) => one.for === paidTool);
  return own.length > 0 ? own : offers.filter((one) => one.for === undefined);
}

function compareWithList(
  list: SeenPlace,
  offer: SentOffer,
  paidTool: string | undefined,
): ListComparison | undefined {
  const [now] = list.quotes;
  const isPriced = ({ amount }: Offer) => amount !== undefined;
  const all = now?.value?.filter(isPriced) ?? [];
  const ofTool = pricesFor(all, paidTool);
  const near = ofTool.toSorted((a, b) => likeness(b, offer) - likeness(a, offer))[0];
  if (!near) {
    if (paidTool === undefined || all.length === 0) return undefined;
    const text = say`${listWords(list)} no price for ${code(paidTool)}, which the request for the payment names, and ${all.length} for others.`;
    return { ...whereOf(list), tool: undefined, isSimilar: false, others: 0, ...notKnown, text };
  }
  const quotes = list.quotes.map(({ value, ...one }) => ({
    ...one,
    value: value && pricesFor(value, paidTool),
  }));
  const states = toStates(compareOffer(offer, { ...list, quotes }));
  const isSame = (one: Offer) =>
    (['asset', 'network', 'for', 'amount', 'scheme'] as const).every((name) => one[name] === near[name]);
  const payees = addressesOf(ofTool.filter(isSame)).map((payee) => code(payee));
  const isOther = payees.length > 0 && states.payee !== 'as_listed';
  const paid = isOther && say`, paid to ${listed(payees, mostPayees)}`;
  const tool = near.for !== undefined && say` for ${code(near.for)}`;
  const others = ofTool.length - 1;
  const more = others > 0 && say`; ${others} more there`;
  const isSimilar = paidTool === undefined && near.for !== undefined;
  const why = isSimilar && own('; chosen by similarity, because the request names no tool');
  const part = now?.isPart && own('Dossier could not read all of this list. ');
  const text = say`${listWords(list)} ${offerWords(near)}${tool}${paid}${more}${why}. ${part}This offer compared with it: ${statesWords(states)}.`;
  return { ...whereOf(list), tool: near.for, isSimilar, others, ...states, text };
}

/** A list for an endpoint other than `endpoint` is named only if it has exactly this offer. */
export function compareWithLists(
  lists: readonly SeenPlace[],
  offer: SentOffer,
  { paidTool, endpoint }: { readonly paidTool: string | undefined; readonly endpoint: string | undefined },
): ListComparison[] {
  return lists.flatMap((list) => {
    const one = compareWithList(list, offer, paidTool);
    const { endpoint: of } = list;
    if (!one || endpoint === undefined || of === undefined || of === endpoint) return one ?? [];
    return partNames.every((name) => one[name] === 'as_listed')
      ? { ...one, endpoint: of, text: say`${one.text} It is published for ${code(of)}.` }
      : [];
  });
}
