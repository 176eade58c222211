import { join, own, say, toText, type Words } from '../../../core/words.ts';
import type { BeforeChange, ShownFinding } from '../../kind.ts';
import { offersChange, offersWeight, toPaidOffers } from './offers.ts';
import { payeesChange, payeesWeight, payeesWords } from './payees-change.ts';
import { isWholeList, storedOffers, type ToolOffer, toolsWords } from './tool-offers.ts';

type ToolName = string | undefined;
type OffersByTool = ReadonlyMap<ToolName, readonly ToolOffer[]>;

/**
 * A price list before or after a change. If only a part is stored, `tools` has the tools whose offers are all
 * stored.
 */
interface StoredList {
  readonly tools: OffersByTool;
  readonly isWhole: boolean;
}

function toState({ value, ...found }: BeforeChange<ToolOffer[]> | ShownFinding<ToolOffer[]>): StoredList {
  const list = { ...found, value: value ?? [] };
  const stored = storedOffers(list);
  const isWhole = isWholeList(list, stored);
  const tools = [...Map.groupBy(stored, ({ tool }) => tool)];
  return { tools: new Map(isWhole ? tools : tools.slice(0, -1)), isWhole };
}

/** How the offers of some tools changed, in words that are the same for all of them. */
interface PricesChange {
  readonly tools: readonly ToolName[];
  readonly words: Words;
  readonly weight: number;
}

function changeOf(tool: ToolName, was: readonly ToolOffer[], is: readonly ToolOffer[]) {
  const before = toPaidOffers(was);
  const after = toPaidOffers(is);
  const said = [payeesChange(was, is), offersChange(before, after)].filter((one) => one !== undefined);
  const weight = Math.max(payeesWeight(was, is), offersWeight(before, after));
  return said.length > 0 ? { tools: [tool], words: join(said, '. '), weight } : undefined;
}

/** The changes of tools that are in both lists, the weightiest first. */
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

/** The tools of a list that another list does not have; none if only a part of that one is stored. */
const missingIn = ({ tools: others, isWhole }: StoredList, { tools }: StoredList): ToolName[] =>
  isWhole ? [...tools.keys()].filter((tool) => !others.has(tool)) : [];

const payeesOf = ({ tools }: StoredList, names: Iterable<ToolName>) =>
  new Set([...names].flatMap((name) => tools.get(name) ?? []).flatMap(({ pay_to }) => pay_to ?? []));

/** The payees of new tools that nobody in the list was paid at before. */
const newPayees = (before: StoredList, after: StoredList, added: readonly ToolName[]): string[] =>
  [...payeesOf(after, added).difference(payeesOf(before, before.tools.keys()))].sort();

const mostChanges = 3;

/** The endpoint itself needs no name if nothing else changed in this way. */
const changeWords = ({ tools, words }: PricesChange): Words =>
  tools.length === 1 && tools[0] === undefined ? words : say`${toolsWords(tools)}: ${words}`;

function leftWords(left: readonly PricesChange[]): Words {
  const tools = left.flatMap((one) => one.tools).length;
  if (tools === 0) return own('');
  return tools === 1
    ? own('1 more tool has another price or payee')
    : say`${tools} more tools have other prices or payees`;
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

/**
 * Says how the price list at `place` changed, tool by tool, the weightiest change first. If only a part of
 * the list is stored, it says so, because it cannot tell every change.
 */
export const priceListChange =
  (place: Words) =>
  (was: BeforeChange<ToolOffer[]>, now: ShownFinding<ToolOffer[]>, between: Words): Words | undefined => {
    if (was.value === null) return say`States prices in ${place}, and none before (${between})`;
    const before = toState(was);
    const after = toState(now);
    const changes = changesOf(before, after);
    const said = [
      ...changes.slice(0, mostChanges).map(changeWords),
      leftWords(changes.slice(mostChanges)),
      addedWords(before, after),
      goneWords(before, after),
    ];
    const words = join(said, '; ');
    const isWhole = before.isWhole && after.isWhole;
    if (toText(words) !== '')
      return say`In ${place}: ${words}${isWhole ? own('') : own('; Dossier keeps only a part of this list')} (${between})`;
    return isWhole
      ? undefined
      : say`Prices or payees in ${place} changed; Dossier keeps too little of this list to say which (${between})`;
  };

/**
 * The weight of a change of a price list is the weight of the tool that changed most. A new payee weighs the
 * same for a new tool as for a known one.
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
