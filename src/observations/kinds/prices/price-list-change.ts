import { join, own, say, toText, type Words, within } from '../../../core/words.ts';
import type { BeforeChange, JoinedPart, ShownFinding } from '../../kind.ts';
import { hasLess, joinOffers, knownOnBoth, payeesOnBoth, type StatedOffers } from './known-on-both.ts';
import { offersChange, offersWeight, toPaidOffers } from './offers.ts';
import { payeesChange, payeesWeight, payeesWords } from './payees-change.ts';
import {
  isWholeList,
  mostJoined,
  storedOffers,
  type ToolOffer,
  toolsWords,
  toSortedOffers,
} from './tool-offers.ts';

type ToolName = string | undefined;
type OffersByTool = ReadonlyMap<ToolName, StatedOffers<ToolOffer>>;

interface StoredList {
  /** The stored tools. If more tools may follow the last one, its offers may be cut, and it is left out. */
  readonly tools: OffersByTool;
  /** All offers that were read are stored. */
  readonly isStored: boolean;
  /** All offers of the source were read and are stored. */
  readonly isWhole: boolean;
  /** No prices of other tools were stated. */
  readonly hasAllTools: boolean;
}

function toState({ value, ...found }: BeforeChange<ToolOffer[]> | ShownFinding<ToolOffer[]>): StoredList {
  const list = { ...found, value: value ?? [] };
  const stored = storedOffers(list);
  const isStored = isWholeList(list, stored);
  const groups = [...Map.groupBy(stored, ({ tool }) => tool)];
  const areNamed = isStored || found.details?.tools === groups.length;
  const tools = groups.map(([tool, offers], at) => {
    const isCut = !isStored && at === groups.length - 1;
    return [tool, { offers, isWhole: !isCut && !offers.some((one) => one.is_part) }] as const;
  });
  return {
    tools: new Map(areNamed ? tools : tools.slice(0, -1)),
    isStored,
    isWhole: isStored && !found.is_part,
    hasAllTools: areNamed && !found.is_part,
  };
}

/** The words are the same for all of the tools. */
interface PricesChange {
  readonly tools: readonly ToolName[];
  readonly words: Words;
  readonly weight: number;
}

function changeOf(tool: ToolName, was: StatedOffers<ToolOffer>, is: StatedOffers<ToolOffer>) {
  const known = knownOnBoth(was, is);
  const paid = payeesOnBoth(was, is);
  const before = toPaidOffers(known.before);
  const after = toPaidOffers(known.after);
  const said = [payeesChange(paid.before, paid.after), offersChange(before, after)].filter(
    (one) => one !== undefined,
  );
  const weight = Math.max(payeesWeight(paid.before, paid.after), offersWeight(before, after));
  const words = join(said, '. ');
  const isWhole = was.isWhole && is.isWhole;
  return said.length > 0
    ? {
        tools: [tool],
        words: isWhole ? words : say`as far as Dossier has its offers, ${within(words)}`,
        weight,
      }
    : undefined;
}

/** Compares tools that are in both lists. The weightiest change comes first. */
function changesOf({ tools: before }: StoredList, { tools: after }: StoredList): PricesChange[] {
  const changes = [...before].flatMap(([tool, was]) => {
    const is = after.get(tool);
    return (is && changeOf(tool, was, is)) ?? [];
  });
  return [...Map.groupBy(changes, ({ words }) => toText(words)).values()]
    .flatMap(([first, ...others]) =>
      first ? [{ ...first, tools: [first, ...others].flatMap(({ tools }) => tools) }] : [],
    )
    .sort((a, b) => b.weight - a.weight);
}

/** Returns the tools that the first list lacks; none if that list may have more tools than are stored. */
const missingIn = ({ tools: others, hasAllTools }: StoredList, { tools }: StoredList): ToolName[] =>
  hasAllTools ? [...tools.keys()].filter((tool) => !others.has(tool)) : [];

const payeesOf = ({ tools }: StoredList, names: Iterable<ToolName>) =>
  new Set([...names].flatMap((name) => tools.get(name)?.offers ?? []).flatMap(({ pay_to }) => pay_to ?? []));

/** The payees of added tools whom no offer of the list named before. */
const newPayees = (before: StoredList, after: StoredList, added: readonly ToolName[]): string[] =>
  [...payeesOf(after, added).difference(payeesOf(before, before.tools.keys()))].sort();

const mostChanges = 3;

/** The endpoint itself needs no name if nothing else changed in the same way. */
const changeWords = ({ tools, words }: PricesChange): Words =>
  tools.length === 1 && tools[0] === undefined ? words : say`${toolsWords(tools)}: ${words}`;

/** The words for the members of a price list, which are tools or operations. */
interface ListWords {
  readonly oneMore: Words;
  /** Follows their number. */
  readonly more: Words;
  readonly stated: Words;
}

const ofTools: ListWords = {
  oneMore: own('1 more tool has another price or payee'),
  more: own('more tools have other prices or payees'),
  stated: own('Prices or payees'),
};

