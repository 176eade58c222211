import { difference } from '../../core/difference/difference.ts';
import {
  type ComparisonBudget,
  differenceWithin,
  type TextPart,
} from '../../core/difference/word-difference.ts';
import { asMembers } from '../../core/json.ts';
import { toShownName } from '../../core/text.ts';
import { nameOf, type Surface, type SurfaceMember } from '../endpoint/surface.ts';
import { type NamedMember, textsOf, toNamed } from '../kinds/lists/member-changes.ts';
import { surfaceOf } from '../kinds.ts';
import type { ObservationChange } from '../observation.ts';

type ChangedText = NamedMember & TextChange;

interface TextChange {
  readonly member: string;
  readonly difference: readonly TextPart[];
}

const mostTexts = 200;
const longestName = 200;

const readTexts = (member: SurfaceMember) =>
  Object.fromEntries(
    textsOf(member)
      .take(mostTexts)
      .map(([place, text]) => [place.join('.').slice(0, longestName), text] as const),
  );

export function* changedTexts(
  surface: Surface,
  before: readonly SurfaceMember[],
  after: readonly SurfaceMember[],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const found = difference(before, after, { key: (member) => nameOf(member, surface) });
  for (const { name = '', was, is } of found.filter(({ inside }) => inside)) {
    const [old, now] = [was, is].map((one) => readTexts(surface.byName(asMembers(one))));
    const named = toNamed(toShownName(name.slice(0, longestName)), surface);
    for (const { path, ...text } of difference(old, now)) {
      const words = differenceWithin(budget, String(text.was ?? ''), String(text.is ?? ''));
      if (words) yield { ...named, member: toShownName(path.join()), difference: words };
    }
  }
}

export interface ShownChange extends ObservationChange {
  readonly texts?: readonly ChangedText[];
}

const mostShownTexts = 10;

/** Undefined if the list is no longer stored, or was too large. */
export type FindSet = (
  change: Pick<ObservationChange, 'kind' | 'subject'>,
  digest: unknown,
) => readonly SurfaceMember[] | undefined;

export function withTexts(change: ObservationChange, find: FindSet, budget: ComparisonBudget): ShownChange {
  const surface = surfaceChangedBy(change);
  if (!surface) return change;
  const [was, is] = [change.before, change.after].map((one) => find(change, one?.value));
  const texts = was && is ? changedTexts(surface, was, is, budget).take(mostShownTexts).toArray() : [];
  return texts.length > 0 ? { ...change, texts } : change;
}

export const surfaceChangedBy = ({ kind, before }: ObservationChange): Surface | undefined =>
  before && surfaceOf(kind);
