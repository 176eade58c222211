import {
  type ComparisonBudget,
  differenceWithin,
  type TextPart,
} from '../core/difference/word-difference.ts';
import { type Surface, type SurfaceMember, shortNameOf } from './endpoint/surface.ts';
import { toShownName } from './gate.ts';
import { type NamedMember, textsOf, toNamed } from './kinds/lists/member-changes.ts';
import { surfaceOf } from './kinds.ts';
import type { ObservationChange } from './observation.ts';

type ChangedText = NamedMember & TextChange;

interface TextChange {
  /** The path of the text, such as `description` or `inputSchema.properties.to.description`. */
  readonly member: string;
  readonly difference: readonly TextPart[];
}

const mostTexts = 200;
const longestName = 200;

const readTexts = (member: SurfaceMember) =>
  new Map(
    textsOf(member)
      .take(mostTexts)
      .map(([place, text]) => [place.join('.').slice(0, longestName), text] as const),
  );

function* textChanges(
  [before, after]: readonly [SurfaceMember, SurfaceMember],
  budget: ComparisonBudget,
): Generator<TextChange> {
  const old = readTexts(before);
  const now = readTexts(after);
  for (const member of new Set([...old.keys(), ...now.keys()])) {
    const was = old.get(member) ?? '';
    const is = now.get(member) ?? '';
    const difference = was === is ? undefined : differenceWithin(budget, was, is);
    if (difference) yield { member: toShownName(member), difference };
  }
}

/**
 * Compares the members that are in both lists, and yields each text that differs. The next text is compared
 * only when the caller asks for the next result.
 */
export function* changedTexts(
  surface: Surface,
  before: readonly SurfaceMember[],
  after: readonly SurfaceMember[],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const old = new Map(before.map((member) => [shortNameOf(member, surface), member]));
  for (const member of after) {
    const name = shortNameOf(member, surface);
    const known = old.get(name);
    const pair = known && ([surface.byName(known), surface.byName(member)] as const);
    const named = toNamed(toShownName(name), surface);
    for (const text of pair ? textChanges(pair, budget) : []) yield { ...named, ...text };
  }
}

export interface ShownChange extends ObservationChange {
  readonly texts?: readonly ChangedText[];
}

const mostShownTexts = 10;

/** Returns undefined if the list is no longer stored, or was too large to read. */
export type FindSet = (
  endpoint: string,
  surface: Surface,
  digest: unknown,
) => readonly SurfaceMember[] | undefined;

/** Adds the first ten texts that differ, if both versions of the list could be read. */
export function withTexts(change: ObservationChange, find: FindSet, budget: ComparisonBudget): ShownChange {
  const surface = surfaceChangedBy(change);
  if (!surface) return change;
  const [was, is] = [change.before, change.after].map((one) =>
    find(change.subject ?? '', surface, one?.value),
  );
  const texts = was && is ? changedTexts(surface, was, is, budget).take(mostShownTexts).toArray() : [];
  return texts.length > 0 ? { ...change, texts } : change;
}

/** Returns undefined if the fact is not about a list, or was seen for the first time. */
export const surfaceChangedBy = ({ kind, before }: ObservationChange): Surface | undefined =>
  before && surfaceOf(kind);