/** The operations of an OpenAPI document, which states no payees. */
export const ofOperations: ListWords = {
  oneMore: own('1 more operation has another price'),
  more: own('more operations have other prices'),
  stated: own('Prices'),
};

function leftWords(left: readonly PricesChange[], { oneMore, more }: ListWords): Words {
  const members = left.flatMap((one) => one.tools).length;
  if (members === 0) return own('');
  return members === 1 ? oneMore : say`${members} ${more}`;
}

function addedWords(before: StoredList, after: StoredList): Words {
  const added = missingIn(before, after);
  const payees = newPayees(before, after, added);
  if (added.length === 0) return own('');
  const to = payees.length > 0 ? say`, paid to ${payeesWords(payees)}` : own('');
  return say`a new price for ${toolsWords(added)}${to}`;
}

function goneWords(before: StoredList, after: StoredList): Words {
  const gone = missingIn(after, before);
  return gone.length > 0 ? say`no longer a price for ${toolsWords(gone)}` : own('');
}

const partWords = (was: BeforeChange<ToolOffer[]>, after: StoredList): Words =>
  was.is_part && after.isWhole
    ? own('; before, Dossier had read only a part of this list')
    : own('; Dossier keeps only a part of this list');

/**
 * The weightiest change comes first. If only a part of the list is stored, the words say so, because they
 * cannot tell every change.
 */
export const priceListChange =
  (place: Words, ofMembers = ofTools) =>
  (was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>, between: Words): Words | undefined => {
    if (was.value === null) return say`There are prices in ${place}, and there were none before (${between})`;
    const before = toState(was);
    const after = toState(now);
    const changes = changesOf(before, after);
    const said = [
      ...changes.slice(0, mostChanges).map(changeWords),
      leftWords(changes.slice(mostChanges), ofMembers),
      addedWords(before, after),
      goneWords(before, after),
    ];
    const words = join(said, '; ');
    const isWhole = before.isWhole && after.isWhole;
    const isPart = was.is_part || now.is_part;
    if (toText(words) !== '')
      return say`In ${place}: ${words}${isWhole ? own('') : partWords(was, after)} (${between})`;
    return isWhole || isPart
      ? undefined
      : say`${ofMembers.stated} in ${place} changed; Dossier keeps too little of this list to say which (${between})`;
  };

/**
 * A price list weighs as much as the tool that changed most. A new payee weighs the same for a new tool as
 * for a known one.
 */
export function priceListWeight(was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>): number {
  const before = toState(was);
  const after = toState(now);
  const [most] = changesOf(before, after);
  const added = missingIn(before, after);
  const isNewPayee = was.value !== null && newPayees(before, after, added).length > 0;
  const isMore = added.length > 0 || !(before.isWhole && after.isWhole);
  return Math.max(most?.weight ?? 0, isNewPayee ? 4 : isMore ? 1 : 0);
}

/** If a part lacks a tool, that is no difference, because the rest may have the tool. */
export function comparePriceLists(was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>) {
  const before = toState(was);
  const after = toState(now);
  const isOther = changesOf(before, after).length > 0;
  if (isOther || missingIn(before, after).length > 0 || missingIn(after, before).length > 0) return 'differs';
  const isLess = [...before.tools].some(([tool, offers]) => {
    const is = after.tools.get(tool);
    return is === undefined || hasLess(offers, is);
  });
  return isLess || (before.hasAllTools && !after.hasAllTools) ? 'less' : 'same';
}

function joinTool(
  before: StatedOffers<ToolOffer> | undefined,
  after: StatedOffers<ToolOffer> | undefined,
): StatedOffers<ToolOffer> {
  if (!before || !after || after.isWhole) return after ?? before ?? { offers: [], isWhole: true };
  return { offers: joinOffers(before, after), isWhole: before.isWhole };
}

/**
 * Joins a part with what was known before. A tool that a part lacks may be in the rest. Returns undefined if
 * one of them is not stored in full, or if they are too large together.
 */
export function joinPriceLists(was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>) {
  const before = toState(was);
  const after = toState(now);
  if (!before.isStored || !after.isStored) return undefined;
  const names = [...new Set([...before.tools.keys(), ...after.tools.keys()])];
  const tools = names.map((tool) => {
    const { offers, isWhole } = joinTool(before.tools.get(tool), after.tools.get(tool));
    return { ...(tool !== undefined && { tool }), offers, hasMore: !isWhole };
  });
  const offers = toSortedOffers(tools);
  return offers.length > mostJoined ? undefined : { offers, tools: names.length };
}

/** Joins two values of a kind whose value is a price list. */
export function joinPart(
  was: BeforeChange<ToolOffer[]>,
  now: ShownFinding<ToolOffer[]>,
): JoinedPart | undefined {
  const joined = joinPriceLists(was, now);
  return joined && { value: joined.offers, details: { ...now.details, ...joined } };
}
