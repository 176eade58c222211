import { type ComparisonBudget, differenceWithin, type TextPart } from '../core/word-difference.ts';
import { shortNameOf, type Tool } from './endpoint/surface.ts';
import { toShownName } from './gate.ts';
import { textsOf } from './kinds/tool-changes.ts';
import { toolsSurface } from './kinds/tools.ts';
import type { ObservationChange } from './observation.ts';

/** A text of a tool that differs between two lists of tools, for models to read: `member` is its place in the tool. */
interface ChangedText {
  readonly tool: string;
  /** As `description`, or `inputSchema.properties.to.description`. */
  readonly member: string;
  readonly difference: readonly TextPart[];
}

const mostTexts = 200;
const longestName = 200;

const readTexts = (tool: Tool) =>
  new Map(
    textsOf(tool)
      .take(mostTexts)
      .map(([place, text]) => [place.join('.').slice(0, longestName), text] as const),
  );

function* changesOf(
  tool: string,
  [before, after]: readonly [Tool, Tool],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const [old, now] = [readTexts(before), readTexts(after)];
  for (const member of new Set([...old.keys(), ...now.keys()])) {
    const [was = '', is = ''] = [old.get(member), now.get(member)];
    const difference = was === is ? undefined : differenceWithin(budget, was, is);
    if (difference) yield { tool: toShownName(tool), member: toShownName(member), difference };
  }
}

/** Yields the texts that differ in tools that are in both lists; each is compared only when the caller asks for it. */
export function* changedTexts(
  before: readonly Tool[],
  after: readonly Tool[],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const old = new Map(before.map((tool) => [shortNameOf(tool), tool]));
  for (const tool of after) {
    const known = old.get(shortNameOf(tool));
    if (known) yield* changesOf(shortNameOf(tool), [known, tool], budget);
  }
}

/** A change as a history shows it. */
export interface ShownChange extends ObservationChange {
  /** Where tools changed and both sets of them are still stored: which texts for models differ, and where. */
  readonly texts?: readonly ChangedText[];
}

const mostShownTexts = 10;

/** Finds a stored set of tools by its endpoint and digest; undefined if it is stored no more. */
export type FindSet = (endpoint: string, digest: unknown) => readonly Tool[] | undefined;

/** Adds the texts that differ to a change of tools, if the sets before and after it are still stored. */
export function withTexts(change: ObservationChange, find: FindSet, budget: ComparisonBudget): ShownChange {
  if (!isOfTools(change)) return change;
  const [was, is] = [change.before, change.after].map((one) => find(change.subject ?? '', one?.value));
  const texts = was && is ? changedTexts(was, is, budget).take(mostShownTexts).toArray() : [];
  return texts.length > 0 ? { ...change, texts } : change;
}

/** Whether a change replaced one set of tools by another one. */
export const isOfTools = ({ kind, before }: ObservationChange): boolean =>
  kind === toolsSurface.kind && before !== undefined;
